/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What XFS's own structures say. Each function tells what its argument must be,
 * and who keeps it: an argument of the probed function, locked by its caller.
 */
#ifndef IOB_FS_XFS_H
#define IOB_FS_XFS_H

#include <linux/fs.h>

#include "../compat/xfs.h"

struct xfs_buf;
struct xfs_buftarg;
struct xfs_cil_ctx;
struct xfs_inode;
struct xfs_log_item;
struct xlog;

/**
 * struct iob_xfs_extent - a place on a disk
 * @disk:    the disk's number
 * @sector:  first sector, counted from its start
 * @sectors: how many
 */
struct iob_xfs_extent {
	u32 disk;
	u64 sector;
	u32 sectors;
};

#ifdef IOB_XFS_KNOWN
const struct block_device *iob_xfs_target_bdev(const struct xfs_buftarg *target);
bool iob_xfs_buf_extent(const struct xfs_buf *bp, u32 index,
			struct iob_xfs_extent *extent);
struct inode *iob_xfs_inode(const struct xfs_inode *ip);
bool iob_xfs_inode_extent(const struct xfs_inode *ip,
			  struct iob_xfs_extent *extent);

const struct xfs_buf *iob_xfs_item_buf(const struct xfs_log_item *item);
const struct xfs_inode *iob_xfs_item_inode(const struct xfs_log_item *item);
u32 iob_xfs_item_buf_chunks(const struct xfs_log_item *item);
u32 iob_xfs_item_inode_chunks(const struct xfs_log_item *item);
const struct xlog *iob_xfs_item_log(const struct xfs_log_item *item);

const struct xlog *iob_xfs_ctx_log(const struct xfs_cil_ctx *ctx);
u64 iob_xfs_ctx_number(const struct xfs_cil_ctx *ctx);

u32 iob_xfs_log_dev(const struct xlog *log);
u64 iob_xfs_log_number(const struct xlog *log);
void iob_xfs_log_extent(const struct xlog *log, struct iob_xfs_extent *extent);
#endif

#endif /* IOB_FS_XFS_H */
