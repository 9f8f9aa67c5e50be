/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a file system must be asked: which of its inodes hold whose data.
 */
#ifndef IOB_FS_FS_H
#define IOB_FS_FS_H

#include <linux/fs.h>

#include "../core/objects.h"

/**
 * struct iob_fs - one file system
 * @magic:       s_magic; 0 ends the table and is every other file system
 * @is_internal: is this inode the file system's own (no file of a user), so
 *               that who dirties its pages says little about who caused it?
 */
struct iob_fs {
	unsigned long magic;
	bool (*is_internal)(const struct inode *inode);
};

extern const struct iob_fs iob_fs_btrfs;
extern const struct iob_fs iob_fs_f2fs;
extern const struct iob_fs iob_fs_generic;

enum iob_kind iob_fs_kind(const struct inode *inode);
void iob_fs_file_key(const struct inode *inode, struct iob_file_key *key);
u32 iob_fs_disk(const struct inode *inode);

#endif /* IOB_FS_FS_H */
