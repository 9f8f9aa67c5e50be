// SPDX-License-Identifier: GPL-2.0
/* A completed IO, however its driver works. */
#include "../out/events.h"
#include "io.h"

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
u8 iob_io_op(blk_opf_t opf, u32 bytes)
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
u16 iob_io_flags(blk_opf_t opf, blk_status_t status)
{
	static const struct {
		blk_opf_t from;
		u16 to;
	} map[] = {
		{ REQ_SYNC, BIT(IOB_IO_BIT_SYNC) },
		{ REQ_META, BIT(IOB_IO_BIT_META) },
		{ REQ_PREFLUSH, BIT(IOB_IO_BIT_PREFLUSH) },
		{ REQ_FUA, BIT(IOB_IO_BIT_FUA) },
		{ REQ_RAHEAD, BIT(IOB_IO_BIT_RAHEAD) },
		{ REQ_BACKGROUND, BIT(IOB_IO_BIT_BACKGROUND) },
	};
	u16 flags = status ? BIT(IOB_IO_BIT_ERROR) : 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(map); i++)
		if (opf & map[i].from)
			flags |= map[i].to;
	return flags;
}

/**
 * iob_io_finish() - All origins are gathered: add up and tell
 * @io:    the IO
 * @flags: bits of IOB_IO_FLAGS
 *
 * Context: probe.
 */
void iob_io_finish(struct iob_io *io, u16 flags)
{
	if (iob_charge_end(&iob_state, io, flags))
		iob_event_io(io);
}
