// SPDX-License-Identifier: GPL-2.0
/*
 * Requests: dispatched and completed, whole or in part. The bios of a request
 * are still chained to it, and their iterators still stand before what has
 * just completed; so merges, splits and requeues need no hook of their own.
 */
#include <linux/blk-mq.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <trace/events/block.h>

#include "io.h"
#include "probe.h"
#include "recent.h"

static void set_issue(void *value, const void *issue_ns)
{
	struct iob_flow *flow = value;

	flow->issue_ns = *(const u64 *)issue_ns;
}

/* Does the kernel keep the time of dispatch at the request? By the same clock. */
static bool has_own_time(const struct request *rq)
{
	return test_bit(QUEUE_FLAG_STATS, &rq->q->queue_flags);
}

/* The loop driver: its worker will write what is in the request. */
static bool is_loop(const struct request *rq)
{
	const struct gendisk *disk = rq->q->disk;

	/* none: a command to a controller */
	return disk && iob_disk_is(disk, "loop");
}

/*
 * Where the kernel does not, dispatch is noted at the first bio; a requeued request
 * is dispatched anew.
 */
static noinline void note_issue(struct iob_hook *hook, struct request *rq)
{
	u64 now_ns;
	int level;

	level = iob_enter(hook);
	if (level < 0)
		return;
	now_ns = ktime_get_mono_fast_ns();
	iob_flows_update(&iob_state.flows, (unsigned long)rq->bio, set_issue,
			 &now_ns);
	if (is_loop(rq))
		iob_loan_offer(rq);
	iob_exit(level);
}

static void on_issue(void *hook, struct request *rq)
{
	if (rq->bio && (!has_own_time(rq) || is_loop(rq)))
		note_issue(hook, rq);
}

/*
 * A write that is to be on the medium comes with a flush before it, or after it
 * where the disk cannot write through its cache. Who submitted it asked for that.
 */
static void charge_flushes(struct iob_scratch *scratch, const struct bio *bio,
			   const struct iob_flow *flow)
{
	const struct iob_act *asker =
		iob_intern_lookup(&iob_state.objects.acts, iob_bio_asker(flow));
	u32 nr = !!(bio->bi_opf & REQ_PREFLUSH) +
		 (bio->bi_opf & REQ_FUA && !bdev_fua(bio->bi_bdev));

	if (nr && asker)
		iob_charge_flushes(&iob_state, &scratch->io,
				   iob_act_by(scratch, asker->role, asker->stack,
					      asker->file, IOB_KIND_FLUSH),
				   flow->reason, nr);
}

/*
 * A bio of no bytes is a flush on its way back, or the end of a flush sequence
 * whose data was counted when it completed: only the first was queued and not
 * taken yet.
 */
static void charge_bio(struct iob_scratch *scratch, struct bio *bio, u32 bytes)
{
	struct iob_flows *flows = &iob_state.flows;
	unsigned long key = (unsigned long)bio;
	bool is_whole = bytes == bio->bi_iter.bi_size;
	struct iob_flow *flow;
	bool is_known;

	if (likely(is_whole)) {
		flow = iob_flows_claim(flows, key, &scratch->flow);
		is_known = flow && !flow->is_link;
		flow = flow ?: &scratch->flow;
	} else {
		flow = &scratch->flow;
		is_known = iob_flows_lookup(flows, key, flow) && !flow->is_link;
	}
	if (!is_known && bytes)
		iob_bio_unseen(bio, flow);
	if (is_known || bytes)
		iob_bio_charge(&scratch->io, bio, flow, &bio->bi_iter,
			       bytes);
	if (bytes && is_whole && is_known && op_is_flush(bio->bi_opf))
		charge_flushes(scratch, bio, flow);
	iob_flows_release(flows, flow);
}

static void finish(struct iob_scratch *scratch, struct request *rq,
		   blk_status_t error, unsigned int nr_bytes)
{
	struct iob_io *io = &scratch->io;
	struct gendisk *disk = rq->q->disk;
	struct bio *bio = rq->bio;
	/* of the bio: a flush sequence takes flags off its request */
	blk_opf_t opf = bio->bi_opf;
	u16 flags = iob_io_flags(opf, error);
	u32 left = nr_bytes, bytes;

	iob_charge_begin(io, disk_devt(disk), disk->disk_name,
			 iob_io_op(opf, nr_bytes), blk_rq_pos(rq),
			 ktime_get_mono_fast_ns());
	if (has_own_time(rq))
		io->issue_ns = rq->io_start_time_ns;
	do {
		bytes = min(bio->bi_iter.bi_size, left);
		left -= bytes;
		charge_bio(scratch, bio, bytes);
		if (bytes < bio->bi_iter.bi_size)
			break;
		bio = bio->bi_next;
	} while (bio && left);
	if (iob_charge_is_nothing(io))
		return;
	if (bio && io->op != IOB_OP_FLUSH) {
		flags |= BIT(IOB_IO_BIT_PARTIAL);
		if (io->issue_ns && !has_own_time(rq))
			iob_flows_update(&iob_state.flows, (unsigned long)bio,
					 set_issue, &io->issue_ns);
	}
	iob_io_finish(io, flags);
}

static void on_complete(void *hook, struct request *rq, blk_status_t error,
			unsigned int nr_bytes)
{
	struct gendisk *disk = rq->q->disk;
	int level;

	/* passthrough commands are in no disk statistics either */
	if (blk_rq_is_passthrough(rq) || !disk)
		return;
	if (!rq->bio && req_op(rq) != REQ_OP_FLUSH)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	if (!rq->bio)
		iob_charge_flush_command(&iob_state, disk_devt(disk),
					 disk->disk_name);
	else
		finish(iob_scratch(level), rq, error, nr_bytes);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_TRACEPOINT(block_rq_complete, on_complete, IOB_REQUIRED,
		       "completed IO"),
	IOB_TRACEPOINT(block_rq_issue, on_issue, IOB_OPTIONAL,
		       "queue and device times"),
};

const struct iob_hook_table iob_request_hooks = IOB_HOOK_TABLE(hooks);
