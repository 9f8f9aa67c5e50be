// SPDX-License-Identifier: GPL-2.0
/* Counters: sums over CPUs, reset, words. */
#include "../core/counters.h"
#include "kunit_env.h"

static int counters_init(struct kunit *test)
{
	struct iob_counters *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	test->priv = c;
	return c ? iob_counters_init(c) : -ENOMEM;
}

static void counters_exit(struct kunit *test)
{
	if (test->priv)
		iob_counters_exit(test->priv);
}

static void counts_add_up(struct kunit *test)
{
	struct iob_counters *c = test->priv;

	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_IOS), 0ull);
	iob_count(c, IOB_CNT_IOS, 1);
	iob_count(c, IOB_CNT_IOS, 1ull << 40);
	iob_count(c, IOB_CNT_SWEPT, 5);
	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_IOS),
			(1ull << 40) + 1);
	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_SWEPT), 5ull);
}

static void read_sums_all_cpus(struct kunit *test)
{
	struct iob_counters *c = test->priv;
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu_ptr(c->cpu, cpu)->value[IOB_CNT_IOS] = cpu + 1;
		sum += cpu + 1;
	}
	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_IOS), sum);
	iob_counters_reset(c);
	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_IOS), 0ull);
}

/* A reader of "stats" takes a word for a key. */
static void words_are_distinct(struct kunit *test)
{
	int i, j;

	for (i = 0; i < IOB_NR_COUNTERS; i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, strcmp(iob_counters_word(i),
						     iob_counters_word(j)), 0);
}

/* "every kind of loss first", Documentation/abi.rst */
static void losses_come_first(struct kunit *test)
{
	bool is_loss, was_loss = true;
	int i;

	for (i = 0; i < IOB_NR_COUNTERS; i++) {
		is_loss = !strncmp(iob_counters_word(i), "lost_", 5);
		KUNIT_EXPECT_TRUE(test, was_loss || !is_loss);
		was_loss = is_loss;
	}
}

static struct kunit_case counters_cases[] = {
	KUNIT_CASE(counts_add_up),
	KUNIT_CASE(read_sums_all_cpus),
	KUNIT_CASE(words_are_distinct),
	KUNIT_CASE(losses_come_first),
	{}
};

static struct kunit_suite counters_suite = {
	.name = "ioblame_counters",
	.init = counters_init,
	.exit = counters_exit,
	.test_cases = counters_cases,
};

kunit_test_suites(&counters_suite);
