// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the registered suites and reports in TAP. Arguments are words: only
 * cases whose "suite.case" contains one of them are run.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kunit.h"

struct kunit_memory {
	struct kunit_memory *next;
	max_align_t data[];
};

static struct kunit_suite *suites, **last_suite = &suites;
static u32 nr_run, nr_failed;

void kunit_register_suite(struct kunit_suite *suite)
{
	*last_suite = suite;
	last_suite = &suite->next;
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	struct kunit_memory *memory = calloc(1, sizeof(*memory) + size);

	if (!memory)
		return NULL;
	memory->next = test->memory;
	test->memory = memory;
	return memory->data;
}

void kunit_report(struct kunit *test, const char *file, int line,
		  const char *fmt, ...)
{
	va_list args;

	test->failed = true;
	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

void kunit_skip(struct kunit *test, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(test->skipped, sizeof(test->skipped), fmt, args);
	va_end(args);
	longjmp(test->end, 1);
}

static void free_memory(struct kunit *test)
{
	struct kunit_memory *memory;

	while ((memory = test->memory)) {
		test->memory = memory->next;
		free(memory);
	}
}

static void run(const struct kunit_suite *suite, const struct kunit_case *c,
		const void *param, const char *desc)
{
	struct kunit test = { .param_value = param };
	u32 before = iob_shim_allocated();

	if (!setjmp(test.end)) {
		if (suite->init && suite->init(&test))
			kunit_report(&test, __FILE__, __LINE__,
				     "the suite's init failed");
		else
			c->run_case(&test);
	}
	iob_shim_fail(0, 0);
	if (suite->exit)
		suite->exit(&test);
	free_memory(&test);
	if (iob_shim_allocated() != before)
		kunit_report(&test, __FILE__, __LINE__,
			     "%u allocations before, %u after", before,
			     iob_shim_allocated());

	nr_failed += test.failed;
	printf("%sok %u - %s.%s%s%s%s%s\n", test.failed ? "not " : "",
	       ++nr_run, suite->name, c->name, *desc ? ": " : "", desc,
	       *test.skipped ? " # SKIP " : "", test.skipped);
	fflush(stdout);
}

static bool is_wanted(const struct kunit_suite *suite,
		      const struct kunit_case *c, char **words)
{
	char name[256];

	snprintf(name, sizeof(name), "%s.%s", suite->name, c->name);
	if (!*words)
		return true;
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const struct kunit_suite *suite;
	const struct kunit_case *c;
	const void *param;

	printf("TAP version 13\n");
	for (suite = suites; suite; suite = suite->next) {
		for (c = suite->test_cases; c->run_case; c++) {
			if (!is_wanted(suite, c, argv + 1))
				continue;
			if (!c->generate_params) {
				run(suite, c, NULL, "");
				continue;
			}
			for (param = c->generate_params(NULL, desc); param;
			     param = c->generate_params(param, desc)) {
				run(suite, c, param, desc);
				*desc = '\0';
			}
		}
	}
	printf("1..%u\n", nr_run);
	if (nr_failed)
		printf("# %u of %u failed\n", nr_failed, nr_run);
	return nr_failed || !nr_run || fflush(stdout) || ferror(stdout);
}
