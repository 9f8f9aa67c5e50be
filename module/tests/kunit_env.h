/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the suites run: as KUnit modules, or as a user-space program under
 * sanitizers (see Makefile). What one of the two does not have, the cases that
 * need it skip.
 */
#ifndef IOB_TESTS_KUNIT_ENV_H
#define IOB_TESTS_KUNIT_ENV_H

#ifdef __KERNEL__
#include <kunit/test.h>
#define IOB_TEST_SEEDS	2	/* of random tests; a guest may be emulated */
#else
#include "user/kunit.h"
#define IOB_TEST_SEEDS	8
#endif

#include "../core/base.h"

/* A case's parameters carry their description as member @name. */
#define IOB_TEST_PARAMS(params, array)					\
	static void params##_describe(typeof(&(array)[0]) param, char *desc) \
	{								\
		strscpy(desc, param->name, KUNIT_PARAM_DESC_SIZE);	\
	}								\
	KUNIT_ARRAY_PARAM(params, array, params##_describe)

/**
 * iob_test_faults() - Let coming allocations fail
 * @test:  the case; skipped where there is no fault injection
 * @first: the first to fail: 1 is the next, 0: none
 * @every: then one in so many; 0: no more
 */
static inline void iob_test_faults(struct kunit *test, u32 first, u32 every)
{
#ifdef __KERNEL__
	if (first)
		kunit_skip(test, "no fault injection here");
#else
	iob_shim_fail(first, every);
#endif
}

/* Numbers that look random and are the same in every run (xorshift64*). */
static inline u32 iob_test_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull >> 32;
}

static inline u32 iob_test_below(u64 *state, u32 end)
{
	return iob_test_random(state) % end;
}

#endif /* IOB_TESTS_KUNIT_ENV_H */
