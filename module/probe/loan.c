// SPDX-License-Identifier: GPL-2.0
/*
 * On behalf: the loop driver's worker writes the file below with the pages of
 * the bio above, which is under way all the while. Their slots tell whose they
 * are, and so whose the pages of the file become.
 */
#include <linux/bvec.h>
#include <linux/fs.h>
#include <linux/iomap.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uio.h>

#include "../compat/ftrace.h"
#include "probe.h"

static void lend(struct iob_loan *loan, const struct iov_iter *iter)
{
	const struct bio_vec *bv = iter->bvec;
	size_t left = iter->count, skip = iter->iov_offset, at, step;

	for (; left; bv++, skip = 0) {
		for (at = skip; left && at < bv->bv_len; at += step) {
			size_t from = bv->bv_offset + at;
			u64 pfn = page_to_pfn(bv->bv_page) + from / PAGE_SIZE;

			step = min3(left, (size_t)bv->bv_len - at,
				    PAGE_SIZE - from % PAGE_SIZE);
			iob_loan_add(loan, iob_pages_owner(&iob_state.pages,
							   pfn), step);
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
 * iob_dirtying_of() - The current task dirties data of a file
 * @scratch: of this probe
 * @hook:    that was hit
 * @inode:   the file's
 * @kind:    what is dirtied
 * @d:       filled
 *
 * Raw writes share a block device's pages with metadata, which is not told here.
 *
 * Context: probe.
 * Return: false if it is such metadata.
 */
bool iob_dirtying_of(struct iob_scratch *scratch, struct iob_hook *hook,
		     const struct inode *inode, enum iob_kind kind,
		     struct iob_dirtying *d)
{
	u32 stack_id = iob_stack_current(scratch, hook, &d->stack);

	if (S_ISBLK(inode->i_mode) && !iob_stack_has(d->stack, IOB_TRAIT_RAW))
		return false;
	d->kind = kind;
	d->file = iob_file_of(scratch, inode);
	d->act = iob_act_of(iob_task_role(scratch), stack_id, d->file, kind);
	return true;
}

/**
 * iob_dirtying_act() - Whose a page is that the current task dirties
 * @d:   of iob_dirtying_of()
 * @pos: where in the file
 *
 * Context: probe.
 * Return: the act: the task's own, or of whom it writes on behalf.
 */
u32 iob_dirtying_act(const struct iob_dirtying *d, u64 pos)
{
	const struct iob_act *owner;

	if (!(current->flags & PF_KTHREAD) ||
	    !iob_stack_has(d->stack, IOB_TRAIT_WRITE))
		return d->act;
	owner = iob_intern_lookup(&iob_state.objects.acts,
				  iob_loans_act(&iob_state.loans, current->pid,
						pos));
	return owner ? iob_act_of(owner->role, owner->stack, d->file, d->kind) :
		       d->act;
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
	IOB_FUNCTION(generic_perform_write,
		     ((struct kiocb *)NULL, (struct iov_iter *)NULL), on_write,
		     IOB_OPTIONAL, "whose data the loop driver writes"),
	IOB_PRIVATE_FUNCTION(NULL, iomap_file_buffered_write, on_write,
			     "whose data the loop driver writes to XFS"),
};

const struct iob_hook_table iob_loan_hooks = IOB_HOOK_TABLE(hooks);
