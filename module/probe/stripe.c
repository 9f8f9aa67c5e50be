// SPDX-License-Identifier: GPL-2.0
/*
 * Stripes: md's raid4, raid5 and raid6 copy what they are given into pages of a
 * stripe, one for each disk, and write those and the parity. A page of a stripe
 * is a bio of its own; whose it is, is told by the bios above that wait for it.
 *
 * Read where the stripe's bio is submitted: the stripe is then locked for this
 * write, and those above cannot end before it. drivers/md/raid5.c, ops_run_io()
 * of v6.1, v6.12 and v7.3.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/uaccess.h>

#include "../compat/raid5.h"
#include "probe.h"
#include "recent.h"

#ifdef IOB_STRIPE_KNOWN

#define SECTORS_PER_PAGE	(PAGE_SIZE >> SECTOR_SHIFT)
/* Bios above that are looked at for one page of a stripe. */
#define MAX_ABOVE		64

/* Their addresses are what tells a stripe's bio. */
static struct iob_hook hooks[] = {
	IOB_ADDRESS("raid456", raid5_end_write_request,
		    "whose data and parity raid5 writes"),
	IOB_ADDRESS("raid456", raid5_end_read_request,
		    "for whose writes raid5 reads"),
};

const struct iob_hook_table iob_stripe_hooks = IOB_HOOK_TABLE(hooks);

/**
 * iob_stripe_is() - Is this a page of a stripe?
 * @bio: the bio, on its way
 *
 * Context: probe.
 * Return: true if raid5 has made it.
 */
bool iob_stripe_is(const struct bio *bio)
{
	return iob_hook_is(&hooks[0], bio->bi_end_io) ||
	       iob_hook_is(&hooks[1], bio->bi_end_io);
}

/* Those who have a share in a page of a stripe. It is charged to one of them. */
struct sharers {
	struct iob_split *split;
	u64 up;
	u8 reason;
	u32 nr_above;
};

/*
 * The bio above that one in a stripe stands for: md puts a clone there, to count
 * it. Of an array that fails it may be gone, so it is not just read.
 */
static struct bio *original_of(const struct bio *bio, struct iob_flow *flow)
{
	struct block_device *bdev;
	struct gendisk *disk;
	sector_t sector;

	if (iob_flows_lookup(&iob_state.flows, (unsigned long)bio, flow) &&
	    !flow->is_link)
		return (struct bio *)bio;
	if (get_kernel_nofault(bdev, &bio->bi_bdev) ||
	    get_kernel_nofault(disk, &bdev->bd_disk) ||
	    get_kernel_nofault(sector, &bio->bi_iter.bi_sector))
		return NULL;
	return (struct bio *)iob_flows_at(&iob_state.flows, disk_devt(disk),
					  sector, flow);
}

/* What of a bio above lies between two sectors of the array. */
static void add_bio(struct sharers *s, struct bio *bio, u64 from, u64 end)
{
	struct iob_flow flow, top;
	struct bvec_iter iter;
	struct bio_vec bv;
	u64 last;
	u32 bytes;

	bio = original_of(bio, &flow);
	if (!bio)
		return;
	last = min(end, flow.sector + (flow.size >> SECTOR_SHIFT));
	from = max(from, flow.sector);
	if (from >= last)
		return;
	bytes = (u32)(last - from) << SECTOR_SHIFT;
	if (!s->up) {
		s->up = flow.id;
		s->reason = flow.reason;
	}
	bio = iob_bio_top(bio, &flow, from, bytes, &top, &iter);
	if (!bio_has_data(bio)) {
		iob_split_add(s->split, iob_bio_owner(&top, NULL, iter.bi_sector),
			      bytes);
		return;
	}
	iter.bi_size = bytes;
	__bio_for_each_segment(bv, bio, iter, iter)
		iob_split_add(s->split,
			      iob_bio_owner(&top, bv.bv_page, iter.bi_sector),
			      bv.bv_len);
}

/* The bios that wait for one disk's page of a stripe, which is at @from. */
static void add_list(struct sharers *s, const void *dev, size_t list)
{
	u64 from = *(const sector_t *)(dev + IOB_OFF_r5dev_sector);
	struct bio *bio = READ_ONCE(*(struct bio **)(dev + list));

	for (; bio && s->nr_above < MAX_ABOVE; s->nr_above++) {
		add_bio(s, bio, from, from + SECTORS_PER_PAGE);
		if (get_kernel_nofault(bio, &bio->bi_next))
			break;
	}
}

static u32 of_kind(struct iob_scratch *scratch, u32 id, enum iob_kind kind)
{
	const struct iob_act *act =
		iob_intern_lookup(&iob_state.objects.acts, id);

	return act ? iob_act_by(scratch, act->role, act->stack, act->file, kind) : id;
}

/**
 * iob_stripe_flow() - Whose is this page of a stripe?
 * @scratch: of this probe
 * @bio:     being submitted, a page of a stripe
 * @flow:    what is known of it; changed
 *
 * Data is theirs whose it is above, parity, and what is read to work it out,
 * theirs whose data of that stripe is written. Where nobody waits for anything
 * the array is being made whole, or checked.
 *
 * Context: probe.
 */
void iob_stripe_flow(struct iob_scratch *scratch, const struct bio *bio,
		     struct iob_flow *flow)
{
	const void *stripe = bio->bi_private;
	const void *devs = stripe + IOB_OFF_stripe_head_dev;
	int i, nr = *(const int *)(stripe + IOB_OFF_stripe_head_disks);
	u32 number = bio->bi_iter.bi_sector / SECTORS_PER_PAGE;
	size_t own = ((const void *)bio - devs) / IOB_OFF_r5dev_sizeof;
	struct sharers s = {
		.split = &scratch->io.split,
	};

	s.split->nr = 0;
	s.split->total = 0;
	flow->by = IOB_BY_SUBMITTER;
	flow->join = 0;
	add_list(&s, devs + own * IOB_OFF_r5dev_sizeof,
		 op_is_write(bio_op(bio)) ? IOB_OFF_r5dev_written :
					    IOB_OFF_r5dev_toread);
	if (s.split->total) {
		flow->origin = iob_split_pick(s.split, number);
	} else {
		for (i = 0; i < nr; i++, devs += IOB_OFF_r5dev_sizeof) {
			add_list(&s, devs, IOB_OFF_r5dev_written);
			add_list(&s, devs, IOB_OFF_r5dev_towrite);
		}
		if (!s.split->total) {
			flow->origin = of_kind(scratch, flow->issuer,
					       IOB_KIND_RESYNC);
			flow->basis = IOB_BASIS_DIRECT;
			return;
		}
		flow->origin = of_kind(scratch, iob_split_pick(s.split, number),
				       IOB_KIND_PARITY);
	}
	flow->basis = IOB_BASIS_INHERITED;
	flow->reason = s.reason;
	flow->up = s.up;
}

#else

const struct iob_hook_table iob_stripe_hooks = { };

bool iob_stripe_is(const struct bio *bio)
{
	return false;
}

void iob_stripe_flow(struct iob_scratch *scratch, const struct bio *bio,
		     struct iob_flow *flow)
{
}

#endif /* IOB_STRIPE_KNOWN */
