// SPDX-License-Identifier: GPL-2.0
/*
 * zram keeps pages in memory, compressed, and writes some of them to a device
 * behind it when it is told to: page by page, each read out of memory first. What
 * a page is known by is its place on the zram. drivers/block/zram/zram_drv.c of
 * v6.1, v6.12 and v7.3.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/mm.h>

#include "../compat/ftrace.h"
#include "../compat/zram.h"
#include "probe.h"

#ifdef IOB_ZRAM_KNOWN

static bool has_backing(const void *zram)
{
	return zram && READ_ONCE(*(void * const *)(zram + IOB_OFF_zram_backing_dev));
}

static u32 disk_of(const void *zram)
{
	return disk_devt(*(struct gendisk * const *)(zram + IOB_OFF_zram_disk));
}

/**
 * iob_zram_keeps() - Has this zram a device behind it?
 * @disk: the zram
 *
 * Context: probe.
 * Return: true or false.
 */
bool iob_zram_keeps(const struct gendisk *disk)
{
	return has_backing(disk->private_data);
}

#ifdef IOB_ZRAM_REQUESTS

/* zram_writeback_slots(zram, ...): this task is about to write back */
static void on_writeback(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const void *zram = (void *)ftrace_regs_get_argument(fregs, 0);
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_hints_set(&iob_state.kept, current->pid, disk_of(zram));
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	/* its address is what tells such a write */
	IOB_ADDRESS("zram", zram_writeback_endio,
		    "whose pages zram writes back"),
	IOB_PRIVATE_FUNCTION("zram", zram_writeback_slots, on_writeback,
			     "whose pages zram writes back"),
};

/* Whose page this write has. */
static u32 owner_of(const struct bio *bio)
{
	const void *req = (const void *)bio - IOB_OFF_zram_wb_req_bio, *slot;
	u32 dev = iob_hints_get(&iob_state.kept, current->pid);

	if (!iob_hook_is(&hooks[0], bio->bi_end_io) || !dev)
		return IOB_ACT_NONE;
	slot = *(void * const *)(req + IOB_OFF_zram_wb_req_pps);
	return iob_keeps_lookup(&iob_state.keeps, dev,
				*(const unsigned long *)(slot + IOB_OFF_zram_pp_slot_index) *
				PAGE_SECTORS);
}

#else

/* A page is read out of memory: (zram, page, index, ...) */
static void on_read(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const void *zram = (void *)ftrace_regs_get_argument(fregs, 0);
	u32 index = ftrace_regs_get_argument(fregs, 2);
	int level;

	if (!has_backing(zram))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	iob_hints_set(&iob_state.kept, current->pid,
		      iob_keeps_lookup(&iob_state.keeps, disk_of(zram),
				       (u64)index * PAGE_SECTORS));
	iob_exit(level);
}

#ifdef IOB_HAVE_RW_PAGE

/* zram_rw_page(bdev, sector, page, op): a page is written without a bio */
static void on_rw_page(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct block_device *bdev =
		(void *)ftrace_regs_get_argument(fregs, 0);
	u64 sector = ftrace_regs_get_argument(fregs, 1);
	struct page *page = (void *)ftrace_regs_get_argument(fregs, 2);
	enum req_op op = ftrace_regs_get_argument(fregs, 3);
	struct iob_stack *stack;
	u32 act;
	int level;

	if (!op_is_write(op) || !iob_zram_keeps(bdev->bd_disk))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	if (folio_test_swapcache(page_folio(page)))
		act = iob_swap_act(iob_scratch(level), page,
				   iob_stack_current(iob_scratch(level), hook,
						     &stack));
	else
		act = iob_pages_owner(&iob_state.pages, page_to_pfn(page));
	iob_keeps_set(&iob_state.keeps, disk_devt(bdev->bd_disk), sector, act);
	iob_exit(level);
}

#endif /* IOB_HAVE_RW_PAGE */

static struct iob_hook hooks[] = {
	IOB_HOOK(IOB_ZRAM_READ, "zram", IOB_HOOK_FTRACE, IOB_OPTIONAL, on_read,
		 "whose pages zram writes back"),
#ifdef IOB_HAVE_RW_PAGE
	IOB_PRIVATE_FUNCTION("zram", zram_rw_page, on_rw_page,
			     "whose pages zram has got without a bio"),
#endif
};

/* Whose page this task has read last, which it does before each write. */
static u32 owner_of(const struct bio *bio)
{
	return iob_hints_get(&iob_state.kept, current->pid);
}

#endif /* IOB_ZRAM_REQUESTS */

const struct iob_hook_table iob_zram_hooks = IOB_HOOK_TABLE(hooks);

/**
 * iob_zram_flow() - Whose page does a zram write back?
 * @bio:  being submitted, by a task that moves data from one device to another
 * @flow: what is known of it; changed
 *
 * Context: probe.
 */
void iob_zram_flow(const struct bio *bio, struct iob_flow *flow)
{
	iob_keep_flow(owner_of(bio), flow);
}

#else

const struct iob_hook_table iob_zram_hooks = { };

bool iob_zram_keeps(const struct gendisk *disk)
{
	return false;
}

void iob_zram_flow(const struct bio *bio, struct iob_flow *flow)
{
}

#endif /* IOB_ZRAM_KNOWN */
