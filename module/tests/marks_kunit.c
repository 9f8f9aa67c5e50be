// SPDX-License-Identifier: GPL-2.0
/* Marks: a word a task, as long as there is room near its hash. */
#include "../core/marks.h"
#include "kunit_env.h"

struct marks_test {
	struct iob_marks marks;
	struct iob_counters counters;
};

static int marks_init(struct kunit *test)
{
	struct marks_test *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	test->priv = m;
	if (!m)
		return -ENOMEM;
	iob_marks_init(&m->marks, &m->counters);
	return iob_counters_init(&m->counters);
}

static void marks_exit(struct kunit *test)
{
	struct marks_test *m = test->priv;

	if (m)
		iob_counters_exit(&m->counters);
}

static unsigned long task(u32 n)
{
	return 0xffff888100000000ul + n * 0x2040ul;
}

static void set_get_clear(struct kunit *test)
{
	struct marks_test *t = test->priv;
	struct iob_marks *m = &t->marks;

	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(1)), 0u);
	iob_marks_clear(m, task(1));
	iob_marks_set(m, task(1), 5);
	iob_marks_set(m, task(2), 6);
	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(1)), 5u);
	iob_marks_set(m, task(1), 7);
	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(1)), 7u);
	iob_marks_clear(m, task(1));
	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(1)), 0u);
	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(2)), 6u);
}

/* More tasks than room: each is right or counted as lost. */
static void full_table_loses_and_counts(struct kunit *test)
{
	enum { TASKS = 2 * IOB_NR_MARKS };
	struct marks_test *t = test->priv;
	struct iob_marks *m = &t->marks;
	u32 n, value, lost = 0;

	for (n = 0; n < TASKS; n++)
		iob_marks_set(m, task(n), n + 1);
	for (n = 0; n < TASKS; n++) {
		value = iob_marks_get(m, task(n));
		KUNIT_EXPECT_TRUE(test, !value || value == n + 1);
		lost += !value;
	}
	KUNIT_EXPECT_LE(test, (u32)TASKS - IOB_NR_MARKS, lost);
	KUNIT_EXPECT_EQ(test, iob_counters_read(&t->counters,
						IOB_CNT_LOST_MARKS),
			(u64)lost);
	for (n = 0; n < TASKS; n++)
		iob_marks_clear(m, task(n));
	iob_marks_set(m, task(7), 8);
	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(7)), 8u);
}

/*
 * A mark that lies behind a slot that has become free is still found, and is
 * not made a second time.
 */
static void free_slot_hides_nothing(struct kunit *test)
{
	struct marks_test *t = test->priv;
	struct iob_marks *m = &t->marks;
	u64 key = task(0), other;
	u32 home = iob_hash(&key, 1) % IOB_NR_MARKS, n;

	for (n = 1; ; n++) {
		other = task(n);
		if (iob_hash(&other, 1) % IOB_NR_MARKS == home)
			break;
	}
	iob_marks_set(m, task(n), 1);		/* in the home slot */
	iob_marks_set(m, task(0), 2);		/* behind it */
	iob_marks_clear(m, task(n));
	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(0)), 2u);
	iob_marks_set(m, task(0), 3);
	iob_marks_clear(m, task(0));
	KUNIT_EXPECT_EQ(test, iob_marks_get(m, task(0)), 0u);
}

static struct kunit_case marks_cases[] = {
	KUNIT_CASE(set_get_clear),
	KUNIT_CASE(full_table_loses_and_counts),
	KUNIT_CASE(free_slot_hides_nothing),
	{}
};

static struct kunit_suite marks_suite = {
	.name = "ioblame_marks",
	.init = marks_init,
	.exit = marks_exit,
	.test_cases = marks_cases,
};

kunit_test_suites(&marks_suite);
