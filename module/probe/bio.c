// SPDX-License-Identifier: GPL-2.0
/* Bios: submitted, split, and completed by drivers without requests. */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <linux/timekeeping.h>
#include <trace/events/block.h>

#include "../compat/bvec.h"
#include "../compat/ftrace.h"
#include "../compat/punt.h"
#include "../fs/fs.h"
#include "io.h"
#include "probe.h"
#include "recent.h"

/* What kind of pages a bio has, from its first one. */
enum bio_class {
	BIO_PAGE_CACHE,		/* of files, under writeback or being read */
	BIO_METADATA,		/* a file system's own */
	BIO_BLOCKS,		/* of these, pages of the block device itself */
	BIO_DIRECT,		/* a user's memory */
	BIO_NO_DATA,		/* flush, discard, write-zeroes */
	BIO_REPLACED,		/* copies of page cache pages (crypto.c) */
	BIO_OTHER,		/* compressed data, logs, buffers, swap */
};

/*
 * A metadata block sent home by its buffer: its page is neither locked nor
 * under writeback, but the buffer is locked and keeps the page in its file.
 */
static bool is_block(struct folio *folio, const struct inode *inode)
{
	return inode && S_ISBLK(inode->i_mode) && folio_test_private(folio);
}

/*
 * REQ_IDLE without REQ_META is what direct IO sets and nothing else does; its
 * pages may belong to some file that is mapped and used as the buffer, so they
 * must not be asked whose they are. A page cache page under IO is locked
 * (read) or under writeback (write), which keeps it in its file.
 */
static __always_inline enum bio_class classify(struct bio *bio,
					       struct inode **inode)
{
	struct page *original = NULL;
	struct folio *folio;
	bool is_write = op_is_write(bio_op(bio));

	*inode = NULL;
	if (!bio_has_data(bio))
		return BIO_NO_DATA;
	if (is_write && (bio->bi_opf & (REQ_IDLE | REQ_META)) == REQ_IDLE)
		return BIO_DIRECT;
	folio = page_folio(bio_iter_page(bio, bio->bi_iter));
	if (is_write ? folio_test_writeback(folio) :
		       folio_test_locked(folio) && !folio_test_uptodate(folio))
		*inode = iob_fs_owner(folio);
	if (*inode && iob_fs_is_internal(*inode))
		return BIO_METADATA;
	if (*inode && iob_fs_kind(*inode) != IOB_KIND_UNKNOWN)
		return BIO_PAGE_CACHE;
	if (*inode && S_ISBLK((*inode)->i_mode))
		return BIO_PAGE_CACHE;
	if (is_write && is_block(folio, iob_fs_owner(folio))) {
		*inode = iob_fs_owner(folio);
		return BIO_BLOCKS;
	}
	if (bio->bi_opf & (REQ_META | REQ_PRIO))
		return BIO_METADATA;
	if (is_write && iob_cluster_is(folio)) {
		*inode = iob_fs_owner(folio);
		return BIO_REPLACED;
	}
	if (is_write)
		original = iob_crypto_source(bio) ?:
			   iob_crypto_original(bio_iter_page(bio, bio->bi_iter));
	if (original) {
		*inode = iob_fs_owner(page_folio(original));
		return BIO_REPLACED;
	}
	if (!is_write && folio_test_anon(folio))
		return BIO_DIRECT;
	return BIO_OTHER;
}

/* The kernel marks what is swapped out, not what is read for want of it. */
static bool is_swap_in(const struct bio *bio)
{
	struct folio *folio;

	if (bio_op(bio) != REQ_OP_READ || !bio_has_data((struct bio *)bio))
		return false;
	folio = page_folio(bio_iter_page(bio, bio->bi_iter));
	return folio_test_swapcache(folio) && folio_test_locked(folio) &&
	       !folio_test_uptodate(folio);
}

static enum iob_kind kind_of(const struct bio *bio, enum bio_class class,
			     const struct iob_stack *stack)
{
	switch (bio_op(bio)) {
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return IOB_KIND_DISCARD;
	case REQ_OP_WRITE_ZEROES:
		return IOB_KIND_ZEROES;
	case REQ_OP_ZONE_RESET:
	case REQ_OP_ZONE_RESET_ALL:
	case REQ_OP_ZONE_OPEN:
	case REQ_OP_ZONE_CLOSE:
	case REQ_OP_ZONE_FINISH:
		return IOB_KIND_ZONE;
	default:
		break;
	}
	if (bio->bi_opf & REQ_SWAP || is_swap_in(bio))
		return IOB_KIND_SWAP;
	switch (class) {
	case BIO_NO_DATA:
		return IOB_KIND_FLUSH;
	case BIO_METADATA:
	case BIO_BLOCKS:
		return IOB_KIND_METADATA;
	case BIO_DIRECT:
		return IOB_KIND_DIRECT;
	case BIO_PAGE_CACHE:
	case BIO_REPLACED:
		return op_is_write(bio_op(bio)) ? IOB_KIND_DATA : IOB_KIND_READ;
	default:
		break;
	}
	if (iob_stack_has(stack, IOB_TRAIT_SUPER))
		return IOB_KIND_METADATA;
	if (iob_stack_has(stack, IOB_TRAIT_RESYNC))
		return IOB_KIND_RESYNC;
	if (iob_stack_has(stack, IOB_TRAIT_COPY))
		return IOB_KIND_COPY;
	return op_is_write(bio_op(bio)) ? IOB_KIND_UNKNOWN : IOB_KIND_READ;
}

/*
 * On what basis the issuer stands for the origin: reads, direct IO, operations
 * without data and a device's own work are its own; a write of anything else is
 * not known to be.
 */
static enum iob_basis basis_of(const struct bio *bio, enum bio_class class,
			       const struct iob_stack *stack)
{
	if (!op_is_write(bio_op(bio)) || class == BIO_DIRECT ||
	    class == BIO_NO_DATA || iob_stack_has(stack, IOB_TRAIT_SUPER) ||
	    iob_stack_has(stack, IOB_TRAIT_RESYNC) ||
	    iob_stack_has(stack, IOB_TRAIT_COPY))
		return IOB_BASIS_DIRECT;
	return IOB_BASIS_ISSUER;
}

static u8 reason_of(enum bio_class class, const struct bio *bio,
		    const struct iob_stack *stack)
{
	u32 mark = 0;

	if (!op_is_write(bio_op(bio)))
		return bio->bi_opf & REQ_RAHEAD ? IOB_REASON_READAHEAD :
						  IOB_REASON_NONE;
	if (class == BIO_DIRECT)
		return IOB_REASON_DIRECT;
	/* an interrupt has interrupted a flusher, it does not act for one */
	if (in_task())
		mark = iob_marks_get(&iob_state.marks, (unsigned long)current);
	return mark ?: stack ? stack->reason : IOB_REASON_NONE;
}

static void set_iter(struct iob_flow *flow, const struct bvec_iter *iter)
{
	flow->sector = iter->bi_sector;
	flow->size = iter->bi_size;
	flow->idx = iter->bi_idx;
	flow->offset = iob_iter_offset(iter);
}

static void get_iter(const struct iob_flow *flow, struct bvec_iter *iter)
{
	iter->bi_sector = flow->sector;
	iter->bi_size = flow->size;
	iter->bi_idx = flow->idx;
	iob_iter_offset(iter) = flow->offset;
}

/*
 * Only what a user reads is told of: what a file system reads for itself it does
 * not use by calls that can be seen.
 */
static bool tells_reads(const struct inode *inode)
{
	return iob_state.filter.readahead && inode && S_ISREG(inode->i_mode) &&
	       iob_fs_kind(inode) == IOB_KIND_DATA;
}

/* Epochs that are looked back for somebody. */
#define MAX_EPOCHS	4

/* Metadata in the page cache of a file system's own inode. */
static void by_internal(struct iob_flow *flow, const struct bio *bio,
			const struct inode *inode)
{
	const struct iob_fs *fs = iob_fs_of(inode);
	struct folio *folio = page_folio(bio_iter_page(bio, bio->bi_iter));
	struct iob_tx tx = fs->write_tx(&iob_state.joins, inode, folio);
	int i;

	flow->by = IOB_BY_PAGE;
	flow->basis = IOB_BASIS_BLOCK;
	flow->join_basis = fs->basis;
	if (!tx.tid)
		return;
	flow->join = iob_joins_find(&iob_state.joins, tx.dev, tx.tid);
	/* what nobody has joined is written because of those before */
	for (i = 1; !flow->join && fs->basis == IOB_BASIS_EPOCH &&
	     i < MAX_EPOCHS && i < tx.tid; i++)
		flow->join = iob_joins_find(&iob_state.joins, tx.dev,
					    tx.tid - i);
}

/* A super block of a file system whose super blocks are its transactions'. */
static void by_super(struct iob_flow *flow, const struct bio *bio)
{
	struct bio_vec bv = bio_iter_iovec(bio, bio->bi_iter);
	struct iob_tx tx = { };

	if (bv.bv_len >= 4096 && !PageHighMem(bv.bv_page))
		tx = iob_fs_super_tx(page_address(bv.bv_page) + bv.bv_offset);
	if (!tx.tid)
		return;
	/* an fsync writes one that still names the transaction before */
	flow->join = iob_joins_find(&iob_state.joins, tx.dev, tx.tid) ?:
		     iob_joins_find(&iob_state.joins, tx.dev, tx.tid + 1);
	flow->join_basis = IOB_BASIS_TRANSACTION;
	if (flow->join)
		flow->by = IOB_BY_JOIN;
}

/*
 * How its origins will be found: @inode owns its first page, if anybody does;
 * @join is the transaction its submitter writes out, if it does, by the path
 * @stack.
 */
static void set_by(struct iob_flow *flow, const struct bio *bio,
		   enum bio_class class, const struct inode *inode, u32 join,
		   const struct iob_stack *stack)
{
	if (!op_is_write(bio_op(bio)) || class == BIO_NO_DATA ||
	    class == BIO_DIRECT)
		return;
	if (inode && class == BIO_METADATA) {
		by_internal(flow, bio, inode);
		return;
	}
	if (inode)
		flow->block_shift = inode->i_blkbits;
	if (class == BIO_PAGE_CACHE || class == BIO_REPLACED) {
		flow->by = IOB_BY_PAGE;
		flow->basis = class == BIO_PAGE_CACHE ? IOB_BASIS_PAGE :
							IOB_BASIS_BATCH;
		return;
	}
	if (class == BIO_OTHER && !join && in_task()) {
		flow->join = iob_batch_take(stack);
		if (flow->join) {
			flow->by = IOB_BY_JOIN;
			flow->join_basis = IOB_BASIS_BATCH;
			return;
		}
	}
	if (join) {
		flow->join = join;
		flow->by = IOB_BY_JOIN;
		flow->join_basis = IOB_BASIS_TRANSACTION;
		if (!flow->reason)
			flow->reason = iob_joins_reason(&iob_state.joins, join);
	} else if (class == BIO_BLOCKS || class == BIO_METADATA) {
		if (class == BIO_BLOCKS)
			flow->by = IOB_BY_BLOCK;
		by_super(flow, bio);
	}
}

/*
 * What can be said of a bio where it is submitted.
 */
static void describe(struct iob_scratch *scratch, struct iob_hook *hook,
		     struct bio *bio, struct iob_flow *flow)
{
	struct inode *inode;
	enum bio_class class = classify(bio, &inode);
	const struct iob_stack *stack;
	u32 epoch, role, stack_id, file = 0;
	enum iob_kind kind;

	memset(flow, 0, sizeof(*flow));
	/* before what is found, so that a sweep that begins now is noticed */
	epoch = iob_objects_epoch(&iob_state.objects);
	role = iob_task_role(scratch);
	stack_id = iob_stack_current(scratch, hook, &scratch->here);
	stack = scratch->here;
	if (iob_stack_has(stack, IOB_TRAIT_DIRECT) &&
	    (class == BIO_DIRECT || class == BIO_OTHER)) {
		class = BIO_DIRECT;
		inode = NULL;
		file = iob_hints_get(&iob_state.hints, current->pid);
		/* also keeps it from being swept before it is used */
		if (!iob_intern_lookup(&iob_state.objects.files, file))
			file = 0;
	}
	if (inode && !op_is_write(bio_op(bio)))
		file = iob_file_of(scratch, inode);
	/* of what is written a last chance, should the first look have failed */
	if (inode && (class == BIO_PAGE_CACHE || file))
		iob_file_name_now(scratch, inode);
	kind = kind_of(bio, class, stack);
	/* a block device's pages that were not written raw are metadata */
	if (inode && S_ISBLK(inode->i_mode) && op_is_write(bio_op(bio)))
		kind = IOB_KIND_METADATA;
	flow->issuer = iob_act_by(scratch, role, stack_id, file, kind);
	if (likely(flow->issuer >= IOB_NR_RESERVED_ACTS)) {
		flow->role = role;
		flow->epoch = epoch;
	}
	flow->origin = flow->issuer;
	flow->unknown = kind == IOB_KIND_METADATA ? flow->issuer :
						    IOB_ACT_PREEXISTING;
	flow->basis = basis_of(bio, class, stack);
	flow->reason = reason_of(class, bio, stack);
	/* an interrupt has interrupted a commit, it does not write for it */
	set_by(flow, bio, class, inode, in_task() ?
	       iob_marks_get(&iob_state.commits, (unsigned long)current) : 0,
	       stack);
	if (class == BIO_PAGE_CACHE && !op_is_write(bio_op(bio)) &&
	    tells_reads(inode))
		flow->by = IOB_BY_READER;
	if (class == BIO_METADATA && op_is_write(bio_op(bio)) && !flow->join)
		iob_xfs_flow(scratch, bio, flow);
	if (iob_stack_has(stack, IOB_TRAIT_COPY) && op_is_write(bio_op(bio)))
		iob_zram_flow(bio, flow);
	/* the loop driver's worker, which sends the pages of others */
	if (class == BIO_DIRECT && file && op_is_write(bio_op(bio))) {
		if (current->flags & PF_KTHREAD)
			iob_loan_direct(bio, flow);
		else
			iob_work_dirtier(iob_intern_lookup(&iob_state.objects.files,
							   file), flow->issuer);
	}
	flow->queue_ns = ktime_get_mono_fast_ns();
	set_iter(flow, &bio->bi_iter);
}

/**
 * iob_bio_unseen() - What can be said of a bio whose submission was not seen
 * @bio:  the bio, completing
 * @flow: filled
 *
 * Context: probe.
 */
void iob_bio_unseen(struct bio *bio, struct iob_flow *flow)
{
	struct inode *inode;
	enum bio_class class = classify(bio, &inode);

	memset(flow, 0, sizeof(*flow));
	flow->origin = IOB_ACT_PREEXISTING;
	flow->unknown = IOB_ACT_PREEXISTING;
	flow->basis = IOB_BASIS_ISSUER;
	set_by(flow, bio, class, inode, 0, NULL);
	set_iter(flow, &bio->bi_iter);
	iob_count(&iob_state.counters, IOB_CNT_UNTRACKED_BIOS, 1);
}

/* The inode whose page cache the first page is in; NULL: none, or there is none. */
static const struct inode *first_owner(struct bio *bio, struct bvec_iter iter)
{
	return iter.bi_size ? iob_fs_owner(page_folio(bio_iter_page(bio, iter))) :
			      NULL;
}

/* The pages that follow are another file's, or none's. */
static noinline void charge_owner(struct iob_io *io, struct folio *folio)
{
	const struct inode *inode = folio ? iob_fs_owner(folio) : NULL;
	struct iob_file_key key;

	if (inode)
		iob_fs_file_key(inode, &key);
	iob_charge_owner(&iob_state, io, inode ? folio->mapping : NULL,
			 inode ? &key : NULL);
}

static noinline void charge_other(struct iob_io *io, struct folio *folio,
				  struct iob_peek peek, u64 pfn, u64 sector,
				  u32 bytes)
{
	struct iob_written w = {
		.pfn = pfn, .sector = sector, .bytes = bytes, .peek = peek,
		.still_dirty = folio_test_dirty(folio),
		.is_large = folio_test_large(folio),
	};

	if (READ_ONCE(folio->mapping) != io->owner || !io->owner)
		charge_owner(io, folio);
	iob_charge_page(&iob_state, io, &w);
}

/* A page that its slot tells of. */
static __always_inline void charge_page(struct iob_io *io, struct folio *folio,
					u64 pfn, u64 sector, u32 bytes)
{
	/* before the folio's flags */
	struct iob_peek peek = iob_pages_peek(&iob_state.pages, pfn);

	/* where there is no owner, there is no page before either */
	if (unlikely(READ_ONCE(folio->mapping) != io->owner ||
		     folio_test_dirty(folio) || !iob_charge_again(io, peek, bytes)))
		charge_other(io, folio, peek, pfn, sector, bytes);
}

/* Of @bytes that begin with a page of a large folio, those that are as the page before. */
static __always_inline u32 charge_alike(struct iob_io *io, struct folio *folio,
					u64 pfn, u32 bytes)
{
	u64 end = folio_pfn(folio) + folio_nr_pages(folio);

	if (READ_ONCE(folio->mapping) != io->owner || !io->owner)
		return 0;
	return iob_charge_pages(&iob_state, io, pfn,
				min_t(u64, bytes >> PAGE_SHIFT, end - pfn)) <<
	       PAGE_SHIFT;
}

/* All of a bio's pages, or a part, that are pages of the page cache themselves. */
static void charge_pages(struct iob_io *io, struct bio *bio,
			 struct bvec_iter iter)
{
	u32 offset, left, bytes;
	struct folio *folio;
	struct bio_vec bv;
	u64 pfn, sector;

	__bio_for_each_bvec(bv, bio, iter, iter) {
		pfn = page_to_pfn(bv.bv_page) + (bv.bv_offset >> PAGE_SHIFT);
		offset = offset_in_page(bv.bv_offset);
		sector = iter.bi_sector;
		for (left = bv.bv_len; left; left -= bytes) {
			folio = page_folio(pfn_to_page(pfn));
			bytes = !offset && folio_test_large(folio) ?
				charge_alike(io, folio, pfn, left) : 0;
			if (!bytes) {
				bytes = min_t(u32, left, PAGE_SIZE - offset);
				charge_page(io, folio, pfn, sector, bytes);
			}
			pfn += DIV_ROUND_UP(bytes, PAGE_SIZE);
			sector += bytes >> SECTOR_SHIFT;
			offset = 0;
		}
	}
}

/* The same where others may stand for them. */
static noinline void charge_replaced(struct iob_io *io, struct bio *bio,
				     const struct iob_flow *flow,
				     struct bvec_iter iter, bool may_be_cluster)
{
	struct bio_vec bv;

	__bio_for_each_segment(bv, bio, iter, iter) {
		struct page *page = bv.bv_page;
		u32 act = flow->is_lent ? iob_loan_owner(io, page) :
					  IOB_ACT_NONE;

		if (act != IOB_ACT_NONE) {
			iob_charge_act(&iob_state, io, act, bv.bv_len);
			continue;
		}
		if (may_be_cluster && iob_cluster_charge(io, page, bv.bv_len))
			continue;
		if (flow->basis == IOB_BASIS_BATCH)
			page = iob_crypto_original(page) ?: page;
		charge_page(io, page_folio(page), page_to_pfn(page),
			    iter.bi_sector, bv.bv_len);
	}
}

/**
 * iob_bio_charge_part() - Charge a part of a bio by what its flow says
 * @io:    the IO
 * @bio:   the bio, its pages still under IO
 * @flow:  what is known of it
 * @from:  where the part begins
 * @bytes: how long it is
 * @submitted_ns: when the bio was whose pages they are
 *
 * Context: probe; by iob_bio_charge().
 */
void iob_bio_charge_part(struct iob_io *io, struct bio *bio,
			 const struct iob_flow *flow,
			 const struct bvec_iter *from, u32 bytes,
			 u64 submitted_ns)
{
	struct bvec_iter iter = *from;
	bool may_be_cluster;
	struct bio_vec bv;

	iob_charge_flow(&iob_state, io, flow);
	io->submitted_ns = submitted_ns;
	if (flow->is_kept) {
		iob_keep_charge(io, iter.bi_sector, bytes);
		return;
	}
	if (flow->by == IOB_BY_READER) {
		iter.bi_size = bytes;
		__bio_for_each_segment(bv, bio, iter, iter)
			iob_charge_read(&iob_state, io, page_to_pfn(bv.bv_page),
					bv.bv_len);
		return;
	}
	if (flow->by != IOB_BY_PAGE) {
		iob_charge_bytes(&iob_state, io, iter.bi_sector, bytes);
		return;
	}
	iter.bi_size = bytes;
	may_be_cluster = iob_cluster_may_be(first_owner(bio, iter));
	charge_owner(io, NULL);
	if (may_be_cluster || flow->is_lent || flow->basis == IOB_BASIS_BATCH)
		charge_replaced(io, bio, flow, iter, may_be_cluster);
	else
		charge_pages(io, bio, iter);
	iob_charge_run(&iob_state, io);
}

/* Where a sector is in a bio, as it was submitted. */
static void place_of(struct bio *bio, const struct iob_flow *flow, u64 sector,
		     struct bvec_iter *iter)
{
	get_iter(flow, iter);
	if (bio_has_data(bio))
		bio_advance_iter(bio, iter,
				 (sector - flow->sector) << SECTOR_SHIFT);
	else
		iter->bi_sector = sector;
}

/* Levels of devices upon devices that are followed. */
#define MAX_LEVELS	8

/* Is the bio above @flow's, which waits for it, still what it was? */
static bool is_above(const struct iob_flow *flow, struct iob_flow *above)
{
	return iob_flows_lookup(&iob_state.flows, flow->parent, above) &&
	       !above->is_link && above->id == flow->up;
}

/*
 * The bio of the topmost device that a part of @flow belongs to, and where in
 * it; NULL if there is none, or not all of the part is in it. A bio above waits
 * for those below, so its pages are there.
 */
static struct bio *top_of(const struct iob_flow *flow, u64 sector, u32 bytes,
			  struct iob_flow *top, struct bvec_iter *iter)
{
	struct bio *bio = NULL;
	struct iob_flow above;
	int level;

	*top = *flow;
	for (level = 0; top->parent && !top->is_copy && level < MAX_LEVELS;
	     level++) {
		if (!is_above(top, &above))
			return NULL;
		sector += top->parent_sector - top->sector;
		bio = (struct bio *)top->parent;
		*top = above;
		if (sector < top->sector ||
		    ((sector - top->sector) << SECTOR_SHIFT) + bytes > top->size)
			return NULL;
	}
	if (top->is_copy)
		return iob_crypto_source_at(top, sector, bytes, iter);
	if (!bio)
		return NULL;
	place_of(bio, top, sector, iter);
	return bio;
}

/**
 * iob_bio_asker() - Who submitted the topmost bio that is known
 * @flow: of a bio on its way, or just completed
 *
 * Context: probe.
 * Return: the act.
 */
u32 iob_bio_asker(const struct iob_flow *flow)
{
	struct iob_flow above = *flow, next;
	int level;

	for (level = 0; above.parent && level < MAX_LEVELS &&
			is_above(&above, &next); level++)
		above = next;
	return above.issuer;
}

/**
 * iob_bio_owner() - Whose a page is that a bio on its way has
 * @flow:   of the bio, the topmost one
 * @page:   the page, NULL if there is none
 * @sector: where it goes
 *
 * Context: probe.
 * Return: the act; of several that share it, one.
 */
u32 iob_bio_owner(const struct iob_flow *flow, struct page *page, u64 sector)
{
	u32 act = IOB_ACT_NONE;

	if (page && flow->by == IOB_BY_PAGE) {
		if (flow->basis == IOB_BASIS_BATCH)
			page = iob_crypto_original(page) ?: page;
		act = iob_pages_owner(&iob_state.pages, page_to_pfn(page));
	}
	if (act == IOB_ACT_NONE)
		act = iob_loan_owner_in(flow, sector);
	return act ?: flow->unknown;
}

/**
 * iob_bio_top() - What is above a part of a bio on its way
 * @bio:    the bio
 * @flow:   what is known of it
 * @sector: where the part begins
 * @bytes:  how long it is
 * @top:    set to the flow of the topmost bio that is known
 * @iter:   set to where the part is in that
 *
 * Context: probe.
 * Return: the topmost bio, @bio itself if there is none above it.
 */
struct bio *iob_bio_top(struct bio *bio, const struct iob_flow *flow,
			u64 sector, u32 bytes, struct iob_flow *top,
			struct bvec_iter *iter)
{
	struct bio *above = flow->parent ?
			    top_of(flow, sector, bytes, top, iter) : NULL;

	if (above)
		return above;
	*top = *flow;
	place_of(bio, flow, sector, iter);
	return bio;
}

/**
 * iob_bio_charge_above() - Charge a part of a bio as the topmost one it belongs to
 * @io:     the IO
 * @flow:   what is known of the bio
 * @sector: where the part begins
 * @bytes:  how long it is
 *
 * Context: probe; by iob_bio_charge().
 * Return: false if none is known.
 */
bool iob_bio_charge_above(struct iob_io *io, const struct iob_flow *flow,
			  u64 sector, u32 bytes)
{
	struct bvec_iter iter;
	struct iob_flow top;
	struct bio *above = top_of(flow, sector, bytes, &top, &iter);
	u64 submitted_ns = top.queue_ns;

	if (!above)
		return false;
	/* where the pages are the same, they tell at every level */
	if (top.basis != flow->basis)
		top.basis = IOB_BASIS_INHERITED;
	top.peek = !flow->is_copy;
	top.issuer = flow->issuer;
	top.role = flow->role;
	top.epoch = flow->epoch;
	top.queue_ns = flow->queue_ns;
	top.issue_ns = flow->issue_ns;
	top.id = flow->id;
	top.up = flow->up;
	top.parts = flow->parts;
	iob_bio_charge_part(io, above, &top, &iter, bytes, submitted_ns);
	return true;
}

static DEFINE_PER_CPU(u64, ids);

/* A number for an IO that no other has. Context: preemption off. */
static u64 new_id(void)
{
	return (u64)(smp_processor_id() + 1) << 48 | this_cpu_inc_return(ids);
}

/* Will this disk pass its bios on to others? */
static bool passes_on(const struct gendisk *disk)
{
	return disk->fops->submit_bio;
}

/* Note where a bio, or what is left of it, begins, if it will be passed on. */
static void place(const struct bio *bio)
{
	struct gendisk *disk = bio->bi_bdev->bd_disk;

	if (passes_on(disk))
		iob_flows_place(&iob_state.flows, disk_devt(disk),
				bio->bi_iter.bi_sector, (unsigned long)bio);
}

/* A flush that is passed on with the data it precedes is no IO of its own. */
static void count_part(void *value, const void *arg)
{
	struct iob_flow *flow = value;
	const struct bio *part = arg;

	if (flow->parts < U8_MAX)
		flow->parts++;
	if (part->bi_opf & REQ_PREFLUSH)
		flow->is_preflush = 0;
}

/* What is known of a bio before it is submitted: it is part of @parent, at @sector. */
static void link_up(struct iob_flow *link, const struct bio *bio, u64 parent,
		    u64 sector, const struct iob_flow *above)
{
	*link = (struct iob_flow){
		.is_link = 1,
		.parent = parent,
		.parent_sector = sector,
		.up = above->id,
	};
	/* the flush before the data is counted by itself */
	if (bio->bi_iter.bi_size)
		iob_flows_update(&iob_state.flows, parent, count_part, bio);
}

/* Is it known what this bio is part of, as it is submitted? */
static noinline bool is_linked(const struct bio *bio, struct iob_flow *link)
{
	struct iob_flow above;
	struct bio *parent;
	u64 sector;

	if (iob_flows_link(&iob_state.flows, (unsigned long)bio, link))
		return true;
	parent = iob_mapper_above(bio, &sector) ?:
		 iob_bcache_above(bio, &sector);
	if (!parent || !iob_flows_lookup(&iob_state.flows,
					 (unsigned long)parent, &above) ||
	    above.is_link)
		return false;
	link_up(link, bio, (unsigned long)parent, sector, &above);
	return true;
}

/* What was noted of a bio before it is submitted, or what it says of itself. */
static noinline void add_link(struct iob_flow *flow, const struct iob_flow *link)
{
	flow->parent = link->parent;
	flow->parent_sector = link->parent_sector;
	flow->up = link->up;
	if (!link->join)
		return;
	flow->join = link->join;
	flow->by = IOB_BY_JOIN;
	flow->join_basis = IOB_BASIS_BATCH;
}

static void on_queue(void *hook, struct bio *bio)
{
	struct gendisk *disk = bio->bi_bdev->bd_disk;
	/* by a driver, from another; few are */
	bool is_made = iob_hook_may_be(bio->bi_end_io);
	struct iob_scratch *scratch;
	struct iob_flow *flow;
	bool is_part;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	scratch = iob_scratch(level);
	/* while a flow is written, what was known of the bio is not */
	is_part = (is_made || iob_flows_have_links(&iob_state.flows)) &&
		  is_linked(bio, &scratch->link);
	flow = iob_flows_open(&iob_state.flows, (unsigned long)bio,
			      &scratch->flow);
	describe(scratch, hook, bio, flow);
	flow->id = new_id();
	flow->dev = disk_devt(disk);
	flow->is_preflush = !!(bio->bi_opf & REQ_PREFLUSH);
	if (is_part)
		add_link(flow, &scratch->link);
	if (flow->basis == IOB_BASIS_BATCH && !flow->parent)
		iob_crypto_copied(bio, flow);
	if (iob_bcache_is(disk)) {
		flow->is_moved = 1;
		/* its name is not to be had where the bio ends */
		iob_devices_get(&iob_state.devices, flow->dev, disk->disk_name);
	}
	if (is_made)
		iob_bcache_flow(bio, flow);
	if (is_made && iob_stripe_is(bio))
		iob_stripe_flow(scratch, bio, flow);
	if (bio->bi_opf & REQ_SWAP && op_is_write(bio_op(bio)))
		iob_swap_flow(scratch, bio, flow);
	if (iob_keep_is(disk))
		iob_keep_note(bio, flow);
	iob_flows_publish(&iob_state.flows, (unsigned long)bio, flow);
	if (passes_on(disk))
		place(bio);
	iob_count(&iob_state.counters, IOB_CNT_BIOS_QUEUED, 1);
	iob_exit(level);
}

/*
 * blkcg_punt_bio_submit(bio): what was made of a batch is submitted by another
 * worker, on behalf of a cgroup. block/blk-cgroup.c
 */
static void on_punt(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct bio *bio = (void *)ftrace_regs_get_argument(fregs, 0);
	struct iob_flow link = { .is_link = 1 };
	struct iob_stack *stack;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_stack_current(iob_scratch(level), hook, &stack);
	link.join = iob_batch_take(stack);
	if (link.join)
		iob_flows_set(&iob_state.flows, (unsigned long)bio, &link);
	iob_exit(level);
}

/*
 * A device passes on @bio, made from one that was submitted to @dev, at sector
 * @from there. It will be submitted next. A partition's bio is told of here
 * before it was submitted anywhere, and found nowhere.
 */
static void on_remap(void *hook, struct bio *bio, dev_t dev, sector_t from)
{
	struct iob_flow link, above;
	u64 parent;
	int level;

	/* parity is announced as if it were the array's first sector */
	if (iob_stripe_is(bio))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	parent = iob_flows_at(&iob_state.flows, dev, from, &above);
	if (!parent || parent == (unsigned long)bio)
		goto out;
	link_up(&link, bio, parent, from, &above);
	iob_flows_set(&iob_state.flows, (unsigned long)bio, &link);
out:
	iob_exit(level);
}

/* What is left of a bio begins further on, also in the one above. */
static void shorten(void *value, const void *arg)
{
	struct iob_flow *flow = value;
	const struct bvec_iter *iter = arg;

	flow->parent_sector += iter->bi_sector - flow->sector;
	set_iter(flow, iter);
}

/*
 * @split is the new front part; the rest stays with the parent, whose iterator
 * has been advanced. The front part completes without having been queued.
 */
static void on_split(void *hook, struct bio *split, unsigned int new_sector)
{
	struct bio *parent = split->bi_private;
	struct iob_flow flow;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_count(&iob_state.counters, IOB_CNT_BIOS_SPLIT, 1);
	/* a parent that is known is a live bio; it is not looked at before */
	if (iob_flows_lookup(&iob_state.flows, (unsigned long)parent, &flow)) {
		iob_flows_update(&iob_state.flows, (unsigned long)parent,
				 shorten, &parent->bi_iter);
		shorten(&flow, &split->bi_iter);
		/* a use: the copy may be made where a sweep has looked */
		iob_intern_lookup(&iob_state.objects.acts, flow.issuer);
		flow.id = new_id();
		place(parent);
		place(split);
	} else if (iob_flows_lookup(&iob_state.flows, (unsigned long)split,
				    &flow)) {
		/* dm tells of the bio it takes a part of: it stays whole here */
		place(split);
		goto out;
	} else {
		describe(iob_scratch(level), hook, split, &flow);
	}
	iob_flows_set(&iob_state.flows, (unsigned long)split, &flow);
out:
	iob_exit(level);
}

static void advance(void *value, const void *arg)
{
	struct iob_flow *flow = value;
	const struct bio *part = arg;
	struct bvec_iter iter;

	get_iter(flow, &iter);
	/* a part shares its parent's pages, if there are any */
	bio_advance_iter(part, &iter, min(part->bi_iter.bi_size, flow->size));
	shorten(flow, &iter);
}

/*
 * Is @bio a front part of a bio that is known? md did not announce its splits
 * before v6.12. The parent waits for its parts, so it is there.
 */
static bool take_part(struct bio *bio, struct iob_flow *flow)
{
	unsigned long parent = (unsigned long)bio->bi_private;

	if (!iob_flows_lookup(&iob_state.flows, parent, flow))
		return false;
	set_iter(flow, &bio->bi_iter);
	return iob_flows_update(&iob_state.flows, parent, advance, bio);
}

static bool is_mapper(const char *disk)
{
	return !strncmp(disk, "dm-", 3);
}

/*
 * What a disk's own statistics leave out: device mapper what a target has refused
 * at once, md a flush alone.
 */
static bool is_uncounted(const char *disk, const struct bio *bio,
			 const struct iob_flow *flow)
{
	if (is_mapper(disk))
		return bio->bi_status && !flow->parts;
	return !strncmp(disk, "md", 2) && !flow->size;
}

/*
 * Drivers without requests. On a disk with requests a bio ends here only if it
 * failed before it became part of one: the disk has not seen it.
 */
static void on_complete(void *hook, struct request_queue *q, struct bio *bio)
{
	struct gendisk *disk = bio->bi_bdev->bd_disk;
	const char *name = disk->disk_name;
	u32 dev = disk_devt(disk);
	struct iob_scratch *scratch;
	struct bvec_iter iter;
	struct iob_flow *flow;
	bool is_known, is_moved;
	int level;

	/* told of by its request, which has taken what was known of it */
	if (!passes_on(disk) && !bio->bi_status &&
	    !iob_flows_have_moved(&iob_state.flows))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	scratch = iob_scratch(level);
	flow = iob_flows_claim(&iob_state.flows, (unsigned long)bio,
			       &scratch->flow);
	is_known = flow && !flow->is_link;
	is_moved = is_known && flow->is_moved;
	if (is_moved) {
		dev = flow->dev;
		name = iob_devices_get(&iob_state.devices, dev, "")->name;
	}
	/* nor has it where a driver would have had to wait for room */
	if ((!is_moved && !passes_on(disk)) || bio->bi_status == BLK_STS_AGAIN)
		goto out;
	if (is_known && is_uncounted(name, bio, flow))
		goto out;
	if (is_known && flow->size && is_mapper(name))
		iob_charge_more_ios(&iob_state, dev, name,
				    iob_io_op(bio->bi_opf, flow->size),
				    flow->is_preflush + max(flow->parts, 1) - 1);
	if (!is_known) {
		flow = flow ?: &scratch->flow;
		if (!take_part(bio, flow))
			iob_bio_unseen(bio, flow);
	}
	get_iter(flow, &iter);
	iob_charge_begin(&scratch->io, dev, name,
			 iob_io_op(bio->bi_opf, flow->size), flow->sector,
			 ktime_get_mono_fast_ns());
	iob_bio_charge(&scratch->io, bio, flow, &iter, flow->size);
	iob_io_finish(&scratch->io, iob_io_flags(bio->bi_opf, bio->bi_status));
out:
	if (flow)
		iob_flows_release(&iob_state.flows, flow);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_TRACEPOINT(block_bio_complete, on_complete, IOB_REQUIRED,
		       "IO of devices without requests"),
	IOB_TRACEPOINT(block_split, on_split, IOB_REQUIRED,
		       "issuers of split bios"),
	IOB_PRIVATE_FUNCTION(NULL, iob_punt_bio, on_punt,
			     "whose data is compressed on behalf of a cgroup"),
	IOB_TRACEPOINT(block_bio_remap, on_remap, IOB_OPTIONAL,
		       "origins of IO that a device passes on as a copy (dm-crypt)"),
	IOB_TRACEPOINT(block_bio_queue, on_queue, IOB_REQUIRED,
		       "who submits IO"),
};

const struct iob_hook_table iob_bio_hooks = IOB_HOOK_TABLE(hooks);
