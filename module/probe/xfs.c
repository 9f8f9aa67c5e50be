// SPDX-License-Identifier: GPL-2.0
/*
 * XFS: who changes its metadata, and whose changes a write of its log holds.
 *
 * A transaction dirties buffers and inodes. Where those lie on the disk a slot
 * is made for the first who dirties them, to be asked when they are written
 * home, mostly by xfsaild. As the transaction commits, each of its items is
 * formatted for the running checkpoint, which cannot be closed meanwhile: there
 * its task joins, by what the log will hold of the item. A log buffer that is
 * written is split over those who joined the checkpoints it holds.
 *
 * The prototypes of the probed functions were read in v6.1, v6.12 and v7.3,
 * fs/xfs: libxfs/xfs_trans_inode.c, xfs_buf.c, xfs_buf_item.c, xfs_inode_item.c,
 * xfs_log_cil.c, xfs_trans.c, xfs_trans_buf.c.
 */
#include <linux/blkdev.h>
#include <linux/ktime.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <trace/events/writeback.h>

#include "../compat/ftrace.h"
#include "../fs/fs.h"
#include "../fs/xfs.h"
#include "probe.h"
#include "recent.h"

/**
 * iob_xfs_flow() - Should this bio be a write of XFS's metadata: whose is it?
 * @scratch: of this probe
 * @bio:     a write of metadata, being submitted
 * @flow:    its flow, charged to its submitter so far
 *
 * Context: probe.
 */
void iob_xfs_flow(struct iob_scratch *scratch, const struct bio *bio,
		  struct iob_flow *flow)
{
	const struct block_device *bdev = bio->bi_bdev;
	u64 first, last;
	u32 dev;

	switch (iob_logs_ask(&iob_state.logs, bdev->bd_dev,
			     disk_devt(bdev->bd_disk), bio->bi_iter.bi_sector,
			     (unsigned long)bio->bi_private, &dev, &first,
			     &last)) {
	case IOB_LOG_LOG:
		flow->join = iob_joins_merge(&iob_state.joins, dev,
					     BIT_ULL(63) | last, first, last,
					     &scratch->io.split);
		flow->by = IOB_BY_JOIN;
		flow->join_basis = IOB_BASIS_TRANSACTION;
		break;
	case IOB_LOG_HOME:
		flow->join = iob_joins_find(&iob_state.joins, dev, first);
		flow->join_basis = IOB_BASIS_EPOCH;
		/* nobody has changed anything since tracing began */
		if (!first && current->flags & PF_KTHREAD)
			flow->unknown = IOB_ACT_PREEXISTING;
		flow->by = IOB_BY_BUFFER;
		break;
	default:
		break;
	}
}

#ifdef IOB_XFS_KNOWN

/* A step of 512 bytes in what a buffer has in the log, and the most of them. */
#define CHUNKS_PER_STEP		4
#define MAX_STEPS		32

static void dirty_buf(struct iob_scratch *scratch, struct iob_hook *hook,
		      const struct xfs_buf *bp)
{
	struct iob_xfs_extent extent;
	struct iob_block block;
	struct iob_doer doer;
	u32 i, act = IOB_ACT_NONE;

	for (i = 0; iob_xfs_buf_extent(bp, i, &extent); i++) {
		/* most are dirty already, and a stack costs more than a look */
		if (iob_blocks_lookup(&iob_state.blocks, extent.disk,
				      extent.sector, &block))
			continue;
		if (!act) {
			iob_doer_of(scratch, hook, &doer);
			if (!doer.is_somebody)
				return;
			act = iob_doer_act(scratch, &doer, doer.file,
					   IOB_KIND_METADATA);
		}
		iob_charge_block_dirty(&iob_state, extent.disk, extent.sector,
				       act, ktime_get_mono_fast_ns());
	}
}

/* xfs_trans_log_buf(tp, bp, first, last), xfs_trans_dirty_buf(tp, bp) */
static void on_dirty_buf(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_buf *bp = (void *)ftrace_regs_get_argument(fregs, 1);
	int level = iob_enter(hook);

	if (level < 0)
		return;
	dirty_buf(iob_scratch(level), hook, bp);
	iob_exit(level);
}

/* xfs_trans_binval(tp, bp): its blocks are freed, nobody writes it home */
static void on_free_buf(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_buf *bp = (void *)ftrace_regs_get_argument(fregs, 1);
	struct iob_xfs_extent extent;
	int level = iob_enter(hook);
	u32 i, k;

	if (level < 0)
		return;
	for (i = 0; iob_xfs_buf_extent(bp, i, &extent); i++)
		for (k = 0; k < extent.sectors && k < 128; k++)
			iob_blocks_forget(&iob_state.blocks, extent.disk,
					  extent.sector + k);
	iob_exit(level);
}

/* Is @act one of the current task's? */
static bool is_own(struct iob_scratch *scratch, u32 act)
{
	const struct iob_act *a = iob_intern_lookup(&iob_state.objects.acts,
						    act);

	return a && a->role == iob_task_role(scratch);
}

static void dirty_inode(struct iob_scratch *scratch, struct iob_hook *hook,
			const struct xfs_inode *ip)
{
	const struct inode *inode = iob_xfs_inode(ip);
	struct iob_xfs_extent extent;
	struct iob_block block;
	struct iob_doer doer;
	bool is_dirty;
	u32 act;

	if (!iob_xfs_inode_extent(ip, &extent))
		return;
	is_dirty = iob_blocks_lookup(&iob_state.blocks, extent.disk,
				     extent.sector, &block);
	if (is_dirty && (current->flags & PF_KTHREAD ||
			 is_own(scratch, block.act)))
		return;
	iob_doer_of(scratch, hook, &doer);
	if (!doer.is_somebody)
		return;
	doer.file = iob_file_of(scratch, inode);
	iob_file_name_now(scratch, inode);
	act = iob_doer_act(scratch, &doer, doer.file, IOB_KIND_INODE);
	if (!is_dirty)
		iob_charge_block_dirty(&iob_state, extent.disk, extent.sector,
				       act, ktime_get_mono_fast_ns());
	if (!(current->flags & PF_KTHREAD))
		iob_work_dirtier(iob_intern_lookup(&iob_state.objects.files,
						   doer.file), act);
}

/* xfs_trans_log_inode(tp, ip, flags) */
static void on_dirty_inode(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_inode *ip = (void *)ftrace_regs_get_argument(fregs, 1);
	int level = iob_enter(hook);

	if (level < 0)
		return;
	dirty_inode(iob_scratch(level), hook, ip);
	iob_exit(level);
}

/* xfs_trans_alloc(mp, ...): a worker begins something new */
static void on_begin(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	iob_work_at(hook, NULL);
}

/* xfs_trans_ijoin(tp, ip, lock_flags): it is at this file */
static void on_join_inode(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_inode *ip = (void *)ftrace_regs_get_argument(fregs, 1);

	iob_work_at(hook, iob_xfs_inode(ip));
}

/*
 * xlog_cil_commit(log, tp, commit_seq, regrant): the items of a transaction are
 * about to be formatted. By whom is found out once for all of them.
 */
static void on_commit(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xlog *log = (void *)ftrace_regs_get_argument(fregs, 0);
	struct iob_scratch *scratch;
	struct iob_xfs_extent extent;
	struct iob_doer doer;
	u32 act = IOB_ACT_NONE;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	scratch = iob_scratch(level);
	iob_xfs_log_extent(log, &extent);
	iob_logs_place(&iob_state.logs, iob_xfs_log_dev(log), extent.disk,
		       extent.sector, extent.sector + extent.sectors);
	iob_doer_of(scratch, hook, &doer);
	if (doer.is_somebody)
		act = iob_doer_act(scratch, &doer, 0, IOB_KIND_JOURNAL);
	iob_hints_set(&iob_state.joiners, current->pid, act);
	iob_exit(level);
}

/* The current task's act, and the running checkpoint. False: nobody joins. */
static bool joiner(const struct xfs_log_item *item, struct iob_act *act,
		   u32 *act_id, u32 *dev, u64 *tid)
{
	const struct xlog *log = iob_xfs_item_log(item);
	const struct iob_act *a;

	*act_id = iob_hints_get(&iob_state.joiners, current->pid);
	a = iob_intern_lookup(&iob_state.objects.acts, *act_id);
	if (!a)
		return false;
	*act = *a;
	*dev = iob_xfs_log_dev(log);
	*tid = iob_logs_join(&iob_state.logs, *dev, iob_xfs_log_number(log));
	return *tid;
}

/* xfs_buf_item_format(lip, ...), inside xlog_cil_commit() */
static void on_format_buf(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_log_item *item =
		(void *)ftrace_regs_get_argument(fregs, 0);
	struct iob_xfs_extent extent;
	u32 act_id, dev, left, step;
	struct iob_act act;
	u64 tid;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	if (!joiner(item, &act, &act_id, &dev, &tid) ||
	    !iob_xfs_buf_extent(iob_xfs_item_buf(item), 0, &extent))
		goto out;
	/* what is formatted again in the same checkpoint is not logged twice */
	left = iob_xfs_item_buf_chunks(item);
	for (step = 0; left && step < MAX_STEPS; step++) {
		u32 weight = min_t(u32, left, CHUNKS_PER_STEP);

		iob_charge_join(&iob_state, dev, tid, act_id,
				extent.sector * MAX_STEPS + step, weight);
		left -= weight;
	}
out:
	iob_exit(level);
}

/* xfs_inode_item_format(lip, ...), inside xlog_cil_commit() */
static void on_format_inode(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_log_item *item =
		(void *)ftrace_regs_get_argument(fregs, 0);
	u32 act_id, dev;
	struct iob_act act;
	u64 tid;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	if (joiner(item, &act, &act_id, &dev, &tid))
		iob_charge_join(&iob_state, dev, tid,
				iob_act_by(iob_scratch(level), act.role,
					   act.stack, 0, IOB_KIND_INODE),
				BIT_ULL(63) |
				iob_xfs_inode(iob_xfs_item_inode(item))->i_ino,
				iob_xfs_item_inode_chunks(item));
	iob_exit(level);
}

/*
 * xlog_cil_set_ctx_write_state(ctx, iclog): a checkpoint's first record, and
 * later its last, goes into this log buffer
 */
static void on_fill(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_cil_ctx *ctx =
		(void *)ftrace_regs_get_argument(fregs, 0);
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_logs_fill(&iob_state.logs, iob_xfs_log_dev(iob_xfs_ctx_log(ctx)),
		      ftrace_regs_get_argument(fregs, 1),
		      iob_xfs_ctx_number(ctx));
	iob_exit(level);
}

/* xfs_buf_item_push(lip, ...), xfs_inode_item_push(lip, ...): by xfsaild */
static void on_push(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct xfs_log_item *item =
		(void *)ftrace_regs_get_argument(fregs, 0);
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_logs_know(&iob_state.logs, iob_xfs_log_dev(iob_xfs_item_log(item)));
	iob_exit(level);
}

/* xfs_free_buftarg(btp): the file system is unmounted */
static void on_unmount(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct block_device *bdev =
		iob_xfs_target_bdev((void *)ftrace_regs_get_argument(fregs, 0));
	int level;

	if (!bdev)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	iob_logs_unmount(&iob_state.logs, bdev->bd_dev);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_PRIVATE_FUNCTION("xfs", xfs_free_buftarg, on_unmount,
			     "that an XFS is unmounted"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_buf_item_push, on_push,
			     "that metadata of XFS was changed before tracing began"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_inode_item_push, on_push,
			     "that inodes of XFS were changed before tracing began"),
	IOB_PRIVATE_FUNCTION("xfs", xlog_cil_set_ctx_write_state, on_fill,
			     "whose changes a write of XFS's log holds"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_buf_item_format, on_format_buf,
			     "who joins a checkpoint of XFS by metadata"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_inode_item_format, on_format_inode,
			     "who joins a checkpoint of XFS by inodes"),
	IOB_PRIVATE_FUNCTION("xfs", xlog_cil_commit, on_commit,
			     "who commits a transaction of XFS"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_trans_binval, on_free_buf,
			     "that metadata blocks of XFS are freed"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_trans_dirty_buf, on_dirty_buf,
			     "who changes metadata of XFS"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_trans_log_buf, on_dirty_buf,
			     "who changes metadata of XFS"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_trans_log_inode, on_dirty_inode,
			     "who changes inodes of XFS"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_trans_ijoin, on_join_inode,
			     "whose metadata a worker of XFS changes"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_trans_alloc, on_begin,
			     "that a worker of XFS begins something new"),
};

#else /* the structures of XFS are not known */

static void join_epoch(struct iob_hook *hook, const struct super_block *sb)
{
	struct iob_scratch *scratch;
	struct iob_doer doer;
	u64 tid;
	int level;

	if (sb->s_magic != XFS_SUPER_MAGIC || !sb->s_bdev ||
	    current->flags & PF_KTHREAD)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	scratch = iob_scratch(level);
	tid = iob_logs_join_epoch(&iob_state.logs, sb->s_bdev->bd_dev);
	if (tid) {
		iob_doer_of(scratch, hook, &doer);
		iob_charge_join(&iob_state, sb->s_bdev->bd_dev, tid,
				iob_doer_act(scratch, &doer, 0,
					     IOB_KIND_METADATA),
				ktime_get_mono_fast_ns(), 1);
	}
	iob_exit(level);
}

/* mnt_want_write(mnt): something named by path is about to change */
static void on_want_write(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct vfsmount *mnt = (void *)ftrace_regs_get_argument(fregs, 0);

	join_epoch(hook, mnt->mnt_sb);
}

/* mnt_want_write_file(file): and something by an open file */
static void on_want_write_file(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct file *file = (void *)ftrace_regs_get_argument(fregs, 0);

	join_epoch(hook, file_inode(file)->i_sb);
}

static void on_inode_dirty(void *hook, struct inode *inode, int flags)
{
	join_epoch(hook, inode->i_sb);
}

static struct iob_hook hooks[] = {
	IOB_FUNCTION(mnt_want_write, ((struct vfsmount *)NULL), on_want_write,
		     IOB_OPTIONAL,
		     "who changes metadata of XFS, whose structures this module was built without"),
	IOB_FUNCTION(mnt_want_write_file, ((struct file *)NULL),
		     on_want_write_file, IOB_OPTIONAL,
		     "the same, by open files"),
	IOB_TRACEPOINT(writeback_dirty_inode, on_inode_dirty, IOB_OPTIONAL,
		       "the same, by writing"),
};

#endif /* IOB_XFS_KNOWN */

const struct iob_hook_table iob_xfs_hooks = IOB_HOOK_TABLE(hooks);
