/* SPDX-License-Identifier: GPL-2.0 */
/* Packing: the bytes of a chunk made fewer by zstd, and back. */
#ifndef IOBLAME_PACK_H
#define IOBLAME_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

/* What it begins with; a zstd frame of head.len bytes follows. */
struct iob_pack_head {
	uint32_t type, len;
};

/*
 * Never packed to less than this part, and never believed to be: what a small
 * file can make its reader allocate is bounded.
 */
#define IOB_PACK_RATIO	256
#define IOB_PACK_LEVELS	19

struct iob_packer;

struct iob_packer *iob_packer_create(int level);
void iob_packer_destroy(struct iob_packer *p);
size_t iob_packer_pack(struct iob_packer *p, uint32_t type, const void *from,
		       size_t len, const void **to);

int iob_pack_head(struct iob_pack_head *head, const void *from, size_t len);
int iob_unpack(struct iob_blob *to, const void *from, size_t len, size_t max);

#endif /* IOBLAME_PACK_H */
