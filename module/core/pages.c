// SPDX-License-Identifier: GPL-2.0
/*
 * Page slots: who dirtied the page, from dirtying to completed write.
 *
 * Slots change by compare-and-exchange, for the completion of a write may run
 * in an interrupt while another CPU dirties the same page again. Chunks are
 * never freed before iob_pages_exit(), so a slot's address stays good.
 */
#include "pages.h"

/* In the place of the time: a disk, and how much of the page came from there. */
#define DISK_MASK	((1u << IOB_PAGE_DISK_BITS) - 1)
#define UNIT_SHIFT	9

static_assert(IOB_NR_REASONS <= 16);
static_assert(IOB_PAGE_READ < 8);
static_assert(PAGE_SIZE >> UNIT_SHIFT < 1 << 8);

static u64 time_of(u64 slot)
{
	return slot >> IOB_SLOT_TIME_SHIFT;
}

static u64 with_state(u64 slot, enum iob_page_state state, u8 reason)
{
	const u64 mask = 7ull << IOB_SLOT_STATE_SHIFT |
			 15ull << IOB_SLOT_REASON_SHIFT;

	return (slot & ~mask) | (u64)state << IOB_SLOT_STATE_SHIFT |
	       (u64)reason << IOB_SLOT_REASON_SHIFT;
}

/**
 * iob_pages_init() - Prepare to remember page frames
 * @p:         pages
 * @counters:  where losses are counted
 * @max_pfn:   one past the highest page frame
 * @max_bytes: most memory for slots
 *
 * Only the table of pointers is allocated (1/262,144 of memory); slots come
 * as pages are dirtied.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int iob_pages_init(struct iob_pages *p, struct iob_counters *counters,
		   u64 max_pfn, u64 max_bytes)
{
	int i;

	memset(p, 0, sizeof(*p));
	p->counters = counters;
	p->nr_chunks = (max_pfn + IOB_CHUNK_SLOTS - 1) / IOB_CHUNK_SLOTS;
	p->max_used = min_t(u64, max_bytes / PAGE_SIZE, INT_MAX);
	p->chunks = iob_table_alloc(p->nr_chunks, sizeof(*p->chunks));
	p->aside = iob_table_alloc(IOB_ASIDE_SHARDS, sizeof(*p->aside));
	if (!p->chunks || !p->aside) {
		iob_pages_exit(p);
		return -ENOMEM;
	}
	for (i = 0; i < IOB_ASIDE_SHARDS; i++)
		raw_spin_lock_init(&p->aside[i].lock);
	return 0;
}

/**
 * iob_pages_exit() - Forget all pages
 * @p: pages, initialised or zeroed; no probe may be using them
 */
void iob_pages_exit(struct iob_pages *p)
{
	u32 i;

	for (i = 0; p->chunks && i < p->nr_chunks; i++)
		if (p->chunks[i])
			iob_chunk_free(p->chunks[i]);
	iob_table_free(p->chunks);
	iob_table_free(p->aside);
	memset(p, 0, sizeof(*p));
}

/* Slot of @pfn whose chunk does not exist; NULL if there is no memory for it. */
static noinline u64 *slot_new(struct iob_pages *p, u64 pfn)
{
	u64 **where, *chunk;

	if (pfn / IOB_CHUNK_SLOTS >= p->nr_chunks)
		return NULL;	/* memory added after enabling */
	if (atomic_inc_return(&p->nr_used) > p->max_used)
		goto uncount;
	chunk = iob_chunk_alloc();
	if (!chunk)
		goto uncount;
	where = &p->chunks[pfn / IOB_CHUNK_SLOTS];
	if (cmpxchg(where, NULL, chunk)) {
		/* another CPU was faster */
		iob_chunk_free(chunk);
		atomic_dec(&p->nr_used);
	}
	return iob_pages_slot(p, pfn);

uncount:
	atomic_dec(&p->nr_used);
	return NULL;
}

/* Slot of @pfn; NULL if there is no memory for it. */
static __always_inline u64 *slot_try(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);

	return likely(slot) ? slot : slot_new(p, pfn);
}

/* The same for who dirties a page: that there is no memory is counted. */
static noinline u64 *slot_new_or_count(struct iob_pages *p, u64 pfn)
{
	u64 *slot = slot_new(p, pfn);

	if (!slot) {
		WRITE_ONCE(p->lossy, true);
		iob_count(p->counters, IOB_CNT_LOST_PAGES, 1);
	}
	return slot;
}

static __always_inline u64 *slot_make(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);

	return likely(slot) ? slot : slot_new_or_count(p, pfn);
}

static struct iob_aside *aside_of(struct iob_pages *p, u64 pfn)
{
	return &p->aside[iob_hash(&pfn, 1) % IOB_ASIDE_SHARDS];
}

/* Index of @pfn, -1 if nothing is put aside. Context: shard lock held. */
static int aside_find(const struct iob_aside *a, u64 pfn)
{
	int i;

	for (i = 0; i < IOB_ASIDE_WAYS; i++)
		if (a->pfn[i] == pfn + 1)
			return i;
	return -1;
}

/* Where there is room; what is written already gives way. Context: likewise. */
static int aside_room(const struct iob_aside *a)
{
	int i, done = -1;

	for (i = 0; i < IOB_ASIDE_WAYS; i++) {
		if (!a->pfn[i])
			return i;
		if (iob_slot_state(a->slot[i]) == IOB_PAGE_DONE)
			done = i;
	}
	return done;
}

/* Remember what is being written of @pfn; an older memory is replaced. */
static void aside_put(struct iob_pages *p, u64 pfn, u64 slot, u64 now_ns)
{
	struct iob_aside *a = aside_of(p, pfn);
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&a->lock, flags);
	i = aside_find(a, pfn);
	if (i < 0)
		i = aside_room(a);
	if (i >= 0) {
		if (!a->pfn[i]) {
			atomic_inc(&p->nr_aside);
			WRITE_ONCE(a->nr, a->nr + 1);
		}
		a->pfn[i] = pfn + 1;
		a->slot[i] = slot;
		a->done_ns[i] = now_ns;
	}
	raw_spin_unlock_irqrestore(&a->lock, flags);
	if (i < 0)
		iob_count(p->counters, IOB_CNT_LOST_ASIDE, 1);
}

/* The same of what is in a page's slot, if it is being written. */
static noinline void aside_put_written(struct iob_pages *p, u64 pfn, u64 slot,
				       u64 now_ns)
{
	if (iob_slot_state(slot) == IOB_PAGE_DIRTY ||
	    iob_slot_state(slot) == IOB_PAGE_WRITEBACK ||
	    iob_slot_state(slot) == IOB_PAGE_DONE)
		aside_put(p, pfn, slot, now_ns);
}

/*
 * What has been written of @pfn by IO that was submitted then, and completes now; 0
 * if nothing was put aside. What had been written before it was submitted is left
 * from a writeback before this one.
 */
static noinline u64 aside_complete(struct iob_pages *p, u64 pfn,
				   u64 submitted_ns, u64 now_ns)
{
	struct iob_aside *a = aside_of(p, pfn);
	unsigned long flags;
	u64 slot = 0;
	int i;

	raw_spin_lock_irqsave(&a->lock, flags);
	i = aside_find(a, pfn);
	if (i >= 0 && (iob_slot_state(a->slot[i]) != IOB_PAGE_DONE ||
		       submitted_ns <= a->done_ns[i]))
		slot = a->slot[i];
	if (slot && iob_slot_state(slot) != IOB_PAGE_DONE) {
		a->slot[i] = iob_slot_as_done(slot);
		a->done_ns[i] = now_ns;
	}
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return slot;
}

/* The writeback that @pfn was put aside in has ended, if it was. */
static noinline void aside_drop(struct iob_pages *p, u64 pfn)
{
	struct iob_aside *a = aside_of(p, pfn);
	unsigned long flags;
	int i;

	if (!READ_ONCE(a->nr))
		return;
	raw_spin_lock_irqsave(&a->lock, flags);
	i = aside_find(a, pfn);
	if (i >= 0) {
		a->pfn[i] = 0;
		atomic_dec(&p->nr_aside);
		WRITE_ONCE(a->nr, a->nr - 1);
	}
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

/**
 * iob_pages_dirty_other() - A page has become dirty, and that is not all
 * @p:               pages
 * @pfn:             its frame
 * @act:             who made it so
 * @now_ns:          when
 * @under_writeback: its earlier content is being written right now
 *
 * Context: as iob_pages_dirty(), which calls it.
 */
void iob_pages_dirty_other(struct iob_pages *p, u64 pfn, u32 act, u64 now_ns,
			   bool under_writeback)
{
	u64 *slot = slot_make(p, pfn);
	u64 old, new;

	if (!slot)
		return;
	if (unlikely(atomic_read(&p->nr_aside)) && !under_writeback)
		aside_drop(p, pfn);
	old = READ_ONCE(*slot);
	do {
		if (iob_slot_state(old) == IOB_PAGE_KEEP) {
			new = with_state(old, IOB_PAGE_DIRTY, 0);
			continue;
		}
		new = iob_slot_dirty(act, now_ns);
		/* first: a completion must find it in one of the two places */
		if (under_writeback)
			aside_put_written(p, pfn, old, now_ns);
	} while (!try_cmpxchg(slot, &old, new));
}

/**
 * iob_pages_dirty_part() - Part of a folio that may be dirty has become dirty
 * @p:               pages
 * @pfn:             frame of the first page in that part
 * @nr:              how many
 * @act:             who made it so
 * @now_ns:          when
 * @under_writeback: its earlier content is being written right now
 *
 * A page that is dirty already keeps its dirtier.
 *
 * Context: as iob_pages_dirty(); folio locked.
 * Return: how many were clean.
 */
u32 iob_pages_dirty_part(struct iob_pages *p, u64 pfn, u32 nr, u32 act,
			 u64 now_ns, bool under_writeback)
{
	bool is_plain = !under_writeback && !atomic_read(&p->nr_aside);
	u64 *slot = NULL, old, dirty = iob_slot_dirty(act, now_ns);
	u64 end = pfn + nr;
	u32 clean = 0;

	for (; pfn < end; pfn++) {
		slot = iob_pages_next_slot(p, slot, pfn);
		old = slot ? READ_ONCE(*slot) : 0;
		if (iob_slot_state(old) == IOB_PAGE_DIRTY)
			continue;
		clean++;
		if (unlikely(!slot || !is_plain ||
			     iob_slot_state(old) == IOB_PAGE_KEEP ||
			     !try_cmpxchg(slot, &old, dirty)))
			iob_pages_dirty_other(p, pfn, act, now_ns,
					      under_writeback);
	}
	return clean;
}

/**
 * iob_pages_redirty() - Writeback declines a page and will mark it dirty again
 * @p:       pages
 * @pfn:     its frame
 * @unknown: act to note for a page whose dirtying was not seen; IOB_ACT_NONE:
 *           note nothing
 *
 * Keeps the flusher that declined from becoming the page's dirtier.
 *
 * Context: as iob_pages_dirty(); folio locked and not dirty.
 */
void iob_pages_redirty(struct iob_pages *p, u64 pfn, u32 unknown)
{
	u64 *slot = slot_make(p, pfn);
	u64 old, new;

	if (!slot)
		return;
	old = READ_ONCE(*slot);
	do {
		if (iob_slot_state(old) == IOB_PAGE_DIRTY)
			new = with_state(old, IOB_PAGE_KEEP, 0);
		else if (iob_slot_state(old) == IOB_PAGE_KEEP ||
			 iob_slot_state(old) == IOB_PAGE_WRITEBACK ||
			 unknown == IOB_ACT_NONE)
			return;
		else
			new = iob_slot_pack(unknown, IOB_PAGE_KEEP, 0, 0);
	} while (!try_cmpxchg(slot, &old, new));
	iob_count(p->counters, IOB_CNT_PAGES_REDIRTIED, 1);
}

/* What becomes of a slot as its writeback starts; READ, of a page that does not: READ. */
static u64 started(u64 old, enum iob_page_state next, u8 reason)
{
	switch (iob_slot_state(old)) {
	case IOB_PAGE_DIRTY:
	case IOB_PAGE_KEEP:
		return with_state(old, next, reason);
	case IOB_PAGE_WRITEBACK:
		/* was not in the last bio of its large folio */
		return with_state(old, IOB_PAGE_WRITEBACK, reason);
	case IOB_PAGE_READ:
		/* of a large folio that is dirty elsewhere */
		return old;
	default:
		return 0;
	}
}

/**
 * iob_pages_writeback() - Writeback of the pages of a large folio starts
 * @p:           pages
 * @pfn:         frame of the first
 * @nr:          how many
 * @reason:      enum iob_reason, if the starter knows
 * @still_dirty: the folio is dirty all the same: part of it will be written
 *               another time, and each of these may be in that part
 *
 * Also of a small folio, where its bio may not tell the reason.
 *
 * Context: as iob_pages_dirty(); folio locked.
 */
void iob_pages_writeback(struct iob_pages *p, u64 pfn, u32 nr, u8 reason,
			 bool still_dirty)
{
	enum iob_page_state next = still_dirty ? IOB_PAGE_DIRTY :
						 IOB_PAGE_WRITEBACK;
	bool has_aside = atomic_read(&p->nr_aside);
	u64 *slot = NULL, old, end = pfn + nr;

	for (; pfn < end; pfn++) {
		slot = iob_pages_next_slot(p, slot, pfn);
		if (!slot)
			continue;
		if (unlikely(has_aside))
			aside_drop(p, pfn);
		old = READ_ONCE(*slot);
		if (likely(iob_slot_state(old) == IOB_PAGE_DIRTY &&
			   try_cmpxchg(slot, &old, with_state(old, next, reason))))
			continue;
		while (!try_cmpxchg(slot, &old, started(old, next, reason)))
			;
	}
}

/**
 * iob_pages_drop_clean() - Pages leave the page cache; which are clean?
 * @p:   pages
 * @pfn: frame of the first, which may belong to anybody next
 * @nr:  how many
 *
 * Context: any but NMI; the pages are not under writeback.
 * Return: how many of the first are, and nothing is remembered of them any more; of
 * the one that follows ask iob_pages_cancel().
 */
u32 iob_pages_drop_clean(struct iob_pages *p, u64 pfn, u32 nr)
{
	u64 *slot, old;
	u32 i;

	for (i = 0; i < nr; i++) {
		slot = iob_pages_slot(p, pfn + i);
		old = slot ? READ_ONCE(*slot) : 0;
		if (!old)
			continue;
		if (iob_slot_state(old) == IOB_PAGE_DIRTY ||
		    iob_slot_state(old) == IOB_PAGE_KEEP)
			break;
		WRITE_ONCE(*slot, 0);
	}
	return i;
}

/**
 * iob_pages_cancel() - A page leaves the page cache
 * @p:   pages
 * @pfn: its frame, which may belong to anybody next
 *
 * Context: any but NMI; the page is not under writeback.
 * Return: the act whose bytes were dropped unwritten; IOB_ACT_NONE if none
 * were, or none that is known.
 */
u32 iob_pages_cancel(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);
	u64 old;

	if (!slot || !READ_ONCE(*slot))
		return IOB_ACT_NONE;
	old = xchg(slot, 0ull);
	if (iob_slot_state(old) != IOB_PAGE_DIRTY && iob_slot_state(old) != IOB_PAGE_KEEP)
		return IOB_ACT_NONE;
	return iob_slot_act(old);
}

/**
 * iob_pages_complete() - The write of a page has completed
 * @p:           pages
 * @pfn:         its frame
 * @peek:        of iob_pages_peek()
 * @still_dirty: its folio is dirty: dirtied again meanwhile, or written in part
 * @is_whole:    the folio is this page, and no part of it is written by itself
 * @submitted_ns: when the bio was that the file system has submitted, 0 if not known
 * @now_ns:      now
 *
 * Context: any but NMI; the page is still under writeback.
 * Return: the slot's word when what was written had been dirtied; 0 if that is not
 * known.
 */
u64 iob_pages_complete(struct iob_pages *p, u64 pfn, struct iob_peek peek,
		       bool still_dirty, bool is_whole, u64 submitted_ns,
		       u64 now_ns)
{
	u64 word = peek.was, aside;

	switch (iob_slot_state(peek.was)) {
	case IOB_PAGE_DIRTY:
	case IOB_PAGE_KEEP:
		if (!still_dirty)
			break;
		aside = atomic_read(&p->nr_aside) ?
			aside_complete(p, pfn, submitted_ns, now_ns) : 0;
		if (aside)
			return aside;
		/* who has just dirtied it anew has not come to us yet, or another part */
		if (is_whole)
			break;
		return word;
	case IOB_PAGE_WRITEBACK:
		break;
	case IOB_PAGE_DONE:
		return word;
	default:
		return 0;
	}
	if (try_cmpxchg(peek.slot, &peek.was, iob_slot_as_done(word)))
		return word;
	/* dirtied anew at this moment */
	return aside_complete(p, pfn, submitted_ns, now_ns) ?: word;
}

/**
 * iob_pages_owner() - Whose content a page holds that is dirty or being written
 * @p:   pages
 * @pfn: its frame
 *
 * Context: any.
 * Return: the act, IOB_ACT_NONE if that is not known.
 */
u32 iob_pages_owner(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);
	u64 old = slot ? READ_ONCE(*slot) : 0;

	switch (iob_slot_state(old)) {
	case IOB_PAGE_DIRTY:
	case IOB_PAGE_KEEP:
	case IOB_PAGE_WRITEBACK:
		return iob_slot_act(old);
	default:
		return IOB_ACT_NONE;
	}
}

/**
 * iob_pages_dirty_act() - Who dirtied a page that waits to be written
 * @p:   pages
 * @pfn: its frame
 *
 * Context: any.
 * Return: the act, IOB_ACT_NONE if the page is not known as dirty.
 */
u32 iob_pages_dirty_act(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);
	u64 old = slot ? READ_ONCE(*slot) : 0;

	if (iob_slot_state(old) == IOB_PAGE_DIRTY || iob_slot_state(old) == IOB_PAGE_KEEP)
		return iob_slot_act(old);
	return IOB_ACT_NONE;
}

/**
 * iob_pages_act() - The act in a page's slot, whatever it stands for there
 * @p:   pages
 * @pfn: its frame
 *
 * Context: any.
 * Return: the act, IOB_ACT_NONE if there is none.
 */
u32 iob_pages_act(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);

	return slot ? iob_slot_act(READ_ONCE(*slot)) : IOB_ACT_NONE;
}

static u64 pack_read(const struct iob_read *read)
{
	u64 units = min_t(u32, read->bytes, PAGE_SIZE) >> UNIT_SHIFT;

	return iob_slot_pack(read->act, IOB_PAGE_READ, read->reason,
		    read->disk | units << IOB_PAGE_DISK_BITS);
}

static void unpack_read(u64 slot, struct iob_read *read)
{
	read->act = iob_slot_act(slot);
	read->reason = iob_slot_reason(slot);
	read->disk = time_of(slot) & DISK_MASK;
	read->bytes = time_of(slot) >> IOB_PAGE_DISK_BITS << UNIT_SHIFT;
}

/**
 * iob_pages_read() - The content of a page has come from the disk
 * @p:    pages
 * @pfn:  its frame
 * @read: what is to be remembered
 *
 * A page that comes in parts is remembered whole if all come by the same way.
 *
 * Context: any but NMI; the page is locked and not up to date.
 * Return: false if it is not remembered: there is no room, or something else is.
 */
bool iob_pages_read(struct iob_pages *p, u64 pfn, const struct iob_read *read)
{
	u64 *slot = slot_try(p, pfn);
	struct iob_read sum, was;
	u64 old;

	if (!slot)
		return false;
	old = READ_ONCE(*slot);
	do {
		sum = *read;
		if (iob_slot_state(old) == IOB_PAGE_READ) {
			unpack_read(old, &was);
			if (was.act != read->act || was.disk != read->disk ||
			    was.reason != read->reason)
				return false;
			sum.bytes += was.bytes;
		} else if (iob_slot_state(old) != IOB_PAGE_NONE &&
			   iob_slot_state(old) != IOB_PAGE_DONE) {
			return false;
		}
	} while (!try_cmpxchg(slot, &old, pack_read(&sum)));
	return true;
}

/**
 * iob_pages_is_read() - Would iob_pages_take_read() find something?
 * @p:   pages
 * @pfn: the frame
 *
 * Context: any.
 * Return: true if so, at this moment.
 */
bool iob_pages_is_read(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);

	return slot && iob_slot_state(READ_ONCE(*slot)) == IOB_PAGE_READ;
}

/**
 * iob_pages_take_read() - Somebody uses a page, or nobody will any more
 * @p:    pages
 * @pfn:  its frame
 * @read: filled with what was remembered of its content
 *
 * Of several who take it at once one gets it.
 *
 * Context: any.
 * Return: false if nothing was: it did not come from the disk, or was used.
 */
bool iob_pages_take_read(struct iob_pages *p, u64 pfn, struct iob_read *read)
{
	u64 *slot = iob_pages_slot(p, pfn);
	u64 old = slot ? READ_ONCE(*slot) : 0;

	while (iob_slot_state(old) == IOB_PAGE_READ) {
		if (!try_cmpxchg(slot, &old, 0ull))
			continue;
		unpack_read(old, read);
		return true;
	}
	return false;
}

/**
 * iob_pages_move() - A page has been moved to another frame
 * @p:    pages
 * @from: the old frame
 * @to:   the new one
 *
 * Context: any; both folios locked, the page not under writeback.
 */
void iob_pages_move(struct iob_pages *p, u64 from, u64 to)
{
	u64 *slot = iob_pages_slot(p, from), *new_slot;
	u64 old;

	if (!slot || !READ_ONCE(*slot)) {
		iob_pages_forget(p, to);
		return;
	}
	old = xchg(slot, 0ull);
	new_slot = slot_make(p, to);
	if (new_slot)
		WRITE_ONCE(*new_slot, old);
}

/**
 * iob_pages_forget() - The frame belongs to another file now
 * @p:   pages
 * @pfn: the frame
 *
 * Context: any; folio locked.
 */
void iob_pages_forget(struct iob_pages *p, u64 pfn)
{
	u64 *slot = iob_pages_slot(p, pfn);

	if (slot)
		WRITE_ONCE(*slot, 0);
}

/**
 * iob_pages_for_each_act() - Call a function for every act in memory
 * @p:     pages
 * @fn:    called with @ctx and an act id, the same id perhaps many times
 * @ctx:   for @fn
 * @relax: called between chunks; may sleep
 *
 * Context: the sweeper.
 */
void iob_pages_for_each_act(struct iob_pages *p,
			    void (*fn)(void *ctx, u32 act), void *ctx,
			    void (*relax)(void))
{
	u64 slot, *chunk;
	u32 i, j, last = IOB_ACT_NONE;

	for (i = 0; i < p->nr_chunks; i++) {
		/* pairs with the cmpxchg in slot_make() */
		chunk = smp_load_acquire(&p->chunks[i]);
		if (!chunk)
			continue;
		for (j = 0; j < IOB_CHUNK_SLOTS; j++) {
			slot = READ_ONCE(chunk[j]);
			if (iob_slot_act(slot) == last ||
			    iob_slot_state(slot) == IOB_PAGE_DONE)
				continue;
			last = iob_slot_act(slot);
			fn(ctx, last);
		}
		relax();
	}
	for (i = 0; i < IOB_ASIDE_SHARDS; i++) {
		struct iob_aside *a = &p->aside[i];
		unsigned long flags;

		raw_spin_lock_irqsave(&a->lock, flags);
		for (j = 0; j < IOB_ASIDE_WAYS; j++)
			if (a->pfn[j] && iob_slot_state(a->slot[j]) != IOB_PAGE_DONE)
				fn(ctx, iob_slot_act(a->slot[j]));
		raw_spin_unlock_irqrestore(&a->lock, flags);
	}
}
