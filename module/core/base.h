/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only system header of core/. In the kernel it brings the kernel's own
 * primitives; in user space module/tests/user/shim.h gives the same names, so
 * that every file of core/ also builds as a program under ASan and UBSan.
 */
#ifndef IOB_CORE_BASE_H
#define IOB_CORE_BASE_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>
#else
#include "../tests/user/shim.h"
#endif

#include "../uapi/ioblame.h"

/* Page slots are 64-bit words that change by compare-and-exchange. */
static_assert(sizeof(long) == 8);

/*
 * Memory of core/ comes in two forms. Tables: allocated once while enabling,
 * may sleep. Chunks: one page, allocated in a probe, so without waiting and
 * without a word when there is none.
 */
static inline void *iob_table_alloc(size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		return NULL;
	return vzalloc(n * size);
}

static inline void iob_table_free(void *table)
{
	vfree(table);
}

#ifdef __KERNEL__
static inline void *iob_chunk_alloc(void)
{
	return (void *)__get_free_page(GFP_NOWAIT | __GFP_NOWARN | __GFP_ZERO);
}

static inline void iob_chunk_free(void *chunk)
{
	free_page((unsigned long)chunk);
}
#endif

/* Of 2^64, made odd: multiplying by it spreads what lies close (iob_spread()). */
#define IOB_GOLDEN_RATIO	0x9e3779b97f4a7c15ull

/**
 * iob_spread() - A cheap hash of one word
 * @word: the word
 *
 * Multiplied by the golden ratio (Knuth, The Art of Computer Programming, 6.4): what
 * is to be taken are the high bits. For addresses, which nobody chooses to collide.
 *
 * Context: any.
 * Return: 64 bits, the highest are the best.
 */
static inline u64 iob_spread(u64 word)
{
	return word * IOB_GOLDEN_RATIO;
}

/**
 * iob_hash() - Mix words into a hash
 * @words: the key, as 64-bit words
 * @nr:    how many
 *
 * Multiply and rotate per word, finished with the 64-bit finaliser of
 * MurmurHash3 (Appleby, public domain). Keys are kernel addresses and small
 * integers, nobody chooses them to collide: cheap matters, strength does not.
 *
 * Context: any.
 * Return: 32 well mixed bits.
 */
static inline u32 iob_hash(const u64 *words, u32 nr)
{
	u64 h = nr;
	u32 i;

	for (i = 0; i < nr; i++) {
		h ^= words[i];
		h *= IOB_GOLDEN_RATIO;
		h = (h << 31) | (h >> 33);
	}
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdull;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53ull;
	h ^= h >> 33;
	return (u32)h;
}

#endif /* IOB_CORE_BASE_H */
