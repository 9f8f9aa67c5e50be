// SPDX-License-Identifier: GPL-2.0
/* btrfs: tree blocks are pages of one inode that no user can name. */
#include <linux/btrfs_tree.h>
#include <linux/magic.h>

#include "fs.h"

static bool is_internal(const struct inode *inode)
{
	return inode->i_ino == BTRFS_BTREE_INODE_OBJECTID;
}

const struct iob_fs iob_fs_btrfs = {
	.magic = BTRFS_SUPER_MAGIC,
	.is_internal = is_internal,
};
