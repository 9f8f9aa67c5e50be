// SPDX-License-Identifier: GPL-2.0
/* Counters: losses and work done, per CPU, folded when read. */
#include "counters.h"

static const char * const words[] = { IOB_COUNTERS(IOB_ENUM_WORD) };

static_assert(ARRAY_SIZE(words) == IOB_NR_COUNTERS);

/**
 * iob_counters_init() - Allocate the counters, all zero
 * @c: counters
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int iob_counters_init(struct iob_counters *c)
{
	c->cpu = alloc_percpu(struct iob_counter_array);
	return c->cpu ? 0 : -ENOMEM;
}

/**
 * iob_counters_exit() - Free the counters
 * @c: counters, initialised or zeroed
 */
void iob_counters_exit(struct iob_counters *c)
{
	free_percpu(c->cpu);
	c->cpu = NULL;
}

/**
 * iob_counters_read() - Sum one counter over all CPUs
 * @c:     counters
 * @which: the counter
 *
 * Context: any; counting goes on meanwhile.
 * Return: the sum.
 */
u64 iob_counters_read(const struct iob_counters *c, enum iob_counter which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(c->cpu, cpu)->value[which]);
	return sum;
}

/**
 * iob_counters_reset() - Set all counters to zero
 * @c: counters
 *
 * An increment that runs at the same moment may survive or vanish.
 */
void iob_counters_reset(struct iob_counters *c)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < IOB_NR_COUNTERS; i++)
			WRITE_ONCE(per_cpu_ptr(c->cpu, cpu)->value[i], 0);
}

/**
 * iob_counters_word() - Name of a counter as shown in "stats"
 * @which: the counter
 *
 * Return: a constant string.
 */
const char *iob_counters_word(enum iob_counter which)
{
	return words[which];
}
