// SPDX-License-Identifier: GPL-2.0
/*
 * Page slots. The life of a page is a script of steps, each with what must be
 * said of the page at that step; act 10 is the first dirtier, 11 the next.
 */
#include "fixture.h"

enum step_type {
	END, STEP_DIRTY, STEP_AGAIN, STEP_REDIRTY, STEP_WRITE, STEP_WRITE_PART,
	STEP_DONE, STEP_DONE_DIRTY, STEP_DONE_AGAIN, STEP_CANCEL, STEP_FORGET, STEP_READ,
	STEP_USE,
};

struct step {
	enum step_type type;
	u32 act;
};

#define NOTHING		~0u	/* iob_pages_complete() knows nothing */
#define PRE		IOB_ACT_PREEXISTING
#define NONE		IOB_ACT_NONE

/* Dirtied by; the same while under writeback; declined by writeback. */
#define DIRTY(act)	{ STEP_DIRTY, act }
#define AGAIN(act)	{ STEP_AGAIN, act }
#define REDIRTY		{ STEP_REDIRTY, 0 }
/* It is told that writeback starts, of the folio or of part of it. */
#define START		{ STEP_WRITE, 0 }
#define START_PART	{ STEP_WRITE_PART, 0 }
/*
 * A write completes, the folio being clean or dirty: the act charged is. One that is
 * only this page, and all of it, is dirty because it was dirtied again.
 */
#define DONE(act)	{ STEP_DONE, act }
#define DONE_DIRTY(act)	{ STEP_DONE_DIRTY, act }
#define DONE_AGAIN(act)	{ STEP_DONE_AGAIN, act }
/* Leaves the page cache: the act whose bytes are dropped is; changes hands. */
#define CANCEL(act)	{ STEP_CANCEL, act }
#define FORGET		{ STEP_FORGET, 0 }
/* Its content comes from the disk, had by; is used: who had it. */
#define FETCH(act)	{ STEP_READ, act }
#define USE(act)	{ STEP_USE, act }

struct life {
	const char *name;
	struct step steps[16];
};

static const struct life lives[] = {
	{ "written once",
	  { DIRTY(10), START, DONE(10) } },
	{ "each period has its dirtier",
	  { DIRTY(10), START, DONE(10), DIRTY(11), START, DONE(11) } },
	{ "never seen",
	  { DONE(NOTHING), DONE_DIRTY(NOTHING), CANCEL(NONE) } },
	{ "dirtying not seen",
	  { START, DONE(NOTHING) } },
	{ "dirtying not seen, second period",
	  { DIRTY(10), START, DONE(10), START, DONE(NOTHING) } },
	{ "writing not seen",
	  { DIRTY(10), DIRTY(11), START, DONE(11) } },
	{ "start of writing not seen",
	  { DIRTY(10), DONE(10), DIRTY(11), START, DONE(11) } },
	{ "two legs of a mirror",
	  { DIRTY(10), START, DONE(10), DONE(10), DIRTY(11), START,
	    DONE(11), DONE(11) } },

	{ "declined",
	  { DIRTY(10), REDIRTY, DIRTY(11), START, DONE(10) } },
	{ "declined three times",
	  { DIRTY(10), REDIRTY, DIRTY(11), REDIRTY, REDIRTY, DIRTY(12),
	    START, DONE(10) } },
	{ "declined and taken after all",
	  { DIRTY(10), REDIRTY, START, DONE(10) } },
	{ "declined, dirtying not seen",
	  { REDIRTY, DIRTY(11), START, DONE(PRE) } },
	{ "declined, second period not seen",
	  { DIRTY(10), START, DONE(10), REDIRTY, DIRTY(11), START, DONE(PRE) } },
	{ "declined under writeback",
	  { DIRTY(10), START, REDIRTY, DONE(10) } },
	{ "declined once only",
	  { DIRTY(10), REDIRTY, DIRTY(11), START, DONE(10), DIRTY(12),
	    START, DONE(12) } },

	{ "dirty again under writeback",
	  { DIRTY(10), START, AGAIN(11), DONE_DIRTY(10), START,
	    DONE(11) } },
	{ "dirty again in every period",
	  { DIRTY(10), START, AGAIN(11), DONE_DIRTY(10), START,
	    AGAIN(12), DONE_DIRTY(11), START, AGAIN(13), DONE_DIRTY(12),
	    START, DONE(13) } },
	{ "dirty again and declined",
	  { DIRTY(10), START, AGAIN(11), REDIRTY, AGAIN(12),
	    DONE_DIRTY(10), START, DONE(11) } },
	{ "dirty again under a mirror's writeback",
	  { DIRTY(10), START, AGAIN(11), DONE_DIRTY(10), DONE_DIRTY(10),
	    START, DONE(11), DONE(11) } },
	{ "dirty again between a mirror's legs",
	  { DIRTY(10), START, DONE(10), AGAIN(11), DONE_DIRTY(10),
	    START, DONE(11) } },
	{ "dirty again, completion not seen",
	  { DIRTY(10), START, AGAIN(11), START, DONE(11), DIRTY(12),
	    START_PART, DONE_DIRTY(12) } },
	{ "dirty again, then cancelled, then part of another",
	  { DIRTY(10), START, AGAIN(11), CANCEL(11), DIRTY(12),
	    START_PART, DONE_DIRTY(12) } },
	{ "dirty again, then another's frame",
	  { DIRTY(10), START, AGAIN(11), FORGET, DIRTY(12),
	    START_PART, DONE_DIRTY(12) } },

	{ "start not told",
	  { DIRTY(10), DONE(10), DIRTY(11), DONE(11), CANCEL(NONE) } },
	{ "start not told, dirty again",
	  { DIRTY(10), AGAIN(11), DONE_AGAIN(10), DONE(11), DIRTY(12),
	    DONE(12) } },
	{ "start not told, dirty again in every period",
	  { DIRTY(10), AGAIN(11), DONE_AGAIN(10), AGAIN(12), DONE_AGAIN(11),
	    AGAIN(13), DONE_AGAIN(12), DONE(13) } },
	{ "start not told, dirty again between a mirror's legs",
	  { DIRTY(10), DONE(10), AGAIN(11), DONE_AGAIN(10), DONE(11) } },
	{ "start not told, marked dirty and not noted yet",
	  { DIRTY(10), DONE_AGAIN(10), AGAIN(11), DONE_AGAIN(10), DONE(11) } },
	{ "start not told, declined and taken after all",
	  { DIRTY(10), REDIRTY, DONE(10), CANCEL(NONE) } },
	{ "start not told, dirty again, completion not seen",
	  { DIRTY(10), AGAIN(11), DIRTY(12), DONE_DIRTY(12), DONE(12) } },
	{ "start not told, dirty again and cancelled",
	  { DIRTY(10), AGAIN(11), DONE_AGAIN(10), CANCEL(11), DIRTY(12),
	    DONE_DIRTY(12) } },

	{ "part of a folio",
	  { DIRTY(10), START_PART, DONE_DIRTY(10), START, DONE(10) } },
	{ "part of a folio, cleaned meanwhile",
	  { DIRTY(10), START_PART, DONE(10), DIRTY(11), START,
	    DONE(11) } },
	{ "part of a folio, cleaned and gone",
	  { DIRTY(10), START_PART, DONE(10), CANCEL(NONE) } },
	{ "part of a folio, dirtying not seen",
	  { START_PART, DONE_DIRTY(NOTHING), START, DONE(NOTHING) } },
	{ "in the folio but not in its last bio",
	  { DIRTY(10), START, START, DONE(10) } },

	{ "cancelled",
	  { DIRTY(10), CANCEL(10), CANCEL(NONE), DONE(NOTHING) } },
	{ "cancelled after being declined",
	  { DIRTY(10), REDIRTY, CANCEL(10), CANCEL(NONE) } },
	{ "leaves the page cache when written",
	  { DIRTY(10), START, DONE(10), CANCEL(NONE), DONE(NOTHING) } },
	{ "cancelled and the frame used again",
	  { DIRTY(10), CANCEL(10), DIRTY(11), START, DONE(11) } },
	{ "forgotten",
	  { DIRTY(10), FORGET, CANCEL(NONE), START, DONE(NOTHING) } },
	{ "read and used",
	  { FETCH(10), USE(10), USE(NONE), CANCEL(NONE) } },
	{ "read and not used",
	  { FETCH(10), CANCEL(NONE), USE(NONE) } },
	{ "read again before it was used",
	  { FETCH(10), FETCH(10), USE(10), USE(NONE) } },
	{ "read, dirtied and written",
	  { FETCH(10), DIRTY(11), USE(NONE), START, DONE(11), USE(NONE) } },
	{ "read after it was written",
	  { DIRTY(10), START, DONE(10), FETCH(11), USE(11) } },
	{ "dirty is not read",
	  { DIRTY(10), USE(NONE), START, USE(NONE), DONE(10) } },
	{ "read, in a folio that is written elsewhere",
	  { FETCH(10), START, DONE(NOTHING), USE(10) } },
	{ "read, and forgotten",
	  { FETCH(10), FORGET, USE(NONE) } },

	{ "forgotten after being declined",
	  { DIRTY(10), REDIRTY, FORGET, DIRTY(11), START, DONE(11) } },
};

IOB_TEST_PARAMS(life, lives)

static struct iob_pages *make(struct kunit *test)
{
	return iob_pages_test_make(test, IOB_TEST_END_PFN, 4);
}

static u32 take_step(struct iob_pages *p, u64 pfn, const struct step *step)
{
	struct iob_read read = { .act = step->act, .bytes = PAGE_SIZE };
	u64 word;

	switch (step->type) {
	case STEP_DIRTY:
	case STEP_AGAIN:
		iob_pages_dirty(p, pfn, step->act, 1ull << 40,
				step->type == STEP_AGAIN);
		break;
	case STEP_REDIRTY:
		iob_pages_redirty(p, pfn, PRE);
		break;
	case STEP_WRITE:
	case STEP_WRITE_PART:
		iob_pages_writeback(p, pfn, 1, IOB_REASON_SYNC,
				    step->type == STEP_WRITE_PART);
		break;
	case STEP_DONE:
	case STEP_DONE_DIRTY:
	case STEP_DONE_AGAIN:
		word = iob_pages_complete(p, pfn, iob_pages_peek(p, pfn),
					  step->type != STEP_DONE,
					  step->type == STEP_DONE_AGAIN, 0,
					  1ull << 41);
		return word ? iob_slot_act(word) : NOTHING;
	case STEP_CANCEL:
		return iob_pages_cancel(p, pfn);
	case STEP_FORGET:
		iob_pages_forget(p, pfn);
		break;
	case STEP_READ:
		iob_pages_read(p, pfn, &read);
		break;
	case STEP_USE:
		return iob_pages_take_read(p, pfn, &read) ? read.act : NONE;
	case END:
		break;
	}
	return step->act;
}

/* Two pages live the same life, so that neither takes the other's acts. */
static void life_of_a_page(struct kunit *test)
{
	const struct life *life = test->param_value;
	struct iob_pages *p = make(test);
	const struct step *step;
	struct step other;

	for (step = life->steps; step->type != END; step++) {
		KUNIT_EXPECT_EQ(test, take_step(p, 1, step), step->act);
		other = *step;
		if (other.act >= 10 && other.act != NOTHING)
			other.act += 100;
		KUNIT_EXPECT_EQ(test, take_step(p, 2, &other), other.act);
	}
}

static void dirty_act_of_the_waiting_only(struct kunit *test)
{
	struct iob_pages *p = make(test);
	struct iob_page page;

	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(p, 1), 0u);
	iob_pages_dirty(p, 1, 10, 0, false);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(p, 1), 10u);
	iob_pages_redirty(p, 1, PRE);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(p, 1), 10u);
	iob_pages_writeback(p, 1, 1, 0, false);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(p, 1), 0u);
	iob_pages_test_complete(p, 1, 0, false, &page);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(p, 1), 0u);
}

/* IOB_ACT_NONE as the unknown act: nothing is noted. */
static void none_notes_nothing(struct kunit *test)
{
	struct iob_pages *p = make(test);
	struct iob_page page;

	iob_pages_writeback(p, 1, 1, 0, false);
	KUNIT_EXPECT_FALSE(test, iob_pages_test_complete(p, 1, 0, false, &page));
	iob_pages_redirty(p, 1, NONE);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(p, 1), 0u);
}

/* The largest of everything fits beside each other in a slot. */
static void fields_do_not_overlap(struct kunit *test)
{
	struct iob_pages *p = make(test);
	const u32 act = (1u << IOB_ID_BITS) - 1;
	struct iob_page page;
	u64 now = ((1ull << 29) - 1) << IOB_PAGE_TIME_SHIFT;

	iob_pages_dirty(p, 1, act, now, false);
	iob_pages_writeback(p, 1, 1, IOB_NR_REASONS - 1, false);
	KUNIT_EXPECT_TRUE(test, iob_pages_test_complete(p, 1, now, false, &page));
	KUNIT_EXPECT_EQ(test, page.act, act);
	KUNIT_EXPECT_EQ(test, page.reason, (u8)(IOB_NR_REASONS - 1));
	KUNIT_EXPECT_EQ(test, page.dirtied_ns, now);
}

struct part {
	const char *name;
	struct iob_read first, second;
	bool is_kept;			/* is the second? */
	u32 bytes;			/* of what is remembered then */
};

#define FROM(act, disk, bytes)	{ act, IOB_REASON_READAHEAD, disk, bytes }

static const struct part parts[] = {
	{ "two halves", FROM(10, 3, 2048), FROM(10, 3, 2048), true, 4096 },
	{ "a small one and the rest", FROM(10, 3, 512), FROM(10, 3, 1024), true,
	  1536 },
	{ "all of it twice", FROM(10, 3, 4096), FROM(10, 3, 4096), true, 4096 },
	{ "of two readers", FROM(10, 3, 2048), FROM(11, 3, 2048), false, 2048 },
	{ "of two disks", FROM(10, 3, 2048), FROM(10, 4, 2048), false, 2048 },
	{ "for two reasons", FROM(10, 3, 2048), { 10, 0, 3, 2048 }, false, 2048 },
};

IOB_TEST_PARAMS(part, parts)

/* A page that is larger than a block may be read by several IOs. */
static void parts_of_a_page_add_up(struct kunit *test)
{
	const struct part *part = test->param_value;
	struct iob_pages *p = make(test);
	struct iob_read read;

	KUNIT_EXPECT_TRUE(test, iob_pages_read(p, 1, &part->first));
	KUNIT_EXPECT_EQ(test, iob_pages_read(p, 1, &part->second),
			part->is_kept);
	KUNIT_EXPECT_TRUE(test, iob_pages_is_read(p, 1));
	KUNIT_ASSERT_TRUE(test, iob_pages_take_read(p, 1, &read));
	KUNIT_EXPECT_FALSE(test, iob_pages_is_read(p, 1));
	KUNIT_EXPECT_EQ(test, read.act, 10u);
	KUNIT_EXPECT_EQ(test, read.disk, 3u);
	KUNIT_EXPECT_EQ(test, read.reason, (u8)IOB_REASON_READAHEAD);
	KUNIT_EXPECT_EQ(test, read.bytes, part->bytes);
}

static void fields_of_a_read_do_not_overlap(struct kunit *test)
{
	struct iob_pages *p = make(test);
	const struct iob_read most = {
		.act = (1u << IOB_ID_BITS) - 1,
		.reason = IOB_NR_REASONS - 1,
		.disk = (1u << IOB_PAGE_DISK_BITS) - 1,
		.bytes = PAGE_SIZE,
	};
	struct iob_read read;

	KUNIT_EXPECT_TRUE(test, iob_pages_read(p, 1, &most));
	iob_pages_move(p, 1, 2);
	KUNIT_EXPECT_FALSE(test, iob_pages_take_read(p, 1, &read));
	KUNIT_ASSERT_TRUE(test, iob_pages_take_read(p, 2, &read));
	KUNIT_EXPECT_EQ(test, read.act, most.act);
	KUNIT_EXPECT_EQ(test, read.reason, most.reason);
	KUNIT_EXPECT_EQ(test, read.disk, most.disk);
	KUNIT_EXPECT_EQ(test, read.bytes, most.bytes);
}

/* No room for what is read is no loss of who dirtied pages. */
static void read_without_room_is_no_loss(struct kunit *test)
{
	const struct iob_read read = { .act = 10, .bytes = PAGE_SIZE };
	struct iob_pages *p = iob_pages_test_make(test, IOB_TEST_END_PFN, 0);

	KUNIT_EXPECT_FALSE(test, iob_pages_read(p, 1, &read));
	KUNIT_EXPECT_FALSE(test, iob_pages_is_read(p, 1));
	KUNIT_EXPECT_FALSE(test, p->lossy);
	KUNIT_EXPECT_EQ(test, iob_pages_test_count(test, IOB_CNT_LOST_PAGES),
			0ull);
}

#define UNIT	(1ull << IOB_PAGE_TIME_SHIFT)
#define WRAP	(UNIT << 29)		/* 13 days */

struct age {
	const char *name;
	u64 dirtied_ns, now_ns;
	u64 said_ns;			/* when it was dirtied, as told */
};

static const struct age ages[] = {
	{ "at once", 5 * UNIT, 5 * UNIT, 5 * UNIT },
	{ "within one unit", 5 * UNIT + 1, 6 * UNIT - 1, 6 * UNIT - 1 },
	{ "over a unit's edge", 6 * UNIT - 1, 6 * UNIT, 5 * UNIT },
	{ "an hour", 5 * UNIT, 5 * UNIT + 3600000000000ull,
	  5 * UNIT + 3600000000000ull % UNIT },
	{ "over the wrap", WRAP - UNIT, WRAP + 2 * UNIT, WRAP - UNIT },
	{ "over a later wrap", 7 * WRAP - 3 * UNIT, 7 * WRAP,
	  7 * WRAP - 3 * UNIT },
	{ "nearly 13 days", 5 * UNIT, 5 * UNIT + WRAP - 2 * UNIT, 5 * UNIT },
	{ "the clock stepped back", 5 * UNIT, 5 * UNIT - 1, 5 * UNIT - 1 },
	{ "soon after boot", UNIT, UNIT + 1, UNIT + 1 },
	/* a time of 0 is no time: one unit in 13 days is not told */
	{ "in the unit that means nothing", WRAP, WRAP + 7 * UNIT, 0 },
};

IOB_TEST_PARAMS(age, ages)

static void time_of_dirtying(struct kunit *test)
{
	const struct age *age = test->param_value;
	struct iob_pages *p = make(test);
	struct iob_page page;

	iob_pages_dirty(p, 1, 10, age->dirtied_ns, false);
	iob_pages_writeback(p, 1, 1, 0, false);
	KUNIT_ASSERT_TRUE(test, iob_pages_test_complete(p, 1, age->now_ns, false,
						   &page));
	KUNIT_EXPECT_EQ(test, page.dirtied_ns, age->said_ns);
	KUNIT_EXPECT_LE(test, page.dirtied_ns, age->now_ns);
}

/* Being declined and the way through the aside table keep the time. */
static void time_survives_all_states(struct kunit *test)
{
	struct iob_pages *p = make(test);
	struct iob_page page;

	iob_pages_dirty(p, 1, 10, 5 * UNIT, false);
	iob_pages_redirty(p, 1, PRE);
	iob_pages_dirty(p, 1, 99, 6 * UNIT, false);
	iob_pages_writeback(p, 1, 1, 0, false);
	iob_pages_dirty(p, 1, 11, 7 * UNIT, true);
	KUNIT_ASSERT_TRUE(test, iob_pages_test_complete(p, 1, 9 * UNIT, true,
						   &page));
	KUNIT_EXPECT_EQ(test, page.dirtied_ns, 5 * UNIT);
	iob_pages_writeback(p, 1, 1, 0, false);
	KUNIT_ASSERT_TRUE(test, iob_pages_test_complete(p, 1, 9 * UNIT, false,
						   &page));
	KUNIT_EXPECT_EQ(test, page.dirtied_ns, 7 * UNIT);
}

/* No dirtying seen: no time, also after an earlier period that had one. */
static void unseen_dirtying_has_no_time(struct kunit *test)
{
	struct iob_pages *p = make(test);
	struct iob_page page;

	iob_pages_dirty(p, 1, 10, 5 * UNIT, false);
	iob_pages_test_complete(p, 1, 6 * UNIT, false, &page);
	iob_pages_redirty(p, 1, PRE);
	iob_pages_writeback(p, 1, 1, IOB_REASON_FSYNC, false);
	KUNIT_ASSERT_TRUE(test, iob_pages_test_complete(p, 1, 9 * UNIT, false,
							&page));
	KUNIT_EXPECT_EQ(test, page.act, PRE);
	KUNIT_EXPECT_EQ(test, page.dirtied_ns, 0ull);
	KUNIT_EXPECT_EQ(test, page.reason, (u8)IOB_REASON_FSYNC);
}

static struct kunit_case pages_cases[] = {
	KUNIT_CASE_PARAM(life_of_a_page, life_gen_params),
	KUNIT_CASE(dirty_act_of_the_waiting_only),
	KUNIT_CASE(none_notes_nothing),
	KUNIT_CASE(fields_do_not_overlap),
	KUNIT_CASE_PARAM(parts_of_a_page_add_up, part_gen_params),
	KUNIT_CASE(fields_of_a_read_do_not_overlap),
	KUNIT_CASE(read_without_room_is_no_loss),
	KUNIT_CASE_PARAM(time_of_dirtying, age_gen_params),
	KUNIT_CASE(time_survives_all_states),
	KUNIT_CASE(unseen_dirtying_has_no_time),
	{}
};

static struct kunit_suite pages_suite = {
	.name = "ioblame_pages",
	.init = iob_pages_test_init,
	.exit = iob_pages_test_exit,
	.test_cases = pages_cases,
};

kunit_test_suites(&pages_suite);
