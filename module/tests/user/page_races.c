// SPDX-License-Identifier: GPL-2.0
/* Races of page slots: dirtied again, completed, chunks made. */
#include "races.h"

#define UNIT	IOB_RACES_UNIT
#define PFN	IOB_RACES_PFN

/* A page is dirtied again while its write completes. */

static void under_writeback(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	iob_pages_dirty(p, PFN, 10, UNIT, false);
	iob_pages_writeback(p, PFN, 1, 0, false);
}

static void dirty_again(void *ctx)
{
	struct races *r = ctx;

	iob_pages_dirty(&r->f->s.pages, PFN, 11, UNIT, true);
}

static void complete_again(void *ctx)
{
	struct races *r = ctx;

	r->got[0] = iob_races_complete(r, true);
}

static void each_write_has_its_dirtier(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	KUNIT_EXPECT_EQ(r->test, r->got[0], 10u);
	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(p, PFN), 11u);
	iob_pages_writeback(p, PFN, 1, 0, true);
	KUNIT_EXPECT_EQ(r->test, iob_races_complete(r, true), 11u);
}

/* The same of a page whose start of writeback is not told. */

static void dirty_once(struct races *r)
{
	iob_pages_dirty(&r->f->s.pages, PFN, 10, UNIT, false);
}

static void mark_and_dirty(void *ctx)
{
	struct races *r = ctx;

	WRITE_ONCE(r->folio_dirty, true);
	iob_pages_dirty(&r->f->s.pages, PFN, 11, UNIT, true);
}

static void look_and_complete(void *ctx)
{
	struct races *r = ctx;
	struct iob_pages *p = &r->f->s.pages;
	struct iob_peek peek = iob_pages_peek(p, PFN);

	r->got[0] = iob_slot_act(iob_pages_complete(p, PFN, peek,
						    READ_ONCE(r->folio_dirty),
						    true, 0, 9 * UNIT));
}

static void next_write_has_the_next(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	KUNIT_EXPECT_EQ(r->test, r->got[0], 10u);
	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(p, PFN), 11u);
	KUNIT_EXPECT_EQ(r->test, iob_races_complete(r, false), 11u);
}

/* The last part of a folio completes while the page is dirtied anew. */

static void part_under_writeback(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	iob_pages_dirty(p, PFN, 10, UNIT, false);
	iob_pages_writeback(p, PFN, 1, 0, true);
}

static void dirty_anew(void *ctx)
{
	struct races *r = ctx;

	r->got[1] = iob_pages_dirty_act(&r->f->s.pages, PFN);
	iob_pages_dirty(&r->f->s.pages, PFN, 11, UNIT, true);
}

static void complete_last(void *ctx)
{
	struct races *r = ctx;

	r->got[0] = iob_races_complete(r, false);
}

static void first_dirtier_or_second(struct races *r)
{
	/* the second only if its dirtying came first */
	KUNIT_EXPECT_TRUE(r->test, r->got[0] == 10 || r->got[1] == 10);
	KUNIT_EXPECT_TRUE(r->test, r->got[0] == 10 || r->got[0] == 11);
}

/* Two CPUs need the same chunk, and there may be memory for one only. */

static const struct iob_limits one_chunk = {
	.stacks = 8, .acts = 16, .files = 8, .totals = 8, .flows = 8, .blocks = 8,
	.memory_kb = PAGE_SIZE / 1024,
};

static const struct iob_limits two_chunks = {
	.stacks = 8, .acts = 16, .files = 8, .totals = 8, .flows = 8, .blocks = 8,
	.memory_kb = 2 * PAGE_SIZE / 1024,
};

static void dirty_one(void *ctx)
{
	struct races *r = ctx;

	iob_pages_dirty(&r->f->s.pages, PFN, 10, UNIT, false);
}

static void dirty_next(void *ctx)
{
	struct races *r = ctx;

	iob_pages_dirty(&r->f->s.pages, PFN + 1, 11, UNIT, false);
}

static void both_are_remembered(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(p, PFN), 10u);
	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(p, PFN + 1), 11u);
	KUNIT_EXPECT_EQ(r->test, atomic_read(&p->nr_used), 1);
	KUNIT_EXPECT_FALSE(r->test, p->lossy);
}

static void one_is_remembered(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;
	u32 nr = !!iob_pages_dirty_act(p, PFN) +
		 !!iob_pages_dirty_act(p, PFN + 1);

	KUNIT_EXPECT_LE(r->test, 1u, nr);
	KUNIT_EXPECT_EQ(r->test, atomic_read(&p->nr_used), 1);
	KUNIT_EXPECT_EQ(r->test, p->lossy, nr == 1);
	KUNIT_EXPECT_EQ(r->test, iob_counters_read(&r->f->s.counters,
						   IOB_CNT_LOST_PAGES),
			2ull - nr);
}

static const struct race races[] = {
	{ "dirtied again, completed", NULL, under_writeback, dirty_again,
	  complete_again, each_write_has_its_dirtier },
	{ "dirtied again, completed, start not told", NULL, dirty_once,
	  mark_and_dirty, look_and_complete, next_write_has_the_next },
	{ "dirtied anew, last part completed", NULL, part_under_writeback,
	  dirty_anew, complete_last, first_dirtier_or_second },
	{ "one chunk wanted twice", NULL, NULL, dirty_one, dirty_next,
	  both_are_remembered },
	{ "one chunk wanted twice, memory for two", &two_chunks, NULL,
	  dirty_one, dirty_next, both_are_remembered },
	{ "one chunk wanted twice, memory for one", &one_chunk, NULL,
	  dirty_one, dirty_next, one_is_remembered },
};

IOB_TEST_PARAMS(race, races)

static void both_ways(struct kunit *test)
{
	iob_races_both_ways(test, test->param_value);
}

static struct kunit_case page_races_cases[] = {
	KUNIT_CASE_PARAM(both_ways, race_gen_params),
	{}
};

static struct kunit_suite page_races_suite = {
	.name = "ioblame_page_races",
	.test_cases = page_races_cases,
};

kunit_test_suites(&page_races_suite);
