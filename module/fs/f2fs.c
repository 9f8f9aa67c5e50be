// SPDX-License-Identifier: GPL-2.0
/* f2fs: nodes and the checkpoint area are pages of two inodes of its own. */
#include <linux/magic.h>

#include "fs.h"

/* Fixed by mkfs and the on-disk super block: node 1, meta 2, root 3. */
#define F2FS_LAST_INTERNAL_INO	2

static bool is_internal(const struct inode *inode)
{
	return inode->i_ino <= F2FS_LAST_INTERNAL_INO;
}

const struct iob_fs iob_fs_f2fs = {
	.magic = F2FS_SUPER_MAGIC,
	.is_internal = is_internal,
};
