// SPDX-License-Identifier: GPL-2.0
/*
 * For whom: a worker that allocates blocks while it writes back a file, or
 * converts extents after the write, changes metadata on behalf of who dirtied
 * the file. It is noted which file a worker is at; the file remembers its last
 * dirtier.
 */
#include <linux/fs.h>
#include <linux/sched.h>
#include <trace/events/writeback.h>

#include "../compat/ftrace.h"
#include "../fs/btrfs.h"
#include "../fs/fs.h"
#include "probe.h"
#include "recent.h"

/* The act that dirtied what the current worker works on; NULL if not known. */
static const struct iob_act *dirtier_of_work(u32 *file)
{
	struct iob_file *f;

	*file = iob_hints_get(&iob_state.works, current->pid);
	f = iob_intern_lookup(&iob_state.objects.files, *file);
	if (!f)
		return NULL;
	return iob_intern_lookup(&iob_state.objects.acts,
				 READ_ONCE(f->dirtier));
}

/* The act of those whose bytes the loop driver's worker writes, the first of them. */
static const struct iob_act *lender_of_work(const struct iob_stack *stack)
{
	if (!in_task() || !(iob_stack_has(stack, IOB_TRAIT_WRITE) ||
			    iob_stack_has(stack, IOB_TRAIT_DIRECT)))
		return NULL;
	return iob_intern_lookup(&iob_state.objects.acts,
				 iob_loans_act(&iob_state.loans, current->pid,
					       0));
}

/**
 * iob_doer_of() - Who stands behind what the current task does
 * @scratch: of this probe
 * @hook:    that was hit
 * @doer:    filled: the task itself, also a kernel thread that acts on its own
 *           account; for a worker at a file, its dirtier; for the loop driver's,
 *           who sent it what it writes; nobody, for one that does what others have left to be done
 *
 * Context: probe.
 */
void iob_doer_of(struct iob_scratch *scratch, struct iob_hook *hook,
		 struct iob_doer *doer)
{
	const struct iob_act *act;
	u32 file = 0;

	doer->file = 0;
	doer->is_somebody = in_task() && !(current->flags & PF_KTHREAD);
	doer->role = iob_task_role(scratch);
	doer->stack_id = iob_stack_current(scratch, hook, &doer->stack);
	if (iob_stack_has(doer->stack, IOB_TRAIT_COMMIT)) {
		doer->is_somebody = false;
		return;
	}
	if (iob_stack_has(doer->stack, IOB_TRAIT_OWN))
		doer->is_somebody = true;
	if (doer->is_somebody)
		return;
	if (iob_stack_has(doer->stack, IOB_TRAIT_WORK))
		act = dirtier_of_work(&file);
	else
		act = lender_of_work(doer->stack);
	if (!act)
		return;
	doer->is_somebody = true;
	doer->role = act->role;
	doer->stack_id = act->stack;
	doer->file = file;
	doer->stack = iob_intern_lookup(&iob_state.objects.stacks, act->stack);
}

/**
 * iob_work_at() - A task is at a file; of interest if it is a worker
 * @hook:  that was hit
 * @inode: the file's, NULL: it is at none yet
 *
 * Context: a hook's probe, not yet entered.
 */
void iob_work_at(struct iob_hook *hook, const struct inode *inode)
{
	struct iob_file_key key;
	u32 file = 0;
	int level;

	if (!(current->flags & PF_KTHREAD))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	if (inode) {
		memset(&key, 0, sizeof(key));
		iob_fs_file_key(inode, &key);
		file = iob_intern_find(&iob_state.objects.files, &key,
				       sizeof(key));
	}
	iob_hints_set(&iob_state.works, current->pid, file);
	iob_exit(level);
}

static void on_single_inode_start(void *hook, struct inode *inode,
				  struct writeback_control *wbc,
				  unsigned long nr_to_write)
{
	iob_work_at(hook, inode);
}

/* ext4_convert_unwritten_extents(handle, inode, offset, len), fs/ext4/ext4.h */
static void on_convert(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	iob_work_at(hook, (void *)ftrace_regs_get_argument(fregs, 1));
}

/* btrfs_finish_one_ordered(ordered), in older kernels btrfs_finish_ordered_io */
static void on_finish_ordered(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const void *ordered = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct inode *inode = iob_btrfs_ordered_inode(ordered);

	if (inode)
		iob_work_at(hook, inode);
}

/* ext4_dio_write_end_io(iocb, ...), xfs_dio_write_end_io(iocb, ...) */
static void on_direct_end(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct kiocb *iocb = (void *)ftrace_regs_get_argument(fregs, 0);

	iob_work_at(hook, file_inode(iocb->ki_filp));
}

static struct iob_hook hooks[] = {
	IOB_TRACEPOINT(writeback_single_inode_start, on_single_inode_start,
		       IOB_OPTIONAL,
		       "whose metadata a flusher changes"),
	IOB_PRIVATE_FUNCTION("ext4", ext4_convert_unwritten_extents, on_convert,
			     "whose metadata ext4 changes after a write"),
	IOB_PRIVATE_FUNCTION("ext4", ext4_dio_write_end_io, on_direct_end,
			     "whose metadata ext4 changes after a direct write"),
	IOB_PRIVATE_FUNCTION("xfs", xfs_dio_write_end_io, on_direct_end,
			     "whose metadata XFS changes after a direct write"),
	IOB_PRIVATE_FUNCTION("btrfs", btrfs_finish_one_ordered,
			     on_finish_ordered,
			     "whose metadata btrfs changes after a write"),
	IOB_PRIVATE_FUNCTION("btrfs", btrfs_finish_ordered_io,
			     on_finish_ordered,
			     "the same, in other kernels"),
};

const struct iob_hook_table iob_work_hooks = IOB_HOOK_TABLE(hooks);
