/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_KEEPS_H
#define IOB_CORE_KEEPS_H

#include "counters.h"
#include "map.h"

/* Sectors that are kept, and remembered, together. */
#define IOB_KEEP_SECTORS	8

/**
 * struct iob_keep - what a device has been given and will write elsewhere later
 * @act: whose it is
 */
struct iob_keep {
	u32 act;
	u32 reserved;
};

/**
 * struct iob_keeps - what is kept, by disk and place
 *
 * Until it is given anew: what a device drops, it drops without a word. The
 * oldest make room.
 */
struct iob_keeps {
	struct iob_map map;
	struct iob_counters *counters;
};

int iob_keeps_init(struct iob_keeps *k, struct iob_counters *counters, u32 max);
void iob_keeps_exit(struct iob_keeps *k);

void iob_keeps_set(struct iob_keeps *k, u32 dev, u64 sector, u32 act);
u32 iob_keeps_lookup(struct iob_keeps *k, u32 dev, u64 sector);
u32 iob_keeps_nr(const struct iob_keeps *k);

void iob_keeps_for_each(struct iob_keeps *k,
			void (*fn)(void *ctx, const void *keep), void *ctx);

#endif /* IOB_CORE_KEEPS_H */
