/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a file system must be asked: which of its inodes hold whose data.
 */
#ifndef IOB_FS_FS_H
#define IOB_FS_FS_H

#include <linux/fs.h>

#include "../core/joins.h"
#include "../core/objects.h"

/**
 * struct iob_fs - one file system
 * @magic:       s_magic; 0 ends the table and is every other file system
 * @is_internal: is this inode the file system's own: no file of a user, but
 *               metadata in the page cache
 * @is_shared:   do pages of an internal inode belong to everybody who joined
 *               their transaction, whoever dirtied them? NULL: none do
 * @dirty_tx:    transaction a page of an internal inode is being dirtied in
 * @write_tx:    transaction it is written for
 * @super_tx:    transaction a super block is written for; @block is a block of
 *               a block device that may be anything. NULL: it has no such
 * @basis:       what a share in that transaction is called
 */
struct iob_fs {
	unsigned long magic;
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

struct inode *iob_fs_owner(struct folio *folio);
const struct iob_fs *iob_fs_of(const struct inode *inode);
enum iob_kind iob_fs_kind(const struct inode *inode);
bool iob_fs_has_buffers(const struct address_space *mapping);
void iob_fs_file_key(const struct inode *inode, struct iob_file_key *key);
struct iob_tx iob_fs_super_tx(const void *block);
u32 iob_fs_disk(const struct inode *inode);

#endif /* IOB_FS_FS_H */
