// SPDX-License-Identifier: GPL-2.0
/* Totals: keys, exact sums, a full table, reading and resetting. */
#include "../core/totals.h"
#include "kunit_env.h"

static struct iob_totals *make(struct kunit *test, u32 max)
{
	struct iob_totals *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	KUNIT_ASSERT_EQ(test, iob_totals_init(t, max), 0);
	return t;
}

static void totals_exit(struct kunit *test)
{
	if (test->priv)
		iob_totals_exit(test->priv);
}

static void add_bytes(struct iob_total *row, const void *arg)
{
	row->ios++;
	row->bytes += *(const u64 *)arg;
}

static bool add(struct iob_totals *t, u32 act, u64 bytes)
{
	const struct iob_total_key key = { .act = act, .dev = 8 << 20 };

	return iob_totals_add(t, &key, IOB_TOTAL_FOLDED, add_bytes, &bytes);
}

/* Rows with @key; its bytes to *@bytes. */
static u32 find(struct iob_totals *t, const struct iob_total_key *key,
		u64 *bytes)
{
	struct iob_total row;
	u32 i, nr = 0;

	for (i = 1; i < iob_totals_end(t); i++) {
		iob_totals_read(t, i, &row);
		if (memcmp(&row.key, key, sizeof(*key)))
			continue;
		*bytes = row.bytes;
		nr++;
	}
	return nr;
}

static u64 sum(struct iob_totals *t)
{
	struct iob_total row;
	u64 bytes = 0;
	u32 i;

	for (i = 1; i < iob_totals_end(t); i++) {
		iob_totals_read(t, i, &row);
		bytes += row.bytes;
	}
	return bytes;
}

struct member {
	const char *name;
	size_t offset;
};

#define MEMBER(name) { #name, offsetof(struct iob_total_key, name) }

static const struct member members[] = {
	MEMBER(act), MEMBER(issuer), MEMBER(dev), MEMBER(op), MEMBER(reason),
	MEMBER(basis),
};

IOB_TEST_PARAMS(member, members)

static void row_is_its_key(struct kunit *test)
{
	const struct member *m = test->param_value;
	struct iob_totals *t = make(test, 8);
	struct iob_total_key one = { .act = 9 }, two = one;
	u64 bytes = 0;

	((u8 *)&two)[m->offset]++;
	bytes = 512;
	KUNIT_EXPECT_TRUE(test, iob_totals_add(t, &one, IOB_TOTAL_FULL,
					       add_bytes, &bytes));
	KUNIT_EXPECT_TRUE(test, iob_totals_add(t, &one, IOB_TOTAL_FULL,
					       add_bytes, &bytes));
	bytes = 4096;
	KUNIT_EXPECT_TRUE(test, iob_totals_add(t, &two, IOB_TOTAL_FULL,
					       add_bytes, &bytes));
	KUNIT_EXPECT_EQ(test, iob_totals_end(t), 3u);
	KUNIT_EXPECT_EQ(test, find(t, &one, &bytes), 1u);
	KUNIT_EXPECT_EQ(test, bytes, 1024ull);
	KUNIT_EXPECT_EQ(test, find(t, &two, &bytes), 1u);
	KUNIT_EXPECT_EQ(test, bytes, 4096ull);
}

static void sums_are_64_bits(struct kunit *test)
{
	struct iob_totals *t = make(test, 8);
	u32 i;

	for (i = 0; i < 8; i++)
		add(t, 9, U32_MAX);
	KUNIT_EXPECT_EQ(test, sum(t), 8ull * U32_MAX);
}

struct room {
	const char *name;
	u32 max;
};

static const struct room rooms[] = {
	{ "one row", 1 },
	{ "two rows", 2 },
	{ "a few", 63 },
	{ "as many as shards", IOB_TOTALS_SHARDS },
	{ "more than shards", 1000 },
};

IOB_TEST_PARAMS(room, rooms)

static void full_table_refuses_new_rows_only(struct kunit *test)
{
	const struct room *r = test->param_value;
	struct iob_totals *t = make(test, r->max);
	u32 i;

	for (i = 0; i < r->max; i++)
		KUNIT_ASSERT_TRUE(test, add(t, 100 + i, 512));
	for (; i < r->max + 5; i++)
		KUNIT_EXPECT_FALSE(test, add(t, 100 + i, 512));
	for (i = 0; i < r->max; i++)
		KUNIT_ASSERT_TRUE(test, add(t, 100 + i, 512));
	KUNIT_EXPECT_EQ(test, iob_totals_end(t), r->max + 1);
	KUNIT_EXPECT_EQ(test, sum(t), 1024ull * r->max);
}

/* New rows of each level may use some room that those above it may not. */
static void levels_leave_room_for_coarser_ones(struct kunit *test)
{
	static const u32 rows[IOB_NR_TOTAL_LEVELS] = { 16, 2, 2, 4, 6, 2 };
	struct iob_totals *t = make(test, 32);
	struct iob_total_key key = { .act = 100 };
	enum iob_total_level level;
	const u64 bytes = 512;
	u32 room;

	for (level = 0; level < IOB_NR_TOTAL_LEVELS; level++) {
		for (room = rows[level]; room; room--, key.act++) {
			KUNIT_EXPECT_TRUE(test, iob_totals_has_room(t, level));
			KUNIT_EXPECT_TRUE(test,
					  iob_totals_add(t, &key, level,
							 add_bytes, &bytes));
		}
		KUNIT_EXPECT_FALSE(test, iob_totals_has_room(t, level));
		KUNIT_EXPECT_FALSE(test, iob_totals_add(t, &key, level,
							add_bytes, &bytes));
	}
	KUNIT_EXPECT_EQ(test, iob_totals_end(t), 33u);
	/* those that are there are found at every level */
	for (key.act = 100; key.act < 132; key.act++)
		KUNIT_EXPECT_TRUE(test, iob_totals_add(t, &key, IOB_TOTAL_FULL,
						       add_bytes, &bytes));
}

static void random_adds_match_model(struct kunit *test)
{
	enum { KEYS = 200, ROOM = 150 };
	struct iob_totals *t = make(test, ROOM);
	u64 *model = kunit_kzalloc(test, KEYS * sizeof(*model), GFP_KERNEL);
	struct iob_total_key key = { .dev = 8 << 20 };
	u64 seed = 5, bytes, got;
	u32 i, k, rows = 0;

	KUNIT_ASSERT_NOT_NULL(test, model);
	for (i = 0; i < 5000; i++) {
		k = iob_test_below(&seed, KEYS);
		bytes = 1 + iob_test_below(&seed, 1 << 20);
		KUNIT_ASSERT_EQ(test, add(t, 100 + k, bytes),
				model[k] || rows < ROOM);
		if (!model[k] && rows == ROOM)
			continue;
		rows += !model[k];
		model[k] += bytes;
	}
	for (k = 0; k < KEYS; k++) {
		key.act = 100 + k;
		got = 0;
		KUNIT_EXPECT_EQ(test, find(t, &key, &got), (u32)!!model[k]);
		KUNIT_EXPECT_EQ(test, got, model[k]);
	}
}

static void reset_keeps_keys(struct kunit *test)
{
	static const struct iob_total zero;
	struct iob_totals *t = make(test, 8);
	const struct iob_total_key key = { .act = 9, .dev = 8 << 20 };
	struct iob_total row;
	u64 bytes;

	add(t, 9, 512);
	add(t, 10, 512);
	iob_totals_reset(t);
	KUNIT_EXPECT_EQ(test, iob_totals_end(t), 3u);
	KUNIT_EXPECT_EQ(test, find(t, &key, &bytes), 1u);
	iob_totals_read(t, 1, &row);
	KUNIT_EXPECT_EQ(test, row.key.act, 9u);
	KUNIT_EXPECT_EQ(test, memcmp(&row.ios, &zero.ios, sizeof(row) -
				     offsetof(struct iob_total, ios)), 0);
	KUNIT_EXPECT_TRUE(test, add(t, 9, 4096));
	KUNIT_EXPECT_EQ(test, sum(t), 4096ull);
	KUNIT_EXPECT_EQ(test, iob_totals_end(t), 3u);
}

static void note_key(void *ctx, const struct iob_total_key *key)
{
	u64 *seen = ctx;

	*seen |= 1ull << key->act;
}

static void walk_sees_all_keys(struct kunit *test)
{
	struct iob_totals *t = make(test, 8);
	u64 seen = 0;

	add(t, 9, 512);
	add(t, 10, 512);
	add(t, 9, 512);
	iob_totals_for_each_key(t, note_key, &seen);
	KUNIT_EXPECT_EQ(test, seen, 1ull << 9 | 1ull << 10);
}

static void init_refuses_and_survives(struct kunit *test)
{
	struct iob_totals *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err = -ENOMEM;
	u32 nth;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	KUNIT_EXPECT_EQ(test, iob_totals_init(t, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, iob_totals_init(t, 1 << 24), -EINVAL);
	KUNIT_EXPECT_EQ(test, iob_totals_init(t, U32_MAX), -EINVAL);
	for (nth = 1; err; nth++) {
		iob_test_faults(test, nth, 0);
		err = iob_totals_init(t, 8);
		if (err)
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	}
	/* an array's table and two chunks, links, buckets */
	KUNIT_EXPECT_EQ(test, nth, 7u);
}

static struct kunit_case totals_cases[] = {
	KUNIT_CASE_PARAM(row_is_its_key, member_gen_params),
	KUNIT_CASE(sums_are_64_bits),
	KUNIT_CASE_PARAM(full_table_refuses_new_rows_only, room_gen_params),
	KUNIT_CASE(levels_leave_room_for_coarser_ones),
	KUNIT_CASE_SLOW(random_adds_match_model),
	KUNIT_CASE(reset_keeps_keys),
	KUNIT_CASE(walk_sees_all_keys),
	KUNIT_CASE(init_refuses_and_survives),
	{}
};

static struct kunit_suite totals_suite = {
	.name = "ioblame_totals",
	.exit = totals_exit,
	.test_cases = totals_cases,
};

kunit_test_suites(&totals_suite);
