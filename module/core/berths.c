// SPDX-License-Identifier: GPL-2.0
/*
 * Berths: flows in flight, written and read where they lie.
 *
 * A bio has one owner at a time, who submits it or completes it: it holds the berth
 * while it writes or reads, by an address that is nobody's, so that nothing has to be
 * copied and interrupts need not be off. Others look a bio up while it is in flight,
 * and copy; they see by the sequence whether they have copied one flow. Who changes
 * a flow has a lock and interrupts off, so that nobody waits long for an even one.
 */
#include "berths.h"

/* More are seldom in flight at once, and there is a table for the rest. */
#define MAX_BERTHS	1024

/* They are a quarter of the table at most, and none of one that is this small. */
#define MIN_TABLE	64

/**
 * iob_berths_init() - Make empty berths
 * @b:   table
 * @max: most flows that are wanted, here and elsewhere
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM.
 */
int iob_berths_init(struct iob_berths *b, u32 max)
{
	u32 i;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < IOB_BERTH_LOCKS; i++)
		raw_spin_lock_init(&b->lock[i]);
	if (max < MIN_TABLE)
		return 0;
	b->shift = 63;
	for (b->nr = 2 * IOB_BERTH_WAYS;
	     b->nr < MAX_BERTHS && b->nr * 2 <= max / 4; b->nr *= 2)
		b->shift--;
	b->berth = iob_table_alloc(b->nr, sizeof(*b->berth));
	if (!b->berth)
		b->nr = 0;
	return b->berth ? 0 : -ENOMEM;
}

/**
 * iob_berths_exit() - Free the berths
 * @b: table, initialised or zeroed; no probe may be using it
 */
void iob_berths_exit(struct iob_berths *b)
{
	iob_table_free(b->berth);
	memset(b, 0, sizeof(*b));
}

/*
 * Words that may change meanwhile: who copies looks afterwards whether they have, or
 * does not mind.
 */
static __no_kcsan void copy(struct iob_flow *to, const struct iob_flow *from)
{
	const u64 *word = (const u64 *)from;
	u64 *into = (u64 *)to;
	u32 i;

	for (i = 0; i < sizeof(*to) / sizeof(u64); i++)
		into[i] = READ_ONCE(word[i]);
}

/* The first of those that a bio can have. */
static struct iob_berth *first_of(const struct iob_berths *b, u64 bio)
{
	return b->berth + (iob_spread(bio) >> b->shift) * IOB_BERTH_WAYS;
}

static struct iob_berth *find(const struct iob_berths *b, u64 bio)
{
	struct iob_berth *s, *end;

	if (unlikely(!b->nr))
		return NULL;
	s = first_of(b, bio);
	for (end = s + IOB_BERTH_WAYS; s < end; s++)
		/* pairs with iob_berth_publish() */
		if (smp_load_acquire(&s->bio) == bio)
			return s;
	return NULL;
}

/* From now on nobody else finds it. False: somebody was quicker. */
static bool hold(struct iob_berth *s, u64 bio)
{
	if (!try_cmpxchg(&s->bio, &bio, IOB_BERTH_HELD))
		return false;
	/* who has found it just before ends soon: interrupts are off there */
	while (unlikely(atomic_read_acquire(&s->seq) & 1))
		cpu_relax();
	return true;
}

/**
 * iob_berths_open() - A berth for the flow of a bio
 * @b:   table
 * @bio: its address
 *
 * What an earlier use of the address has left is there still, to be overwritten.
 *
 * Context: any but NMI.
 * Return: the berth, held until iob_berth_publish(); NULL if there is none free.
 */
struct iob_berth *iob_berths_open(struct iob_berths *b, u64 bio)
{
	struct iob_berth *s, *end, *free = NULL;
	u64 whose;

	if (unlikely(!b->nr))
		return NULL;
	s = first_of(b, bio);
	for (end = s + IOB_BERTH_WAYS; s < end; s++) {
		whose = READ_ONCE(s->bio);
		if (!whose && !free)
			free = s;
		else if (unlikely(whose == bio && hold(s, bio)))
			return s;
	}
	/* two who want the same at once are rare: one of them has none */
	return free && hold(free, 0) ? free : NULL;
}

/**
 * iob_berths_claim() - The flow of a bio that is complete
 * @b:   table
 * @bio: its address
 *
 * Context: any but NMI.
 * Return: its berth, held until iob_berth_release(); NULL if it has none.
 */
struct iob_berth *iob_berths_claim(struct iob_berths *b, u64 bio)
{
	struct iob_berth *s = find(b, bio);

	return s && hold(s, bio) ? s : NULL;
}

/**
 * iob_berths_lookup() - What is known of a bio in flight
 * @b:    table
 * @bio:  its address
 * @flow: filled
 *
 * Context: any but NMI.
 * Return: false if it has no berth.
 */
bool iob_berths_lookup(struct iob_berths *b, u64 bio, struct iob_flow *flow)
{
	struct iob_berth *s;
	u32 seq;

	while ((s = find(b, bio))) {
		seq = atomic_read_acquire(&s->seq);
		if (unlikely(seq & 1)) {
			cpu_relax();
			continue;
		}
		copy(flow, &s->flow);
		/* what was copied before the look whether it was whole */
		smp_rmb();
		if (likely(READ_ONCE(s->bio) == bio &&
			   (u32)atomic_read(&s->seq) == seq))
			return true;
	}
	return false;
}

/**
 * iob_berths_update() - Change what is known of a bio in flight
 * @b:   table
 * @bio: its address
 * @fn:  changes the flow, which is its first argument; called under a lock
 * @arg: for @fn
 *
 * Context: any but NMI.
 * Return: false if it has no berth.
 */
bool iob_berths_update(struct iob_berths *b, u64 bio,
		       void (*fn)(void *flow, const void *arg), const void *arg)
{
	raw_spinlock_t *lock = &b->lock[(iob_spread(bio) >> 32) % IOB_BERTH_LOCKS];
	struct iob_berth *s = find(b, bio);
	unsigned long flags;
	bool is_there;

	if (!s)
		return false;
	raw_spin_lock_irqsave(lock, flags);
	/* a full barrier, as in hold(): either that waits, or it is seen here */
	atomic_inc_return(&s->seq);
	/* pairs with iob_berth_publish(), for it may be the bio's next flow by now */
	is_there = smp_load_acquire(&s->bio) == bio;
	if (is_there)
		fn(&s->flow, arg);
	/* pairs with the acquire in hold() and the lookup: all of the change before */
	atomic_inc_return(&s->seq);
	raw_spin_unlock_irqrestore(lock, flags);
	return is_there;
}

/**
 * iob_berths_used() - Bios that have a berth
 * @b: table
 *
 * Return: the number.
 */
u32 iob_berths_used(const struct iob_berths *b)
{
	u32 i, used = 0;

	for (i = 0; i < b->nr; i++)
		used += READ_ONCE(b->berth[i].bio) != 0;
	return used;
}

/**
 * iob_berths_for_each() - Call a function for every bio that has a berth
 * @b:   table
 * @fn:  called with @ctx and a copy of the flow; if another is written there
 *       meanwhile, each number in it is the old one, the new one, or 0
 * @ctx: for @fn
 *
 * Context: the sweeper.
 */
void iob_berths_for_each(struct iob_berths *b,
			 void (*fn)(void *ctx, const void *flow), void *ctx)
{
	struct iob_flow flow;
	u32 i;

	for (i = 0; i < b->nr; i++) {
		/* pairs with iob_berth_publish() */
		if (smp_load_acquire(&b->berth[i].bio) <= IOB_BERTH_HELD)
			continue;
		copy(&flow, &b->berth[i].flow);
		fn(ctx, &flow);
	}
}
