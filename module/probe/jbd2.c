// SPDX-License-Identifier: GPL-2.0
/*
 * jbd2: metadata blocks dirtied inside a transaction, by whom; and the
 * journal's own writes, which are everybody's who joined.
 *
 * A block is dirtied here, not when its buffer is: that happens as it leaves
 * the transaction, mostly in the journal's thread.
 */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/jbd2.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <trace/events/jbd2.h>

#include "../compat/ftrace.h"
#include "../fs/fs.h"
#include "probe.h"
#include "recent.h"

static u32 disk_of(const journal_t *journal)
{
	return disk_devt(journal->j_fs_dev->bd_disk);
}

/* tids start anywhere and wrap; 0 means none to the core. */
static u64 tid_of(tid_t tid)
{
	return (u64)1 << 32 | tid;
}

/* What has been changed since the last commit, be it a fast one. */
static u64 tid_of_fast(u32 disk)
{
	return (u64)2 << 32 | (u32)iob_joins_epoch(&iob_state.joins, disk);
}

/* What kind of block, and of which file, as far as the path tells. */
static void name_block(struct iob_scratch *scratch,
		       const struct buffer_head *bh, struct iob_doer *doer,
		       enum iob_kind *kind)
{
	const struct inode *inode = iob_fs_owner(page_folio(bh->b_page));

	*kind = IOB_KIND_METADATA;
	if (!inode)
		return;
	if (!S_ISBLK(inode->i_mode)) {
		/* data=journal */
		*kind = iob_fs_kind(inode);
		doer->file = iob_file_of(scratch, inode);
		iob_file_name_now(scratch, inode);
	} else if (iob_stack_has(doer->stack, IOB_TRAIT_INODE)) {
		*kind = IOB_KIND_INODE;
		doer->file = iob_hints_get(&iob_state.inodes, current->pid) ?:
			     doer->file;
		if (!iob_intern_lookup(&iob_state.objects.files, doer->file))
			doer->file = 0;
	}
}

/* jbd2_journal_dirty_metadata(handle, bh) */
static void on_dirty_metadata(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	handle_t *handle = (void *)ftrace_regs_get_argument(fregs, 0);
	struct buffer_head *bh = (void *)ftrace_regs_get_argument(fregs, 1);
	struct iob_scratch *scratch;
	struct iob_doer doer;
	enum iob_kind kind;
	journal_t *journal;
	u32 disk, act;
	int level;

	if (handle->h_aborted || !handle->h_transaction)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	scratch = iob_scratch(level);
	journal = handle->h_transaction->t_journal;
	disk = disk_of(journal);
	iob_doer_of(scratch, hook, &doer);
	name_block(scratch, bh, &doer, &kind);
	iob_charge_block_dirty(&iob_state, disk, iob_buffer_sector(bh),
			       iob_doer_act(scratch, &doer, doer.file, kind),
			       ktime_get_mono_fast_ns());
	act = iob_doer_act(scratch, &doer, doer.file, IOB_KIND_JOURNAL);
	iob_charge_join(&iob_state, disk, tid_of(handle->h_transaction->t_tid),
			act, bh->b_blocknr, 1);
	if (jbd2_has_feature_fast_commit(journal))
		iob_charge_join(&iob_state, disk, tid_of_fast(disk), act,
				bh->b_blocknr, 1);
	iob_exit(level);
}

/* jbd2_journal_forget(handle, bh): the block is freed, nobody writes it home */
static void on_forget(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct buffer_head *bh = (void *)ftrace_regs_get_argument(fregs, 1);
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_blocks_forget(&iob_state.blocks, iob_buffer_disk(bh),
			  iob_buffer_sector(bh));
	iob_exit(level);
}

/*
 * jbd2_log_wait_commit(journal, tid): somebody wants it to be written, and his
 * path tells why. He is not its origin.
 */
static void on_want_commit(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const journal_t *journal = (void *)ftrace_regs_get_argument(fregs, 0);
	tid_t tid = ftrace_regs_get_argument(fregs, 1);
	struct iob_stack *stack;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_stack_current(iob_scratch(level), hook, &stack);
	if (stack && stack->reason)
		iob_joins_set_reason(&iob_state.joins, disk_of(journal),
				     tid_of(tid), stack->reason);
	iob_exit(level);
}

/* What the current task submits from now on is of that transaction. */
static void commit(struct iob_hook *hook, const journal_t *journal, u64 tid)
{
	int level = iob_enter(hook);
	u32 join;

	if (level < 0)
		return;
	join = iob_joins_find(&iob_state.joins, disk_of(journal), tid);
	if (join)
		iob_marks_set(&iob_state.commits, (unsigned long)current, join);
	iob_exit(level);
}

/* @tid: the transaction that is written by now, 0: none */
static void end_commit(void *hook, journal_t *journal, u64 tid)
{
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_marks_clear(&iob_state.commits, (unsigned long)current);
	if (tid)
		iob_joins_end(&iob_state.joins, disk_of(journal), tid);
	if (jbd2_has_feature_fast_commit(journal))
		iob_joins_advance(&iob_state.joins, disk_of(journal));
	iob_exit(level);
}

/* jbd2_journal_commit_transaction(journal), of the journal's thread */
static void on_commit(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const journal_t *journal = (void *)ftrace_regs_get_argument(fregs, 0);
	const transaction_t *tx = journal->j_running_transaction;

	if (tx)
		commit(hook, journal, tid_of(tx->t_tid));
}

static void on_end_commit(void *hook, journal_t *journal, transaction_t *tx)
{
	end_commit(hook, journal, tid_of(tx->t_tid));
}

/*
 * jbd2_fc_get_buf(journal, &bh): who calls fsync is about to write a block of a
 * fast commit itself. It tells of all that were changed since the last commit, and
 * is theirs who changed them.
 */
static void on_fast_commit(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const journal_t *journal = (void *)ftrace_regs_get_argument(fregs, 0);

	commit(hook, journal, tid_of_fast(disk_of(journal)));
}

/* jbd2_fc_end_commit(journal), jbd2_fc_end_commit_fallback(journal) */
static void on_end_fast_commit(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	end_commit(hook, (void *)ftrace_regs_get_argument(fregs, 0), 0);
}

/* __ext4_mark_inode_dirty(handle, inode, func, line), fs/ext4/inode.c */
static void on_mark_inode_dirty(struct iob_hook *hook,
				struct ftrace_regs *fregs)
{
	const struct inode *inode = (void *)ftrace_regs_get_argument(fregs, 1);
	struct iob_scratch *scratch;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	scratch = iob_scratch(level);
	iob_hints_set(&iob_state.inodes, current->pid,
		      iob_file_of(scratch, inode));
	iob_file_name_now(scratch, inode);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_FUNCTION_OF("jbd2", jbd2_journal_dirty_metadata,
			((handle_t *)NULL, (struct buffer_head *)NULL),
			on_dirty_metadata,
			"who changes metadata of ext4, who joins its journal"),
	IOB_FUNCTION_OF("jbd2", jbd2_journal_forget,
			((handle_t *)NULL, (struct buffer_head *)NULL),
			on_forget, "that a metadata block of ext4 is freed"),
	IOB_TRACEPOINT_OF("jbd2", jbd2_end_commit, on_end_commit,
			  "the end of a journal's commit"),
	IOB_FUNCTION_OF("jbd2", jbd2_journal_commit_transaction,
			((journal_t *)NULL), on_commit,
			"which writes are a journal's"),
	IOB_FUNCTION_OF("jbd2", jbd2_fc_get_buf,
			((journal_t *)NULL, (struct buffer_head **)NULL),
			on_fast_commit, "which writes are a fast commit of ext4's"),
	IOB_FUNCTION_OF("jbd2", jbd2_fc_end_commit, ((journal_t *)NULL),
			on_end_fast_commit, "the end of a fast commit"),
	IOB_FUNCTION_OF("jbd2", jbd2_fc_end_commit_fallback,
			((journal_t *)NULL), on_end_fast_commit,
			"the end of a fast commit"),
	IOB_FUNCTION_OF("jbd2", jbd2_log_wait_commit,
			((journal_t *)NULL, (tid_t)0), on_want_commit,
			"why a journal's transaction is written"),
	IOB_PRIVATE_FUNCTION("ext4", __ext4_mark_inode_dirty,
			     on_mark_inode_dirty,
			     "which file's inode is changed"),
};

const struct iob_hook_table iob_jbd2_hooks = IOB_HOOK_TABLE(hooks);
