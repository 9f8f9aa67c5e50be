/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for each CPU that is too large for alloc_percpu(), which ends at 32 KiB, or
 * is only wanted while tracing is enabled: a pointer for each.
 */
#ifndef IOB_HOOK_PERCPU_H
#define IOB_HOOK_PERCPU_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/slab.h>

/**
 * iob_percpu_free() - Give the memory of all CPUs back
 * @pointers: of which each CPU has one, a static per-CPU variable
 *
 * Context: may sleep; nobody uses it.
 */
static inline void iob_percpu_free(void *__percpu *pointers)
{
	void **p;
	int cpu;

	for_each_possible_cpu(cpu) {
		p = per_cpu_ptr(pointers, cpu);
		kvfree(*p);
		*p = NULL;
	}
}

/**
 * iob_percpu_alloc() - Memory for each CPU, zeroed
 * @pointers: likewise, all NULL
 * @n:        how many objects each
 * @size:     of one
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM, and nothing is left allocated.
 */
static inline int iob_percpu_alloc(void *__percpu *pointers, size_t n, size_t size)
{
	void **p;
	int cpu;

	for_each_possible_cpu(cpu) {
		p = per_cpu_ptr(pointers, cpu);
		*p = kvcalloc(n, size, GFP_KERNEL);
		if (!*p) {
			iob_percpu_free(pointers);
			return -ENOMEM;
		}
	}
	return 0;
}

#endif /* IOB_HOOK_PERCPU_H */
