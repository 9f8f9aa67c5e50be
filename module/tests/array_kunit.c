// SPDX-License-Identifier: GPL-2.0
/* Array: every element has a place of its own, and memory only when it is its turn. */
#include "../core/array.h"
#include "kunit_env.h"

static int array_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct iob_array), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void array_exit(struct kunit *test)
{
	if (test->priv)
		iob_array_exit(test->priv);
}

struct size {
	const char *name;
	u32 max;
	u32 stride;
};

static const struct size sizes[] = {
	{ "words", 3000, 8 },
	{ "that do not fill a page", 700, 24 },
	{ "seven in a page", 300, 568 },
	{ "three in a page", 200, 1365 },
	{ "two in a page", 100, PAGE_SIZE / 2 },
	{ "more than a page by a word", 100, PAGE_SIZE / 3 + 8 },
	{ "only one", 1, 40 },
};

IOB_TEST_PARAMS(size, sizes)

/* All of them at once, each filled to its end: none changes another. */
static void elements_do_not_overlap(struct kunit *test)
{
	const struct size *s = test->param_value;
	struct iob_array *a = test->priv;
	u32 i, k, wrong = 0;
	u8 *element;

	KUNIT_ASSERT_EQ(test, iob_array_init(a, s->max, s->stride), 0);
	for (i = 0; i < s->max; i++) {
		KUNIT_ASSERT_TRUE(test, iob_array_ahead(a, i));
		element = iob_array_at(a, i);
		KUNIT_ASSERT_NOT_NULL(test, element);
		for (k = 0; k < s->stride; k++)
			wrong += element[k];
		memset(element, i % 251 + 1, s->stride);
	}
	for (i = 0; i < s->max; i++) {
		element = iob_array_at(a, i);
		for (k = 0; k < s->stride; k++)
			wrong += element[k] != i % 251 + 1;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0u);
}

/* What is far ahead has no memory yet, and takes none. */
static void memory_comes_in_turn(struct kunit *test)
{
	enum { MAX = 100000, STRIDE = 64, PER = PAGE_SIZE / STRIDE };
	struct iob_array *a = test->priv;

	KUNIT_ASSERT_EQ(test, iob_array_init(a, MAX, STRIDE), 0);
	KUNIT_EXPECT_NOT_NULL(test, iob_array_at(a, IOB_ARRAY_AHEAD - 1));
	KUNIT_EXPECT_NULL(test, iob_array_at(a, IOB_ARRAY_AHEAD + PER));
	KUNIT_EXPECT_NULL(test, iob_array_at(a, MAX - 1));
	KUNIT_EXPECT_LE(test, iob_array_bytes(a), 2ull * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, iob_array_ahead(a, 10 * PER));
	KUNIT_EXPECT_NOT_NULL(test, iob_array_at(a, 10 * PER));
	KUNIT_EXPECT_NULL(test, iob_array_at(a, 5 * PER));
	/* at the end there is nothing ahead */
	KUNIT_EXPECT_TRUE(test, iob_array_ahead(a, MAX - 1));
	KUNIT_EXPECT_TRUE(test, iob_array_ahead(a, MAX));
	KUNIT_EXPECT_NOT_NULL(test, iob_array_at(a, MAX - 1));
}

/* Refused once, it is made when it is asked for again. */
static void refused_memory_comes_later(struct kunit *test)
{
	enum { STRIDE = 2048 };
	struct iob_array *a = test->priv;

	KUNIT_ASSERT_EQ(test, iob_array_init(a, 1000, STRIDE), 0);
	iob_test_faults(test, 1, 0);
	KUNIT_EXPECT_FALSE(test, iob_array_ahead(a, 500));
	KUNIT_EXPECT_NULL(test, iob_array_at(a, 500));
	KUNIT_EXPECT_TRUE(test, iob_array_ahead(a, 500));
	KUNIT_EXPECT_NOT_NULL(test, iob_array_at(a, 500));
}

static void init_refuses_and_survives(struct kunit *test)
{
	struct iob_array *a = test->priv;
	int err = -ENOMEM;
	u32 nth;

	KUNIT_EXPECT_EQ(test, iob_array_init(a, 0, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, iob_array_init(a, IOB_ARRAY_MAX + 1, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, iob_array_init(a, 8, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, iob_array_init(a, 8, PAGE_SIZE / 2 + 8), -EINVAL);
	for (nth = 1; err; nth++) {
		iob_test_faults(test, nth, 0);
		err = iob_array_init(a, 3, PAGE_SIZE / 2);
		if (err)
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	}
	/* the table of chunks, and two of these */
	KUNIT_EXPECT_EQ(test, nth, 5u);
}

static struct kunit_case array_cases[] = {
	KUNIT_CASE_PARAM(elements_do_not_overlap, size_gen_params),
	KUNIT_CASE(memory_comes_in_turn),
	KUNIT_CASE(refused_memory_comes_later),
	KUNIT_CASE(init_refuses_and_survives),
	{}
};

static struct kunit_suite array_suite = {
	.name = "ioblame_array",
	.init = array_init,
	.exit = array_exit,
	.test_cases = array_cases,
};

kunit_test_suites(&array_suite);
