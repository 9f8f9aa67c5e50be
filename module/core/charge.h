/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_CHARGE_H
#define IOB_CORE_CHARGE_H

#include "state.h"

/**
 * struct iob_written - a page of the page cache, or part of it, that was written
 * @pfn:         its frame
 * @peek:        of iob_pages_peek()
 * @still_dirty: its folio is dirty
 * @is_large:    that has other pages
 * @sector:      where it went
 * @bytes:       of it, at most a page
 */
struct iob_written {
	u64 pfn;
	struct iob_peek peek;
	bool still_dirty;
	bool is_large;
	u64 sector;
	u32 bytes;
};

/* In no slot. */
#define IOB_NO_WORD	(~0ull)

/* Origins gathered before they are added to the totals, per IO. */
#define IOB_IO_ORIGINS	24

/**
 * struct iob_origin - one share of an IO
 */
struct iob_origin {
	u32 act;
	u32 issuer;		/* role id */
	u8 basis;
	u8 reason;
	u8 queue_known;
	u32 bytes;
	u32 kept;		/* of @bytes: what becomes of them will be told */
	u64 queue_ns;
	u64 age_max_ns;
	u64 ages;			/* which of these are set */
	u32 age[IOB_HIST_BUCKETS];	/* by pages */
};

/**
 * struct iob_io - one completed IO while its origins are gathered
 * @dev, @disk, @op, @flags, @sector: of the whole IO
 * @device:     its disk, as it was last asked for; perhaps that of an IO before
 * @bytes:      gathered so far
 * @issuer:     act of the submitter of its first bio
 * @now_ns:     completion
 * @issue_ns:   dispatch, 0 if not seen
 * @queue_ns:   submission of the first bio, 0 if not seen
 * @oldest_ns:  earliest dirtying in it, 0 if none was seen
 * @flow:       of the bio that is being walked, as long as it is
 * @submitted_ns: when the bio was whose pages are walked, 0 if not seen
 * @owner:      what the file of the pages is told by, for who walks them
 * @file:       that file
 * @about:      an act that is about it
 * @run:        pages that were written, all of one word, and not charged yet
 * @joined:     bytes of bios that are one transaction's and not charged yet, and the
 *              flow of the first of them
 * @role:       role of its issuer
 * @plain:      its issuer, if that is an act that can be told without more ado
 * @split:      of the transaction that is being split
 * @id, @up:    number of its first bio, and of the IO above that
 * @nr:         origins in @origin
 * @last:       the one that was last asked for by this bio, and for what
 * @origin:     the shares
 * @tallies:    where they are added up at first; NULL: nowhere
 */
struct iob_io {
	struct iob_tallies *tallies;
	u32 dev;
	const char *disk;
	struct iob_device *device;
	u8 op;
	u16 flags;
	u64 sector;
	u32 bytes;
	u32 issuer;
	u64 now_ns;
	u64 issue_ns;
	u64 queue_ns;
	u64 oldest_ns;
	const struct iob_flow *flow;
	u64 submitted_ns;
	const void *owner;
	struct iob_file_key file;
	u32 about;
	struct {
		u64 word;
		u32 pages;
		u32 bytes;
	} run;
	struct {
		struct iob_flow flow;
		u32 bytes;
	} joined;
	u32 role;
	u32 plain;
	struct iob_split split;
	u64 id;
	u64 up;
	u32 nr;
	struct {
		struct iob_origin *origin;
		u32 act;
		u8 basis;
		u8 reason;
	} last;
	struct iob_origin origin[IOB_IO_ORIGINS];
};

/* Dirtying. */
void iob_charge_dirty_part(struct iob_state *s, u64 pfn, u32 nr_pages, u32 act,
			   u64 now_ns, bool under_writeback);
void iob_charge_redirty(struct iob_state *s, u64 pfn, u32 nr_pages,
			u32 unknown);
u32 iob_charge_cancel(struct iob_state *s, u32 dev, u64 pfn, u32 nr_pages,
		      const struct iob_file_key *file, u32 *act);
void iob_charge_move(struct iob_state *s, u64 from, u64 to, u32 nr_pages);
void iob_charge_read_end(struct iob_state *s, u64 pfn, u32 nr_pages,
			 const struct iob_file_key *file,
			 enum iob_read_end end);
void iob_charge_block_dirty(struct iob_state *s, u32 dev, u64 sector, u32 act,
			    u64 now_ns);
void iob_charge_join(struct iob_state *s, u32 dev, u64 tid, u32 act, u64 item,
		     u32 weight);

/* Who changes a page uses what was read of it. */
static inline void iob_charge_use(struct iob_state *s, u64 pfn, u32 nr_pages,
				  u32 act)
{
	/* nested: under locks that this would take */
	if (unlikely(s->filter.readahead) && act != IOB_ACT_NESTED)
		iob_charge_read_end(s, pfn, nr_pages, NULL, IOB_READ_USED);
}

/**
 * iob_charge_dirty() - Pages have become dirty
 * @s:               state
 * @pfn:             first page frame
 * @nr_pages:        how many
 * @act:             who did it
 * @now_ns:          when
 * @under_writeback: their earlier content is being written
 *
 * Context: probe, under the page cache's lock.
 */
static inline void iob_charge_dirty(struct iob_state *s, u64 pfn, u32 nr_pages,
				    u32 act, u64 now_ns, bool under_writeback)
{
	u32 i;

	iob_charge_use(s, pfn, nr_pages, act);
	for (i = 0; i < nr_pages; i++)
		iob_pages_dirty(&s->pages, pfn + i, act, now_ns,
				under_writeback);
	iob_count(&s->counters, IOB_CNT_PAGES_DIRTIED, nr_pages);
}

/**
 * iob_charge_begin() - An IO has completed
 * @io:     where its origins are gathered
 * @dev:    disk
 * @disk:   its name
 * @op:     enum iob_op
 * @sector: first sector
 * @now_ns: now
 *
 * Context: probe.
 */
static inline void iob_charge_begin(struct iob_io *io, u32 dev, const char *disk,
				    u8 op, u64 sector, u64 now_ns)
{
	io->dev = dev;
	io->disk = disk;
	io->op = op;
	io->flags = 0;
	io->sector = sector;
	io->bytes = 0;
	io->issuer = IOB_ACT_NONE;
	io->now_ns = now_ns;
	io->issue_ns = 0;
	io->queue_ns = 0;
	io->oldest_ns = 0;
	io->role = 0;
	io->id = 0;
	io->up = 0;
	io->nr = 0;
	io->last.origin = NULL;
	io->submitted_ns = 0;
	io->run.word = IOB_NO_WORD;
	io->run.pages = 0;
	io->joined.bytes = 0;
}

/**
 * iob_charge_is_nothing() - Has nothing been charged to an IO?
 * @io: the IO
 *
 * Return: true if not a byte, nor a flush.
 */
static inline bool iob_charge_is_nothing(const struct iob_io *io)
{
	return !io->nr && !io->joined.bytes;
}

/*
 * Completion: begin, then per bio a flow and its pages, or bytes, then end. Before
 * the pages of a file, the file.
 */
void iob_charge_flow(struct iob_state *s, struct iob_io *io,
		     const struct iob_flow *flow);
void iob_charge_run(struct iob_state *s, struct iob_io *io);
void iob_charge_other_page(struct iob_state *s, struct iob_io *io,
			   const struct iob_written *w);
void iob_charge_read(struct iob_state *s, struct iob_io *io, u64 pfn,
		     u32 bytes);
void iob_charge_act(struct iob_state *s, struct iob_io *io, u32 act, u32 bytes);
void iob_charge_split(struct iob_state *s, struct iob_io *io, u8 basis,
		      u32 bytes);
void iob_charge_bytes(struct iob_state *s, struct iob_io *io, u64 sector,
		      u32 bytes);
void iob_charge_flushes(struct iob_state *s, struct iob_io *io, u32 act,
			u8 reason, u32 nr);
void iob_charge_more_ios(struct iob_state *s, u32 dev, const char *disk, u8 op,
			 u32 nr);
void iob_charge_flush_command(struct iob_state *s, u32 dev, const char *disk);
bool iob_charge_end(struct iob_state *s, struct iob_io *io, u16 flags);

/**
 * iob_charge_owner() - The pages that follow belong to a file
 * @s:     state
 * @io:    the IO
 * @owner: what that is told by
 * @file:  the file; NULL: none that is known
 *
 * Context: probe.
 */
static inline void iob_charge_owner(struct iob_state *s, struct iob_io *io,
				    const void *owner,
				    const struct iob_file_key *file)
{
	iob_charge_run(s, io);
	io->owner = owner;
	io->about = IOB_ACT_NONE;
	io->file = file ? *file : (struct iob_file_key){ };
}

/**
 * iob_charge_pages() - Whole pages of one file were written, one after the other
 * @s:   state
 * @io:  the IO
 * @pfn: first page frame
 * @nr:  how many
 *
 * Takes the first of them that are as the page before was, and whose writeback was
 * told of as it began: those of large folios. Their folios need not be asked.
 *
 * Context: probe; the pages are still under writeback, and of @io's owner.
 * Return: how many it has taken; of the next one tell iob_charge_page().
 */
static __always_inline u32 iob_charge_pages(struct iob_state *s, struct iob_io *io,
					    u64 pfn, u32 nr)
{
	u64 word = io->run.word, was, *slot;
	u32 i;

	if (iob_slot_state(word) != IOB_PAGE_WRITEBACK)
		return 0;
	slot = iob_pages_slot(&s->pages, pfn);
	if (!slot)
		return 0;
	nr = min_t(u32, nr, IOB_CHUNK_SLOTS - pfn % IOB_CHUNK_SLOTS);
	for (i = 0; i < nr; i++) {
		was = READ_ONCE(slot[i]);
		if (was != word ||
		    !try_cmpxchg(&slot[i], &was, iob_slot_as_done(word)))
			break;
	}
	io->run.pages += i;
	io->run.bytes += i * PAGE_SIZE;
	return i;
}

/**
 * iob_charge_again() - Part of a page was written that is like the page before
 * @io:    the IO
 * @peek:  what was remembered of it
 * @bytes: of it
 *
 * Pages of one act and time come one after the other: they are counted, and charged
 * together by iob_charge_run(), which has to be called after the last one.
 *
 * Context: probe; the page is still under writeback, of @io's owner and not dirty.
 * Return: false if it is not like it, or is being dirtied: nothing is done then.
 */
static __always_inline bool iob_charge_again(struct iob_io *io, struct iob_peek peek,
					     u32 bytes)
{
	if (peek.was != io->run.word ||
	    !try_cmpxchg(peek.slot, &peek.was, iob_slot_as_done(io->run.word)))
		return false;
	io->run.pages++;
	io->run.bytes += bytes;
	return true;
}

/**
 * iob_charge_page() - Part of a page cache page was written
 * @s:  state
 * @io: the IO
 * @w:  what of it
 *
 * iob_charge_run() has to be called after the last one.
 *
 * Context: probe; the page is still under writeback.
 */
static inline void iob_charge_page(struct iob_state *s, struct iob_io *io,
				   const struct iob_written *w)
{
	if (w->still_dirty || !iob_charge_again(io, w->peek, w->bytes))
		iob_charge_other_page(s, io, w);
}

#endif /* IOB_CORE_CHARGE_H */
