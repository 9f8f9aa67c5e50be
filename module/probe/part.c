// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of a large folio that iomap dirties (XFS): the page cache's own event
 * comes once for the whole, and not at all if it is dirty already. Where the
 * kernel keeps no dirty bit a block it writes the whole folio, and whoever
 * dirtied it first has it all.
 */
#include <linux/iomap.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>

#include "../compat/ftrace.h"
#include "../compat/iomap.h"
#include "../fs/fs.h"
#include "probe.h"

#ifdef IOB_HAVE_IOMAP_DIRTY_FOLIO
/* Pages @first to @end of a folio become dirty, if they are not. */
static void dirty(struct iob_hook *hook, struct folio *folio, u32 first, u32 end)
{
	const struct inode *inode = iob_fs_owner(folio);
	struct iob_dirtying d;
	int level;
	u32 i;

	if (!inode || first >= end || !S_ISREG(inode->i_mode))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	iob_dirtying_of(iob_scratch(level), hook, inode, iob_fs_kind(inode), &d);
	for (i = first; i < end; i++)
		iob_charge_dirty_part(&iob_state, folio_pfn(folio) + i,
				      iob_dirtying_act(&d, folio_pos(folio) +
						       i * PAGE_SIZE),
				      ktime_get_mono_fast_ns(),
				      folio_test_writeback(folio));
	/* the event of the whole folio, which may follow, has nothing to add */
	iob_hints_set(&iob_state.parts, current->pid, folio_pfn(folio));
	iob_exit(level);
}

static void on_write_end(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct iob_iomap_write_end w;
	size_t offset;

	iob_iomap_write_end(fregs, &w);
	if (!folio_test_large(w.folio) || !w.copied)
		return;
	offset = offset_in_folio(w.folio, w.pos);
	dirty(hook, w.folio, offset >> PAGE_SHIFT,
	      DIV_ROUND_UP(min(offset + w.copied, folio_size(w.folio)),
			   PAGE_SIZE));
}

/* iomap_dirty_folio(mapping, folio): the whole of it, by a fault */
static void on_dirty(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 1);

	if (folio_test_large(folio))
		dirty(hook, folio, 0, folio_nr_pages(folio));
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
#endif
};

const struct iob_hook_table iob_part_hooks = IOB_HOOK_TABLE(hooks);
