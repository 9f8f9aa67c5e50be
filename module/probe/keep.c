// SPDX-License-Identifier: GPL-2.0
/*
 * What is kept: a device may keep what it is given, and write it to another device
 * much later. Whose it is, is noted where it is given.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>

#include "probe.h"
#include "recent.h"

/**
 * iob_keep_note() - A device that keeps things is given something
 * @bio:  the bio, being submitted: those it is from still own its pages
 * @flow: what is known of it
 *
 * Context: probe.
 */
void iob_keep_note(struct bio *bio, const struct iob_flow *flow)
{
	u64 sector = flow->sector;
	struct iob_flow top;
	struct bvec_iter iter;
	struct bio_vec bv;
	u32 bytes;

	if (!op_is_write(bio_op(bio)) || !bio_has_data(bio))
		return;
	bio = iob_bio_top(bio, flow, sector, flow->size, &top, &iter);
	if (!bio_has_data(bio))
		return;
	iter.bi_size = flow->size;
	__bio_for_each_segment(bv, bio, iter, iter) {
		bytes = bv.bv_len;
		iob_keeps_set(&iob_state.keeps, flow->dev, sector,
			      iob_bio_owner(&top, bv.bv_page, iter.bi_sector));
		sector += bytes >> SECTOR_SHIFT;
	}
}

/**
 * iob_keep_flow() - Something that was kept is written
 * @act:  whose it is
 * @flow: of the bio, being submitted; changed
 *
 * Context: probe.
 */
void iob_keep_flow(u32 act, struct iob_flow *flow)
{
	const struct iob_act *owner =
		iob_intern_lookup(&iob_state.objects.acts, act);

	if (!owner)
		return;
	flow->origin = act;
	flow->by = IOB_BY_SUBMITTER;
	flow->basis = owner->kind == IOB_KIND_SWAP ? IOB_BASIS_MEMCG :
						     IOB_BASIS_INHERITED;
}

/* The act of somebody, as one that a device moves data for. */
static u32 as_copy(struct iob_scratch *scratch, u32 act)
{
	const struct iob_act *owner =
		iob_intern_lookup(&iob_state.objects.acts, act);

	return owner ? iob_act_by(scratch, owner->role, owner->stack, owner->file,
				  IOB_KIND_COPY) : IOB_ACT_NONE;
}

/**
 * iob_keep_charge() - A part of a bio with what was kept is complete
 * @io:     the IO, of the probe's scratch, its flow that of the bio
 * @sector: where the part begins
 * @bytes:  how long it is
 *
 * Context: probe.
 */
void iob_keep_charge(struct iob_io *io, u64 sector, u32 bytes)
{
	const struct iob_flow *flow = io->flow;
	u64 at = flow->parent_sector + (sector - flow->sector);
	struct iob_flow known = *flow;
	u32 part, act;

	known.basis = IOB_BASIS_INHERITED;

	for (; bytes; bytes -= part, at += part >> SECTOR_SHIFT) {
		part = IOB_KEEP_SECTORS - at % IOB_KEEP_SECTORS;
		part = min(bytes, part << SECTOR_SHIFT);
		act = iob_keeps_lookup(&iob_state.keeps, flow->kept_dev, at);
		/* read, to be written then */
		if (io->op == IOB_OP_READ)
			act = as_copy(container_of(io, struct iob_scratch, io), act);
		io->flow = act ? &known : flow;
		iob_charge_act(&iob_state, io, act ?: flow->origin, part);
	}
	io->flow = flow;
}
