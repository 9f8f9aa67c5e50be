// SPDX-License-Identifier: GPL-2.0
/* Joins: who changed how many blocks of a transaction, and what is split by it. */
#include "fixture.h"

#define DEV	8u
#define MS	1000000ull

static struct iob_fixture *make(struct kunit *test)
{
	return iob_fixture_create(test, &iob_test_limits, NULL);
}

static u32 weight_of(struct kunit *test, struct iob_joins *j, u64 tid, u32 act)
{
	struct iob_split *split = kunit_kzalloc(test, sizeof(*split), GFP_KERNEL);
	u32 i, sum = 0, weight = 0;

	KUNIT_ASSERT_NOT_NULL(test, split);
	if (!iob_joins_split(j, iob_joins_find(j, DEV, tid), split))
		return 0;
	for (i = 0; i < split->nr; i++) {
		sum += split->share[i].weight;
		if (split->share[i].act == act)
			weight += split->share[i].weight;
	}
	KUNIT_EXPECT_EQ(test, sum, split->total);
	return weight;
}

/* A block counts once for each who changes it, however often. */
static void weight_is_blocks_not_calls(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_joins *j = &f->s.joins;
	u32 i;

	for (i = 0; i < 300; i++)
		iob_joins_add(j, DEV, 5, 20, 1, i % 3, 1);
	iob_joins_add(j, DEV, 5, 21, 2, 0, 1);
	KUNIT_EXPECT_EQ(test, weight_of(test, j, 5, 20), 3u);
	KUNIT_EXPECT_EQ(test, weight_of(test, j, 5, 21), 1u);
}

static void transactions_are_apart(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_joins *j = &f->s.joins;
	u32 tid;

	for (tid = 1; tid <= 6; tid++)
		iob_joins_add(j, DEV, tid, 20 + tid, 1, 0, tid);
	iob_joins_add(j, DEV + 1, 3, 40, 1, 0, 1);
	for (tid = 1; tid <= 6; tid++)
		KUNIT_EXPECT_EQ(test, weight_of(test, j, tid, 20 + tid), tid);
	KUNIT_EXPECT_EQ(test, weight_of(test, j, 3, 40), 0u);
	KUNIT_EXPECT_EQ(test, iob_joins_find(j, DEV, 7), 0u);
}

static u64 lost(struct iob_fixture *f)
{
	return iob_counters_read(&f->s.counters, IOB_CNT_LOST_JOINS);
}

/* What has been written makes room first, and is not missed. */
static void ended_ones_make_room(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_joins *j = &f->s.joins;
	u32 tid, other;

	for (tid = 1; tid <= 3 * IOB_NR_JOINS; tid++) {
		iob_joins_add(j, DEV, tid, 20, 1, 0, tid);
		KUNIT_ASSERT_EQ(test, weight_of(test, j, tid, 20), tid);
		iob_joins_end(j, DEV, tid);
		KUNIT_ASSERT_EQ(test, weight_of(test, j, tid, 20), tid);
		iob_joins_end(j, DEV, tid);
	}
	/* of a file system that does not tell of an end: they stay */
	for (other = 1; other <= 4; other++)
		iob_joins_add(j, DEV + 1, other, 21, 1, 0, 1);
	for (; tid <= 6 * IOB_NR_JOINS; tid++) {
		iob_joins_add(j, DEV, tid, 20, 1, 0, 1);
		iob_joins_end(j, DEV, tid);
	}
	KUNIT_EXPECT_EQ(test, lost(f), 0ull);
	iob_joins_end(j, DEV, 1);
	iob_joins_end(j, DEV, tid + 1);
}

/* An id of a transaction whose place has gone to another finds nothing. */
static void old_id_finds_nothing(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_joins *j = &f->s.joins;
	struct iob_split *split = kunit_kzalloc(test, sizeof(*split), GFP_KERNEL);
	u32 id, tid;

	KUNIT_ASSERT_NOT_NULL(test, split);
	iob_joins_add(j, DEV, 1, 20, 1, 0, 1);
	id = iob_joins_find(j, DEV, 1);
	KUNIT_EXPECT_NE(test, id, 0u);
	for (tid = 2; tid < 1000; tid++)
		iob_joins_add(j, DEV, tid, 20, 1, 0, 1);
	KUNIT_EXPECT_FALSE(test, iob_joins_split(j, id, split));
	KUNIT_EXPECT_EQ(test, iob_joins_find(j, DEV, 1), 0u);
	KUNIT_EXPECT_NE(test, iob_joins_find(j, DEV, 999), 0u);
}

/* More joiners than places: the rest is coarser, the sum is the same. */
static void many_joiners_add_up(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_split *split = kunit_kzalloc(test, sizeof(*split), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, split);
	for (i = 0; i < 3 * IOB_JOIN_SHARES; i++)
		iob_charge_join(&f->s, DEV, 5,
				iob_test_act(&f->s, i + 1, 1, 1), i, 1);
	KUNIT_EXPECT_TRUE(test, iob_joins_split(&f->s.joins,
			  iob_joins_find(&f->s.joins, DEV, 5), split));
	/* a false hit of the bit set costs one */
	KUNIT_EXPECT_LE(test, 3 * IOB_JOIN_SHARES - 12u, split->total);
	/* whole, without a path, and all that have the name in one */
	KUNIT_EXPECT_EQ(test, split->nr, IOB_JOIN_SHARES * 7 / 8 + 1u);
	KUNIT_EXPECT_LE(test, 2 * IOB_JOIN_SHARES - 12u,
			split->share[split->nr - 1].weight);
	KUNIT_EXPECT_NE(test, split->share[split->nr - 1].act,
			IOB_ACT_FOLDED + 0u);
}

struct split_case {
	const char *name;
	u32 weight[3];
	u32 bytes;
	u32 expected[3];
};

static const struct split_case split_cases[] = {
	{ "even", { 1, 1, 0 }, 4096, { 2048, 2048, 0 } },
	{ "three to one", { 3, 1, 0 }, 4096, { 3072, 1024, 0 } },
	{ "thirds", { 1, 1, 1 }, 4096, { 1365, 1365, 1366 } },
	{ "more joiners than bytes", { 1, 1, 1 }, 2, { 0, 1, 1 } },
	{ "next to nothing", { 1000000, 1, 0 }, 512, { 511, 1, 0 } },
	{ "all to one", { 7, 0, 0 }, 1048576, { 1048576, 0, 0 } },
};

IOB_TEST_PARAMS(split, split_cases)

static void bytes_are_split_whole(struct kunit *test)
{
	const struct split_case *c = test->param_value;
	struct iob_fixture *f = make(test);
	struct iob_flow flow = {
		.by = IOB_BY_JOIN,
		.join_basis = IOB_BASIS_TRANSACTION,
		.queue_ns = MS,
	};
	u32 act[3], i;

	for (i = 0; i < 3; i++) {
		act[i] = iob_test_act(&f->s, i + 1, 1, 1);
		if (c->weight[i])
			iob_charge_join(&f->s, IOB_TEST_DISK, 5, act[i], i,
					c->weight[i]);
	}
	flow.join = iob_joins_find(&f->s.joins, IOB_TEST_DISK, 5);
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0, 2 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 0, c->bytes);
	iob_charge_end(&f->s, &f->io, 0);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act[i]),
				c->expected[i] + 0ull);
	KUNIT_EXPECT_EQ(test, iob_test_row_bytes(&f->s, IOB_TEST_DISK,
						 IOB_OP_WRITE), c->bytes + 0ull);
}

/* What cannot be split goes to one of them each: in the end as by weight. */
static void picked_as_often_as_by_weight(struct kunit *test)
{
	struct iob_split split = { };
	u32 i, first, step, nr[3] = { };

	KUNIT_EXPECT_EQ(test, iob_split_pick(&split, 7), IOB_ACT_NONE + 0u);
	iob_split_add(&split, 100, 2048);
	iob_split_add(&split, 101, 1024);
	iob_split_add(&split, 100, 1024);
	KUNIT_EXPECT_EQ(test, split.nr, 2u);
	for (step = 1; step <= 2; step++) {
		for (first = 0; first < 1000; first += 50) {
			memset(nr, 0, sizeof(nr));
			for (i = 0; i < 32; i++)
				nr[iob_split_pick(&split, first + i * step) - 100]++;
			KUNIT_EXPECT_LE(test, 22u, nr[0]);
			KUNIT_EXPECT_LE(test, nr[0], 26u);
			KUNIT_EXPECT_EQ(test, nr[0] + nr[1], 32u);
		}
	}
}

/* Shares that nobody is left for go to the last. */
static void last_share_has_the_rest(struct kunit *test)
{
	struct iob_split *split = kunit_kzalloc(test, sizeof(*split),
						GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, split);
	for (i = 0; i < IOB_JOIN_SHARES + 5; i++)
		iob_split_add(split, 100 + i, 2);
	KUNIT_EXPECT_EQ(test, split->nr, IOB_JOIN_SHARES + 0u);
	KUNIT_EXPECT_EQ(test, split->total, 2 * (IOB_JOIN_SHARES + 5u));
	KUNIT_EXPECT_EQ(test, split->share[IOB_JOIN_SHARES - 1].weight, 12u);
}

/* Blocks of one bio: each to who dirtied it, the unknown by the epoch. */
static void blocks_go_to_their_dirtiers(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 a = iob_test_act(&f->s, 1, 1, 1), b = iob_test_act(&f->s, 2, 1, 1);
	u32 c = iob_test_act(&f->s, 3, 1, 1), issuer = iob_test_act(&f->s, 9, 1, 1);
	struct iob_flow flow = {
		.by = IOB_BY_BLOCK,
		.block_shift = 10,
		.issuer = issuer,
		.unknown = issuer,
		.queue_ns = MS,
	};

	iob_charge_block_dirty(&f->s, IOB_TEST_DISK, 100, a, MS);
	iob_charge_block_dirty(&f->s, IOB_TEST_DISK, 100, b, MS);
	iob_charge_block_dirty(&f->s, IOB_TEST_DISK, 102, b, MS);
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 100, 2 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 100, 3 * 1024);
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, a), 1024ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, b), 1024ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, issuer), 1024ull);

	iob_charge_join(&f->s, IOB_TEST_DISK, 1, c, 0, 1);
	flow.join = iob_joins_find(&f->s.joins, IOB_TEST_DISK, 1);
	flow.join_basis = IOB_BASIS_EPOCH;
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 100, 2 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 100, 2 * 1024);
	iob_charge_end(&f->s, &f->io, 0);
	/* written once, they are nobody's until they are dirtied again */
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, a), 1024ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, c), 2048ull);
}

/* A full table of blocks forgets the oldest, and says so. */
static void full_block_table_forgets_the_oldest(struct kunit *test)
{
	struct iob_limits limits = iob_test_limits;
	struct iob_fixture *f;
	struct iob_block block;
	u32 i;

	limits.blocks = 4;
	f = iob_fixture_create(test, &limits, NULL);
	for (i = 0; i < 6; i++)
		iob_charge_block_dirty(&f->s, DEV, i, 20 + i, MS);
	KUNIT_EXPECT_FALSE(test, iob_blocks_lookup(&f->s.blocks, DEV, 1, &block));
	KUNIT_EXPECT_TRUE(test, iob_blocks_lookup(&f->s.blocks, DEV, 5, &block));
	KUNIT_EXPECT_EQ(test, block.act, 25u);
	KUNIT_EXPECT_EQ(test, iob_blocks_nr(&f->s.blocks), 4u);
	KUNIT_EXPECT_EQ(test, iob_counters_read(&f->s.counters,
						IOB_CNT_OLD_BLOCKS), 2ull);
	iob_blocks_forget(&f->s.blocks, DEV, 5);
	KUNIT_EXPECT_FALSE(test, iob_blocks_lookup(&f->s.blocks, DEV, 5, &block));
}

static struct kunit_case joins_cases[] = {
	KUNIT_CASE(weight_is_blocks_not_calls),
	KUNIT_CASE(transactions_are_apart),
	KUNIT_CASE(ended_ones_make_room),
	KUNIT_CASE(old_id_finds_nothing),
	KUNIT_CASE(many_joiners_add_up),
	KUNIT_CASE_PARAM(bytes_are_split_whole, split_gen_params),
	KUNIT_CASE(picked_as_often_as_by_weight),
	KUNIT_CASE(last_share_has_the_rest),
	KUNIT_CASE(blocks_go_to_their_dirtiers),
	KUNIT_CASE(full_block_table_forgets_the_oldest),
	{}
};

static struct kunit_suite joins_suite = {
	.name = "ioblame_joins",
	.exit = iob_fixture_exit,
	.test_cases = joins_cases,
};

kunit_test_suites(&joins_suite);
