// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: a block of a page has become dirty. Finer than the folio, which is
 * marked once: the parts of a large folio are told apart here, and so are
 * metadata blocks of file systems without a journal.
 */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/jbd2.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <trace/events/block.h>

#include "../fs/fs.h"
#include "probe.h"
#include "recent.h"

/**
 * iob_buffer_sector() - First sector of a block, counted from the disk's start
 * @bh: the buffer, mapped
 *
 * Return: the sector.
 */
u64 iob_buffer_sector(const struct buffer_head *bh)
{
	return (u64)bh->b_blocknr * (bh->b_size >> SECTOR_SHIFT) +
	       get_start_sect(bh->b_bdev);
}

/**
 * iob_buffer_disk() - The disk a block lies on
 * @bh: the buffer, mapped
 *
 * Return: the disk's number.
 */
u32 iob_buffer_disk(const struct buffer_head *bh)
{
	return disk_devt(bh->b_bdev->bd_disk);
}

/* A file's block: told here only where its folio's event tells too little. */
static void data_dirtied(struct iob_scratch *scratch, struct iob_hook *hook,
			 const struct buffer_head *bh, struct folio *folio,
			 const struct inode *inode, enum iob_kind kind)
{
	u32 page = offset_in_folio(folio, bh->b_data) >> PAGE_SHIFT;
	bool under_writeback = folio_test_writeback(folio);
	const struct iob_dirtying *d;

	d = iob_dirtying_of(scratch, hook, inode, kind,
			    iob_is_dirtied_again(&scratch->dirtying, inode));
	iob_charge_dirty_part(&iob_state, folio_pfn(folio) + page, 1,
			      iob_dirtying_act(d, folio_pos(folio) +
					       page * PAGE_SIZE),
			      iob_dirtied_ns(scratch, under_writeback),
			      under_writeback);
}

/* Of a block device: metadata of the file system on it, or raw data. */
static void block_dirtied(struct iob_scratch *scratch, struct iob_hook *hook,
			  const struct buffer_head *bh, struct folio *folio,
			  const struct inode *inode)
{
	struct iob_doer doer;

	/* what a journal manages is told by the journal */
	if (buffer_jbd(bh) || !buffer_mapped(bh))
		return;
	iob_doer_of(scratch, hook, &doer);
	if (!iob_stack_has(doer.stack, IOB_TRAIT_RAW))
		iob_charge_block_dirty(&iob_state, iob_buffer_disk(bh),
				       iob_buffer_sector(bh),
				       iob_doer_act(scratch, &doer, doer.file,
						    IOB_KIND_METADATA),
				       ktime_get_mono_fast_ns());
	else if (folio_test_large(folio))
		data_dirtied(scratch, hook, bh, folio, inode, IOB_KIND_DATA);
}

static noinline void dirtied(struct iob_hook *hook, struct buffer_head *bh,
			     struct folio *folio, const struct inode *inode)
{
	enum iob_kind kind = iob_fs_kind(inode);
	int level;

	if (!S_ISBLK(inode->i_mode) && kind != IOB_KIND_DATA)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	if (S_ISBLK(inode->i_mode))
		block_dirtied(iob_scratch(level), hook, bh, folio, inode);
	else
		data_dirtied(iob_scratch(level), hook, bh, folio, inode, kind);
	iob_exit(level);
}

/* Of a large folio of a file. A page that is dirty keeps its dirtier. */
static noinline void part_dirtied(struct iob_hook *hook, struct buffer_head *bh,
				  struct folio *folio, const struct inode *inode)
{
	if (!iob_pages_is_dirty(&iob_state.pages, PHYS_PFN(virt_to_phys(bh->b_data))))
		dirtied(hook, bh, folio, inode);
}

static void on_dirty_buffer(void *hook, struct buffer_head *bh)
{
	const struct inode *inode;
	struct folio *folio;

	if (buffer_dirty(bh))
		return;
	folio = page_folio(bh->b_page);
	inode = iob_fs_owner(folio);
	if (!inode)
		return;
	/* of a small folio of a file its own event tells */
	if (S_ISBLK(inode->i_mode))
		dirtied(hook, bh, folio, inode);
	else if (folio_test_large(folio))
		part_dirtied(hook, bh, folio, inode);
}

static struct iob_hook hooks[] = {
	IOB_TRACEPOINT(block_dirty_buffer, on_dirty_buffer, IOB_OPTIONAL,
		       "parts of large folios; metadata of file systems without a journal"),
};

const struct iob_hook_table iob_buffer_hooks = IOB_HOOK_TABLE(hooks);
