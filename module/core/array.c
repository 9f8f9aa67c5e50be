// SPDX-License-Identifier: GPL-2.0
/* Arrays: what nobody has used costs nothing but a pointer for many of it. */
#include "array.h"

static u32 nr_chunks(const struct iob_array *a)
{
	return (a->max + a->per - 1) / a->per;
}

/**
 * iob_array_init() - Make an array, with memory for the first elements
 * @a:      array
 * @max:    elements at most
 * @stride: bytes of one, half a page at most
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for impossible sizes, -ENOMEM.
 */
int iob_array_init(struct iob_array *a, u32 max, u32 stride)
{
	memset(a, 0, sizeof(*a));
	if (!max || max > IOB_ARRAY_MAX || !stride || stride > PAGE_SIZE / 2)
		return -EINVAL;
	a->max = max;
	a->stride = stride;
	a->per = PAGE_SIZE / stride;
	a->inverse = ((1ull << 32) + a->per - 1) / a->per;
	a->chunk = iob_table_alloc(nr_chunks(a), sizeof(*a->chunk));
	if (a->chunk && iob_array_ahead(a, 0))
		return 0;
	iob_array_exit(a);
	return -ENOMEM;
}

/**
 * iob_array_exit() - Free an array
 * @a: array, initialised or zeroed; no probe may be using it
 */
void iob_array_exit(struct iob_array *a)
{
	u32 i;

	for (i = 0; a->chunk && i < nr_chunks(a); i++)
		if (a->chunk[i])
			iob_chunk_free(a->chunk[i]);
	iob_table_free(a->chunk);
	memset(a, 0, sizeof(*a));
}

static bool grow(struct iob_array *a, void **where)
{
	void *chunk = iob_chunk_alloc();

	if (!chunk)
		return false;
	if (cmpxchg(where, NULL, chunk))
		/* another CPU was faster */
		iob_chunk_free(chunk);
	else
		atomic_inc(&a->nr);
	return true;
}

/**
 * iob_array_ahead() - Make memory for the elements that are taken next
 * @a:    array
 * @next: the first of them
 *
 * Context: any but NMI, none of the caller's locks held. Does not wait for memory.
 * Return: false if there is none.
 */
bool iob_array_ahead(struct iob_array *a, u32 next)
{
	u32 end = min_t(u32, a->max, next + IOB_ARRAY_AHEAD), i;

	/* they are made in order: mostly the last is there, and all before */
	if (next >= end || likely(READ_ONCE(a->chunk[(end - 1) / a->per])))
		return true;
	for (i = next / a->per; i <= (end - 1) / a->per; i++)
		if (!READ_ONCE(a->chunk[i]) && !grow(a, &a->chunk[i]))
			return false;
	return true;
}
