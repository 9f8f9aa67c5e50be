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
 * KEEP is DIRTY whose folio writeback declined and marks dirty again: the next
 * dirtying is not a new one. DONE keeps the act for a second IO of the same
 * writeback (a mirror). A page dirtied again under writeback needs two acts:
 * the one being written moves aside, into a small table, and stays there until
 * the next writeback starts or, once it is DONE, until room is needed. A folio
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
 * struct iob_page - a page slot, unpacked
 */
struct iob_page {
	u32 act;
	u8 state;
	u8 reason;
	u64 dirtied_ns;
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
		u64 pfn[IOB_ASIDE_WAYS];	/* pfn + 1; 0: free */
		u64 slot[IOB_ASIDE_WAYS];
	} *aside;
};

int iob_pages_init(struct iob_pages *p, struct iob_counters *counters,
		   u64 max_pfn, u64 max_bytes);
void iob_pages_exit(struct iob_pages *p);

void iob_pages_dirty(struct iob_pages *p, u64 pfn, u32 act, u64 now_ns,
		     bool under_writeback);
bool iob_pages_dirty_part(struct iob_pages *p, u64 pfn, u32 act, u64 now_ns,
			  bool under_writeback);
void iob_pages_redirty(struct iob_pages *p, u64 pfn, u32 unknown);
u32 iob_pages_writeback(struct iob_pages *p, u64 pfn, u8 reason,
			bool still_dirty, u32 unknown);
bool iob_pages_drop_clean(struct iob_pages *p, u64 pfn);
u32 iob_pages_cancel(struct iob_pages *p, u64 pfn);
bool iob_pages_complete(struct iob_pages *p, u64 pfn, u64 now_ns,
			bool still_dirty, struct iob_page *page);
u32 iob_pages_owner(struct iob_pages *p, u64 pfn);
u32 iob_pages_dirty_act(struct iob_pages *p, u64 pfn);
u32 iob_pages_act(struct iob_pages *p, u64 pfn);
bool iob_pages_read(struct iob_pages *p, u64 pfn, const struct iob_read *read);
bool iob_pages_is_read(struct iob_pages *p, u64 pfn);
bool iob_pages_take_read(struct iob_pages *p, u64 pfn, struct iob_read *read);
void iob_pages_move(struct iob_pages *p, u64 from, u64 to);
void iob_pages_forget(struct iob_pages *p, u64 pfn);

void iob_pages_for_each_act(struct iob_pages *p,
			    void (*fn)(void *ctx, u32 act), void *ctx,
			    void (*relax)(void));

#endif /* IOB_CORE_PAGES_H */
