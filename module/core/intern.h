/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_INTERN_H
#define IOB_CORE_INTERN_H

#include "array.h"

#define IOB_INTERN_SHARDS	64

/*
 * Head of every interned object; the payload follows, beginning with the key.
 * @next, @hash and the key change under the shard's lock only, and only while
 * no reader can hold the object (see iob_intern_sweep()).
 */
struct iob_node {
	u32 next;	/* index of the next in its bucket, 0: end */
	u32 hash;
	u32 used;	/* epoch in which it was last handed out */
	u8 gen;		/* counts up when recycled; part of the id */
	u8 live;	/* 0: free or being freed */
	u16 key_len;
};

/**
 * struct iob_intern - a bounded table that gives equal keys equal ids
 * @max:      most objects, reserved ones included
 * @reserved: indexes below this are never handed out (at least 1: id 0 is
 *            "none")
 * @nodes:    the objects; there is memory for those below @fresh
 * @buckets:  heads of the chains, indexes of nodes
 * @mask:     number of buckets - 1; a shard is the low bits of a bucket
 * @fresh:    lowest index never used so far; grows under @free_lock
 * @free:     list of recycled indexes through node.next, under @free_lock
 * @nr:       live objects
 * @kept:     of them after the last sweep
 * @epoch:    advanced by the sweep; see iob_intern_sweep()
 * @marks:    bitmap of the sweep
 *
 * Lookup and insertion hold one of IOB_INTERN_SHARDS raw spinlocks with
 * interrupts off, for a short chain walk. They are leaf locks: only @free_lock
 * nests inside.
 */
struct iob_intern {
	u32 max;
	u32 reserved;
	struct iob_array nodes;
	u32 *buckets;
	u32 mask;
	u32 fresh;
	u32 free;
	raw_spinlock_t free_lock;
	u32 nr;
	u32 kept;
	u32 epoch;
	unsigned long *marks;
	raw_spinlock_t shard[IOB_INTERN_SHARDS];
};

void *iob_intern_touch(struct iob_intern *t, struct iob_node *node);

/**
 * iob_intern_lookup() - Object of an id
 * @t:  table
 * @id: id from iob_intern_get(), or anything at all
 *
 * Context: inside a probe or an RCU read section, which keeps the object from
 * being recycled until the end of it.
 * Return: the payload, or NULL if the id is reserved, stale or nonsense.
 */
static inline void *iob_intern_lookup(struct iob_intern *t, u32 id)
{
	u32 index = IOB_ID_INDEX(id);
	struct iob_node *node;

	if (unlikely(index < t->reserved || index >= t->max))
		return NULL;
	node = iob_array_at(&t->nodes, index);
	/* pairs with the release in iob_intern_get() */
	if (unlikely(!node) || smp_load_acquire(&node->live) != 1 ||
	    READ_ONCE(node->gen) != IOB_ID_GEN(id))
		return NULL;
	/* who else has marked it since may have been too late: look again */
	if (unlikely(smp_load_acquire(&node->used) != READ_ONCE(t->epoch)))
		return iob_intern_touch(t, node);
	return READ_ONCE(node->live) == 1 ? (void *)(node + 1) : NULL;
}

int iob_intern_init(struct iob_intern *t, u32 max, u32 reserved,
		    u32 payload_size);
void iob_intern_exit(struct iob_intern *t);

u32 iob_intern_find(struct iob_intern *t, const void *key, u32 key_len);
u32 iob_intern_again(struct iob_intern *t, u32 id, const void *key,
		     u32 key_len);
u32 iob_intern_get(struct iob_intern *t, const void *key, u32 key_len,
		   const void *payload, u32 payload_len, bool *fresh);

/* Walk and sweep: housekeeping only, see intern.c. */
void *iob_intern_at(struct iob_intern *t, u32 index, u32 *id);
u32 iob_intern_end(const struct iob_intern *t);
u32 iob_intern_nr(const struct iob_intern *t);
bool iob_intern_is_filling(const struct iob_intern *t);
void iob_intern_advance(struct iob_intern *t);
void iob_intern_mark(struct iob_intern *t, u32 id);
u32 iob_intern_unlink_unmarked(struct iob_intern *t);
void iob_intern_recycle(struct iob_intern *t);

#endif /* IOB_CORE_INTERN_H */
