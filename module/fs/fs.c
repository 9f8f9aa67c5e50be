// SPDX-License-Identifier: GPL-2.0
/* File systems: the table, and what is the same for all of them. */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/magic.h>

#include "fs.h"

const struct iob_fs iob_fs_generic = { };

/**
 * iob_fs_has_buffers() - Are the private data of this file's folios buffers?
 * @mapping: of the file
 *
 * Others keep there what they like (iomap its dirty bits, btrfs and f2fs their
 * own), and nothing in a folio tells which.
 *
 * Context: any; the caller keeps the inode.
 * Return: true or false.
 */
bool iob_fs_has_buffers(const struct address_space *mapping)
{
	/* ext4's own dirty_folio is not exported; it ends in the same function */
	return mapping->a_ops->dirty_folio == block_dirty_folio ||
	       (mapping->host->i_sb->s_magic == EXT4_SUPER_MAGIC &&
		S_ISREG(mapping->host->i_mode));
}

/**
 * iob_fs_super_tx() - The transaction a super block is written for
 * @block: a block of a block device, which may be anything
 *
 * Context: any.
 * Return: the transaction; its tid is 0 if this is no such super block.
 */
struct iob_tx iob_fs_super_tx(const void *block)
{
	static const struct iob_fs * const file_systems[] = {
		&iob_fs_btrfs, &iob_fs_f2fs,
	};
	struct iob_tx tx = { };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(file_systems) && !tx.tid; i++)
		if (file_systems[i]->super_tx)
			tx = file_systems[i]->super_tx(block);
	return tx;
}

/**
 * iob_fs_disk() - The disk an inode's pages go to
 * @inode: the inode
 *
 * Context: any; the caller keeps the inode.
 * Return: the disk's number; for a file system on several disks its s_dev.
 */
u32 iob_fs_disk(const struct inode *inode)
{
	const struct block_device *bdev = inode->i_sb->s_bdev;

	if (S_ISBLK(inode->i_mode))
		bdev = I_BDEV((struct inode *)inode);
	return bdev ? disk_devt(bdev->bd_disk) : inode->i_sb->s_dev;
}
