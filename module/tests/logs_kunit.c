// SPDX-License-Identifier: GPL-2.0
/* Logs: which checkpoints a write of metadata holds; buffers written home. */
#include "fixture.h"

#define DEV	(8u << 20 | 1)
#define OTHER	(8u << 20 | 2)
#define DISK	IOB_TEST_DISK
#define START	1000ull
#define END	2000ull
#define BUFFER	0xffff888000001000ull

struct answer {
	enum iob_log_write write;
	u32 of;
	u64 first;
	u64 last;
};

static struct iob_fixture *make(struct kunit *test)
{
	return iob_fixture_create(test, &iob_test_limits, NULL);
}

static struct answer ask(struct iob_fixture *f, u32 dev, u64 sector, u64 buffer)
{
	struct answer a = { 0 };

	a.write = iob_logs_ask(&f->s.logs, dev, DISK, sector, buffer, &a.of,
			       &a.first, &a.last);
	return a;
}

/* A mounted file system whose running checkpoint is @number. */
static u64 mounted(struct iob_fixture *f, u32 dev, u64 number)
{
	iob_logs_place(&f->s.logs, dev, DISK, START, END);
	return iob_logs_join(&f->s.logs, dev, number);
}

static void place_tells_log_from_home(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u64 tid;

	KUNIT_EXPECT_EQ(test, ask(f, DEV, 0, 0).write, IOB_LOG_STRANGE);
	tid = mounted(f, DEV, 7);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START - 1, 0).write, IOB_LOG_HOME);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).write, IOB_LOG_LOG);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, END - 1, 0).write, IOB_LOG_LOG);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, END, 0).write, IOB_LOG_HOME);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, END, 0).first, tid);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, END, 0).of, DEV);
	/* an external log is written to another device of that disk */
	KUNIT_EXPECT_EQ(test, ask(f, OTHER, START, 0).write, IOB_LOG_LOG);
	KUNIT_EXPECT_EQ(test, ask(f, OTHER, END, 0).write, IOB_LOG_STRANGE);
}

static void buffer_holds_what_was_filled(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u64 tid = mounted(f, DEV, 9) - 9;
	struct answer a;

	iob_logs_fill(&f->s.logs, DEV, BUFFER, 5);
	iob_logs_fill(&f->s.logs, DEV, BUFFER, 7);
	iob_logs_fill(&f->s.logs, DEV, BUFFER + 512, 8);
	iob_logs_fill(&f->s.logs, DEV, BUFFER, 6);
	a = ask(f, DEV, START, BUFFER);
	KUNIT_EXPECT_EQ(test, a.first, tid + 5);
	KUNIT_EXPECT_EQ(test, a.last, tid + 7);
	/* the middle of the checkpoint that began last */
	a = ask(f, DEV, START, BUFFER + 1024);
	KUNIT_EXPECT_EQ(test, a.first, tid + 8);
	KUNIT_EXPECT_EQ(test, a.last, tid + 8);
	/* once written a buffer is empty */
	iob_logs_fill(&f->s.logs, DEV, BUFFER, 9);
	a = ask(f, DEV, START, BUFFER);
	KUNIT_EXPECT_EQ(test, a.first, tid + 9);
	KUNIT_EXPECT_EQ(test, a.last, tid + 9);
}

/* More buffers than places: the last one begun answers for them. */
static void many_buffers(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u64 tid = mounted(f, DEV, 90) - 90;
	u32 i;

	for (i = 1; i <= IOB_LOG_BUFFERS + 4; i++)
		iob_logs_fill(&f->s.logs, DEV, i, i);
	for (i = 1; i <= IOB_LOG_BUFFERS; i++)
		KUNIT_EXPECT_EQ(test, ask(f, DEV, START, i).first, tid + i);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, IOB_LOG_BUFFERS + 1).first,
			tid + IOB_LOG_BUFFERS + 4);
}

/* Written home before anybody was seen to change anything. */
static void known_but_not_joined(struct kunit *test)
{
	struct iob_fixture *f = make(test);

	iob_logs_know(&f->s.logs, DEV);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).write, IOB_LOG_HOME);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).first, 0ull);
	iob_logs_unmount(&f->s.logs, DEV);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).write, IOB_LOG_STRANGE);
	iob_logs_know(&f->s.logs, DEV);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).first, 0ull);
	mounted(f, DEV, 1);
	KUNIT_EXPECT_NE(test, ask(f, DEV, END, 0).first, 0ull);
}

/* Numbers begin anew with every mount, ids do not. */
static void mounts_are_apart(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u64 first = mounted(f, DEV, 3), second, third;

	iob_logs_unmount(&f->s.logs, DEV);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).write, IOB_LOG_STRANGE);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, END, 0).write, IOB_LOG_STRANGE);
	second = mounted(f, DEV, 3);
	KUNIT_EXPECT_NE(test, first, second);
	/* an unmount that was not seen */
	mounted(f, DEV, 3000);
	third = mounted(f, DEV, 3);
	KUNIT_EXPECT_NE(test, second, third);
	/* a probe that was late */
	mounted(f, DEV, 10);
	KUNIT_EXPECT_EQ(test, mounted(f, DEV, 3), third);
	iob_logs_unmount(&f->s.logs, OTHER);
}

/* A write ends an epoch, if somebody has joined it. */
static void epochs_end_by_writes(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_logs *l = &f->s.logs;
	u64 one = iob_logs_join_epoch(l, DEV), two;

	KUNIT_EXPECT_EQ(test, iob_logs_join_epoch(l, DEV), one);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).write, IOB_LOG_HOME);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).first, one);
	two = iob_logs_join_epoch(l, DEV);
	KUNIT_EXPECT_NE(test, two, one);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).first, two);
	KUNIT_EXPECT_EQ(test, ask(f, DEV, START, 0).first, two);
}

static void no_room_is_counted(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 i;

	for (i = 1; i <= IOB_NR_LOGS; i++)
		KUNIT_EXPECT_NE(test, iob_logs_join(&f->s.logs, i, 1), 0ull);
	KUNIT_EXPECT_EQ(test, iob_logs_join(&f->s.logs, i, 1), 0ull);
	iob_logs_place(&f->s.logs, i, DISK, START, END);
	iob_logs_fill(&f->s.logs, i, BUFFER, 1);
	KUNIT_EXPECT_EQ(test, iob_counters_read(&f->s.counters,
						IOB_CNT_LOST_JOINS), 2ull);
}

static void merged_are_all_their_joiners(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_joins *j = &f->s.joins;
	struct iob_split *split = kunit_kzalloc(test, sizeof(*split), GFP_KERNEL);
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, split);
	KUNIT_EXPECT_EQ(test, iob_joins_merge(j, DEV, 900, 1, 3, split), 0u);
	iob_joins_add(j, DEV, 1, 20, 1, 0, 5);
	iob_joins_add(j, DEV, 3, 21, 2, 0, 2);
	iob_joins_add(j, DEV, 3, 20, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, iob_joins_merge(j, DEV, 900, 3, 3, split),
			iob_joins_find(j, DEV, 3));
	id = iob_joins_merge(j, DEV, 900, 1, 3, split);
	KUNIT_ASSERT_TRUE(test, iob_joins_split(j, id, split));
	KUNIT_EXPECT_EQ(test, split->nr, 2u);
	KUNIT_EXPECT_EQ(test, split->total, 8u);
	KUNIT_EXPECT_EQ(test, split->share[0].weight, 6u);
}

/* One written buffer of 16 sectors, and who had dirtied which of them. */
struct buffer_case {
	const char *name;
	u32 dirty[3];		/* sectors of roles 1 to 3, from the first on */
	bool joined;		/* role 4 has joined what runs */
	u32 expected[4];	/* bytes of roles 1 to 4 */
};

static const struct buffer_case buffer_cases[] = {
	{ "one sector has all", { 1 }, false, { 8192 } },
	{ "the rest goes with what is known", { 3, 1 }, true, { 6144, 2048 } },
	{ "all are known", { 8, 4, 4 }, true, { 4096, 2048, 2048 } },
	{ "none is known, some joined", { 0 }, true, { 0, 0, 0, 8192 } },
	{ "nothing is known", { 0 }, false, { 0 } },
};

IOB_TEST_PARAMS(buffer, buffer_cases)

static void buffers_are_whole(struct kunit *test)
{
	const struct buffer_case *c = test->param_value;
	struct iob_fixture *f = make(test);
	struct iob_flow flow = { .by = IOB_BY_BUFFER, .unknown = IOB_ACT_LOST,
				 .join_basis = IOB_BASIS_EPOCH };
	u32 i, k, sector = 5000, lost = 8192;

	for (i = 0; i < ARRAY_SIZE(c->dirty); i++)
		for (k = 0; k < c->dirty[i]; k++)
			iob_charge_block_dirty(&f->s, DISK, sector++,
					       iob_test_act(&f->s, i + 1, 1, 1),
					       1);
	if (c->joined)
		iob_charge_join(&f->s, DEV, 5, iob_test_act(&f->s, 4, 1, 1), 0,
				1);
	flow.join = iob_joins_find(&f->s.joins, DEV, 5);
	iob_charge_begin(&f->io, DISK, "sda", IOB_OP_WRITE, 5000, 2);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 5000, 8192);
	iob_charge_end(&f->s, &f->io, 0);
	for (i = 0; i < ARRAY_SIZE(c->expected); i++) {
		KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s,
				iob_test_act(&f->s, i + 1, 1, 1)),
				c->expected[i] + 0ull);
		lost -= c->expected[i];
	}
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_LOST),
			lost + 0ull);
	KUNIT_EXPECT_EQ(test, iob_blocks_nr(&f->s.blocks), 0u);
	iob_test_conserved(test, f);
}

/* What is dirtied while the buffer is on its way is for the next time. */
static void changes_in_flight_wait(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_flow flow = { .by = IOB_BY_BUFFER, .queue_ns = 100 };
	u32 early = iob_test_act(&f->s, 1, 1, 1);
	u32 late = iob_test_act(&f->s, 2, 1, 1);

	iob_charge_block_dirty(&f->s, DISK, 5000, early, 99);
	iob_charge_block_dirty(&f->s, DISK, 5001, late, 101);
	iob_charge_begin(&f->io, DISK, "sda", IOB_OP_WRITE, 5000, 200);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 5000, 8192);
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, early), 8192ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, late), 0ull);
	KUNIT_EXPECT_EQ(test, iob_blocks_nr(&f->s.blocks), 1u);
	iob_test_conserved(test, f);
}

/* More who dirtied than there are shares. */
static void buffer_of_many(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_flow flow = { .by = IOB_BY_BUFFER };
	u32 i, nr = IOB_JOIN_SHARES + 8;

	for (i = 0; i < nr; i++)
		iob_charge_block_dirty(&f->s, DISK, 5000 + 2 * i,
				       iob_test_act(&f->s, i + 1, 1, 1), 1);
	iob_charge_begin(&f->io, DISK, "sda", IOB_OP_WRITE, 5000, 2);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 5000, nr * 1024);
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_EXPECT_EQ(test, iob_test_row_bytes(&f->s, DISK, IOB_OP_WRITE),
			nr * 1024ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_NONE), 0ull);
	iob_test_conserved(test, f);
}

static struct kunit_case logs_cases[] = {
	KUNIT_CASE(place_tells_log_from_home),
	KUNIT_CASE(buffer_holds_what_was_filled),
	KUNIT_CASE(many_buffers),
	KUNIT_CASE(known_but_not_joined),
	KUNIT_CASE(mounts_are_apart),
	KUNIT_CASE(epochs_end_by_writes),
	KUNIT_CASE(no_room_is_counted),
	KUNIT_CASE(merged_are_all_their_joiners),
	KUNIT_CASE_PARAM(buffers_are_whole, buffer_gen_params),
	KUNIT_CASE(changes_in_flight_wait),
	KUNIT_CASE(buffer_of_many),
	{}
};

static struct kunit_suite logs_suite = {
	.name = "ioblame_logs",
	.exit = iob_fixture_exit,
	.test_cases = logs_cases,
};

kunit_test_suites(&logs_suite);
