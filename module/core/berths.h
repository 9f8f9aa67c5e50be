/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_BERTHS_H
#define IOB_CORE_BERTHS_H

#include "base.h"
#include "flow.h"

/* Berths that an address can have. */
#define IOB_BERTH_WAYS		4

#define IOB_BERTH_LOCKS		16

/**
 * struct iob_berth - where a flow lies while its bio is in flight
 * @bio:  the bio's address; 0: free; IOB_BERTH_HELD: one writes to it, or has taken
 *        it out and reads it
 * @seq:  odd while the flow is being changed, another number for each that has
 *        lain here
 * @flow: the flow
 */
struct iob_berth {
	u64 bio;
	atomic_t seq;
	struct iob_flow flow;
};

#define IOB_BERTH_HELD		1

/**
 * struct iob_berths - flows by bio, each in one of a few places
 * @berth: IOB_BERTH_WAYS for each value of the hash
 * @nr:    how many there are, or 0
 * @shift: what the hash is shifted by
 * @lock:  held, with interrupts off, by who changes a flow; by address of the bio
 */
struct iob_berths {
	struct iob_berth *berth;
	u32 nr;
	u32 shift;
	raw_spinlock_t lock[IOB_BERTH_LOCKS];
};

int iob_berths_init(struct iob_berths *b, u32 max);
void iob_berths_exit(struct iob_berths *b);

struct iob_berth *iob_berths_open(struct iob_berths *b, u64 bio);
struct iob_berth *iob_berths_claim(struct iob_berths *b, u64 bio);
bool iob_berths_lookup(struct iob_berths *b, u64 bio, struct iob_flow *flow);
bool iob_berths_update(struct iob_berths *b, u64 bio,
		       void (*fn)(void *flow, const void *arg), const void *arg);
u32 iob_berths_used(const struct iob_berths *b);
void iob_berths_for_each(struct iob_berths *b,
			 void (*fn)(void *ctx, const void *flow), void *ctx);

/**
 * iob_berth_publish() - The flow is complete
 * @s:   its berth, held
 * @bio: whose it is
 *
 * Context: any but NMI.
 */
static inline void iob_berth_publish(struct iob_berth *s, u64 bio)
{
	atomic_add(2, &s->seq);
	/* pairs with the acquire in berths.c: the flow before the address */
	smp_store_release(&s->bio, bio);
}

/**
 * iob_berth_release() - The flow is not needed any more
 * @s: its berth, held
 *
 * Context: any but NMI.
 */
static inline void iob_berth_release(struct iob_berth *s)
{
	/* pairs with the cmpxchg in iob_berths_open(): read before it is overwritten */
	smp_store_release(&s->bio, 0);
}

/**
 * iob_berth_of() - The berth that a flow lies in
 * @b:    table
 * @flow: the flow
 *
 * Return: NULL if it lies elsewhere.
 */
static inline struct iob_berth *iob_berth_of(const struct iob_berths *b,
					     struct iob_flow *flow)
{
	struct iob_berth *s = container_of(flow, struct iob_berth, flow);

	return (size_t)((char *)s - (char *)b->berth) <
	       b->nr * sizeof(*s) ? s : NULL;
}

#endif /* IOB_CORE_BERTHS_H */
