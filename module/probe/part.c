// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of a large folio that iomap (XFS), btrfs or ext4 dirties: the page cache's own
 * event comes once for the whole, and not at all if it is dirty already. Where the
 * kernel keeps no dirty bit a block it writes the whole folio, and whoever
 * dirtied it first has it all.
 */
#include <linux/iomap.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <linux/xarray.h>

#include "../compat/ext4.h"
#include "../compat/ftrace.h"
#include "../compat/iomap.h"
#include "../fs/fs.h"
#include "probe.h"
#include "recent.h"

#ifdef IOB_HAVE_IOMAP_DIRTY_FOLIO
/* Pages @first to @end of a folio become dirty, if they are not. */
static void dirty(struct iob_hook *hook, struct folio *folio, u32 first, u32 end)
{
	const struct inode *inode = iob_fs_owner(folio);
	bool under_writeback = folio_test_writeback(folio);
	const struct iob_dirtying *d;
	struct iob_scratch *scratch;
	u64 now_ns;
	int level;
	u32 nr;

	if (!inode || first >= end || !S_ISREG(inode->i_mode) ||
	    iob_fs_kind(inode) != IOB_KIND_DATA)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	scratch = iob_scratch(level);
	now_ns = iob_dirtied_ns(scratch, under_writeback);
	d = iob_dirtying_of(scratch, hook, inode, IOB_KIND_DATA,
			    iob_is_dirtied_again(&scratch->dirtying, inode));
	for (; first < end; first += nr) {
		nr = iob_dirtying_is_its_own() ? end - first : 1;
		iob_charge_dirty_part(&iob_state, folio_pfn(folio) + first, nr,
				      iob_dirtying_act(d, folio_pos(folio) +
						       first * PAGE_SIZE),
				      now_ns, under_writeback);
	}
	/* the event of the whole folio, which may follow, has nothing to add */
	iob_hints_set(&iob_state.parts, current->pid, folio_pfn(folio));
	iob_exit(level);
}

/* @bytes at @pos of a file, as far as @folio has them, become dirty. */
static void dirty_bytes(struct iob_hook *hook, struct folio *folio, u64 pos,
			u64 bytes)
{
	u64 from = folio_pos(folio), first = max(pos, from) - from;
	u64 end = min(pos + bytes - from, (u64)folio_size(folio));

	if (folio_test_large(folio) && bytes && pos + bytes > from)
		dirty(hook, folio, first >> PAGE_SHIFT,
		      DIV_ROUND_UP(end, PAGE_SIZE));
}

static void on_write_end(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct iob_iomap_write_end w;

	iob_iomap_write_end(fregs, &w);
	dirty_bytes(hook, w.folio, w.pos, w.copied);
}

/* iomap_dirty_folio(mapping, folio): the whole of it, by a fault */
static void on_dirty(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 1);

	if (folio_test_large(folio))
		dirty(hook, folio, 0, folio_nr_pages(folio));
}

/*
 * btrfs_folio_set_dirty(fs_info, folio, start, len) and the same with "clamp",
 * where the range may begin before the folio or end behind it: fs/btrfs/subpage.c
 */
static void on_btrfs_dirty(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	dirty_bytes(hook, (void *)ftrace_regs_get_argument(fregs, 1),
		    ftrace_regs_get_argument(fregs, 2),
		    (u32)ftrace_regs_get_argument(fregs, 3));
}

/*
 * ext4 is about to mark dirty what was written to a large folio, buffer by buffer: it
 * is told of at once, and buffer.c finds it done. Of a small folio its own event
 * tells. The folio is locked, so it stays where it is.
 */
static void on_ext4_write_end(void *hook, struct inode *inode, loff_t pos,
			      unsigned int len, unsigned int copied)
{
	struct page *page;

	/* of less than all it may be that nothing counts */
	if (copied <= PAGE_SIZE || copied < len)
		return;
	page = xa_load(&inode->i_mapping->i_pages, pos >> PAGE_SHIFT);
	if (page && !xa_is_value(page))
		dirty_bytes(hook, page_folio(page), pos, copied);
}
#endif

static struct iob_hook hooks[] = {
#ifdef IOB_HAVE_IOMAP_DIRTY_FOLIO
	IOB_PRIVATE_FUNCTION(NULL, iomap_write_end, on_write_end,
			     "who writes which part of a large folio of XFS"),
	IOB_FUNCTION(iomap_dirty_folio,
		     ((struct address_space *)NULL, (struct folio *)NULL),
		     on_dirty, IOB_OPTIONAL,
		     "who maps and changes a large folio of XFS"),
	IOB_PRIVATE_FUNCTION("btrfs", btrfs_folio_clamp_set_dirty,
			     on_btrfs_dirty,
			     "who writes which part of a large folio of btrfs"),
	IOB_PRIVATE_FUNCTION("btrfs", btrfs_folio_set_dirty, on_btrfs_dirty,
			     "who maps and changes a large folio of btrfs"),
	IOB_TRACEPOINT_WITH("ext4", ext4_set_inode_mapping_order,
			    ext4_da_write_end, on_ext4_write_end,
			    "nothing; each page of a large folio of ext4 costs more"),
#endif
};

const struct iob_hook_table iob_part_hooks = IOB_HOOK_TABLE(hooks);
