// SPDX-License-Identifier: GPL-2.0
/*
 * Device mapper: a target may keep the bio it was given and submit it later, from
 * a worker, without a word (snapshots and thin volumes, until there is a place for
 * it). Such a clone tells what it was made from. drivers/md/dm-core.h of v6.1,
 * v6.12 and v7.3.
 */
#include <linux/bio.h>

#include "../compat/mapper.h"
#include "probe.h"

#ifdef IOB_MAPPER_KNOWN

/* Its address is what tells a clone. */
static struct iob_hook hooks[] = {
	IOB_ADDRESS("dm_mod", clone_endio,
		    "origins of IO that device mapper keeps for later"),
};

const struct iob_hook_table iob_mapper_hooks = IOB_HOOK_TABLE(hooks);

/**
 * iob_mapper_above() - The bio that device mapper has cloned this one from
 * @bio:    being submitted
 * @sector: set to where it begins in the device above
 *
 * Context: probe.
 * Return: the bio, which waits for this one; NULL if it is no such clone.
 */
struct bio *iob_mapper_above(const struct bio *bio, u64 *sector)
{
	const void *tio = (const void *)bio - IOB_OFF_dm_target_io_clone;
	const void *io;

	if (!iob_hook_is(&hooks[0], bio->bi_end_io))
		return NULL;
	io = *(void * const *)(tio + IOB_OFF_dm_target_io_io);
	*sector = *(const sector_t *)(tio + IOB_OFF_dm_target_io_old_sector);
	return *(struct bio * const *)(io + IOB_OFF_dm_io_orig_bio);
}

#else

const struct iob_hook_table iob_mapper_hooks = { };

struct bio *iob_mapper_above(const struct bio *bio, u64 *sector)
{
	return NULL;
}

#endif /* IOB_MAPPER_KNOWN */
