// SPDX-License-Identifier: GPL-2.0
/*
 * bcache: what it is given goes to a cache, to the device behind, or to both, by
 * bios that name the one it was given, which waits for them. What is in the cache
 * only is written to the device behind by a thread, later. drivers/md/bcache/
 * request.c and writeback.c of v6.1, v6.12 and v7.3.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>

#include "../compat/bcache.h"
#include "probe.h"

#ifdef IOB_BCACHE_KNOWN

enum {
	TO_BACKING,		/* what was asked for, to the device behind */
	TO_CACHE,		/* into the cache */
	FROM_CACHE,
	CLEAN,			/* out of the cache, to the device behind */
	CLEAN_READ,		/* for that */
};

/* Their addresses are what tells a bio of bcache. */
static struct iob_hook hooks[] = {
	[TO_BACKING] = IOB_ADDRESS("bcache", backing_request_endio,
				   "whose IO bcache passes on"),
	[TO_CACHE] = IOB_ADDRESS("bcache", bch_data_insert_endio,
				 "whose data bcache caches"),
	[FROM_CACHE] = IOB_ADDRESS("bcache", bch_cache_read_endio,
				   "who reads from bcache's cache"),
	[CLEAN] = IOB_ADDRESS("bcache", dirty_endio,
			      "whose data bcache writes back"),
	[CLEAN_READ] = IOB_ADDRESS("bcache", read_dirty_endio,
				   "whose data bcache writes back"),
};

const struct iob_hook_table iob_bcache_hooks = IOB_HOOK_TABLE(hooks);

static void *pointer_at(const void *base, size_t offset)
{
	return *(void * const *)(base + offset);
}

/* Where the data begins that a key names, on the device behind. */
static u64 key_start(const void *key)
{
	u64 high = *(const u64 *)(key + IOB_OFF_bkey_high);

	return *(const u64 *)(key + IOB_OFF_bkey_low) -
	       IOB_BCACHE_KEY_SIZE(high);
}

static u64 key_start_of(const struct bio *bio)
{
	return key_start((const void *)bio - IOB_OFF_bbio_bio +
			 IOB_OFF_bbio_key);
}

/* How far behind its beginning the device behind has what a disk of bcache has. */
static u64 data_offset(const void *cached_dev)
{
	return *(const u64 *)(cached_dev + IOB_OFF_cached_dev_sb +
			      IOB_OFF_cache_sb_data_offset);
}

/**
 * iob_bcache_above() - The bio that bcache was given and has made this one from
 * @bio:    being submitted
 * @sector: set to where it begins in the device above
 *
 * Context: probe.
 * Return: the bio, which waits for this one; NULL if there is none.
 */
struct bio *iob_bcache_above(const struct bio *bio, u64 *sector)
{
	const void *search, *op, *d;
	struct bio *above;

	if (iob_hook_is(&hooks[TO_BACKING], bio->bi_end_io)) {
		search = bio->bi_private - IOB_OFF_search_cl;
		*sector = bio->bi_iter.bi_sector - bio->bi_bdev->bd_start_sect;
	} else if (iob_hook_is(&hooks[FROM_CACHE], bio->bi_end_io)) {
		search = bio->bi_private - IOB_OFF_search_cl;
		*sector = key_start_of(bio);
	} else if (iob_hook_is(&hooks[TO_CACHE], bio->bi_end_io)) {
		op = bio->bi_private - IOB_OFF_data_insert_op_cl;
		/* no search is around it where data moves within the cache */
		if (pointer_at(op, IOB_OFF_data_insert_op_wq) ==
		    pointer_at(pointer_at(op, IOB_OFF_data_insert_op_c),
			       IOB_OFF_cache_set_moving_gc_wq))
			return NULL;
		search = op - IOB_OFF_search_iop;
		*sector = key_start_of(bio);
	} else {
		return NULL;
	}
	/* none: it was read, has been told so, and now goes into the cache */
	above = pointer_at(search, IOB_OFF_search_orig_bio);
	if (!above)
		return NULL;
	d = pointer_at(search, IOB_OFF_search_d);
	/* but for a volume on the cache alone, its bio is the device behind's now */
	if (above->bi_bdev->bd_disk != pointer_at(d, IOB_OFF_bcache_device_disk))
		*sector -= data_offset(d - IOB_OFF_cached_dev_disk);
	return above;
}

/**
 * iob_bcache_flow() - Does this bio carry what bcache has kept?
 * @bio:  being submitted
 * @flow: what is known of it; changed if it does
 *
 * Context: probe.
 */
void iob_bcache_flow(const struct bio *bio, struct iob_flow *flow)
{
	const void *io, *dc;
	struct gendisk *disk;

	if (!iob_hook_is(&hooks[CLEAN], bio->bi_end_io) &&
	    !iob_hook_is(&hooks[CLEAN_READ], bio->bi_end_io))
		return;
	io = (const void *)bio - IOB_OFF_dirty_io_bio;
	dc = pointer_at(io, IOB_OFF_dirty_io_dc);
	disk = pointer_at(dc, IOB_OFF_cached_dev_disk +
			      IOB_OFF_bcache_device_disk);
	flow->is_kept = 1;
	flow->kept_dev = disk_devt(disk);
	flow->parent_sector = key_start(bio->bi_private + IOB_OFF_keybuf_key_key) -
			      data_offset(dc);
}

#else

const struct iob_hook_table iob_bcache_hooks = { };

struct bio *iob_bcache_above(const struct bio *bio, u64 *sector)
{
	return NULL;
}

void iob_bcache_flow(const struct bio *bio, struct iob_flow *flow)
{
}

#endif /* IOB_BCACHE_KNOWN */
