// SPDX-License-Identifier: GPL-2.0
/* Map: what is put is found, until it is taken or makes room. */
#include "../core/map.h"
#include "kunit_env.h"

struct value {
	u64 number;
	u64 twice;
};

static int map_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct iob_map), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void map_exit(struct kunit *test)
{
	if (test->priv)
		iob_map_exit(test->priv);
}

static struct iob_map *make(struct kunit *test, u32 max)
{
	KUNIT_ASSERT_EQ(test, iob_map_init(test->priv, max,
					   sizeof(struct value)), 0);
	return test->priv;
}

/* Keys that differ in one half only, and in both. */
static struct iob_map_key key(u32 n)
{
	return (struct iob_map_key){ .a = n % 3, .b = n / 3 * 8 };
}

static bool set(struct iob_map *m, u32 n, u64 number)
{
	const struct iob_map_key k = key(n);
	const struct value v = { number, 2 * number };

	return iob_map_set(m, &k, &v);
}

static bool add(struct iob_map *m, u32 n, u64 number)
{
	const struct iob_map_key k = key(n);
	const struct value v = { number, 2 * number };

	return iob_map_add(m, &k, &v);
}

/* 0: nothing there. */
static u64 lookup(struct kunit *test, struct iob_map *m, u32 n)
{
	const struct iob_map_key k = key(n);
	struct value v;

	if (!iob_map_lookup(m, &k, &v))
		return 0;
	KUNIT_EXPECT_EQ(test, v.twice, 2 * v.number);
	return v.number;
}

static bool take(struct iob_map *m, u32 n)
{
	const struct iob_map_key k = key(n);

	return iob_map_take(m, &k, NULL);
}

static void set_replaces_and_add_does_not(struct kunit *test)
{
	struct iob_map *m = make(test, 8);

	KUNIT_EXPECT_EQ(test, lookup(test, m, 1), 0ull);
	KUNIT_EXPECT_TRUE(test, add(m, 1, 10));
	KUNIT_EXPECT_TRUE(test, add(m, 1, 11));
	KUNIT_EXPECT_EQ(test, lookup(test, m, 1), 10ull);
	KUNIT_EXPECT_TRUE(test, set(m, 1, 12));
	KUNIT_EXPECT_EQ(test, lookup(test, m, 1), 12ull);
	KUNIT_EXPECT_EQ(test, lookup(test, m, 2), 0ull);
	KUNIT_EXPECT_EQ(test, iob_map_nr(m), 1u);
	KUNIT_EXPECT_TRUE(test, take(m, 1));
	KUNIT_EXPECT_FALSE(test, take(m, 1));
	KUNIT_EXPECT_EQ(test, iob_map_nr(m), 0u);
}

static void full_table_keeps_what_it_has(struct kunit *test)
{
	struct iob_map *m = make(test, 4);
	u32 i;

	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE(test, set(m, i, i + 1));
	KUNIT_EXPECT_FALSE(test, set(m, 4, 5));
	KUNIT_EXPECT_FALSE(test, add(m, 4, 5));
	KUNIT_EXPECT_TRUE(test, set(m, 2, 30));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, lookup(test, m, i), i == 2 ? 30ull : i + 1);
	take(m, 0);
	KUNIT_EXPECT_TRUE(test, set(m, 4, 5));
}

/* The longest there is the first to go. */
static void room_is_made_in_order(struct kunit *test)
{
	struct iob_map *m = make(test, 4);
	u32 i;

	for (i = 0; i < 4; i++)
		set(m, i, i + 1);
	for (i = 4; i < 20; i++) {
		KUNIT_EXPECT_TRUE(test, iob_map_make_room(m));
		KUNIT_EXPECT_TRUE(test, set(m, i, i + 1));
		KUNIT_EXPECT_EQ(test, lookup(test, m, i - 4), 0ull);
		KUNIT_EXPECT_EQ(test, lookup(test, m, i - 3), i - 2ull);
	}
	KUNIT_EXPECT_EQ(test, iob_map_nr(m), 4u);
}

static void no_room_in_an_empty_table(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, iob_map_make_room(make(test, 4)));
}

#define KEYS	40

/* Against an array, with a table that is often full. */
static void random_use_matches_model(struct kunit *test)
{
	struct iob_map *m = make(test, KEYS / 2);
	u64 model[KEYS] = { }, seed = 7;
	u32 i, n, nr = 0;

	for (i = 0; i < 20000; i++) {
		n = iob_test_below(&seed, KEYS);
		switch (iob_test_below(&seed, 3)) {
		case 0:
			KUNIT_EXPECT_EQ(test, set(m, n, i + 1),
					model[n] || nr < KEYS / 2);
			if (!model[n] && nr == KEYS / 2)
				break;
			nr += !model[n];
			model[n] = i + 1;
			break;
		case 1:
			KUNIT_EXPECT_EQ(test, take(m, n), !!model[n]);
			nr -= !!model[n];
			model[n] = 0;
			break;
		default:
			KUNIT_EXPECT_EQ(test, lookup(test, m, n), model[n]);
		}
		KUNIT_ASSERT_EQ(test, iob_map_nr(m), nr);
	}
}

static void init_refuses(struct kunit *test)
{
	struct iob_map *m = test->priv;

	KUNIT_EXPECT_EQ(test, iob_map_init(m, 0, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, iob_map_init(m, 1, 7), -EINVAL);
	KUNIT_EXPECT_EQ(test, iob_map_init(m, U32_MAX, 8), -EINVAL);
}

static struct kunit_case map_cases[] = {
	KUNIT_CASE(set_replaces_and_add_does_not),
	KUNIT_CASE(full_table_keeps_what_it_has),
	KUNIT_CASE(room_is_made_in_order),
	KUNIT_CASE(no_room_in_an_empty_table),
	KUNIT_CASE(random_use_matches_model),
	KUNIT_CASE(init_refuses),
	{}
};

static struct kunit_suite map_suite = {
	.name = "ioblame_map",
	.init = map_init,
	.exit = map_exit,
	.test_cases = map_cases,
};

kunit_test_suites(&map_suite);
