// SPDX-License-Identifier: GPL-2.0
/* Times of an IO: dirty age by pages, queue and device time by IOs. */
#include "fixture.h"

#define MS	1000000ull
#define FILE_1	1

/* One IO of one page; the row it made. */
static void one_io(struct kunit *test, u64 dirtied_ns, u64 queue_ns,
		   u64 issue_ns, u64 now_ns, struct iob_total *row)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	const struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.queue_ns = queue_ns,
		.issue_ns = issue_ns,
		.unknown = IOB_ACT_PREEXISTING,
	};

	if (dirtied_ns)
		iob_charge_dirty(&f->s, 1, 1, iob_test_act(&f->s, 1, 1, FILE_1),
				 dirtied_ns, false);
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0, now_ns);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_test_page(&f->s, &f->io, FILE_1, 1, PAGE_SIZE, false);
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_ASSERT_EQ(test, iob_totals_end(&f->s.totals), 2u);
	iob_totals_read(&f->s.totals, 1, row);
}

static u32 sum(const struct iob_hist *h)
{
	u32 i, n = 0;

	for (i = 0; i < IOB_HIST_BUCKETS; i++)
		n += h->count[i];
	return n;
}

#define UNIT	(1ull << IOB_PAGE_TIME_SHIFT)
#define NEVER	~0ull	/* not counted at all */

struct times {
	const char *name;
	u64 dirtied_ns, queue_ns, issue_ns, now_ns;
	u64 age_ns, queued_ns, device_ns;
};

static const struct times times[] = {
	{ "all known", 4 * UNIT, 5 * UNIT, 7 * UNIT, 10 * UNIT,
	  6 * UNIT, 2 * UNIT, 3 * UNIT },
	{ "dirtying not seen", 0, 5 * UNIT, 7 * UNIT, 10 * UNIT,
	  NEVER, 2 * UNIT, 3 * UNIT },
	{ "submission not seen", 4 * UNIT, 0, 7 * UNIT, 10 * UNIT,
	  6 * UNIT, NEVER, 3 * UNIT },
	{ "dispatch not seen", 4 * UNIT, 5 * UNIT, 0, 10 * UNIT,
	  6 * UNIT, NEVER, NEVER },
	{ "nothing took any time", 5 * UNIT, 5 * UNIT, 5 * UNIT, 5 * UNIT,
	  0, 0, 0 },
	/* the fast clock may step back a little from CPU to CPU */
	{ "dispatched before submitted", 4 * UNIT, 7 * UNIT, 7 * UNIT - 1,
	  10 * UNIT, 6 * UNIT, 0, 3 * UNIT + 1 },
	{ "completed before dispatched", 4 * UNIT, 5 * UNIT, 10 * UNIT + 1,
	  10 * UNIT, 6 * UNIT, 5 * UNIT + 1, 0 },
	{ "completed before dirtied", 10 * UNIT, 10 * UNIT, 10 * UNIT,
	  10 * UNIT - 1, 0, 0, 0 },
};

IOB_TEST_PARAMS(times, times)

static void expect_time(struct kunit *test, const struct iob_hist *h, u64 ns)
{
	KUNIT_EXPECT_EQ(test, sum(h), (u32)(ns != NEVER));
	if (ns == NEVER)
		return;
	KUNIT_EXPECT_EQ(test, h->max_ns, ns);
	KUNIT_EXPECT_EQ(test, h->count[iob_hist_bucket(ns)], 1u);
}

static void times_of_an_io(struct kunit *test)
{
	const struct times *t = test->param_value;
	struct iob_total *row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, row);
	one_io(test, t->dirtied_ns, t->queue_ns, t->issue_ns, t->now_ns, row);
	expect_time(test, &row->age, t->age_ns);
	expect_time(test, &row->queue, t->queued_ns);
	expect_time(test, &row->device, t->device_ns);
}

/* Ages are counted by pages, the other times by IOs. */
static void ages_count_pages(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1);
	struct iob_total row;

	iob_charge_dirty(&f->s, 0, 4, act, 100 * UNIT, false);
	iob_charge_dirty(&f->s, 4, 3, act, 1 * UNIT, false);
	iob_charge_dirty(&f->s, 7, 3, act, 100 * UNIT, false);
	iob_test_complete(f, FILE_1, 0, 10, false, 101 * UNIT);
	iob_totals_read(&f->s.totals, 1, &row);
	KUNIT_EXPECT_EQ(test, row.age.count[iob_hist_bucket(UNIT)], 7u);
	KUNIT_EXPECT_EQ(test, row.age.count[iob_hist_bucket(100 * UNIT)], 3u);
	KUNIT_EXPECT_EQ(test, row.age.max_ns, 100 * UNIT);
	KUNIT_EXPECT_EQ(test, f->io.oldest_ns, 1 * UNIT);
}

static struct iob_total *first_row(struct iob_fixture *f)
{
	return iob_array_at(&f->s.totals.rows, 1);
}

/* Counts stay at their end instead of starting over. */
static void age_counts_saturate(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 bucket = iob_hist_bucket(UNIT);

	iob_charge_dirty(&f->s, 0, 4, act, UNIT, false);
	iob_test_complete(f, FILE_1, 0, 4, false, 2 * UNIT);
	first_row(f)->age.count[bucket] = U32_MAX - 2;
	iob_charge_dirty(&f->s, 0, 4, act, UNIT, false);
	iob_test_complete(f, FILE_1, 0, 4, false, 2 * UNIT);
	KUNIT_EXPECT_EQ(test, first_row(f)->age.count[bucket], U32_MAX);
}

/* An IO of more than 256 MiB: bios of stacked devices have no limit. */
static void huge_io_counts_all_its_pages(struct kunit *test)
{
	enum { ROUNDS = 17, PAGES = ROUNDS * IOB_TEST_PFNS };
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1), i;
	const struct iob_flow flow = { .by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE };
	struct iob_total row;

	iob_charge_dirty(&f->s, 0, IOB_TEST_PFNS, act, UNIT, false);
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0,
			 2 * UNIT);
	iob_charge_flow(&f->s, &f->io, &flow);
	for (i = 0; i < PAGES; i++)
		iob_test_page(&f->s, &f->io, FILE_1, i % IOB_TEST_PFNS,
			      PAGE_SIZE, false);
	iob_charge_end(&f->s, &f->io, 0);
	iob_totals_read(&f->s.totals, 1, &row);
	KUNIT_EXPECT_EQ(test, row.bytes, (u64)PAGES * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, row.age.count[iob_hist_bucket(UNIT)],
			(u32)PAGES);
}

static struct kunit_case times_cases[] = {
	KUNIT_CASE_PARAM(times_of_an_io, times_gen_params),
	KUNIT_CASE(ages_count_pages),
	KUNIT_CASE(age_counts_saturate),
	KUNIT_CASE(huge_io_counts_all_its_pages),
	{}
};

static struct kunit_suite times_suite = {
	.name = "ioblame_times",
	.exit = iob_fixture_exit,
	.test_cases = times_cases,
};

kunit_test_suites(&times_suite);
