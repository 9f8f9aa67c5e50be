// SPDX-License-Identifier: GPL-2.0
/* Rule 12: what is read is the reader's, and what of it is used. */
#include "fixture.h"

#define MS	1000000ull
#define FILE_1	1
#define PAGES	8u

static struct iob_fixture *make(struct kunit *test)
{
	const struct iob_filter filter = { .readahead = true };

	return iob_fixture_create(test, &iob_test_limits, &filter);
}

/* @reader has @nr pages of a file read, from frame @pfn on. */
static void read_by(struct iob_fixture *f, const struct iob_flow *how,
		    u32 reader, u64 pfn, u32 nr)
{
	struct iob_flow flow = *how;
	u32 i;

	flow.issuer = reader;
	flow.origin = reader;
	flow.basis = IOB_BASIS_DIRECT;
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_READ, 0, 9 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	for (i = 0; flow.by == IOB_BY_READER && i < nr; i++)
		iob_charge_read(&f->s, &f->io, pfn + i, PAGE_SIZE);
	if (flow.by != IOB_BY_READER)
		iob_charge_bytes(&f->s, &f->io, 0, nr * PAGE_SIZE);
	iob_charge_end(&f->s, &f->io, 0);
}

static const struct iob_flow ahead = {
	.by = IOB_BY_READER, .reason = IOB_REASON_READAHEAD,
};

static void end(struct iob_fixture *f, u32 file, u64 pfn, u32 nr,
		enum iob_read_end how)
{
	struct iob_file_key key;

	iob_test_file_key(file, &key);
	iob_charge_read_end(&f->s, pfn, nr, &key, how);
}

static void dirty(struct iob_fixture *f, u64 pfn, u32 nr, u32 act)
{
	iob_charge_dirty(&f->s, pfn, nr, act, 10 * MS, false);
}

/* Pages of the only row: read, used, unused, of which it cannot be seen. */
static void expect(struct kunit *test, struct iob_fixture *f, u32 act,
		   u32 read, u32 used, u32 unused, u32 unseen)
{
	struct iob_total row;

	KUNIT_ASSERT_EQ(test, iob_totals_end(&f->s.totals), 2u);
	iob_totals_read(&f->s.totals, 1, &row);
	KUNIT_EXPECT_EQ(test, row.key.act, act);
	KUNIT_EXPECT_EQ(test, row.bytes, read * 4096ull);
	KUNIT_EXPECT_EQ(test, row.read[IOB_READ_USED], used * 4096ull);
	KUNIT_EXPECT_EQ(test, row.read[IOB_READ_UNUSED], unused * 4096ull);
	KUNIT_EXPECT_EQ(test, row.read[IOB_READ_UNSEEN], unseen * 4096ull);
	iob_test_conserved(test, f);
}

static void used_and_unused_share_a_row(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 reader = iob_test_act(&f->s, 1, 1, FILE_1);

	read_by(f, &ahead, reader, 1, PAGES);
	expect(test, f, reader, PAGES, 0, 0, 0);
	end(f, FILE_1, 1, 3, IOB_READ_USED);
	end(f, FILE_1, 1, 3, IOB_READ_USED);
	expect(test, f, reader, PAGES, 3, 0, 0);
	end(f, FILE_1, 4, 1, IOB_READ_UNSEEN);
	end(f, FILE_1, 1, PAGES, IOB_READ_UNUSED);
	expect(test, f, reader, PAGES, 3, PAGES - 4, 1);
	end(f, FILE_1, 1, PAGES, IOB_READ_USED);
	expect(test, f, reader, PAGES, 3, PAGES - 4, 1);
}

/* Whoever changes a page uses what was read of it; it stays the reader's. */
static void changed_is_used(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 reader = iob_test_act(&f->s, 1, 1, FILE_1);
	u32 writer = iob_test_act(&f->s, 2, 1, FILE_1);

	read_by(f, &ahead, reader, 1, PAGES);
	dirty(f, 1, 2, writer);
	iob_charge_dirty_part(&f->s, 4, 1, writer, 10 * MS, false);
	expect(test, f, reader, PAGES, 3, 0, 0);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(&f->s.pages, 1), writer);
}

/* What is under locks that charging would take is not charged. */
static void changed_inside_a_probe_is_not_told(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 reader = iob_test_act(&f->s, 1, 1, FILE_1);

	read_by(f, &ahead, reader, 1, PAGES);
	dirty(f, 1, 1, IOB_ACT_NESTED);
	end(f, FILE_1, 1, 1, IOB_READ_UNUSED);
	expect(test, f, reader, PAGES, 0, 0, 0);
}

/* Rule 7: the frame holds another file. */
static void page_of_another_file_tells_nothing(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 reader = iob_test_act(&f->s, 1, 1, FILE_1);

	read_by(f, &ahead, reader, 1, PAGES);
	end(f, FILE_1 + 1, 1, PAGES, IOB_READ_USED);
	end(f, FILE_1, 1, PAGES, IOB_READ_USED);
	expect(test, f, reader, PAGES, 0, 0, 0);
}

static void moved_page_is_still_to_be_used(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 reader = iob_test_act(&f->s, 1, 1, FILE_1);

	read_by(f, &ahead, reader, 1, PAGES);
	iob_charge_move(&f->s, 1, 2001, PAGES);
	end(f, FILE_1, 1, PAGES, IOB_READ_UNUSED);
	end(f, FILE_1, 2001, PAGES, IOB_READ_USED);
	expect(test, f, reader, PAGES, PAGES, 0, 0);
}

struct how {
	const char *name;
	struct iob_flow flow;
	bool is_asked;
	u32 unseen;
};

static const struct how hows[] = {
	{ "not into the page cache", { .by = IOB_BY_SUBMITTER }, true, PAGES },
	{ "devices below have told", { .by = IOB_BY_READER, .parts = 1 }, true,
	  PAGES },
	{ "nobody asks", { .by = IOB_BY_SUBMITTER }, false, 0 },
};

IOB_TEST_PARAMS(how, hows)

static void what_cannot_be_told(struct kunit *test)
{
	const struct how *how = test->param_value;
	const struct iob_filter filter = { .readahead = how->is_asked };
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   &filter);
	u32 reader = iob_test_act(&f->s, 1, 1, FILE_1);

	read_by(f, &how->flow, reader, 1, PAGES);
	end(f, FILE_1, 1, PAGES, IOB_READ_USED);
	expect(test, f, reader, PAGES, 0, 0, how->unseen);
}

/* In a large folio that is written elsewhere, given back, dirtied as a whole. */
static void beside_dirty_pages(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 reader = iob_test_act(&f->s, 1, 1, FILE_1);

	read_by(f, &ahead, reader, 1, PAGES);
	end(f, FILE_1, 1, 1, IOB_READ_USED);
	expect(test, f, reader, PAGES, 1, 0, 0);
	iob_charge_redirty(&f->s, 1, 4, IOB_ACT_PREEXISTING);
	dirty(f, 1, 4, iob_test_act(&f->s, 2, 1, FILE_1));
	expect(test, f, reader, PAGES, 1, 0, 3);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(&f->s.pages, 2),
			(u32)IOB_ACT_PREEXISTING);
}

static struct kunit_case reads_cases[] = {
	KUNIT_CASE(used_and_unused_share_a_row),
	KUNIT_CASE(changed_is_used),
	KUNIT_CASE(changed_inside_a_probe_is_not_told),
	KUNIT_CASE(page_of_another_file_tells_nothing),
	KUNIT_CASE(moved_page_is_still_to_be_used),
	KUNIT_CASE_PARAM(what_cannot_be_told, how_gen_params),
	KUNIT_CASE(beside_dirty_pages),
	{}
};

static struct kunit_suite reads_suite = {
	.name = "ioblame_reads",
	.exit = iob_fixture_exit,
	.test_cases = reads_cases,
};

kunit_test_suites(&reads_suite);
