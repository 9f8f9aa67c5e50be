/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit's names in user space, as far as the suites here use them. The bodies
 * of the tests do not know where they run.
 */
#ifndef IOB_TESTS_KUNIT_H
#define IOB_TESTS_KUNIT_H

#include <setjmp.h>

#include "shim.h"

#define KUNIT_PARAM_DESC_SIZE	128
#define GFP_KERNEL		0

/**
 * struct kunit - one running test case
 * @priv:        of the suite's init
 * @param_value: of a case with parameters
 * @failed:      an expectation was not met
 * @skipped:     why it was skipped, or empty
 * @end:         where a failed assertion goes
 * @memory:      freed after the case
 */
struct kunit {
	void *priv;
	const void *param_value;
	bool failed;
	char skipped[KUNIT_PARAM_DESC_SIZE];
	jmp_buf end;
	struct kunit_memory *memory;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);
void kunit_register_suite(struct kunit_suite *suite);
void kunit_report(struct kunit *test, const char *file, int line,
		  const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void kunit_skip(struct kunit *test, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

#define KUNIT_CASE(fn)			{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_SLOW(fn)		KUNIT_CASE(fn)
#define KUNIT_CASE_PARAM(fn, gen) \
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *prev, char *desc) \
	{								\
		typeof((array)[0]) *next = prev;			\
		void (*describe)(typeof(next), char *) = get_desc;	\
									\
		next = prev ? next + 1 : (array);			\
		if ((size_t)(next - (array)) >= ARRAY_SIZE(array))	\
			return NULL;					\
		if (describe)						\
			describe(next, desc);				\
		return next;						\
	}

#define kunit_test_suites(suite)					\
	static void __attribute__((constructor)) register_suite(void)	\
	{								\
		kunit_register_suite(suite);				\
	}

/* One comparison; both sides are evaluated once. */
#define KUNIT_COMPARE(test, left, op, right, fatal) do {		\
	const typeof(left) left_ = (left);				\
	const typeof(right) right_ = (right);				\
									\
	if (left_ op right_)						\
		break;							\
	kunit_report(test, __FILE__, __LINE__,				\
		     "expected %s " #op " %s: %lld, %lld (%#llx, %#llx)", \
		     #left, #right, (long long)left_, (long long)right_, \
		     (long long)left_, (long long)right_);		\
	if (fatal)							\
		longjmp((test)->end, 1);				\
} while (0)

#define KUNIT_POINTER(test, left, op, right, fatal)			\
	KUNIT_COMPARE(test, (uintptr_t)(left), op, (uintptr_t)(right), fatal)

#define KUNIT_EXPECT_EQ(test, l, r)	KUNIT_COMPARE(test, l, ==, r, false)
#define KUNIT_EXPECT_NE(test, l, r)	KUNIT_COMPARE(test, l, !=, r, false)
#define KUNIT_EXPECT_LE(test, l, r)	KUNIT_COMPARE(test, l, <=, r, false)
#define KUNIT_EXPECT_LT(test, l, r)	KUNIT_COMPARE(test, l, <, r, false)
#define KUNIT_EXPECT_GE(test, l, r)	KUNIT_COMPARE(test, l, >=, r, false)
#define KUNIT_EXPECT_GT(test, l, r)	KUNIT_COMPARE(test, l, >, r, false)
#define KUNIT_ASSERT_EQ(test, l, r)	KUNIT_COMPARE(test, l, ==, r, true)
#define KUNIT_ASSERT_NE(test, l, r)	KUNIT_COMPARE(test, l, !=, r, true)
#define KUNIT_ASSERT_LE(test, l, r)	KUNIT_COMPARE(test, l, <=, r, true)
#define KUNIT_ASSERT_LT(test, l, r)	KUNIT_COMPARE(test, l, <, r, true)

#define KUNIT_EXPECT_TRUE(test, x) \
	KUNIT_COMPARE(test, !!(x), ==, true, false)
#define KUNIT_EXPECT_FALSE(test, x) \
	KUNIT_COMPARE(test, !!(x), ==, false, false)
#define KUNIT_ASSERT_TRUE(test, x) \
	KUNIT_COMPARE(test, !!(x), ==, true, true)

#define KUNIT_EXPECT_PTR_EQ(test, l, r)	KUNIT_POINTER(test, l, ==, r, false)
#define KUNIT_EXPECT_PTR_NE(test, l, r)	KUNIT_POINTER(test, l, !=, r, false)
#define KUNIT_EXPECT_NULL(test, p)	KUNIT_POINTER(test, p, ==, NULL, false)
#define KUNIT_EXPECT_NOT_NULL(test, p)	KUNIT_POINTER(test, p, !=, NULL, false)
#define KUNIT_ASSERT_NOT_NULL(test, p)	KUNIT_POINTER(test, p, !=, NULL, true)

#define KUNIT_EXPECT_STREQ(test, l, r) do {				\
	const char *left_ = (l), *right_ = (r);				\
									\
	if (strcmp(left_, right_))					\
		kunit_report(test, __FILE__, __LINE__,			\
			     "expected %s == %s: \"%s\", \"%s\"",	\
			     #l, #r, left_, right_);			\
} while (0)

#endif /* IOB_TESTS_KUNIT_H */
