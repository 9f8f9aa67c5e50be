// SPDX-License-Identifier: GPL-2.0
/* Page slots: limited memory, frames at the edges, the aside table, walks. */
#include "fixture.h"

#define UNIT		(1ull << IOB_PAGE_TIME_SHIFT)
#define PRE		IOB_ACT_PREEXISTING

static struct iob_pages *make(struct kunit *test, u32 nr_chunks)
{
	return iob_pages_test_make(test, IOB_TEST_END_PFN, nr_chunks);
}

static u64 count(struct kunit *test, enum iob_counter which)
{
	return iob_pages_test_count(test, which);
}

static bool is_remembered(struct iob_pages *p, u64 pfn)
{
	iob_pages_dirty(p, pfn, 10, 0, false);
	return iob_pages_dirty_act(p, pfn) == 10;
}

static void frames_at_the_edges(struct kunit *test)
{
	struct iob_pages *p = make(test, 4);
	const u64 edges[] = {
		0, IOB_CHUNK_SLOTS - 1, IOB_CHUNK_SLOTS,
		3 * IOB_CHUNK_SLOTS - 1, 3 * IOB_CHUNK_SLOTS,
		IOB_TEST_END_PFN - 1,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		KUNIT_EXPECT_TRUE(test, is_remembered(p, edges[i]));
	KUNIT_EXPECT_EQ(test, count(test, IOB_CNT_LOST_PAGES), 0ull);
	KUNIT_EXPECT_FALSE(test, p->lossy);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->nr_used), 4);
}

/* Memory that came after enabling. */
static void frames_out_of_range(struct kunit *test)
{
	struct iob_pages *p = make(test, 4);
	const u64 outside[] = { 4 * IOB_CHUNK_SLOTS, 1ull << 40, ~0ull >> 12 };
	struct iob_page page;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(outside); i++) {
		KUNIT_EXPECT_FALSE(test, is_remembered(p, outside[i]));
		iob_pages_redirty(p, outside[i], PRE);
		iob_pages_writeback(p, outside[i], 1, 0, false);
		KUNIT_EXPECT_FALSE(test, iob_pages_test_complete(p, outside[i], 0,
							    false, &page));
		KUNIT_EXPECT_EQ(test, iob_pages_cancel(p, outside[i]), 0u);
		iob_pages_forget(p, outside[i]);
	}
	KUNIT_EXPECT_EQ(test, count(test, IOB_CNT_LOST_PAGES), 6ull);
	KUNIT_EXPECT_TRUE(test, p->lossy);
}

static void memory_limit_holds(struct kunit *test)
{
	struct iob_pages *p = make(test, 1);
	u32 i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, is_remembered(p, IOB_CHUNK_SLOTS + i));
	KUNIT_EXPECT_FALSE(test, p->lossy);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, is_remembered(p, i));
	KUNIT_EXPECT_TRUE(test, p->lossy);
	KUNIT_EXPECT_TRUE(test, is_remembered(p, IOB_CHUNK_SLOTS + 3));
	KUNIT_EXPECT_EQ(test, count(test, IOB_CNT_LOST_PAGES), 3ull);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->nr_used), 1);
}

static void no_memory_at_all(struct kunit *test)
{
	struct iob_pages *p = make(test, 0);

	KUNIT_EXPECT_FALSE(test, is_remembered(p, 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&p->nr_used), 0);
}

/* A chunk that could not be had is asked for again at the next occasion. */
static void failed_chunk_is_tried_again(struct kunit *test)
{
	struct iob_pages *p = make(test, 4);

	iob_test_faults(test, 1, 0);
	KUNIT_EXPECT_FALSE(test, is_remembered(p, 1));
	KUNIT_EXPECT_EQ(test, count(test, IOB_CNT_LOST_PAGES), 1ull);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->nr_used), 0);
	KUNIT_EXPECT_TRUE(test, is_remembered(p, 1));
}

/*
 * More pages dirtied again than the aside table holds: each is counted, none
 * is taken for another, and the table is empty again when all are written.
 */
static void aside_table_fills(struct kunit *test)
{
	enum { N = IOB_ASIDE_SHARDS * IOB_ASIDE_WAYS * 2 };
	struct iob_pages *p = iob_pages_test_make(test, N, N / IOB_CHUNK_SLOTS);
	struct iob_page page;
	u32 pfn, round, wrong, lost;

	for (round = 0; round < 2; round++) {
		iob_counters_reset(p->counters);
		for (pfn = 0; pfn < N; pfn++) {
			iob_pages_dirty(p, pfn, 10000 + pfn, UNIT, false);
			iob_pages_writeback(p, pfn, 1, 0, false);
			iob_pages_dirty(p, pfn, 50000 + pfn, UNIT, true);
		}
		for (pfn = 0, lost = 0, wrong = 0; pfn < N; pfn++) {
			if (!iob_pages_test_complete(p, pfn, UNIT, true, &page) ||
			    page.act == 50000 + pfn)
				lost++;
			else if (page.act != 10000 + pfn)
				wrong++;
		}
		KUNIT_EXPECT_EQ(test, wrong, 0u);
		KUNIT_EXPECT_EQ(test, count(test, IOB_CNT_LOST_ASIDE),
				(u64)lost);
		KUNIT_EXPECT_LE(test, (u32)N / 2, lost);
		KUNIT_EXPECT_LT(test, lost, (u32)N * 3 / 4);
		for (pfn = 0, wrong = 0; pfn < N; pfn++) {
			iob_pages_writeback(p, pfn, 1, 0, false);
			iob_pages_test_complete(p, pfn, UNIT, false, &page);
			wrong += page.act != 50000 + pfn;
		}
		KUNIT_EXPECT_EQ(test, wrong, 0u);
	}
}

/* What is aside for a second leg only gives way to what is being written. */
static void done_gives_way(struct kunit *test)
{
	enum { N = IOB_ASIDE_SHARDS * IOB_ASIDE_WAYS / 2, ROUNDS = 4 };
	struct iob_pages *p = iob_pages_test_make(test, ROUNDS * N,
						  ROUNDS * N / IOB_CHUNK_SLOTS);
	struct iob_page page;
	u32 pfn, wrong = 0;

	for (pfn = 0; pfn < ROUNDS * N; pfn++) {
		iob_pages_dirty(p, pfn, 10, UNIT, false);
		iob_pages_writeback(p, pfn, 1, 0, false);
		iob_pages_dirty(p, pfn, 11, UNIT, true);
		wrong += !iob_pages_test_complete(p, pfn, UNIT, true, &page) ||
			 page.act != 10;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0u);
	KUNIT_EXPECT_EQ(test, count(test, IOB_CNT_LOST_ASIDE), 0ull);
}

static void note_act(void *ctx, u32 act)
{
	u64 *seen = ctx;

	if (act >= IOB_NR_RESERVED_ACTS && act < 64)
		*seen |= 1ull << act;
}

static void nothing(void)
{
}

/* What a later completion can ask for, and nothing else. */
static void walk_sees_acts_in_use(struct kunit *test)
{
	struct iob_pages *p = make(test, 4);
	struct iob_page page;
	u64 seen = 0;

	iob_pages_dirty(p, 1, 10, 0, false);
	iob_pages_dirty(p, 2, 11, 0, false);
	iob_pages_redirty(p, 2, PRE);
	iob_pages_dirty(p, 3, 12, 0, false);
	iob_pages_writeback(p, 3, 1, 0, false);
	iob_pages_dirty(p, IOB_CHUNK_SLOTS, 13, 0, false);	/* aside */
	iob_pages_writeback(p, IOB_CHUNK_SLOTS, 1, 0, false);
	iob_pages_dirty(p, IOB_CHUNK_SLOTS, 14, 0, true);
	iob_pages_dirty(p, 4, 20, 0, false);			/* done */
	iob_pages_writeback(p, 4, 1, 0, false);
	iob_pages_test_complete(p, 4, 0, false, &page);
	iob_pages_dirty(p, 5, 21, 0, false);			/* cancelled */
	iob_pages_cancel(p, 5);
	iob_pages_dirty(p, 6, 22, 0, false);			/* forgotten */
	iob_pages_forget(p, 6);
	iob_pages_dirty(p, 7, 23, 0, false);			/* both */
	iob_pages_writeback(p, 7, 1, 0, false);
	iob_pages_dirty(p, 7, 15, 0, true);
	iob_pages_test_complete(p, 7, 0, true, &page);

	iob_pages_for_each_act(p, note_act, &seen, nothing);
	KUNIT_EXPECT_EQ(test, seen, 1ull << 10 | 1ull << 11 | 1ull << 12 |
			1ull << 13 | 1ull << 14 | 1ull << 15);
}

static void init_survives_failures(struct kunit *test)
{
	struct iob_pages_test *t = test->priv;
	int err = -ENOMEM;
	u32 nth;

	for (nth = 1; err; nth++) {
		iob_test_faults(test, nth, 0);
		err = iob_pages_init(&t->pages, &t->counters, IOB_TEST_END_PFN,
				     PAGE_SIZE);
		if (err)
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	}
	KUNIT_EXPECT_EQ(test, nth, 4u);
}

static struct kunit_case slots_cases[] = {
	KUNIT_CASE(frames_at_the_edges),
	KUNIT_CASE(frames_out_of_range),
	KUNIT_CASE(memory_limit_holds),
	KUNIT_CASE(no_memory_at_all),
	KUNIT_CASE(failed_chunk_is_tried_again),
	KUNIT_CASE_SLOW(aside_table_fills),
	KUNIT_CASE_SLOW(done_gives_way),
	KUNIT_CASE(walk_sees_acts_in_use),
	KUNIT_CASE(init_survives_failures),
	{}
};

static struct kunit_suite slots_suite = {
	.name = "ioblame_slots",
	.init = iob_pages_test_init,
	.exit = iob_pages_test_exit,
	.test_cases = slots_cases,
};

kunit_test_suites(&slots_suite);
