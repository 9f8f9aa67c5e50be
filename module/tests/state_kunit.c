// SPDX-License-Identifier: GPL-2.0
/* The state as a whole: made, reset and freed; impossible limits refused. */
#include "fixture.h"

#define MS	1000000ull

struct limits_case {
	const char *name;
	struct iob_limits limits;
	int err;
};

#define ENOUGH		64, 64, 64, 64, 64, 64, 64
#define TOO_MANY	((1u << IOB_ID_INDEX_BITS) + 1)

static const struct limits_case limits_cases[] = {
	{ "enough", { ENOUGH }, 0 },
	{ "as little as can be",
	  { 2, IOB_NR_RESERVED_ACTS + 1, 2, 1, 1, 1, 0 }, 0 },
	{ "no stacks", { .stacks = 1, .acts = 64, .files = 64, .totals = 64,
			 .flows = 64, .blocks = 64 }, -EINVAL },
	{ "no acts", { 64, IOB_NR_RESERVED_ACTS, 64, 64, 64, 64, 64 }, -EINVAL },
	{ "no files", { 64, 64, 0, 64, 64, 64, 64 }, -EINVAL },
	{ "no totals", { 64, 64, 64, 0, 64, 64, 64 }, -EINVAL },
	{ "no flows", { 64, 64, 64, 64, 0, 64, 64 }, -EINVAL },
	{ "no blocks", { 64, 64, 64, 64, 64, 0, 64 }, -EINVAL },
	{ "too many stacks", { TOO_MANY, 64, 64, 64, 64, 64, 64 }, -EINVAL },
	{ "too many acts", { 64, TOO_MANY, 64, 64, 64, 64, 64 }, -EINVAL },
	{ "too many files", { 64, 64, TOO_MANY, 64, 64, 64, 64 }, -EINVAL },
	{ "too many totals", { 64, 64, 64, 1u << 24, 64, 64, 64 }, -EINVAL },
	{ "all the memory there is", { 64, 64, 64, 64, 64, 64, ~0ull >> 10 }, 0 },
};

IOB_TEST_PARAMS(limits, limits_cases)

static void limits_are_checked(struct kunit *test)
{
	const struct limits_case *c = test->param_value;
	struct iob_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	const struct iob_filter filter = { };

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	KUNIT_EXPECT_EQ(test, iob_state_init(&f->s, &c->limits, &filter,
					     IOB_TEST_PFNS), c->err);
	if (c->err)
		return;
	iob_charge_dirty(&f->s, 1, 1, iob_test_act(&f->s, 1, 1, 1), MS, false);
	iob_test_complete(f, 1, 1, 1, false, 2 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_row_bytes(&f->s, IOB_TEST_DISK,
						 IOB_OP_WRITE), 4096ull);
}

/* Whichever allocation fails: -ENOMEM, and nothing is left behind. */
static void init_survives_any_failure(struct kunit *test)
{
	struct iob_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	const struct iob_filter filter = { };
	int err = -ENOMEM;
	u32 nth;

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	for (nth = 1; err; nth++) {
		iob_test_faults(test, nth, 0);
		err = iob_state_init(&f->s, &iob_test_limits, &filter,
				     IOB_TEST_PFNS);
		if (err)
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		KUNIT_ASSERT_LT(test, nth, 100u);
	}
	KUNIT_EXPECT_LT(test, 20u, nth);
}

/* Sums go to zero; who dirtied what is kept, and charged later. */
static void reset_keeps_who_dirtied_what(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	u32 act = iob_test_act(&f->s, 1, 1, 1), i;
	struct iob_device *d;
	struct iob_total row;

	iob_charge_dirty(&f->s, 1, 3, act, MS, false);
	iob_test_complete(f, 1, 1, 1, false, 2 * MS);
	iob_state_reset(&f->s);

	d = iob_devices_get(&f->s.devices, IOB_TEST_DISK, "sda");
	KUNIT_EXPECT_EQ(test, atomic64_read(&d->op[IOB_OP_WRITE].bytes), 0ll);
	for (i = 1; i < iob_totals_end(&f->s.totals); i++) {
		iob_totals_read(&f->s.totals, i, &row);
		KUNIT_EXPECT_EQ(test, row.ios, 0ull);
		KUNIT_EXPECT_EQ(test, row.bytes, 0ull);
	}
	for (i = 0; i < IOB_NR_COUNTERS; i++)
		KUNIT_EXPECT_EQ(test, iob_counters_read(&f->s.counters, i),
				0ull);

	iob_test_complete(f, 1, 2, 1, false, 2 * MS);
	iob_test_complete(f, 1, 3, 1, false, 2 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 2 * 4096ull);
	KUNIT_EXPECT_EQ(test, atomic64_read(&d->op[IOB_OP_WRITE].bytes),
			2 * 4096ll);
}

/* Made again after being freed: nothing of before is left. */
static void second_session_starts_from_zero(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	const struct iob_filter filter = { };

	iob_charge_dirty(&f->s, 1, 1, iob_test_act(&f->s, 1, 1, 1), MS, false);
	iob_family_add(&f->s.family, 17);
	iob_marks_set(&f->s.marks, 0x1000, 5);
	iob_state_exit(&f->s);
	KUNIT_ASSERT_EQ(test, iob_state_init(&f->s, &iob_test_limits, &filter,
					     IOB_TEST_PFNS), 0);
	KUNIT_EXPECT_EQ(test, iob_pages_dirty_act(&f->s.pages, 1), 0u);
	KUNIT_EXPECT_EQ(test, iob_intern_nr(&f->s.objects.acts), 0u);
	KUNIT_EXPECT_FALSE(test, iob_family_has(&f->s.family, 17));
	KUNIT_EXPECT_EQ(test, iob_marks_get(&f->s.marks, 0x1000), 0u);
	KUNIT_EXPECT_EQ(test, iob_totals_end(&f->s.totals), 1u);
}

static struct kunit_case state_cases[] = {
	KUNIT_CASE_PARAM(limits_are_checked, limits_gen_params),
	KUNIT_CASE(init_survives_any_failure),
	KUNIT_CASE(reset_keeps_who_dirtied_what),
	KUNIT_CASE(second_session_starts_from_zero),
	{}
};

static struct kunit_suite state_suite = {
	.name = "ioblame_state",
	.exit = iob_fixture_exit,
	.test_cases = state_cases,
};

kunit_test_suites(&state_suite);
