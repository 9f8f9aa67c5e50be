// SPDX-License-Identifier: GPL-2.0
/* Spans: what a task uses of pages that it meets. */
#include "../core/spans.h"
#include "kunit_env.h"

struct cut {
	const char *name;
	struct iob_span met;
	u64 first, end;		/* both 0: it uses none */
};

/* Thread 7 uses pages 10 to 19 of file 100. */
static const struct iob_span used = { 7, 100, 10, 20 };

static const struct cut cuts[] = {
	{ "all of them", { 7, 100, 12, 14 }, 12, 14 },
	{ "what it uses is in them", { 7, 100, 0, 64 }, 10, 20 },
	{ "the last ones", { 7, 100, 8, 16 }, 10, 16 },
	{ "the first ones", { 7, 100, 16, 32 }, 16, 20 },
	{ "before", { 7, 100, 8, 10 }, 0, 0 },
	{ "behind", { 7, 100, 20, 21 }, 0, 0 },
	{ "of another file", { 7, 101, 12, 14 }, 0, 0 },
	{ "met by another thread", { 8, 100, 12, 14 }, 0, 0 },
	{ "met by one that has the same place", { 7 + IOB_NR_SPANS, 100, 12, 14 },
	  0, 0 },
};

IOB_TEST_PARAMS(cut, cuts)

static struct iob_spans *make(struct kunit *test)
{
	struct iob_spans *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	test->priv = s;
	KUNIT_ASSERT_EQ(test, iob_spans_init(s), 0);
	return s;
}

static void free_spans(struct kunit *test)
{
	if (test->priv)
		iob_spans_exit(test->priv);
}

static void cut_to_what_is_used(struct kunit *test)
{
	const struct cut *cut = test->param_value;
	struct iob_spans *s = make(test);
	struct iob_span span = cut->met;

	KUNIT_EXPECT_FALSE(test, iob_spans_cut(s, &span));
	iob_spans_set(s, &used);
	span = cut->met;
	KUNIT_ASSERT_EQ(test, iob_spans_cut(s, &span), cut->end != 0);
	if (!cut->end)
		return;
	KUNIT_EXPECT_EQ(test, span.first, cut->first);
	KUNIT_EXPECT_EQ(test, span.end, cut->end);
}

static void the_later_one_stays(struct kunit *test)
{
	const struct iob_span later = { 7, 200, 0, 5 };
	struct iob_spans *s = make(test);
	struct iob_span span = used;

	iob_spans_set(s, &used);
	iob_spans_set(s, &later);
	KUNIT_EXPECT_FALSE(test, iob_spans_cut(s, &span));
	span = later;
	KUNIT_EXPECT_TRUE(test, iob_spans_cut(s, &span));
}

static struct kunit_case spans_cases[] = {
	KUNIT_CASE_PARAM(cut_to_what_is_used, cut_gen_params),
	KUNIT_CASE(the_later_one_stays),
	{}
};

static struct kunit_suite spans_suite = {
	.name = "ioblame_spans",
	.exit = free_spans,
	.test_cases = spans_cases,
};

kunit_test_suites(&spans_suite);
