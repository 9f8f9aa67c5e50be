// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes whose change is written down later, by somebody else: btrfs keeps it
 * for the transaction's commit, f2fs for its checkpoint. Who changed one joins
 * there; ext4 and XFS are told by their journals.
 */
#include <linux/fs.h>
#include <linux/magic.h>

#include "../compat/ftrace.h"
#include "../fs/btrfs.h"
#include "../fs/fs.h"
#include "probe.h"
#include "recent.h"

static void inode_changed(struct iob_scratch *scratch, struct iob_hook *hook,
			  const struct inode *inode, struct iob_tx tx)
{
	struct iob_doer doer;
	u32 file;

	if (!tx.tid)
		return;
	iob_doer_of(scratch, hook, &doer);
	if (!doer.is_somebody)
		return;
	file = iob_file_of(scratch, inode);
	iob_file_name_now(scratch, inode);
	iob_charge_join(&iob_state, tx.dev, tx.tid,
			iob_doer_act(scratch, &doer, file, IOB_KIND_INODE),
			inode->i_ino, 1);
}

/*
 * btrfs_update_inode(trans, inode), before v6.7 (trans, root, inode),
 * fs/btrfs/inode.c
 */
static void on_btrfs_update(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const void *trans = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct inode *inode =
		iob_btrfs_inode((void *)ftrace_regs_get_argument(fregs, 1)) ?:
		iob_btrfs_inode((void *)ftrace_regs_get_argument(fregs, 2));
	int level;

	if (!inode)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	inode_changed(iob_scratch(level), hook, inode,
		      iob_btrfs_handle_tx(trans, inode));
	iob_exit(level);
}

/* f2fs_inode_dirtied(inode, sync), fs/f2fs/super.c */
static void on_f2fs_dirtied(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct inode *inode = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct iob_fs *fs = iob_fs_of(inode);
	int level;

	if (!fs->dirty_tx)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	inode_changed(iob_scratch(level), hook, inode,
		      fs->dirty_tx(&iob_state.joins, inode, NULL));
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_PRIVATE_FUNCTION("btrfs", btrfs_update_inode, on_btrfs_update,
			     "who changes inodes of btrfs"),
	IOB_PRIVATE_FUNCTION("f2fs", f2fs_inode_dirtied, on_f2fs_dirtied,
			     "who changes inodes of f2fs"),
};

const struct iob_hook_table iob_inode_hooks = IOB_HOOK_TABLE(hooks);
