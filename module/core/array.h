/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_ARRAY_H
#define IOB_CORE_ARRAY_H

#include "base.h"

/**
 * struct iob_array - elements of one size that take memory as they are first used
 * @chunk:   chunks of @per elements each; NULL: nobody has used one of them
 * @max:     elements at most
 * @stride:  bytes from one to the next
 * @per:     elements in a chunk
 * @inverse: 2^32 / @per, rounded up: multiplying by it divides by @per
 * @nr:      chunks there are
 *
 * Elements are taken in order, by who holds a lock; memory is made for them ahead of
 * that, without it. Chunks are never freed before iob_array_exit(), so an element's
 * address stays good.
 */
struct iob_array {
	void **chunk;
	u32 max;
	u32 stride;
	u32 per;
	u32 inverse;
	atomic_t nr;
};

/* So long as an index is below this the division is exact. */
#define IOB_ARRAY_MAX	(1u << 24)

/* So many may take an element at once before there has to be memory for more. */
#define IOB_ARRAY_AHEAD	64

int iob_array_init(struct iob_array *a, u32 max, u32 stride);
void iob_array_exit(struct iob_array *a);
bool iob_array_ahead(struct iob_array *a, u32 next);

/**
 * iob_array_at() - An element
 * @a:     array
 * @index: of the element, less than @a->max
 *
 * Context: any.
 * Return: the element; NULL if there is no memory for it yet.
 */
static inline void *iob_array_at(const struct iob_array *a, u32 index)
{
	u32 which = (u64)index * a->inverse >> 32;
	/* pairs with the cmpxchg in array.c: a chunk is zeroed */
	void *chunk = smp_load_acquire(&a->chunk[which]);

	return likely(chunk) ? chunk + (index - which * a->per) * a->stride :
			       NULL;
}

/**
 * iob_array_bytes() - Memory that an array takes, but for its table of chunks
 * @a: array
 *
 * Return: bytes.
 */
static inline u64 iob_array_bytes(const struct iob_array *a)
{
	return (u64)atomic_read(&a->nr) * PAGE_SIZE;
}

#endif /* IOB_CORE_ARRAY_H */
