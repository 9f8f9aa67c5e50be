/* SPDX-License-Identifier: GPL-2.0 */
/* What bio.c and request.c share about a completed IO. */
#ifndef IOB_PROBE_IO_H
#define IOB_PROBE_IO_H

#include <linux/blk_types.h>
#include <linux/bvec.h>

#include "session.h"

u8 iob_io_op(blk_opf_t opf, u32 bytes);
u16 iob_io_flags(blk_opf_t opf, blk_status_t status);
void iob_io_finish(struct iob_io *io, u16 flags);

void iob_bio_unseen(struct bio *bio, struct iob_flow *flow);
u32 iob_bio_asker(const struct iob_flow *flow);
void iob_bio_charge(struct iob_io *io, struct bio *bio,
		    const struct iob_flow *flow, struct bvec_iter iter,
		    u32 bytes);

#endif /* IOB_PROBE_IO_H */
