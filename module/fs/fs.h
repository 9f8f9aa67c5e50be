/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a file system must be asked: which of its inodes hold whose data.
 */
#ifndef IOB_FS_FS_H
#define IOB_FS_FS_H

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/pagemap.h>

#include "../core/joins.h"
#include "../core/objects.h"

/**
 * struct iob_fs - one file system
 * @is_internal: is this inode the file system's own: no file of a user, but
 *               metadata in the page cache. The generic one has none
 * @is_shared:   do pages of an internal inode belong to everybody who joined
 *               their transaction, whoever dirtied them? NULL: none do
 * @dirty_tx:    transaction a page of an internal inode is being dirtied in
 * @write_tx:    transaction it is written for
 * @super_tx:    transaction a super block is written for; @block is a block of
 *               a block device that may be anything. NULL: it has no such
 * @basis:       what a share in that transaction is called
 */
struct iob_fs {
	bool (*is_internal)(const struct inode *inode);
	bool (*is_shared)(const struct inode *inode);
	struct iob_tx (*dirty_tx)(const struct iob_joins *joins,
				  const struct inode *inode,
				  struct folio *folio);
	struct iob_tx (*write_tx)(const struct iob_joins *joins,
				  const struct inode *inode,
				  struct folio *folio);
	struct iob_tx (*super_tx)(const void *block);
	enum iob_basis basis;
};

extern const struct iob_fs iob_fs_btrfs;
extern const struct iob_fs iob_fs_f2fs;
extern const struct iob_fs iob_fs_generic;

/**
 * iob_fs_of() - The file system of an inode
 * @inode: the inode
 *
 * ext4 and XFS keep no metadata in the page cache of an inode of theirs.
 *
 * Context: any; the caller keeps the inode.
 * Return: its row of the table.
 */
static inline const struct iob_fs *iob_fs_of(const struct inode *inode)
{
	unsigned long magic = inode->i_sb->s_magic;

	if (magic == BTRFS_SUPER_MAGIC)
		return &iob_fs_btrfs;
	return magic == F2FS_SUPER_MAGIC ? &iob_fs_f2fs : &iob_fs_generic;
}

/**
 * iob_fs_is_internal() - Is an inode a file system's own?
 * @inode: the inode
 *
 * Context: any; the caller keeps the inode.
 * Return: true if what its pages hold is metadata, and it is no file of a user.
 */
static inline bool iob_fs_is_internal(const struct inode *inode)
{
	const struct iob_fs *fs = iob_fs_of(inode);

	/* most file systems are none of the table's */
	return fs != &iob_fs_generic && fs->is_internal(inode);
}

/**
 * iob_fs_file_key() - What tells an inode from all others
 * @inode: the inode
 * @key:   filled; a block device's file is keyed by the device
 *
 * Context: any; the caller keeps the inode.
 */
static inline void iob_fs_file_key(const struct inode *inode,
				   struct iob_file_key *key)
{
	bool is_disk = S_ISBLK(inode->i_mode);

	key->dev = is_disk ? inode->i_rdev : inode->i_sb->s_dev;
	key->gen = is_disk ? 0 : inode->i_generation;
	key->ino = is_disk ? 0 : inode->i_ino;
}

/**
 * iob_fs_owner() - The inode whose page cache a folio is in
 * @folio: the folio
 *
 * Context: any; what keeps the folio in its file is the caller's to know.
 * Return: the inode, NULL if it is in none.
 */
static inline struct inode *iob_fs_owner(struct folio *folio)
{
	struct address_space *mapping;

	/* these have other words there */
	if (folio_test_slab(folio) || folio_test_swapcache(folio))
		return NULL;
	mapping = READ_ONCE(folio->mapping);
	/* the low bits mark anonymous and other memory that is no file's */
	if (!mapping || (unsigned long)mapping & 3)
		return NULL;
	return mapping->host;
}

/**
 * iob_fs_kind() - What a dirty page of an inode is
 * @inode: owner of the page
 *
 * Context: any; the caller keeps the inode.
 * Return: IOB_KIND_DATA for files, IOB_KIND_METADATA for directories and for
 * the file system's own inodes, IOB_KIND_UNKNOWN for what never reaches a
 * block device from here, and for a block device's own pages, which may be a
 * file system's metadata or somebody's raw writes.
 */
static inline enum iob_kind iob_fs_kind(const struct inode *inode)
{
	if (S_ISBLK(inode->i_mode) ||
	    !(inode->i_sb->s_type->fs_flags & FS_REQUIRES_DEV))
		return IOB_KIND_UNKNOWN;
	if (iob_fs_is_internal(inode))
		return IOB_KIND_METADATA;
	if (S_ISREG(inode->i_mode) || S_ISLNK(inode->i_mode))
		return IOB_KIND_DATA;
	return IOB_KIND_METADATA;
}

bool iob_fs_has_buffers(const struct address_space *mapping);
struct iob_tx iob_fs_super_tx(const void *block);
u32 iob_fs_disk(const struct inode *inode);

#endif /* IOB_FS_FS_H */
