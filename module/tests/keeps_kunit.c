// SPDX-License-Identifier: GPL-2.0
/* Keeps: whose is what a device holds back. */
#include "fixture.h"

#define DEV	8u

static u64 old_keeps(struct iob_fixture *f)
{
	return iob_counters_read(&f->s.counters, IOB_CNT_OLD_KEEPS);
}

/* The last who gave it; a place is a page, and one of another disk another. */
static void last_one_owns_the_place(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits, NULL);
	struct iob_keeps *k = &f->s.keeps;

	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV, 0), 0u);
	iob_keeps_set(k, DEV, 0, 20);
	iob_keeps_set(k, DEV, IOB_KEEP_SECTORS, 21);
	iob_keeps_set(k, DEV + 1, 0, 22);
	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV, 0), 20u);
	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV, IOB_KEEP_SECTORS - 1), 20u);
	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV, IOB_KEEP_SECTORS), 21u);
	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV + 1, 0), 22u);
	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV + 1, 2 * IOB_KEEP_SECTORS), 0u);

	iob_keeps_set(k, DEV, 3, 23);
	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV, 0), 23u);
	iob_keeps_set(k, DEV, 0, IOB_ACT_NONE);
	KUNIT_EXPECT_EQ(test, iob_keeps_lookup(k, DEV, 0), 0u);
	KUNIT_EXPECT_EQ(test, old_keeps(f), 0ull);
}

/* There is always room for what comes, never for more than is said. */
static void old_ones_make_room(struct kunit *test)
{
	struct iob_limits limits = iob_test_limits;
	struct iob_fixture *f;
	u32 i, nr;

	limits.blocks = 16;
	f = iob_fixture_create(test, &limits, NULL);
	for (i = 0; i < 100; i++) {
		iob_keeps_set(&f->s.keeps, DEV, i * IOB_KEEP_SECTORS, 20 + i);
		KUNIT_EXPECT_EQ(test, iob_keeps_lookup(&f->s.keeps, DEV,
						       i * IOB_KEEP_SECTORS), 20 + i);
	}
	nr = iob_keeps_nr(&f->s.keeps);
	KUNIT_EXPECT_EQ(test, nr, 16u);
	KUNIT_EXPECT_EQ(test, old_keeps(f), 84ull);
}

/* Who gave it is not forgotten while it is kept, and is when it is given anew. */
static void what_is_kept_is_not_swept(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits, NULL);
	u32 act = iob_test_act(&f->s, 1, 1, 1);

	iob_keeps_set(&f->s.keeps, DEV, 0, act);
	iob_test_sweep(&f->s);
	iob_test_sweep(&f->s);
	KUNIT_EXPECT_NOT_NULL(test, iob_intern_lookup(&f->s.objects.acts, act));
	iob_keeps_set(&f->s.keeps, DEV, 0, IOB_ACT_NONE);
	iob_test_sweep(&f->s);
	iob_test_sweep(&f->s);
	KUNIT_EXPECT_NULL(test, iob_intern_lookup(&f->s.objects.acts, act));
}

static struct kunit_case keeps_cases[] = {
	KUNIT_CASE(last_one_owns_the_place),
	KUNIT_CASE(old_ones_make_room),
	KUNIT_CASE(what_is_kept_is_not_swept),
	{}
};

static struct kunit_suite keeps_suite = {
	.name = "ioblame_keeps",
	.exit = iob_fixture_exit,
	.test_cases = keeps_cases,
};

kunit_test_suites(&keeps_suite);
