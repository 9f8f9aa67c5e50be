// SPDX-License-Identifier: GPL-2.0
/*
 * On behalf: the loop driver's worker writes the file below with the pages of
 * the bio above, which is under way all the while. Their slots tell whose they
 * are, and so whose the pages of the file become; where they are no file's, what
 * is known of the bio does.
 */
#include <linux/blk-mq.h>
#include <linux/bvec.h>
#include <linux/fs.h>
#include <linux/iomap.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uio.h>

#include "../compat/ftrace.h"
#include "../fs/fs.h"
#include "probe.h"
#include "recent.h"

/**
 * iob_loan_offer() - A request of the loop driver's is about to be carried out
 * @rq: the request
 *
 * Context: probe.
 */
void iob_loan_offer(struct request *rq)
{
	struct iob_place place;
	struct bvec_iter iter;
	struct iob_flow flow;
	struct bio_vec bv;
	struct bio *bio;

	if (req_op(rq) != REQ_OP_WRITE)
		return;
	__rq_for_each_bio(bio, rq) {
		if (!iob_flows_lookup(&iob_state.flows, (unsigned long)bio,
				      &flow))
			continue;
		place = (struct iob_place){
			.bio = (unsigned long)bio, .id = flow.id,
		};
		bio_for_each_segment(bv, bio, iter) {
			iob_flows_place_page(&iob_state.flows,
					     page_to_pfn(bv.bv_page), place);
			place.at += bv.bv_len;
		}
	}
}

/**
 * iob_loan_owner_in() - Whose a page is that a bio on its way has, not a file's
 * @flow:   of the bio
 * @sector: where the page goes
 *
 * Context: probe.
 * Return: the act; IOB_ACT_NONE if it is a file's.
 */
u32 iob_loan_owner_in(const struct iob_flow *flow, u64 sector)
{
	struct iob_block block;

	if (flow->by == IOB_BY_SUBMITTER)
		return flow->origin;
	if (flow->by == IOB_BY_PAGE && !flow->block_shift)
		return IOB_ACT_NONE;
	if (flow->by != IOB_BY_JOIN &&
	    iob_blocks_lookup(&iob_state.blocks, flow->dev, sector, &block))
		return block.act;
	/* at the last, as for the device above, who sent it there */
	return (flow->join ?
		iob_joins_pick(&iob_state.joins, flow->join,
			       sector / (PAGE_SIZE >> SECTOR_SHIFT)) : 0) ?:
	       flow->issuer;
}

/* Whose a page is that is no file's, but in a bio on its way. */
static u32 owner_above(u64 pfn)
{
	struct iob_flow flow;
	u32 at;

	if (!iob_flows_of_page(&iob_state.flows, pfn, &flow, &at))
		return IOB_ACT_NONE;
	return iob_loan_owner_in(&flow, flow.sector + (at >> SECTOR_SHIFT));
}

static void lend(struct iob_loan *loan, const struct iov_iter *iter)
{
	const struct bio_vec *bv = iter->bvec;
	size_t left = iter->count, skip = iter->iov_offset, at, step;
	u32 act;

	for (; left; bv++, skip = 0) {
		for (at = skip; left && at < bv->bv_len; at += step) {
			size_t from = bv->bv_offset + at;
			u64 pfn = page_to_pfn(bv->bv_page) + from / PAGE_SIZE;

			step = min3(left, (size_t)bv->bv_len - at,
				    PAGE_SIZE - from % PAGE_SIZE);
			act = iob_pages_owner(&iob_state.pages, pfn) ?:
			      owner_above(pfn);
			iob_loan_add(loan, act, step);
			left -= step;
		}
	}
}

/**
 * iob_loan_take() - A task begins to write to a file
 * @iocb: where
 * @iter: what
 *
 * Only kernel threads write on behalf of others; what was noted of an earlier
 * write of this one is replaced.
 *
 * Context: probe.
 */
void iob_loan_take(const struct kiocb *iocb, const struct iov_iter *iter)
{
	struct iob_loan loan = { .pid = current->pid, .pos = iocb->ki_pos };

	if (!(current->flags & PF_KTHREAD))
		return;
	if (iov_iter_is_bvec(iter) && iov_iter_rw(iter) == WRITE)
		lend(&loan, iter);
	iob_loans_set(&iob_state.loans, &loan);
}

/**
 * iob_dirtying_look() - What the current task dirties, which is not as the last time
 * @scratch: of this probe; its dirtying has who, by which path, what is set
 * @inode:   the file's
 * @epoch:   of the tables, read before
 *
 * Context: probe; by iob_dirtying_of().
 * Return: what it does, in @scratch; NULL if it is such metadata.
 */
const struct iob_dirtying *iob_dirtying_look(struct iob_scratch *scratch,
					     const struct inode *inode,
					     u32 epoch)
{
	struct iob_dirtying *d = &scratch->dirtying;

	d->epoch = 0;
	d->inode = S_ISBLK(inode->i_mode) ? NULL : inode;
	iob_fs_file_key(inode, &d->key);
	if (S_ISBLK(inode->i_mode) && !iob_stack_has(d->stack, IOB_TRAIT_RAW))
		return NULL;
	d->file_id = iob_file_of(scratch, inode);
	d->file = iob_intern_lookup(&iob_state.objects.files, d->file_id);
	d->act = iob_act_by(scratch, d->role, d->stack_id, d->file_id, d->kind);
	/* what found no room is looked for again */
	if (d->role && d->stack_id && d->file &&
	    d->act >= IOB_NR_RESERVED_ACTS)
		d->epoch = epoch;
	return d;
}

/* The act of somebody who did this to a file by way of a device. */
static u32 act_below(struct iob_scratch *scratch, u32 act, u32 file,
		     enum iob_kind kind)
{
	const struct iob_act *owner =
		iob_intern_lookup(&iob_state.objects.acts, act);

	return owner ? iob_act_by(scratch, owner->role, owner->stack, file, kind) :
		       IOB_ACT_NONE;
}

/**
 * iob_loan_act() - Whose a page is that the current kernel thread dirties
 * @d:   of iob_dirtying_of()
 * @pos: where in the file
 *
 * Context: probe; by iob_dirtying_act().
 * Return: the act: the thread's own, or of whom it writes on behalf.
 */
u32 iob_loan_act(const struct iob_dirtying *d, u64 pos)
{
	if (!iob_stack_has(d->stack, IOB_TRAIT_WRITE))
		return d->act;
	return act_below(container_of(d, struct iob_scratch, dirtying),
			 iob_loans_act(&iob_state.loans, current->pid, pos),
			 d->file_id, d->kind) ?: d->act;
}

/**
 * iob_loan_direct() - The loop driver's worker sends what others sent to it
 * @bio:  being submitted, a direct write of a kernel thread
 * @flow: what is known of it; changed
 *
 * Context: probe.
 */
void iob_loan_direct(const struct bio *bio, struct iob_flow *flow)
{
	u64 pfn = page_to_pfn(bio_iter_page(bio, bio->bi_iter));
	struct iob_flow above;
	u32 at;

	flow->by = IOB_BY_PAGE;
	flow->basis = IOB_BASIS_INHERITED;
	flow->unknown = flow->issuer;
	flow->is_lent = 1;
	if (iob_flows_of_page(&iob_state.flows, pfn, &above, &at))
		flow->up = above.id;
}

/**
 * iob_loan_owner() - Whose a page is that the loop driver's worker has sent
 * @io:   the IO, its flow that of the worker's bio
 * @page: the page; the bio above that has it waits for this one
 *
 * Context: probe.
 * Return: the act; IOB_ACT_NONE if the page's own slot tells, or nothing does.
 */
u32 iob_loan_owner(struct iob_io *io, struct page *page)
{
	u64 pfn = page_to_pfn(page);
	const struct iob_act *worker =
		iob_intern_lookup(&iob_state.objects.acts, io->flow->issuer);

	if (iob_pages_owner(&iob_state.pages, pfn) != IOB_ACT_NONE)
		return IOB_ACT_NONE;
	return act_below(container_of(io, struct iob_scratch, io),
			 owner_above(pfn), worker ? worker->file : 0, IOB_KIND_DIRECT);
}

/* generic_perform_write(iocb, iter), iomap_file_buffered_write(iocb, iter, ...) */
static void on_write(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct kiocb *iocb = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct iov_iter *iter = (void *)ftrace_regs_get_argument(fregs, 1);
	int level;

	if (!(current->flags & PF_KTHREAD))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	iob_loan_take(iocb, iter);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_FUNCTION_FOR("loop", loop_process_work, generic_perform_write,
			 on_write, "whose data the loop driver writes"),
	IOB_FUNCTION_FOR("loop", loop_process_work, iomap_file_buffered_write,
			 on_write, "whose data the loop driver writes to XFS"),
};

/* What on_write() decodes; only the first is declared in a header of all kernels. */
static_assert(!IOB_PROVEN(generic_perform_write((struct kiocb *)NULL,
						(struct iov_iter *)NULL)));

const struct iob_hook_table iob_loan_hooks = IOB_HOOK_TABLE(hooks);
