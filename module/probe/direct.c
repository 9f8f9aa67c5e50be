// SPDX-License-Identifier: GPL-2.0
/*
 * Direct IO: its bios hold a user's memory, which says nothing of the file. All
 * our file systems issue it through one function, which knows.
 */
#include <linux/fs.h>
#include <linux/iomap.h>

#include "../compat/ftrace.h"
#include "../fs/fs.h"
#include "probe.h"

/* __iomap_dio_rw(iocb, iter, ...) */
static void on_direct(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct kiocb *iocb = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct iov_iter *iter = (void *)ftrace_regs_get_argument(fregs, 1);
	const struct inode *inode = file_inode(iocb->ki_filp);
	struct iob_scratch *scratch;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	scratch = iob_scratch(level);
	iob_hints_set(&iob_state.hints, current->pid,
		      iob_file_of(scratch, inode));
	iob_file_name_now(scratch, inode);
	iob_loan_take(iocb, iter);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_FUNCTION(__iomap_dio_rw,
		     ((struct kiocb *)NULL, (struct iov_iter *)NULL,
		      (const struct iomap_ops *)NULL,
		      (const struct iomap_dio_ops *)NULL, 0u, NULL, (size_t)0),
		     on_direct, IOB_OPTIONAL, "files of direct IO"),
};

const struct iob_hook_table iob_direct_hooks = IOB_HOOK_TABLE(hooks);
