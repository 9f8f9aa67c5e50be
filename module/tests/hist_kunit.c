// SPDX-License-Identifier: GPL-2.0
/* Histograms: the edges of buckets, saturation, the longest. */
#include "../core/hist.h"
#include "kunit_env.h"

struct edge {
	const char *name;
	u64 ns;
	u32 bucket;
};

static const struct edge edges[] = {
	{ "nothing", 0, 0 },
	{ "just below 1.024 us", 1023, 0 },
	{ "1.024 us", 1024, 1 },
	{ "just below 2.048 us", 2047, 1 },
	{ "2.048 us", 2048, 2 },
	{ "just below 4.096 us", 4095, 2 },
	{ "one second", 1000000000, 20 },
	{ "below the last bucket", (1ull << 48) - 1, 38 },
	{ "the last bucket", 1ull << 48, 39 },
	{ "beyond all buckets", 1ull << 49, 39 },
	{ "the longest time", ~0ull, 39 },
};

IOB_TEST_PARAMS(edge, edges)

static void bucket_of_time(struct kunit *test)
{
	const struct edge *e = test->param_value;

	KUNIT_EXPECT_EQ(test, iob_hist_bucket(e->ns), e->bucket);
}

/* Bucket n is [2^(n-1), 2^n) x 1.024 us, as Documentation/abi.rst says. */
static void every_bucket_has_its_edges(struct kunit *test)
{
	u32 n;

	for (n = 1; n < IOB_HIST_BUCKETS; n++) {
		KUNIT_EXPECT_EQ(test, iob_hist_bucket((1024ull << (n - 1)) - 1),
				n - 1);
		KUNIT_EXPECT_EQ(test, iob_hist_bucket(1024ull << (n - 1)), n);
	}
}

static void add_counts_and_keeps_longest(struct kunit *test)
{
	struct iob_hist h = { };

	iob_hist_add(&h, 5000, 1);
	iob_hist_add(&h, 9000000, 3);
	iob_hist_add(&h, 5001, 2);
	KUNIT_EXPECT_EQ(test, h.count[iob_hist_bucket(5000)], 3u);
	KUNIT_EXPECT_EQ(test, h.count[iob_hist_bucket(9000000)], 3u);
	KUNIT_EXPECT_EQ(test, h.max_ns, 9000000ull);
}

static void add_saturates(struct kunit *test)
{
	struct iob_hist h = { };

	iob_hist_add(&h, 0, U32_MAX - 1);
	KUNIT_EXPECT_EQ(test, h.count[0], U32_MAX - 1);
	iob_hist_add(&h, 0, 1);
	KUNIT_EXPECT_EQ(test, h.count[0], U32_MAX);
	iob_hist_add(&h, 0, 1);
	KUNIT_EXPECT_EQ(test, h.count[0], U32_MAX);
	iob_hist_add(&h, 0, U32_MAX);
	KUNIT_EXPECT_EQ(test, h.count[0], U32_MAX);
	KUNIT_EXPECT_EQ(test, h.count[1], 0u);
}

static struct kunit_case hist_cases[] = {
	KUNIT_CASE_PARAM(bucket_of_time, edge_gen_params),
	KUNIT_CASE(every_bucket_has_its_edges),
	KUNIT_CASE(add_counts_and_keeps_longest),
	KUNIT_CASE(add_saturates),
	{}
};

static struct kunit_suite hist_suite = {
	.name = "ioblame_hist",
	.test_cases = hist_cases,
};

kunit_test_suites(&hist_suite);
