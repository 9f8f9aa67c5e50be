/* SPDX-License-Identifier: GPL-2.0 */
/* What bio.c and request.c share about a completed IO. */
#ifndef IOB_PROBE_IO_H
#define IOB_PROBE_IO_H

#include <linux/blk_types.h>
#include <linux/bvec.h>

#include "session.h"

/**
 * iob_io_op() - Operation of an IO
 * @opf:   its operation and flags
 * @bytes: its length
 *
 * The kernel's own statistics groups: what is neither a discard nor a read
 * counts as a write there, so also write-zeroes; the kind of the act tells
 * them apart. An empty write that asks for a flush is one.
 *
 * Return: enum iob_op.
 */
static inline u8 iob_io_op(blk_opf_t opf, u32 bytes)
{
	enum req_op op = opf & REQ_OP_MASK;

	if (op == REQ_OP_FLUSH || (!bytes && opf & REQ_PREFLUSH))
		return IOB_OP_FLUSH;
	if (op_is_discard(op))
		return IOB_OP_DISCARD;
	return op_is_write(op) ? IOB_OP_WRITE : IOB_OP_READ;
}

/**
 * iob_io_flags() - Flags of an IO
 * @opf:    its operation and flags
 * @status: how it ended
 *
 * Return: bits of IOB_IO_FLAGS.
 */
static inline u16 iob_io_flags(blk_opf_t opf, blk_status_t status)
{
#define FLAG(set, bit)	((set) ? BIT(IOB_IO_BIT_##bit) : 0)
	return FLAG(status, ERROR) | FLAG(opf & REQ_SYNC, SYNC) |
	       FLAG(opf & REQ_META, META) | FLAG(opf & REQ_PREFLUSH, PREFLUSH) |
	       FLAG(opf & REQ_FUA, FUA) | FLAG(opf & REQ_RAHEAD, RAHEAD) |
	       FLAG(opf & REQ_BACKGROUND, BACKGROUND);
#undef FLAG
}

void iob_io_finish(struct iob_io *io, u16 flags);

void iob_bio_unseen(struct bio *bio, struct iob_flow *flow);
u32 iob_bio_asker(const struct iob_flow *flow);
bool iob_bio_charge_above(struct iob_io *io, const struct iob_flow *flow,
			  u64 sector, u32 bytes);
void iob_bio_charge_part(struct iob_io *io, struct bio *bio,
			 const struct iob_flow *flow,
			 const struct bvec_iter *from, u32 bytes,
			 u64 submitted_ns);

/**
 * iob_bio_charge() - Charge a part of a bio that has completed
 * @io:    the IO
 * @bio:   the bio, its pages still under IO
 * @flow:  what is known of it
 * @from:  where the part begins
 * @bytes: how long it is
 *
 * What a device above has passed on is charged as the bio there: by its pages,
 * blocks or transaction, which this one may have only copies of.
 *
 * Context: probe.
 */
static inline void iob_bio_charge(struct iob_io *io, struct bio *bio,
				  const struct iob_flow *flow,
				  const struct bvec_iter *from, u32 bytes)
{
	if (likely(!flow->parent && !flow->is_kept && flow->by != IOB_BY_PAGE &&
		   flow->by != IOB_BY_READER)) {
		/* its pages are not asked */
		iob_charge_flow(&iob_state, io, flow);
		iob_charge_bytes(&iob_state, io, from->bi_sector, bytes);
	} else if (!flow->parent ||
		   !iob_bio_charge_above(io, flow, from->bi_sector, bytes)) {
		iob_bio_charge_part(io, bio, flow, from, bytes, flow->queue_ns);
	}
}

#endif /* IOB_PROBE_IO_H */
