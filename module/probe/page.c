// SPDX-License-Identifier: GPL-2.0
/* Pages of the page cache: dirtied, given back, being written, dropped. */
#include <linux/buffer_head.h>
#include <linux/ktime.h>
#include <linux/migrate.h>
#include <linux/pagemap.h>
#include <linux/timekeeping.h>
#include <trace/events/filemap.h>
#include <trace/events/writeback.h>

#include "../compat/ftrace.h"
#include "../fs/fs.h"
#include "../out/events.h"
#include "probe.h"
#include "recent.h"

/* What a dirty page of an inode is; IOB_KIND_UNKNOWN if they are not remembered. */
static __always_inline enum iob_kind kind_of(const struct inode *inode)
{
	return S_ISBLK(inode->i_mode) ? IOB_KIND_DATA : iob_fs_kind(inode);
}

/* Are pages of this inode remembered? */
static __always_inline bool is_tracked(const struct inode *inode)
{
	return kind_of(inode) != IOB_KIND_UNKNOWN;
}

/* Act of a page whose dirtying was not seen; a bio knows better of metadata. */
static u32 unknown_of(const struct inode *inode)
{
	return S_ISBLK(inode->i_mode) || iob_fs_is_internal(inode) ?
	       IOB_ACT_NONE : IOB_ACT_PREEXISTING;
}

/*
 * Of a large folio only part may be dirty. Where it has buffers they tell which;
 * where iomap dirties a part, part.c has noted it before.
 */
static noinline void charge_large(struct folio *folio, const struct iob_dirtying *d,
			 u64 now_ns)
{
	u64 pos = folio_pos(folio);
	u32 i, at;
	bool under_writeback = folio_test_writeback(folio);
	struct buffer_head *head, *bh;

	head = iob_fs_has_buffers(folio->mapping) ? folio_buffers(folio) : NULL;
	bh = head;
	if (!head) {
		if (iob_hints_get(&iob_state.parts, current->pid) ==
		    (u32)folio_pfn(folio))
			return;
		for (i = 0; i < folio_nr_pages(folio); i++)
			iob_charge_dirty(&iob_state, folio_pfn(folio) + i, 1,
					 iob_dirtying_act(d, pos + i * PAGE_SIZE),
					 now_ns, under_writeback);
		return;
	}
	do {
		at = offset_in_folio(folio, bh->b_data);
		if (buffer_dirty(bh))
			iob_charge_dirty_part(&iob_state, folio_pfn(folio) +
					      at / PAGE_SIZE, 1,
					      iob_dirtying_act(d, pos + at),
					      now_ns, under_writeback);
		bh = bh->b_this_page;
	} while (bh != head);
}

/*
 * Metadata in the page cache: its dirtier owns it and joins the transaction. A
 * kernel thread that works for nobody in particular does neither; its pages are
 * split over those who joined.
 */
static noinline void internal_dirtied(struct iob_scratch *scratch,
				      struct iob_hook *hook,
				      struct folio *folio,
				      const struct inode *inode)
{
	const struct iob_fs *fs = iob_fs_of(inode);
	u64 pfn = folio_pfn(folio);
	struct iob_doer doer;
	struct iob_tx tx;
	bool is_shared;
	u32 act, i;

	iob_doer_of(scratch, hook, &doer);
	is_shared = !doer.is_somebody ||
		    (fs->is_shared && fs->is_shared(inode));
	/* no file: the page's own inode is not the one that was changed */
	act = iob_doer_act(scratch, &doer, 0, IOB_KIND_METADATA);
	for (i = 0; i < folio_nr_pages(folio) && is_shared; i++)
		iob_pages_forget(&iob_state.pages, pfn + i);
	if (!is_shared)
		iob_charge_dirty(&iob_state, pfn, folio_nr_pages(folio), act,
				 ktime_get_mono_fast_ns(),
				 folio_test_writeback(folio));
	if (!doer.is_somebody)
		return;
	tx = fs->dirty_tx(&iob_state.joins, inode, folio);
	if (tx.tid)
		iob_charge_join(&iob_state, tx.dev, tx.tid, act, folio->index,
				1);
}

/* In a probe: no lock, no memory of one: only the fact is noted. */
static noinline void nested_dirtied(struct folio *folio, const struct inode *inode)
{
	if (is_tracked(inode))
		iob_charge_dirty(&iob_state, folio_pfn(folio),
				 folio_nr_pages(folio), IOB_ACT_NESTED,
				 ktime_get_mono_fast_ns(), false);
}

/* The folio is data of a file, or else has been dealt with. */
static noinline bool is_data(struct iob_scratch *scratch, struct iob_hook *hook,
			     struct folio *folio, const struct inode *inode)
{
	if (!is_tracked(inode))
		return false;
	if (!iob_fs_is_internal(inode))
		return true;
	internal_dirtied(scratch, hook, folio, inode);
	return false;
}

static void on_dirty_folio(void *hook, struct folio *folio,
			   struct address_space *mapping)
{
	const struct inode *inode = mapping ? mapping->host : NULL;
	const struct iob_dirtying *d;
	struct iob_scratch *scratch;
	bool again, under_writeback;
	enum iob_kind kind;
	int level;

	if (!inode)
		return;
	level = iob_enter(hook);
	if (unlikely(level < 0)) {
		nested_dirtied(folio, inode);
		return;
	}
	scratch = iob_scratch(level);
	kind = scratch->dirtying.kind;
	again = iob_is_dirtied_again(&scratch->dirtying, inode);
	if (unlikely(!again)) {
		if (!is_data(scratch, hook, folio, inode))
			goto out;
		kind = kind_of(inode);
	}
	/* journalled data leaves its transaction: it was told when it joined */
	if (iob_marks_get(&iob_state.commits, (unsigned long)current))
		goto out;
	d = iob_dirtying_of(scratch, hook, inode, kind, again);
	if (!d)
		goto out;
	iob_work_dirtier(d->file, d->act);
	under_writeback = folio_test_writeback(folio);
	if (folio_test_large(folio))
		charge_large(folio, d, iob_dirtied_ns(scratch, under_writeback));
	else
		iob_charge_dirty(&iob_state, folio_pfn(folio), 1,
				 iob_dirtying_act(d, folio_pos(folio)),
				 iob_dirtied_ns(scratch, under_writeback),
				 under_writeback);
	iob_file_want_name(inode, d->file_id, d->file);
out:
	iob_exit(level);
}

/* folio_redirty_for_writepage(wbc, folio) */
static void on_redirty(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 1);
	const struct inode *inode = iob_fs_owner(folio);
	int level;

	if (!inode || folio_test_dirty(folio) || !is_tracked(inode))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	iob_charge_redirty(&iob_state, folio_pfn(folio), folio_nr_pages(folio),
			   unknown_of(inode));
	iob_exit(level);
}

/* Addresses that tell how a file is written back. */
static struct iob_hook addresses[] = {
	IOB_ADDRESS("ext4", ext4_dirty_folio, "nothing; each page of ext4 costs more"),
};

const struct iob_hook_table iob_page_addresses = IOB_HOOK_TABLE(addresses);

/*
 * Whoever writes back such a file sends its own pages, by bios that it submits
 * itself: its reason is the bios', and their end is the pages'. Not where ext4
 * journals data, which the journal may write.
 */
static __always_inline bool bio_tells(const struct folio *folio,
				      const struct inode *inode)
{
	unsigned long magic = inode->i_sb->s_magic;

	return magic == XFS_SUPER_MAGIC ||
	       (magic == EXT4_SUPER_MAGIC &&
		iob_hook_is(addresses, folio->mapping->a_ops->dirty_folio));
}

static noinline void writeback_starts(struct iob_hook *hook, struct folio *folio,
				      const struct inode *inode)
{
	int level;

	if (!is_tracked(inode))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	if (iob_batch_may_be(inode))
		iob_batch_add(iob_scratch(level), hook, folio);
	iob_pages_writeback(&iob_state.pages, folio_pfn(folio),
			    folio_nr_pages(folio),
			    iob_marks_get(&iob_state.marks,
					  (unsigned long)current),
			    folio_test_dirty(folio));
	iob_exit(level);
}

/*
 * __folio_start_writeback(folio, keep_write). The page of a small folio may be left
 * alone: it is found under writeback when its write completes, or when it is
 * dirtied again.
 */
static void on_writeback(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct inode *inode = iob_fs_owner(folio);

	if (inode && (folio_test_large(folio) || !bio_tells(folio, inode)))
		writeback_starts(hook, folio, inode);
}

/* The same, from a page on that is dirty. */
static noinline void cancel_dirty(const struct inode *inode, u64 pfn, u32 nr)
{
	u32 disk = iob_fs_disk(inode), taken, act;
	struct iob_file_key key;

	iob_fs_file_key(inode, &key);
	for (; nr; pfn += taken, nr -= taken) {
		taken = iob_charge_cancel(&iob_state, disk, pfn, nr, &key, &act);
		if (act != IOB_ACT_NONE)
			iob_event_cancel(act, disk, (u64)taken * PAGE_SIZE);
	}
}

/* Pages of a folio whose content nobody will write any more. Most are clean. */
static void cancel(const struct inode *inode, u64 pfn, u32 nr)
{
	struct iob_file_key key;
	u32 clean;

	if (iob_state.filter.readahead) {
		iob_fs_file_key(inode, &key);
		iob_charge_read_end(&iob_state, pfn, nr, &key, IOB_READ_UNUSED);
	}
	clean = iob_pages_drop_clean(&iob_state.pages, pfn, nr);
	if (clean < nr)
		cancel_dirty(inode, pfn + clean, nr - clean);
}

/* A frame that leaves the page cache, written or not, is nobody's any more. */
static void on_delete(void *hook, struct folio *folio)
{
	const struct inode *inode = iob_fs_owner(folio);
	int level;

	if (!inode || !is_tracked(inode))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	cancel(inode, folio_pfn(folio), folio_nr_pages(folio));
	iob_exit(level);
}

/*
 * truncate_inode_partial_folio(folio, start, end), mm/truncate.c: of a large
 * folio only the bytes of the file from @start to @end go; -1 is all the rest.
 * The folio may stay in the page cache whole, or lose pages while it is being
 * split. One that is being written is left alone: what it waits for is its
 * pages' last write.
 */
static void on_truncate_part(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 0);
	u64 start = ftrace_regs_get_argument(fregs, 1);
	u64 end = ftrace_regs_get_argument(fregs, 2);
	const struct inode *inode = iob_fs_owner(folio);
	u64 pos = folio_pos(folio), first, after;
	int level;

	if (!inode || !is_tracked(inode) || !folio_test_large(folio) ||
	    folio_test_writeback(folio))
		return;
	first = start > pos ? DIV_ROUND_UP_ULL(start - pos, PAGE_SIZE) : 0;
	end = min(end, pos + folio_size(folio) - 1);
	after = end < pos ? 0 : (end - pos + 1) >> PAGE_SHIFT;
	level = iob_enter(hook);
	if (level < 0)
		return;
	if (first < after)
		cancel(inode, folio_pfn(folio) + first, after - first);
	iob_exit(level);
}

/* folio_migrate_flags(newfolio, folio): compaction and its like */
static void on_migrate(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *to = (void *)ftrace_regs_get_argument(fregs, 0);
	struct folio *from = (void *)ftrace_regs_get_argument(fregs, 1);
	int level;

	if (!iob_fs_owner(to))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	iob_charge_move(&iob_state, folio_pfn(from), folio_pfn(to),
			folio_nr_pages(from));
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_FUNCTION(__folio_start_writeback, ((struct folio *)NULL, false),
		     on_writeback, IOB_REQUIRED,
		     "who dirtied what is written"),
	IOB_FUNCTION(folio_redirty_for_writepage,
		     ((struct writeback_control *)NULL, (struct folio *)NULL),
		     on_redirty, IOB_REQUIRED,
		     "dirtiers of pages that writeback gives back"),
	IOB_FUNCTION(folio_migrate_flags,
		     ((struct folio *)NULL, (struct folio *)NULL), on_migrate,
		     IOB_OPTIONAL, "dirtiers of pages that are moved in memory"),
	IOB_PRIVATE_FUNCTION(NULL, truncate_inode_partial_folio,
			     on_truncate_part,
			     "cancelled bytes of parts of large folios"),
	IOB_TRACEPOINT(mm_filemap_delete_from_page_cache, on_delete,
		       IOB_OPTIONAL, "cancelled bytes"),
	IOB_TRACEPOINT(writeback_dirty_folio, on_dirty_folio, IOB_REQUIRED,
		       "who dirties pages"),
};

const struct iob_hook_table iob_page_hooks = IOB_HOOK_TABLE(hooks);
