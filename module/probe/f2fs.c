// SPDX-License-Identifier: GPL-2.0
/* f2fs: a checkpoint begins, and with it the next epoch of who joins. */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/uaccess.h>

#include "../compat/ftrace.h"
#include "probe.h"

/*
 * f2fs_write_checkpoint(sbi, cpc), fs/f2fs/checkpoint.c. struct f2fs_sb_info
 * begins with its super block in every kernel; the magic proves it.
 */
static void on_checkpoint(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const void *sbi = (void *)ftrace_regs_get_argument(fregs, 0);
	struct super_block *sb;
	unsigned long magic;
	int level = iob_enter(hook);

	if (level < 0)
		return;
	if (!copy_from_kernel_nofault(&sb, sbi, sizeof(sb)) &&
	    !copy_from_kernel_nofault(&magic, &sb->s_magic, sizeof(magic)) &&
	    magic == F2FS_SUPER_MAGIC)
		iob_joins_advance(&iob_state.joins, sb->s_dev);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_PRIVATE_FUNCTION("f2fs", f2fs_write_checkpoint, on_checkpoint,
			     "whose changes a checkpoint of f2fs writes"),
};

const struct iob_hook_table iob_f2fs_hooks = IOB_HOOK_TABLE(hooks);
