/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_BLOCKS_H
#define IOB_CORE_BLOCKS_H

#include "counters.h"
#include "map.h"

/**
 * struct iob_block - a metadata block that waits to be written home
 * @act:        who made it dirty, the first one since it was last written
 * @dirtied_ns: when
 */
struct iob_block {
	u64 dirtied_ns;
	u32 act;
	u32 reserved;
};

/**
 * struct iob_blocks - metadata blocks by disk and first sector
 *
 * A file system may drop a block without a word, so what is not written stays
 * until it is dirtied and written again, or until room is needed.
 */
struct iob_blocks {
	struct iob_map map;
	struct iob_counters *counters;
};

int iob_blocks_init(struct iob_blocks *b, struct iob_counters *counters,
		    u32 max);
void iob_blocks_exit(struct iob_blocks *b);

void iob_blocks_dirty(struct iob_blocks *b, u32 dev, u64 sector, u32 act,
		      u64 now_ns);
bool iob_blocks_lookup(struct iob_blocks *b, u32 dev, u64 sector,
		       struct iob_block *block);
void iob_blocks_forget(struct iob_blocks *b, u32 dev, u64 sector);
u32 iob_blocks_nr(const struct iob_blocks *b);

void iob_blocks_for_each(struct iob_blocks *b,
			 void (*fn)(void *ctx, const void *block), void *ctx);

#endif /* IOB_CORE_BLOCKS_H */
