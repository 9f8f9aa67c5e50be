// SPDX-License-Identifier: GPL-2.0
/* Interning: equal keys, full tables, generations, sweep steps, collisions. */
#include "../core/intern.h"
#include "kunit_env.h"

struct thing {
	u64 key;
	u64 value;
};

static u32 get(struct iob_intern *t, u64 key, bool *fresh)
{
	struct thing thing = { key, ~key };

	return iob_intern_get(t, &thing, sizeof(thing.key), &thing,
			      sizeof(thing), fresh);
}

static struct iob_intern *make(struct kunit *test, u32 max, u32 reserved)
{
	struct iob_intern *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	KUNIT_ASSERT_EQ(test, iob_intern_init(t, max, reserved,
					      sizeof(struct thing)), 0);
	return t;
}

static void intern_exit(struct kunit *test)
{
	if (test->priv)
		iob_intern_exit(test->priv);
}

/* All four steps; @kept, if not 0, is marked. */
static u32 sweep(struct iob_intern *t, u32 kept)
{
	u32 nr;

	iob_intern_advance(t);
	iob_intern_mark(t, kept);
	nr = iob_intern_unlink_unmarked(t);
	iob_intern_recycle(t);
	return nr;
}

static void equal_keys_equal_ids(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 1);
	bool fresh;
	u32 a, b;

	a = get(t, 17, &fresh);
	KUNIT_EXPECT_TRUE(test, fresh);
	b = get(t, 18, &fresh);
	KUNIT_EXPECT_TRUE(test, fresh);
	KUNIT_EXPECT_NE(test, a, b);
	KUNIT_EXPECT_EQ(test, get(t, 17, &fresh), a);
	KUNIT_EXPECT_FALSE(test, fresh);
	KUNIT_EXPECT_EQ(test, iob_intern_nr(t), 2u);
}

static void find_does_not_make(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 1);
	u64 key = 17;
	bool fresh;
	u32 id;

	KUNIT_EXPECT_EQ(test, iob_intern_find(t, &key, sizeof(key)), 0u);
	KUNIT_EXPECT_EQ(test, iob_intern_nr(t), 0u);
	id = get(t, 17, &fresh);
	KUNIT_EXPECT_TRUE(test, fresh);
	KUNIT_EXPECT_EQ(test, iob_intern_find(t, &key, sizeof(key)), id);
}

/* The first object's value stays, whatever later calls bring along. */
static void payload_is_of_the_first(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 1);
	struct thing again = { 17, 99 };
	const struct thing *thing;
	bool fresh;
	u32 id = get(t, 17, &fresh);

	KUNIT_EXPECT_EQ(test, iob_intern_get(t, &again, sizeof(again.key),
					     &again, sizeof(again), &fresh),
			id);
	thing = iob_intern_lookup(t, id);
	KUNIT_ASSERT_NOT_NULL(test, thing);
	KUNIT_EXPECT_EQ(test, thing->key, 17ull);
	KUNIT_EXPECT_EQ(test, thing->value, ~17ull);
}

/* What a payload leaves out is zero, whatever the memory held before. */
static void short_payload_ends_in_zeroes(struct kunit *test)
{
	struct iob_intern *t = make(test, 2, 1);
	const struct thing *thing;
	u64 key = 18;
	bool fresh;
	u32 id;

	get(t, 17, &fresh);
	iob_intern_advance(t);
	iob_intern_unlink_unmarked(t);
	iob_intern_recycle(t);
	id = iob_intern_get(t, &key, sizeof(key), &key, sizeof(key), &fresh);
	thing = iob_intern_lookup(t, id);
	KUNIT_ASSERT_NOT_NULL(test, thing);
	KUNIT_EXPECT_EQ(test, thing->key, 18ull);
	KUNIT_EXPECT_EQ(test, thing->value, 0ull);
}

/* A key is told from a longer one that begins with it. */
static void key_length_is_part_of_key(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 1);
	u64 key[2] = { 1, 0 };
	bool fresh;
	u32 one, two;

	one = iob_intern_get(t, key, 8, key, 8, &fresh);
	two = iob_intern_get(t, key, 16, key, 16, &fresh);
	KUNIT_EXPECT_TRUE(test, fresh);
	KUNIT_EXPECT_NE(test, one, two);
	KUNIT_EXPECT_EQ(test, iob_intern_find(t, key, 8), one);
	KUNIT_EXPECT_EQ(test, iob_intern_find(t, key, 16), two);
}

/* A remembered id is believed only if it is still the key's. */
static void again_is_of_the_same_key_only(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 1);
	u64 key[2] = { 17, 0 }, other = 18;
	bool fresh;
	u32 id = get(t, 17, &fresh), old;

	KUNIT_EXPECT_EQ(test, iob_intern_again(t, id, key, 8), id);
	KUNIT_EXPECT_EQ(test, iob_intern_again(t, id, key, 16), 0u);
	KUNIT_EXPECT_EQ(test, iob_intern_again(t, id, &other, 8), 0u);
	KUNIT_EXPECT_EQ(test, iob_intern_again(t, 0, key, 8), 0u);
	KUNIT_EXPECT_EQ(test, iob_intern_again(t, ~0u, key, 8), 0u);
	/* as a lookup does, it keeps what it finds */
	iob_intern_advance(t);
	iob_intern_again(t, id, key, 8);
	KUNIT_EXPECT_EQ(test, iob_intern_unlink_unmarked(t), 0u);
	iob_intern_recycle(t);
	sweep(t, 0);
	KUNIT_EXPECT_EQ(test, iob_intern_again(t, id, key, 8), 0u);
	old = id;
	id = get(t, 17, &fresh);
	KUNIT_EXPECT_NE(test, id, old);
	KUNIT_EXPECT_EQ(test, iob_intern_again(t, old, key, 8), 0u);
}

struct size_case {
	const char *name;
	u32 max, reserved;
	int err;
};

static const struct size_case size_cases[] = {
	{ "nothing reserved", 64, 0, -EINVAL },
	{ "nothing at all", 0, 1, -EINVAL },
	{ "all reserved", 7, 7, -EINVAL },
	{ "one object", 8, 7, 0 },
	{ "fewer than shards", 3, 1, 0 },
	{ "as many as shards", IOB_INTERN_SHARDS, 1, 0 },
	{ "more than buckets", 2 * IOB_INTERN_SHARDS + 1, 1, 0 },
	{ "more than ids", (1u << IOB_ID_INDEX_BITS) + 1, 1, -EINVAL },
};

IOB_TEST_PARAMS(size, size_cases)

/* Exactly max - reserved objects, none of them reserved or 0, then none. */
static void full_table_refuses(struct kunit *test)
{
	const struct size_case *c = test->param_value;
	struct iob_intern *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	bool fresh;
	u32 i, id;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	KUNIT_ASSERT_EQ(test, iob_intern_init(t, c->max, c->reserved,
					      sizeof(struct thing)), c->err);
	if (c->err)
		return;
	for (i = c->reserved; i < c->max; i++) {
		id = get(t, i, &fresh);
		KUNIT_ASSERT_TRUE(test, fresh);
		KUNIT_ASSERT_TRUE(test, IOB_ID_INDEX(id) >= c->reserved);
		KUNIT_ASSERT_TRUE(test, IOB_ID_INDEX(id) < c->max);
	}
	KUNIT_EXPECT_EQ(test, get(t, c->max, &fresh), 0u);
	KUNIT_EXPECT_FALSE(test, fresh);
	KUNIT_EXPECT_NE(test, get(t, c->reserved, &fresh), 0u);
	KUNIT_EXPECT_EQ(test, iob_intern_nr(t), c->max - c->reserved);
	KUNIT_EXPECT_EQ(test, iob_intern_end(t), c->max);
}

static void nonsense_resolves_to_nothing(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 7);
	u32 id, index;
	bool fresh;

	id = get(t, 17, &fresh);
	for (index = 0; index < 7; index++)
		KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, index));
	KUNIT_EXPECT_NOT_NULL(test, iob_intern_lookup(t, id));
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, id + 1));
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, 64));
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, U32_MAX));
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t,
					IOB_ID(IOB_ID_INDEX(id), 1)));
}

static void stale_id_resolves_to_nothing(struct kunit *test)
{
	struct iob_intern *t = make(test, 8, 7);
	bool fresh;
	u32 old, new;

	old = get(t, 1, &fresh);
	KUNIT_EXPECT_EQ(test, sweep(t, 0), 1u);
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, old));
	KUNIT_EXPECT_EQ(test, iob_intern_nr(t), 0u);

	new = get(t, 2, &fresh);
	KUNIT_EXPECT_TRUE(test, fresh);
	KUNIT_EXPECT_EQ(test, IOB_ID_INDEX(new), IOB_ID_INDEX(old));
	KUNIT_EXPECT_NE(test, new, old);
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, old));
	KUNIT_EXPECT_NOT_NULL(test, iob_intern_lookup(t, new));
}

/* The generation has 8 bits: an index gives 256 ids, then starts over. */
static void generation_wraps(struct kunit *test)
{
	struct iob_intern *t = make(test, 8, 7);
	u32 first, id, i;
	bool fresh;

	first = get(t, 0, &fresh);
	for (i = 1; i < 1u << IOB_ID_GEN_BITS; i++) {
		sweep(t, 0);
		id = get(t, i, &fresh);
		KUNIT_ASSERT_NE(test, id, first);
		KUNIT_ASSERT_EQ(test, IOB_ID_GEN(id), i);
	}
	sweep(t, 0);
	KUNIT_EXPECT_EQ(test, get(t, i, &fresh), first);
}

static void marked_is_kept(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 1);
	bool fresh;
	u32 kept, gone;

	kept = get(t, 1, &fresh);
	gone = get(t, 2, &fresh);
	KUNIT_EXPECT_EQ(test, sweep(t, kept), 1u);
	KUNIT_EXPECT_NOT_NULL(test, iob_intern_lookup(t, kept));
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, gone));
	KUNIT_EXPECT_EQ(test, get(t, 1, &fresh), kept);
	KUNIT_EXPECT_FALSE(test, fresh);
	KUNIT_EXPECT_NE(test, get(t, 2, &fresh), gone);
	KUNIT_EXPECT_TRUE(test, fresh);
}

/* A stale, reserved or senseless id marks nothing. */
static void only_own_id_marks(struct kunit *test)
{
	struct iob_intern *t = make(test, 64, 7);
	bool fresh;
	u32 id = get(t, 1, &fresh);

	iob_intern_advance(t);
	iob_intern_mark(t, IOB_ID(IOB_ID_INDEX(id), IOB_ID_GEN(id) + 1));
	iob_intern_mark(t, 0);
	iob_intern_mark(t, 6);
	iob_intern_mark(t, 64);
	iob_intern_mark(t, U32_MAX);
	KUNIT_EXPECT_EQ(test, iob_intern_unlink_unmarked(t), 1u);
	iob_intern_recycle(t);
}

enum use { USE_GET, USE_FIND, USE_LOOKUP, USE_AT };

struct use_case {
	const char *name;
	enum use use;
	bool keeps;
};

static const struct use_case use_cases[] = {
	{ "get", USE_GET, true },
	{ "find", USE_FIND, true },
	{ "lookup", USE_LOOKUP, true },
	{ "a walk", USE_AT, false },
};

IOB_TEST_PARAMS(use, use_cases)

/* What was handed out since the sweep began is not in memory yet: keep it. */
static void use_in_new_epoch_keeps(struct kunit *test)
{
	const struct use_case *c = test->param_value;
	struct iob_intern *t = make(test, 64, 1);
	u64 key = 1;
	bool fresh;
	u32 id = get(t, key, &fresh), same;

	iob_intern_advance(t);
	switch (c->use) {
	case USE_GET:
		KUNIT_EXPECT_EQ(test, get(t, key, &fresh), id);
		break;
	case USE_FIND:
		KUNIT_EXPECT_EQ(test, iob_intern_find(t, &key, sizeof(key)),
				id);
		break;
	case USE_LOOKUP:
		KUNIT_EXPECT_NOT_NULL(test, iob_intern_lookup(t, id));
		break;
	case USE_AT:
		KUNIT_EXPECT_NOT_NULL(test, iob_intern_at(t, IOB_ID_INDEX(id),
							  &same));
		KUNIT_EXPECT_EQ(test, same, id);
		break;
	}
	KUNIT_EXPECT_EQ(test, iob_intern_unlink_unmarked(t), !c->keeps);
	iob_intern_recycle(t);
	KUNIT_EXPECT_EQ(test, !!iob_intern_lookup(t, id), c->keeps);
	/* one epoch only */
	KUNIT_EXPECT_EQ(test, sweep(t, 0) + !c->keeps, 1u);
}

/* Between unlinking and recycling nobody gets the memory. */
static void unlinked_is_not_free_yet(struct kunit *test)
{
	struct iob_intern *t = make(test, 8, 7);
	bool fresh;
	u32 id, same;

	id = get(t, 1, &fresh);
	iob_intern_advance(t);
	KUNIT_EXPECT_EQ(test, iob_intern_unlink_unmarked(t), 1u);
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(t, id));
	KUNIT_EXPECT_NULL(test, iob_intern_at(t, IOB_ID_INDEX(id), &same));
	KUNIT_EXPECT_EQ(test, get(t, 1, &fresh), 0u);
	KUNIT_EXPECT_EQ(test, get(t, 2, &fresh), 0u);
	iob_intern_recycle(t);
	KUNIT_EXPECT_NE(test, get(t, 2, &fresh), 0u);
	KUNIT_EXPECT_TRUE(test, fresh);
}

/* A walk sees each live object once, under its present id. */
static void walk_sees_the_living(struct kunit *test)
{
	struct iob_intern *t = make(test, 128, 1);
	u32 i, id, nr = 0, kept = 0;
	const struct thing *thing;
	u64 seen = 0;
	bool fresh;

	for (i = 0; i < 100; i++) {
		id = get(t, i, &fresh);
		if (i == 42)
			kept = id;
	}
	sweep(t, kept);
	for (i = 200; i < 220; i++)
		get(t, i, &fresh);
	for (i = t->reserved; i < iob_intern_end(t); i++) {
		thing = iob_intern_at(t, i, &id);
		if (!thing)
			continue;
		nr++;
		seen += thing->key;
		KUNIT_EXPECT_PTR_EQ(test, iob_intern_lookup(t, id),
				    (void *)thing);
	}
	KUNIT_EXPECT_EQ(test, nr, 21u);
	KUNIT_EXPECT_EQ(test, iob_intern_nr(t), 21u);
	KUNIT_EXPECT_EQ(test, seen, 42 + (200 + 219) * 20ull / 2);
	KUNIT_EXPECT_LE(test, iob_intern_end(t), 101u);
}

/*
 * Keys that share one bucket: 64 buckets, so one key in 64 goes there. All
 * chains are walked, and nodes leave from the head, middle and end of one.
 */
static void colliding_keys_are_told_apart(struct kunit *test)
{
	enum { N = 24 };
	struct iob_intern *t = make(test, 64, 1);
	u64 key[N], candidate;
	u32 id[N], i, drop, nr = 0;
	bool fresh;

	for (candidate = 0; nr < N; candidate++)
		if ((iob_hash(&candidate, 1) & t->mask) == 5)
			key[nr++] = candidate;
	for (i = 0; i < N; i++)
		id[i] = get(t, key[i], &fresh);
	for (drop = 0; drop < N; drop += 5) {
		iob_intern_advance(t);
		for (i = 0; i < N; i++)
			if (i != drop)
				iob_intern_mark(t, id[i]);
		KUNIT_EXPECT_EQ(test, iob_intern_unlink_unmarked(t), 1u);
		iob_intern_recycle(t);
		KUNIT_EXPECT_EQ(test, iob_intern_find(t, &key[drop], 8), 0u);
		for (i = 0; i < N; i++)
			if (i != drop)
				KUNIT_EXPECT_EQ(test, get(t, key[i], &fresh),
						id[i]);
		id[drop] = get(t, key[drop], &fresh);
		KUNIT_EXPECT_TRUE(test, fresh);
	}
}

/* Random gets and sweeps beside a plain model of what must be known. */
static void random_use_matches_model(struct kunit *test)
{
	enum { KEYS = 96, ROOM = 40 };
	struct iob_intern *t = make(test, ROOM + 1, 1);
	u32 *id = kunit_kzalloc(test, KEYS * sizeof(*id), GFP_KERNEL);
	u32 i, k, got, live = 0;
	u64 seed = 1;
	bool fresh;

	KUNIT_ASSERT_NOT_NULL(test, id);
	for (i = 0; i < 4000; i++) {
		k = iob_test_below(&seed, KEYS);
		if (iob_test_below(&seed, 50)) {
			got = get(t, k, &fresh);
			KUNIT_ASSERT_EQ(test, fresh, !id[k] && live < ROOM);
			KUNIT_ASSERT_EQ(test, !got, !id[k] && live == ROOM);
			if (id[k])
				KUNIT_ASSERT_EQ(test, got, id[k]);
			live += fresh;
			id[k] = got;
			continue;
		}
		iob_intern_advance(t);
		for (k = 0; k < KEYS; k++)
			if (id[k] && iob_test_below(&seed, 2))
				iob_intern_mark(t, id[k]);
		live -= iob_intern_unlink_unmarked(t);
		iob_intern_recycle(t);
		for (k = 0; k < KEYS; k++)
			if (id[k] && !iob_intern_lookup(t, id[k]))
				id[k] = 0;
		KUNIT_ASSERT_EQ(test, iob_intern_nr(t), live);
	}
}

static void init_survives_failures(struct kunit *test)
{
	struct iob_intern *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u32 nth;
	int err = -ENOMEM;

	KUNIT_ASSERT_NOT_NULL(test, t);
	for (nth = 1; err; nth++) {
		iob_test_faults(test, nth, 0);
		err = iob_intern_init(t, 64, 1, 16);
		if (err)
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	}
	/* an array's table and its first chunk, buckets, marks */
	KUNIT_EXPECT_EQ(test, nth, 6u);
	iob_intern_exit(t);
	iob_intern_exit(t);	/* also harmless on a zeroed one */
}

static struct kunit_case intern_cases[] = {
	KUNIT_CASE(equal_keys_equal_ids),
	KUNIT_CASE(find_does_not_make),
	KUNIT_CASE(payload_is_of_the_first),
	KUNIT_CASE(short_payload_ends_in_zeroes),
	KUNIT_CASE(key_length_is_part_of_key),
	KUNIT_CASE(again_is_of_the_same_key_only),
	KUNIT_CASE_PARAM(full_table_refuses, size_gen_params),
	KUNIT_CASE(nonsense_resolves_to_nothing),
	KUNIT_CASE(stale_id_resolves_to_nothing),
	KUNIT_CASE(generation_wraps),
	KUNIT_CASE(marked_is_kept),
	KUNIT_CASE(only_own_id_marks),
	KUNIT_CASE_PARAM(use_in_new_epoch_keeps, use_gen_params),
	KUNIT_CASE(unlinked_is_not_free_yet),
	KUNIT_CASE(walk_sees_the_living),
	KUNIT_CASE(colliding_keys_are_told_apart),
	KUNIT_CASE(random_use_matches_model),
	KUNIT_CASE(init_survives_failures),
	{}
};

static struct kunit_suite intern_suite = {
	.name = "ioblame_intern",
	.exit = intern_exit,
	.test_cases = intern_cases,
};

kunit_test_suites(&intern_suite);
