// SPDX-License-Identifier: GPL-2.0
/* Loans: whose bytes a worker writes, by their place. */
#include "../core/loans.h"
#include "kunit_env.h"

static struct iob_loans *make(struct kunit *test)
{
	struct iob_loans *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	iob_loans_init(l);
	return l;
}

static void each_run_has_its_bytes(struct kunit *test)
{
	struct iob_loans *l = make(test);
	struct iob_loan loan = { .pid = 7, .pos = 8192 };

	iob_loan_add(&loan, 20, 4096);
	iob_loan_add(&loan, 20, 4096);
	iob_loan_add(&loan, 21, 512);
	KUNIT_EXPECT_EQ(test, loan.nr, 2u);
	iob_loans_set(l, &loan);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 4096), 0u);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 4608), 20u);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 8192), 20u);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 16383), 20u);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 16384), 21u);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 16384 + 512), 0u);
}

static void others_and_nobody_have_none(struct kunit *test)
{
	struct iob_loans *l = make(test);
	struct iob_loan loan = { .pid = 7 };

	iob_loan_add(&loan, 20, 4096);
	iob_loans_set(l, &loan);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 8, 0), 0u);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7 + IOB_NR_LOANS, 0), 0u);
	loan.nr = 0;
	iob_loans_set(l, &loan);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 0), 0u);
}

/* More runs than there is room for: nobody has the rest, the last not either. */
static void too_many_runs(struct kunit *test)
{
	struct iob_loans *l = make(test);
	struct iob_loan loan = { .pid = 7 };
	u32 i;

	for (i = 0; i < IOB_LOAN_RUNS + 5; i++)
		iob_loan_add(&loan, 20 + i, 4096);
	KUNIT_EXPECT_EQ(test, loan.nr, IOB_LOAN_RUNS + 0u);
	iob_loans_set(l, &loan);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 4096), 21u);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 4096 * (IOB_LOAN_RUNS - 2)),
			20u + IOB_LOAN_RUNS - 2);
	KUNIT_EXPECT_EQ(test, iob_loans_act(l, 7, 4096 * (IOB_LOAN_RUNS + 3)),
			0u);
}

static struct kunit_case loans_cases[] = {
	KUNIT_CASE(each_run_has_its_bytes),
	KUNIT_CASE(others_and_nobody_have_none),
	KUNIT_CASE(too_many_runs),
	{}
};

static struct kunit_suite loans_suite = {
	.name = "ioblame_loans",
	.test_cases = loans_cases,
};

kunit_test_suites(&loans_suite);
