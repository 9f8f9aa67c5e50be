// SPDX-License-Identifier: GPL-2.0
/*
 * btrfs: tree blocks are pages of one inode that no user can name. Each begins
 * with a header that says where it lives, in which file system, and in which
 * transaction it was made; so does the super block.
 */
#include <linux/btrfs_tree.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "../compat/btrfs.h"
#include "btrfs.h"
#include "fs.h"

/* Of struct btrfs_header and btrfs_super_block: the format on disk. */
#define HEADER_FSID		32
#define HEADER_BYTENR		48
#define HEADER_GENERATION	80
#define SUPER_MAGIC		64
#define SUPER_GENERATION	72
#define SUPER_MAGIC_WORD	0x4d5f53665248425full	/* "_BHRfS_M" */

static bool is_internal(const struct inode *inode)
{
	return inode->i_ino == BTRFS_BTREE_INODE_OBJECTID;
}

static u64 word_at(const void *block, u32 offset)
{
	return le64_to_cpup((const __le64 *)(block + offset));
}

/* What tells file systems apart: each has many devices, and many s_dev. */
static u32 hash_of_fsid(const void *fsid)
{
	u64 words[2];

	memcpy(words, fsid, sizeof(words));
	return iob_hash(words, 2);
}

/* A block's first page tells; the others of it may hold anything. */
static struct iob_tx block_tx(const struct iob_joins *joins,
			      const struct inode *inode, struct folio *folio)
{
	const void *block = folio_address(folio);
	struct iob_tx tx = { };

	if (word_at(block, HEADER_BYTENR) != (u64)folio_pos(folio))
		return tx;
	tx.dev = hash_of_fsid(block + HEADER_FSID);
	tx.tid = word_at(block, HEADER_GENERATION);
	return tx;
}

static struct iob_tx super_tx(const void *block)
{
	struct iob_tx tx = { };

	if (word_at(block, SUPER_MAGIC) != SUPER_MAGIC_WORD)
		return tx;
	tx.dev = hash_of_fsid(block + HEADER_FSID);
	tx.tid = word_at(block, SUPER_GENERATION);
	return tx;
}

const struct iob_fs iob_fs_btrfs = {
	.is_internal = is_internal,
	.dirty_tx = block_tx,
	.write_tx = block_tx,
	.super_tx = super_tx,
	.basis = IOB_BASIS_TRANSACTION,
};

/* Is this a struct inode of btrfs? */
static bool is_inode(const struct inode *inode)
{
	unsigned long magic;
	struct super_block *sb;

	return !copy_from_kernel_nofault(&sb, &inode->i_sb, sizeof(sb)) &&
	       !copy_from_kernel_nofault(&magic, &sb->s_magic, sizeof(magic)) &&
	       magic == BTRFS_SUPER_MAGIC;
}

/**
 * iob_btrfs_inode() - The inode behind a pointer of btrfs
 * @object: a struct inode or a struct btrfs_inode: which of them a function
 *          takes changed from kernel to kernel
 *
 * Context: any; the caller keeps the inode.
 * Return: the inode, NULL if it is neither.
 */
const struct inode *iob_btrfs_inode(const void *object)
{
	if (is_inode(object))
		return object;
#ifdef IOB_OFF_btrfs_inode_vfs_inode
	object += IOB_OFF_btrfs_inode_vfs_inode;
	if (is_inode(object))
		return object;
#endif
	return NULL;
}

/**
 * iob_btrfs_ordered_inode() - The file of an ordered extent
 * @ordered: struct btrfs_ordered_extent
 *
 * Context: any; the caller keeps the extent.
 * Return: the inode, NULL if it is not known where to look.
 */
const struct inode *iob_btrfs_ordered_inode(const void *ordered)
{
#ifdef IOB_OFF_btrfs_ordered_extent_inode
	const void *object;

	if (copy_from_kernel_nofault(&object, ordered +
				     IOB_OFF_btrfs_ordered_extent_inode,
				     sizeof(object)))
		return NULL;
	return iob_btrfs_inode(object);
#else
	return NULL;
#endif
}

/**
 * iob_btrfs_handle_tx() - The transaction of a handle
 * @trans: struct btrfs_trans_handle, which begins with the number
 * @inode: an inode of the file system
 *
 * Context: any.
 * Return: the transaction.
 */
struct iob_tx iob_btrfs_handle_tx(const void *trans, const struct inode *inode)
{
	return (struct iob_tx){
		.dev = hash_of_fsid(&inode->i_sb->s_uuid),
		.tid = *(const u64 *)trans,
	};
}
