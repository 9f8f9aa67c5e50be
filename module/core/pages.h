/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_PAGES_H
#define IOB_CORE_PAGES_H

#include "counters.h"

/*
 * A page slot, one 64-bit word per page frame:
 *
 *	bits 0..27	act id
 *	bits 28..30	state
 *	bits 31..34	reason
 *	bits 35..63	time of dirtying, in units of 2^21 ns (2.1 ms); wraps
 *			after 13 days. READ has no time: bits 35..43 are the
 *			number of a disk, 44..51 how much of the page came from
 *			there, in units of 512 bytes
 *
 * NONE -dirtied-> DIRTY -writeback starts-> WRITEBACK -completed-> DONE
 *
 * Nobody tells of a small folio's page that its writeback starts: it goes from
 * DIRTY to DONE, and whoever dirties it meanwhile finds it under writeback. KEEP
 * is DIRTY whose folio writeback declined and marks dirty again: the next
 * dirtying is not a new one. DONE keeps the act for a second IO of the same
 * writeback (a mirror). A page dirtied again under writeback needs two acts:
 * the one being written moves aside, into a small table, and stays there until
 * it is dirtied at another time, the next writeback is told of or, once it is
 * DONE, until room is needed; it counts only while the folio is dirty, and once
 * it is DONE for IO that had been submitted before. A folio
 * of which only part is being written stays DIRTY throughout: its pages keep
 * their acts, and a page that completes is charged to its act whatever becomes
 * of the rest.
 *
 * READ is no state of dirtiness: the content came from the disk and has not been
 * used, if somebody wants to know (readahead, core/charge.c). What else happens
 * to the page goes on as if its slot were NONE.
 */
enum iob_page_state {
	IOB_PAGE_NONE,
	IOB_PAGE_DIRTY,
	IOB_PAGE_KEEP,
	IOB_PAGE_WRITEBACK,
	IOB_PAGE_DONE,
	IOB_PAGE_READ,
};

#define IOB_PAGE_TIME_SHIFT	21

/**
 * struct iob_peek - what a slot held at some time
 * @slot: the slot, NULL if there is none
 * @was:  its word
 */
struct iob_peek {
	u64 *slot;
	u64 was;
};

#define IOB_PAGE_DISK_BITS	9

/**
 * struct iob_read - where the content of a page that nobody has used came from
 * @act:    who had it read
 * @reason: enum iob_reason
 * @disk:   its number, of IOB_PAGE_DISK_BITS
 * @bytes:  how much of the page
 */
struct iob_read {
	u32 act;
	u8 reason;
	u32 disk;
	u32 bytes;
};

#define IOB_CHUNK_SLOTS		(PAGE_SIZE / sizeof(u64))
#define IOB_ASIDE_SHARDS	64
#define IOB_ASIDE_WAYS		64

/**
 * struct iob_pages - slots of all page frames
 * @chunks:     one pointer per IOB_CHUNK_SLOTS page frames, NULL until one of
 *              them is dirtied
 * @nr_chunks:  length of @chunks
 * @nr_used:    chunks allocated
 * @max_used:   most of them, the memory limit
 * @lossy:      a slot was refused: a page without one is not preexisting
 * @nr_aside:   pages in @aside; most of the time none
 * @aside:      pages dirtied again while under writeback: what is being
 *              written, by page frame
 */
struct iob_pages {
	u64 **chunks;
	u32 nr_chunks;
	atomic_t nr_used;
	int max_used;
	bool lossy;
	atomic_t nr_aside;
	struct iob_counters *counters;
	struct iob_aside {
		raw_spinlock_t lock;
		u32 nr;
		u64 pfn[IOB_ASIDE_WAYS];	/* pfn + 1; 0: free */
		u64 slot[IOB_ASIDE_WAYS];
		u64 done_ns[IOB_ASIDE_WAYS];	/* if it is DONE */
	} *aside;
};

int iob_pages_init(struct iob_pages *p, struct iob_counters *counters,
		   u64 max_pfn, u64 max_bytes);
void iob_pages_exit(struct iob_pages *p);

void iob_pages_dirty_other(struct iob_pages *p, u64 pfn, u32 act, u64 now_ns,
			   bool under_writeback);
u32 iob_pages_dirty_part(struct iob_pages *p, u64 pfn, u32 nr, u32 act,
			 u64 now_ns, bool under_writeback);
void iob_pages_redirty(struct iob_pages *p, u64 pfn, u32 unknown);
void iob_pages_writeback(struct iob_pages *p, u64 pfn, u32 nr, u8 reason,
			 bool still_dirty);
u32 iob_pages_drop_clean(struct iob_pages *p, u64 pfn, u32 nr);
u32 iob_pages_cancel(struct iob_pages *p, u64 pfn);
u32 iob_pages_owner(struct iob_pages *p, u64 pfn);
u32 iob_pages_dirty_act(struct iob_pages *p, u64 pfn);
u32 iob_pages_act(struct iob_pages *p, u64 pfn);
bool iob_pages_read(struct iob_pages *p, u64 pfn, const struct iob_read *read);
bool iob_pages_is_read(struct iob_pages *p, u64 pfn);
bool iob_pages_take_read(struct iob_pages *p, u64 pfn, struct iob_read *read);
void iob_pages_move(struct iob_pages *p, u64 from, u64 to);
void iob_pages_forget(struct iob_pages *p, u64 pfn);

u64 iob_pages_complete(struct iob_pages *p, u64 pfn, struct iob_peek peek,
		       bool still_dirty, bool is_whole, u64 submitted_ns,
		       u64 now_ns);

void iob_pages_for_each_act(struct iob_pages *p,
			    void (*fn)(void *ctx, u32 act), void *ctx,
			    void (*relax)(void));

#define IOB_SLOT_ACT_MASK	((1ull << IOB_ID_BITS) - 1)
#define IOB_SLOT_STATE_SHIFT	IOB_ID_BITS
#define IOB_SLOT_REASON_SHIFT	(IOB_SLOT_STATE_SHIFT + 3)
#define IOB_SLOT_TIME_SHIFT	(IOB_SLOT_REASON_SHIFT + 4)
#define IOB_SLOT_TIME_MASK	((1ull << (64 - IOB_SLOT_TIME_SHIFT)) - 1)

static __always_inline u32 iob_slot_act(u64 slot)
{
	return slot & IOB_SLOT_ACT_MASK;
}

static __always_inline enum iob_page_state iob_slot_state(u64 slot)
{
	return slot >> IOB_SLOT_STATE_SHIFT & 7;
}

static __always_inline u8 iob_slot_reason(u64 slot)
{
	return slot >> IOB_SLOT_REASON_SHIFT & 15;
}

static __always_inline u64 iob_slot_as_done(u64 slot)
{
	return (slot & ~(7ull << IOB_SLOT_STATE_SHIFT)) |
	       (u64)IOB_PAGE_DONE << IOB_SLOT_STATE_SHIFT;
}

static __always_inline u64 iob_slot_pack(u32 act, enum iob_page_state state,
					 u8 reason, u64 time)
{
	return act | (u64)state << IOB_SLOT_STATE_SHIFT |
	       (u64)reason << IOB_SLOT_REASON_SHIFT |
	       time << IOB_SLOT_TIME_SHIFT;
}

/* What is remembered of a page that was dirtied. */
static __always_inline u64 iob_slot_dirty(u32 act, u64 now_ns)
{
	return iob_slot_pack(act, IOB_PAGE_DIRTY, 0,
			     now_ns >> IOB_PAGE_TIME_SHIFT & IOB_SLOT_TIME_MASK);
}

/* Slot of @pfn if its chunk exists. */
static __always_inline u64 *iob_pages_slot(struct iob_pages *p, u64 pfn)
{
	u64 *chunk;

	if (unlikely(pfn / IOB_CHUNK_SLOTS >= p->nr_chunks))
		return NULL;
	/* pairs with the cmpxchg in slot_new(): a chunk is zeroed */
	chunk = smp_load_acquire(&p->chunks[pfn / IOB_CHUNK_SLOTS]);
	return chunk ? &chunk[pfn % IOB_CHUNK_SLOTS] : NULL;
}

/* Slot of @pfn, that of the page before it being @before. */
static __always_inline u64 *iob_pages_next_slot(struct iob_pages *p, u64 *before,
						u64 pfn)
{
	return likely(before && pfn % IOB_CHUNK_SLOTS) ? before + 1 :
	       iob_pages_slot(p, pfn);
}

/**
 * iob_pages_dirty() - A clean page has become dirty
 * @p:               pages
 * @pfn:             its frame
 * @act:             who made it so
 * @now_ns:          when
 * @under_writeback: its earlier content is being written right now
 *
 * Context: any but NMI, under any lock. May allocate without waiting.
 */
static __always_inline void iob_pages_dirty(struct iob_pages *p, u64 pfn,
					    u32 act, u64 now_ns,
					    bool under_writeback)
{
	u64 *slot = iob_pages_slot(p, pfn), old;

	if (likely(slot && !under_writeback && !atomic_read(&p->nr_aside))) {
		old = READ_ONCE(*slot);
		if (likely(iob_slot_state(old) != IOB_PAGE_KEEP &&
			   try_cmpxchg(slot, &old, iob_slot_dirty(act, now_ns))))
			return;
	}
	iob_pages_dirty_other(p, pfn, act, now_ns, under_writeback);
}

/**
 * iob_pages_is_dirty() - Is a page known to wait to be written?
 * @p:   pages
 * @pfn: its frame
 *
 * Context: any.
 * Return: true if so, at this moment.
 */
static __always_inline bool iob_pages_is_dirty(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);

	return slot && iob_slot_state(READ_ONCE(*slot)) == IOB_PAGE_DIRTY;
}

/**
 * iob_pages_peek() - What is remembered of a page, before its folio is looked at
 * @p:   pages
 * @pfn: its frame
 *
 * Who dirties a page again marks the folio, puts aside what is being written and
 * changes the slot, in that order. So a slot that was read before the folio was
 * seen clean holds what is being written.
 *
 * Context: any.
 * Return: for iob_pages_complete().
 */
static __always_inline struct iob_peek iob_pages_peek(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);
	struct iob_peek was = { slot, slot ? READ_ONCE(*slot) : 0 };

	smp_rmb();	/* before the folio's flags; its marking is a full barrier */
	return was;
}

/* When what a slot remembers was dirtied; 0 if that is not known. */
static __always_inline u64 iob_slot_dirtied_ns(u64 slot, u64 now_ns)
{
	u64 time = slot >> IOB_SLOT_TIME_SHIFT, age;

	if (unlikely(!time))
		return 0;
	age = ((now_ns >> IOB_PAGE_TIME_SHIFT) - time) & IOB_SLOT_TIME_MASK;
	/* -1: the fast clock may step back a little between CPUs */
	if (unlikely(age == IOB_SLOT_TIME_MASK))
		age = 0;
	age <<= IOB_PAGE_TIME_SHIFT;
	return now_ns > age ? now_ns - age : 1;
}

#endif /* IOB_CORE_PAGES_H */
