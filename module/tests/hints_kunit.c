// SPDX-License-Identifier: GPL-2.0
/* Hints: a thread finds its own, or none. */
#include "../core/hints.h"
#include "kunit_env.h"

static int hints_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct iob_hints), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void own_hint_or_none(struct kunit *test)
{
	struct iob_hints *h = test->priv;

	KUNIT_EXPECT_EQ(test, iob_hints_get(h, 17), 0u);
	iob_hints_set(h, 17, U32_MAX);
	iob_hints_set(h, 18, 5);
	KUNIT_EXPECT_EQ(test, iob_hints_get(h, 17), U32_MAX);
	KUNIT_EXPECT_EQ(test, iob_hints_get(h, 18), 5u);
	KUNIT_EXPECT_EQ(test, iob_hints_get(h, 19), 0u);
	iob_hints_set(h, 17, 6);
	KUNIT_EXPECT_EQ(test, iob_hints_get(h, 17), 6u);
}

/* Two threads of one place: the later one stays, the other has none. */
static void shared_place_is_the_laters(struct kunit *test)
{
	struct iob_hints *h = test->priv;
	const u32 one = 17, other = one + IOB_NR_HINTS;

	iob_hints_set(h, one, 5);
	iob_hints_set(h, other, 6);
	KUNIT_EXPECT_EQ(test, iob_hints_get(h, one), 0u);
	KUNIT_EXPECT_EQ(test, iob_hints_get(h, other), 6u);
}

static struct kunit_case hints_cases[] = {
	KUNIT_CASE(own_hint_or_none),
	KUNIT_CASE(shared_place_is_the_laters),
	{}
};

static struct kunit_suite hints_suite = {
	.name = "ioblame_hints",
	.init = hints_init,
	.test_cases = hints_cases,
};

kunit_test_suites(&hints_suite);
