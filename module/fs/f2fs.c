// SPDX-License-Identifier: GPL-2.0
/*
 * f2fs: nodes and the checkpoint area are pages of two inodes of its own. A
 * node is its dirtier's; the checkpoint area (maps, summaries, the checkpoint
 * itself) is everybody's who changed something since the checkpoint before.
 */

#include "fs.h"

/* Fixed by mkfs and the on-disk super block: node 1, meta 2, root 3. */
#define F2FS_META_INO		2
#define F2FS_LAST_INTERNAL_INO	F2FS_META_INO

static bool is_internal(const struct inode *inode)
{
	return inode->i_ino <= F2FS_LAST_INTERNAL_INO;
}

static bool is_shared(const struct inode *inode)
{
	return inode->i_ino == F2FS_META_INO;
}

/* An epoch begins as a checkpoint does: what it writes is of the one before. */
static struct iob_tx dirty_tx(const struct iob_joins *joins,
			      const struct inode *inode, struct folio *folio)
{
	u32 dev = inode->i_sb->s_dev;

	return (struct iob_tx){ dev, iob_joins_epoch(joins, dev) };
}

static struct iob_tx write_tx(const struct iob_joins *joins,
			      const struct inode *inode, struct folio *folio)
{
	u32 dev = inode->i_sb->s_dev;

	return (struct iob_tx){ dev, iob_joins_epoch(joins, dev) - 1 };
}

const struct iob_fs iob_fs_f2fs = {
	.is_internal = is_internal,
	.is_shared = is_shared,
	.dirty_tx = dirty_tx,
	.write_tx = write_tx,
	.basis = IOB_BASIS_EPOCH,
};
