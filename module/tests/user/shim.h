/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's primitives in user space: exactly those that core/ uses, with
 * the kernel's meaning, and stricter where a test can afford it.
 *
 *  - A raw spinlock aborts when it is taken twice, released by a stranger, or
 *    taken with interrupts on other than by an irqsave form.
 *  - vzalloc() and alloc_percpu() abort with interrupts off: they may sleep.
 *  - Allocations are counted and can be made to fail, see faults below.
 *  - Every access that another CPU may see is a point at which race.h can let
 *    another CPU run.
 */
#ifndef IOB_TESTS_SHIM_H
#define IOB_TESTS_SHIM_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;

#define U16_MAX			UINT16_MAX
#define U32_MAX			UINT32_MAX

#define PAGE_SIZE		4096ul
#define BITS_PER_LONG		64
#define BIT(nr)			(1ul << (nr))
#define BITS_TO_LONGS(nr)	(((nr) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define noinline		__attribute__((noinline))
#define __no_kcsan		__attribute__((__noinline__, no_sanitize("thread")))
#define cpu_relax()		sched_yield()
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define static_assert(expr)	_Static_assert(expr, #expr)

#define min_t(type, x, y) ({						\
	type x_ = (x), y_ = (y);					\
	x_ < y_ ? x_ : y_; })
#define max_t(type, x, y) ({						\
	type x_ = (x), y_ = (y);					\
	x_ > y_ ? x_ : y_; })

#define container_of(p, type, member)					\
	((type *)((char *)(p) - offsetof(type, member)))

#define BIT_ULL(n)	(1ULL << (n))

static inline int __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* Byte by byte: gcc knows nothing of it and so has nothing to warn of. */
static inline long strscpy(char *to, const char *from, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		to[i] = from[i];
		if (!from[i])
			return i;
	}
	if (size)
		to[size - 1] = '\0';
	return -E2BIG;
}

/* Memory order. Relaxed atomics, so that TSan knows what is meant to race. */

/* Where race.h may let the other side run; see race.c. */
extern __thread struct iob_race *iob_race_current;
void iob_race_point(void);

static inline void iob_shim_point(void)
{
	if (unlikely(iob_race_current))
		iob_race_point();
}

#define READ_ONCE(x) ({							\
	iob_shim_point();						\
	__atomic_load_n(&(x), __ATOMIC_RELAXED); })
#define WRITE_ONCE(x, value) ({						\
	iob_shim_point();						\
	__atomic_store_n(&(x), value, __ATOMIC_RELAXED);		\
	iob_shim_point(); })
#define smp_load_acquire(p) ({						\
	iob_shim_point();						\
	__atomic_load_n(p, __ATOMIC_ACQUIRE); })
#define smp_store_release(p, value) ({					\
	iob_shim_point();						\
	__atomic_store_n(p, value, __ATOMIC_RELEASE);			\
	iob_shim_point(); })

/* A full barrier that adds no order TSan would believe in. */
static inline void smp_mb(void)
{
	static int nothing;

	iob_shim_point();
	__atomic_fetch_add(&nothing, 0, __ATOMIC_RELAXED);
#ifndef __SANITIZE_THREAD__
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

#define smp_rmb()	smp_mb()
#define smp_wmb()	smp_mb()

#define cmpxchg(p, old, new) ({						\
	typeof(*(p)) old_ = (old);					\
	iob_shim_point();						\
	__atomic_compare_exchange_n(p, &old_, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);\
	old_; })
#define try_cmpxchg(p, old_p, new) ({					\
	iob_shim_point();						\
	__atomic_compare_exchange_n(p, old_p, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); })
#define xchg(p, new) ({							\
	iob_shim_point();						\
	__atomic_exchange_n(p, new, __ATOMIC_SEQ_CST); })

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long long counter;
} atomic64_t;

static inline int atomic_read(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline int atomic_read_acquire(const atomic_t *v)
{
	iob_shim_point();
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}

static inline void atomic_add(int i, atomic_t *v)
{
	iob_shim_point();
	__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}

static inline int atomic_inc_return(atomic_t *v)
{
	iob_shim_point();
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}

static inline void atomic_inc(atomic_t *v)
{
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}

static inline void atomic_dec(atomic_t *v)
{
	iob_shim_point();
	__atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}

static inline long long atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic64_set(atomic64_t *v, long long i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline void atomic64_add(long long i, atomic64_t *v)
{
	__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}

static inline void atomic64_inc(atomic64_t *v)
{
	atomic64_add(1, v);
}

/* Locks. */

typedef struct {
	pthread_mutex_t mutex;
} raw_spinlock_t;

void raw_spin_lock_init(raw_spinlock_t *lock);
void raw_spin_lock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);
void iob_shim_irq_save(void);
void iob_shim_irq_restore(void);

#define __acquire(x)	((void)(x))
#define __release(x)	((void)(x))

#define raw_spin_lock_irqsave(lock, flags) do {				\
	(flags) = 0;							\
	iob_shim_irq_save();						\
	raw_spin_lock(lock);						\
} while (0)
#define raw_spin_unlock_irqrestore(lock, flags) do {			\
	(void)(flags);							\
	raw_spin_unlock(lock);						\
	iob_shim_irq_restore();						\
} while (0)

/* Per-CPU memory: one block a CPU, at a fixed distance. */

#define IOB_SHIM_CPUS		4
#define IOB_SHIM_CPU_STRIDE	4096

extern __thread int iob_shim_cpu;	/* where this thread runs */

#define __percpu
#define for_each_possible_cpu(cpu) \
	for ((cpu) = 0; (cpu) < IOB_SHIM_CPUS; (cpu)++)
#define per_cpu_ptr(p, cpu) \
	((typeof(p))((char *)(p) + (size_t)(cpu) * IOB_SHIM_CPU_STRIDE))
#define this_cpu_add(lvalue, n)						\
	__atomic_fetch_add(per_cpu_ptr(&(lvalue), iob_shim_cpu), n,	\
			   __ATOMIC_RELAXED)
#define alloc_percpu(type)	((type *)iob_shim_percpu_alloc(sizeof(type)))

void *iob_shim_percpu_alloc(size_t size);
void free_percpu(void *p);

/* Memory. */

void *vzalloc(size_t size);
void vfree(const void *p);
void *iob_chunk_alloc(void);
void iob_chunk_free(void *chunk);

/*
 * Faults: which of the coming allocations fail. One in @every, beginning with
 * the @first; @every 0: only the first.
 */
void iob_shim_fail(u32 first, u32 every);
u32 iob_shim_allocated(void);	/* allocations not freed yet */

#endif /* IOB_TESTS_SHIM_H */
