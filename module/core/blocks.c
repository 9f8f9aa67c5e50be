// SPDX-License-Identifier: GPL-2.0
/*
 * Block slots: who dirtied a metadata block, from dirtying to the write to its
 * home. As page slots are to pages of files; but by place on the disk, for a
 * metadata block is smaller than a page, or in no page cache, or written from
 * a copy.
 */
#include "blocks.h"

static_assert(sizeof(struct iob_block) % 8 == 0);

/**
 * iob_blocks_init() - Make an empty table
 * @b:        table
 * @counters: where losses are counted
 * @max:      most blocks
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int iob_blocks_init(struct iob_blocks *b, struct iob_counters *counters,
		    u32 max)
{
	b->counters = counters;
	return iob_map_init(&b->map, max, sizeof(struct iob_block));
}

/**
 * iob_blocks_exit() - Free the table
 * @b: table, initialised or zeroed; no probe may be using it
 */
void iob_blocks_exit(struct iob_blocks *b)
{
	iob_map_exit(&b->map);
}

static struct iob_map_key key_of(u32 dev, u64 sector)
{
	return (struct iob_map_key){ .a = dev, .b = sector };
}

/**
 * iob_blocks_dirty() - A metadata block has become dirty
 * @b:      table
 * @dev:    disk
 * @sector: its first, counted from the start of the disk
 * @act:    who did it; nothing changes if it was dirty already
 * @now_ns: when
 *
 * Context: any but NMI.
 */
void iob_blocks_dirty(struct iob_blocks *b, u32 dev, u64 sector, u32 act,
		      u64 now_ns)
{
	const struct iob_map_key key = key_of(dev, sector);
	const struct iob_block block = { .act = act, .dirtied_ns = now_ns };

	if (iob_map_add(&b->map, &key, &block))
		return;
	if (iob_map_make_room(&b->map) && iob_map_add(&b->map, &key, &block))
		iob_count(b->counters, IOB_CNT_OLD_BLOCKS, 1);
	else
		iob_count(b->counters, IOB_CNT_LOST_BLOCKS, 1);
}

/**
 * iob_blocks_lookup() - Is a metadata block dirty?
 * @b:      table
 * @dev:    disk
 * @sector: its first
 * @block:  filled
 *
 * Context: any but NMI.
 * Return: false if nothing is known of it.
 */
bool iob_blocks_lookup(struct iob_blocks *b, u32 dev, u64 sector,
		       struct iob_block *block)
{
	const struct iob_map_key key = key_of(dev, sector);

	return iob_map_lookup(&b->map, &key, block);
}

/**
 * iob_blocks_forget() - A metadata block is freed, whatever was to be written
 * @b:      table
 * @dev:    disk
 * @sector: its first
 *
 * Context: any but NMI.
 */
void iob_blocks_forget(struct iob_blocks *b, u32 dev, u64 sector)
{
	const struct iob_map_key key = key_of(dev, sector);

	iob_map_take(&b->map, &key, NULL);
}

/**
 * iob_blocks_nr() - Blocks remembered
 * @b: table
 *
 * Return: the number.
 */
u32 iob_blocks_nr(const struct iob_blocks *b)
{
	return iob_map_nr(&b->map);
}

/**
 * iob_blocks_for_each() - Call a function for every block remembered
 * @b:   table
 * @fn:  called with @ctx and a struct iob_block
 * @ctx: for @fn
 *
 * Context: the sweeper; @fn runs under a lock.
 */
void iob_blocks_for_each(struct iob_blocks *b,
			 void (*fn)(void *ctx, const void *block), void *ctx)
{
	iob_map_for_each(&b->map, fn, ctx);
}
