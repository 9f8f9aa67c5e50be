// SPDX-License-Identifier: GPL-2.0
/* Charging: the rules of attribution, one case a rule. */
#include "fixture.h"

#define MS	1000000ull
#define FILE_1	1

static struct iob_fixture *make(struct kunit *test)
{
	return iob_fixture_create(test, &iob_test_limits, NULL);
}

static void dirty(struct iob_fixture *f, u64 pfn, u32 nr_pages, u32 act)
{
	iob_charge_dirty(&f->s, pfn, nr_pages, act, 100 * MS, false);
}

static u64 count(struct iob_fixture *f, enum iob_counter which)
{
	return iob_counters_read(&f->s.counters, which);
}

static u32 cancel(struct iob_fixture *f, u32 file, u64 pfn, u32 nr_pages,
		  u32 *act)
{
	struct iob_file_key key;

	iob_test_file_key(file, &key);
	return iob_charge_cancel(&f->s, IOB_TEST_DISK, pfn, nr_pages, &key,
				 act);
}

/* Rule 1 */
static void first_dirtier_wins_once_a_period(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 first = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 next = iob_test_act(&f->s, 2, 1, FILE_1);

	dirty(f, 1, 1, first);
	iob_charge_dirty(&f->s, 1, 1, next, 110 * MS, true);
	iob_test_complete(f, FILE_1, 1, 1, true, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, first), 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, next), 0ull);
	iob_test_complete(f, FILE_1, 1, 1, false, 300 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, first), 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, next), 4096ull);
	iob_test_conserved(test, f);
}

/* Rule 2 */
static void each_page_of_a_folio_has_its_dirtier(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 one = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 other = iob_test_act(&f->s, 2, 1, FILE_1);

	dirty(f, 16, 16, one);
	dirty(f, 20, 3, other);
	iob_test_complete(f, FILE_1, 16, 16, false, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, one), 13 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, other), 3 * 4096ull);
	KUNIT_EXPECT_EQ(test, f->io.nr, 2u);
	iob_test_conserved(test, f);
}

/* Rule 7: a slot counts only if the page still belongs to its file. */
static void page_of_another_file_is_not_its(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1);

	dirty(f, 1, 4, act);
	iob_test_complete(f, FILE_1 + 1, 1, 2, false, 200 * MS);
	iob_test_complete(f, FILE_1, 3, 2, false, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 2 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_PREEXISTING),
			2 * 4096ull);
	KUNIT_EXPECT_EQ(test, count(f, IOB_CNT_PAGES_FOREIGN), 2ull);
	iob_test_conserved(test, f);
}

/* Likewise when the folio is dirty again. */
static void page_of_another_file_dirty_again(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1);

	dirty(f, 1, 1, act);
	iob_test_complete(f, FILE_1 + 1, 1, 1, true, 200 * MS);
	iob_test_complete(f, FILE_1 + 1, 1, 1, false, 300 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 0ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_PREEXISTING),
			2 * 4096ull);
}

/* Pages of several files in one IO: each is looked at by its own. */
static void files_in_one_io_are_told_apart(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 one = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 other = iob_test_act(&f->s, 1, 1, FILE_1 + 1), i;
	const struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.unknown = IOB_ACT_PREEXISTING,
	};

	dirty(f, 0, 4, one);
	dirty(f, 4, 4, other);
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0,
			 200 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	for (i = 0; i < 8; i++)
		iob_test_page(&f->s, &f->io, FILE_1 + i % 2, i, 4096, false);
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, one), 2 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, other), 2 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_PREEXISTING),
			4 * 4096ull);
	iob_test_conserved(test, f);
}

/* A file there was no room for claims nothing, so it cannot be wrong. */
static void act_without_file_keeps_its_pages(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, 0);

	dirty(f, 1, 1, act);
	iob_test_complete(f, FILE_1, 1, 1, false, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 4096ull);
}

/* Rule 10 */
static void cancelled_is_told_and_not_charged(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 one = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 other = iob_test_act(&f->s, 2, 1, FILE_1), act;
	struct iob_total row;

	dirty(f, 1, 3, one);
	dirty(f, 4, 2, other);
	KUNIT_EXPECT_EQ(test, cancel(f, FILE_1, 1, 8, &act), 3u);
	KUNIT_EXPECT_EQ(test, act, one);
	KUNIT_EXPECT_EQ(test, cancel(f, FILE_1, 4, 5, &act), 2u);
	KUNIT_EXPECT_EQ(test, act, other);
	KUNIT_EXPECT_EQ(test, cancel(f, FILE_1, 6, 3, &act), 3u);
	KUNIT_EXPECT_EQ(test, act, (u32)IOB_ACT_NONE);
	KUNIT_ASSERT_TRUE(test, iob_test_find_row(&f->s, one, 0, &row));
	KUNIT_EXPECT_EQ(test, row.cancelled, 3 * 4096ull);
	KUNIT_EXPECT_EQ(test, row.bytes, 0ull);
	KUNIT_EXPECT_EQ(test, row.ios, 0ull);
	KUNIT_EXPECT_EQ(test, row.key.basis, (u8)IOB_BASIS_PAGE);
	KUNIT_ASSERT_TRUE(test, iob_test_find_row(&f->s, other, 0, &row));
	KUNIT_EXPECT_EQ(test, row.cancelled, 2 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_totals_end(&f->s.totals), 3u);
	KUNIT_EXPECT_EQ(test, count(f, IOB_CNT_PAGES_CANCELLED), 5ull);
	iob_test_conserved(test, f);
}

/* Rule 7 again: what was dropped was not what the slot remembers. */
static void cancelled_of_another_file_is_nobodys(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1);

	dirty(f, 1, 3, act);
	KUNIT_EXPECT_EQ(test, cancel(f, FILE_1 + 1, 1, 3, &act), 3u);
	KUNIT_EXPECT_EQ(test, act, (u32)IOB_ACT_NONE);
	KUNIT_EXPECT_EQ(test, iob_totals_end(&f->s.totals), 1u);
	KUNIT_EXPECT_EQ(test, count(f, IOB_CNT_PAGES_CANCELLED), 0ull);
	/* and is not remembered any longer */
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(&f->s.pages, 1), 0u);
}

/* Compaction moves a dirty page; its dirtier goes with it. */
static void moved_page_keeps_its_dirtier(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 stranger = iob_test_act(&f->s, 2, 1, FILE_1);

	dirty(f, 1, 2, act);
	dirty(f, 2001, 3, stranger);	/* what the frames held before */
	iob_charge_move(&f->s, 1, 2001, 3);
	iob_test_complete(f, FILE_1, 2001, 3, false, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 2 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, stranger), 0ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_PREEXISTING),
			4096ull);
	/* the old frames are anybody's */
	iob_test_complete(f, FILE_1, 1, 2, false, 300 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 2 * 4096ull);
}

/* Given back by writeback: the flusher does not become the dirtier. */
static void declined_page_keeps_its_dirtier(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 flusher = iob_test_act(&f->s, 2, 1, FILE_1);

	dirty(f, 1, 2, act);
	iob_charge_redirty(&f->s, 1, 2, IOB_ACT_PREEXISTING);
	dirty(f, 1, 2, flusher);
	iob_test_complete(f, FILE_1, 1, 2, false, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 2 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, flusher), 0ull);
	KUNIT_EXPECT_EQ(test, count(f, IOB_CNT_PAGES_REDIRTIED), 2ull);
}

enum unseen { NOT_SEEN, SEEN_LOST, SEEN_STALE, SEEN_METADATA };

struct unknown_case {
	const char *name;
	enum unseen unseen;
	u32 act;
};

static const struct unknown_case unknown_cases[] = {
	{ "never seen", NOT_SEEN, IOB_ACT_PREEXISTING },
	{ "no memory when seen", SEEN_LOST, IOB_ACT_LOST },
	{ "its act recycled", SEEN_STALE, IOB_ACT_STALE },
	{ "metadata: the issuer", SEEN_METADATA, IOB_NR_RESERVED_ACTS },
};

IOB_TEST_PARAMS(unknown, unknown_cases)

/* What is not known has a name, and its basis says so. */
static void unknown_has_a_name(struct kunit *test)
{
	const struct unknown_case *c = test->param_value;
	struct iob_limits limits = iob_test_limits;
	struct iob_fixture *f;
	struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.unknown = IOB_ACT_PREEXISTING,
	};
	struct iob_total row;
	u32 issuer, act;

	if (c->unseen == SEEN_LOST)
		limits.memory_kb = 0;
	f = iob_fixture_create(test, &limits, NULL);
	act = iob_test_act(&f->s, 1, 1, FILE_1);
	if (c->unseen == SEEN_LOST || c->unseen == SEEN_STALE)
		dirty(f, 1, 1, act);
	if (c->unseen == SEEN_STALE) {
		/* swept by force: nothing marks it */
		iob_intern_advance(&f->s.objects.acts);
		iob_intern_unlink_unmarked(&f->s.objects.acts);
		iob_intern_recycle(&f->s.objects.acts);
	}
	issuer = iob_test_act(&f->s, 9, 1, 0);
	flow.issuer = issuer;
	if (c->unseen == SEEN_METADATA)
		flow.unknown = issuer;

	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0,
			 200 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_test_page(&f->s, &f->io, FILE_1, 1, 4096, false);
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_ASSERT_EQ(test, iob_totals_end(&f->s.totals), 2u);
	iob_totals_read(&f->s.totals, 1, &row);
	KUNIT_EXPECT_EQ(test, row.key.act, c->act < IOB_NR_RESERVED_ACTS ?
			c->act : issuer);
	KUNIT_EXPECT_EQ(test, row.key.basis, (u8)IOB_BASIS_ISSUER);
	KUNIT_EXPECT_EQ(test, row.bytes, 4096ull);
	KUNIT_EXPECT_EQ(test, count(f, IOB_CNT_LOST_STALE),
			(u64)(c->unseen == SEEN_STALE));
	iob_test_conserved(test, f);
}

/* A known act that was not asked for is named so, and its bytes remain. */
static void filtered_is_folded_into_one(struct kunit *test)
{
	struct iob_filter filter = { .nr_tgid = 1, .tgid = { 5 } };
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   &filter);
	u32 wanted = iob_test_act(&f->s, 5, 1, FILE_1);

	dirty(f, 1, 1, wanted);
	dirty(f, 2, 1, iob_test_act(&f->s, 6, 1, FILE_1));
	dirty(f, 3, 1, iob_test_act(&f->s, 7, 2, FILE_1));
	dirty(f, 4, 1, iob_test_act(&f->s, 0, 2, FILE_1));
	iob_test_complete(f, FILE_1, 1, 5, false, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, wanted), 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_FILTERED),
			3 * 4096ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_PREEXISTING),
			4096ull);
	KUNIT_EXPECT_EQ(test, f->io.nr, 3u);
	iob_test_conserved(test, f);
}

/* IO of other disks and operations leaves nothing, however many origins. */
static void unwanted_io_leaves_nothing(struct kunit *test)
{
	struct iob_filter filter = { .nr_dev = 1, .dev = { 9 << 20 } };
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   &filter);
	enum { N = 3 * IOB_IO_ORIGINS };
	u32 i, act;

	for (i = 0; i < N; i++)
		dirty(f, i, 1, iob_test_act(&f->s, 1 + i, 1, FILE_1));
	iob_test_complete(f, FILE_1, 0, N, false, 200 * MS);
	dirty(f, 0, 1, iob_test_act(&f->s, 1, 1, FILE_1));
	cancel(f, FILE_1, 0, 1, &act);
	KUNIT_EXPECT_EQ(test, act, (u32)IOB_ACT_NONE);
	KUNIT_EXPECT_EQ(test, iob_totals_end(&f->s.totals), 1u);
	KUNIT_EXPECT_EQ(test, count(f, IOB_CNT_IOS), 0ull);
	iob_test_conserved(test, f);
}

static struct kunit_case charge_cases[] = {
	KUNIT_CASE(first_dirtier_wins_once_a_period),
	KUNIT_CASE(each_page_of_a_folio_has_its_dirtier),
	KUNIT_CASE(page_of_another_file_is_not_its),
	KUNIT_CASE(page_of_another_file_dirty_again),
	KUNIT_CASE(files_in_one_io_are_told_apart),
	KUNIT_CASE(act_without_file_keeps_its_pages),
	KUNIT_CASE(cancelled_is_told_and_not_charged),
	KUNIT_CASE(cancelled_of_another_file_is_nobodys),
	KUNIT_CASE(moved_page_keeps_its_dirtier),
	KUNIT_CASE(declined_page_keeps_its_dirtier),
	KUNIT_CASE_PARAM(unknown_has_a_name, unknown_gen_params),
	KUNIT_CASE(filtered_is_folded_into_one),
	KUNIT_CASE(unwanted_io_leaves_nothing),
	{}
};

static struct kunit_suite charge_suite = {
	.name = "ioblame_charge",
	.exit = iob_fixture_exit,
	.test_cases = charge_cases,
};

kunit_test_suites(&charge_suite);
