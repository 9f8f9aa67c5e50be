// SPDX-License-Identifier: GPL-2.0
/* The parts of shim.h that have state: locks, memory, faults. */
#include <stdio.h>
#include <stdlib.h>

#include "race.h"
#include "shim.h"

__thread int iob_shim_cpu;

static __thread u32 irqs_off;

static struct {
	pthread_mutex_t lock;
	u32 first;
	u32 every;
	u32 allocated;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void __attribute__((noreturn)) die(const char *why)
{
	fprintf(stderr, "shim: %s\n", why);
	abort();
}

void raw_spin_lock_init(raw_spinlock_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&lock->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
}

void raw_spin_lock(raw_spinlock_t *lock)
{
	int err;

	if (!irqs_off)
		die("a raw spinlock taken with interrupts on");
	iob_shim_point();
	if (iob_race_current) {
		while ((err = pthread_mutex_trylock(&lock->mutex)) == EBUSY)
			iob_race_wait();
	} else {
		err = pthread_mutex_lock(&lock->mutex);
	}
	if (err)
		die("a raw spinlock taken twice");
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	iob_shim_point();
	if (pthread_mutex_unlock(&lock->mutex))
		die("a raw spinlock released that was not taken");
	if (iob_race_current) {
		iob_race_released();
		iob_race_point();
	}
}

void iob_shim_irq_save(void)
{
	irqs_off++;
}

void iob_shim_irq_restore(void)
{
	irqs_off--;
}

static bool fault(void)
{
	bool fails;

	pthread_mutex_lock(&memory.lock);
	fails = memory.first && !--memory.first;
	if (fails)
		memory.first = memory.every;
	else
		memory.allocated++;
	pthread_mutex_unlock(&memory.lock);
	return fails;
}

static void *allocate(size_t size)
{
	void *p;

	if (fault())
		return NULL;
	p = calloc(1, size);
	if (!p)
		die("out of memory");
	return p;
}

static void release(void *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&memory.lock);
	memory.allocated--;
	pthread_mutex_unlock(&memory.lock);
	free(p);
}

void *vzalloc(size_t size)
{
	if (irqs_off)
		die("vzalloc() with interrupts off");
	return size ? allocate(size) : NULL;
}

void vfree(const void *p)
{
	if (irqs_off)
		die("vfree() with interrupts off");
	release((void *)p);
}

void *iob_chunk_alloc(void)
{
	iob_shim_point();
	return allocate(PAGE_SIZE);
}

void iob_chunk_free(void *chunk)
{
	release(chunk);
}

void *iob_shim_percpu_alloc(size_t size)
{
	if (irqs_off)
		die("alloc_percpu() with interrupts off");
	if (size > IOB_SHIM_CPU_STRIDE)
		die("per-CPU memory larger than its stride");
	return allocate(IOB_SHIM_CPUS * IOB_SHIM_CPU_STRIDE);
}

void free_percpu(void *p)
{
	release(p);
}

void iob_shim_fail(u32 first, u32 every)
{
	pthread_mutex_lock(&memory.lock);
	memory.first = first;
	memory.every = every;
	pthread_mutex_unlock(&memory.lock);
}

u32 iob_shim_allocated(void)
{
	u32 n;

	pthread_mutex_lock(&memory.lock);
	n = memory.allocated;
	pthread_mutex_unlock(&memory.lock);
	return n;
}
