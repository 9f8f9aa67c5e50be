// SPDX-License-Identifier: GPL-2.0
/*
 * XFS: where its buffers, inodes and log lie, and what a log item holds. Its
 * structures are read as they are laid out in this very kernel, see compat/xfs.h.
 *
 * Sectors inside XFS ("daddr") are of 512 bytes and count from the start of its
 * block device.
 */
#include <linux/bitops.h>
#include <linux/blkdev.h>

#include "xfs.h"

#ifdef IOB_XFS_KNOWN

/* A buffer of 64 KiB in single blocks; what would have more is not believed. */
#define MAX_MAPS	128

/* xfs_log_format.h, part of the format on disk: what of an inode is logged. */
#define ILOG_FORKS	0x1ce	/* extents, roots or content of its forks */

/* What an inode always takes in the log, in chunks of 128 bytes. */
#define INODE_CHUNKS	2

/**
 * iob_xfs_target_bdev() - Block device of a buffer target
 * @target: the target
 *
 * Context: any; the caller keeps the target.
 * Return: the device; NULL for one in memory.
 */
const struct block_device *iob_xfs_target_bdev(const struct xfs_buftarg *target)
{
	return IOB_XFS_POINTER(target, xfs_buftarg, bt_bdev);
}

static void set_extent(struct iob_xfs_extent *extent,
		       const struct block_device *bdev, u64 daddr, u32 sectors)
{
	extent->disk = disk_devt(bdev->bd_disk);
	extent->sector = bdev->bd_start_sect + daddr;
	extent->sectors = sectors;
}

/**
 * iob_xfs_buf_extent() - One of the places of a buffer
 * @bp:     the buffer, locked
 * @index:  which, from 0
 * @extent: filled
 *
 * Context: any.
 * Return: false if there are no more, or it is in memory only.
 */
bool iob_xfs_buf_extent(const struct xfs_buf *bp, u32 index,
			struct iob_xfs_extent *extent)
{
	const struct block_device *bdev =
		iob_xfs_target_bdev(IOB_XFS_POINTER(bp, xfs_buf, b_target));
	const void *map = IOB_XFS_POINTER(bp, xfs_buf, b_maps);
	u32 nr = IOB_XFS_READ(bp, xfs_buf, b_map_count, int);

	if (!bdev || index >= nr || index >= MAX_MAPS)
		return false;
	map += index * IOB_OFF_xfs_buf_map_sizeof;
	set_extent(extent, bdev, IOB_XFS_READ(map, xfs_buf_map, bm_bn, s64),
		   IOB_XFS_READ(map, xfs_buf_map, bm_len, int));
	return true;
}

/**
 * iob_xfs_inode() - The inode that everybody knows
 * @ip: the inode
 *
 * Context: any; the caller keeps the inode.
 * Return: the same inode.
 */
struct inode *iob_xfs_inode(const struct xfs_inode *ip)
{
	return (struct inode *)IOB_XFS_PLACE(ip, xfs_inode, i_vnode);
}

#ifdef IOB_XFS_IMAP_SECTOR
static u64 cluster_daddr(const struct xfs_inode *ip)
{
	return IOB_XFS_READ(IOB_XFS_PLACE(ip, xfs_inode, i_imap), xfs_imap,
			    im_blkno, s64);
}
#else
/* A block inside the allocation group that the inode's number tells. */
static u64 cluster_daddr(const struct xfs_inode *ip)
{
	const void *mp = IOB_XFS_POINTER(ip, xfs_inode, i_mount);
	u64 group = iob_xfs_inode(ip)->i_ino >>
		IOB_XFS_READ(IOB_XFS_PLACE(mp, xfs_mount, m_ino_geo),
			     xfs_ino_geometry, agino_log, u32);
	u32 blocks = IOB_XFS_READ(IOB_XFS_PLACE(mp, xfs_mount, m_sb), xfs_sb,
				  sb_agblocks, u32);

	return (group * blocks +
		IOB_XFS_READ(IOB_XFS_PLACE(ip, xfs_inode, i_imap), xfs_imap,
			     im_agbno, u32)) <<
	       IOB_XFS_READ(mp, xfs_mount, m_blkbb_log, u8);
}
#endif

/**
 * iob_xfs_inode_extent() - The sector an inode begins in
 * @ip:     the inode, locked
 * @extent: filled
 *
 * Context: any.
 * Return: false if it has none.
 */
bool iob_xfs_inode_extent(const struct xfs_inode *ip,
			  struct iob_xfs_extent *extent)
{
	const void *mp = IOB_XFS_POINTER(ip, xfs_inode, i_mount);
	const struct block_device *bdev =
		iob_xfs_target_bdev(IOB_XFS_POINTER(mp, xfs_mount,
						    m_ddev_targp));
	u64 daddr = cluster_daddr(ip);

	if (!bdev || !daddr)
		return false;
	set_extent(extent, bdev, daddr +
		   (IOB_XFS_READ(IOB_XFS_PLACE(ip, xfs_inode, i_imap),
				 xfs_imap, im_boffset, u16) >> SECTOR_SHIFT),
		   1);
	return true;
}

/**
 * iob_xfs_item_buf() - Buffer of a buffer's log item
 * @item: the item, in a transaction
 *
 * Context: any.
 * Return: the buffer.
 */
const struct xfs_buf *iob_xfs_item_buf(const struct xfs_log_item *item)
{
	return IOB_XFS_POINTER(item, xfs_buf_log_item, bli_buf);
}

/**
 * iob_xfs_item_inode() - Inode of an inode's log item
 * @item: the item, in a transaction
 *
 * Context: any.
 * Return: the inode.
 */
const struct xfs_inode *iob_xfs_item_inode(const struct xfs_log_item *item)
{
	return IOB_XFS_POINTER(item, xfs_inode_log_item, ili_inode);
}

/**
 * iob_xfs_item_buf_chunks() - How much of a buffer the log will hold
 * @item: the buffer's item, in a transaction
 *
 * Context: any.
 * Return: the number of chunks of 128 bytes.
 */
u32 iob_xfs_item_buf_chunks(const struct xfs_log_item *item)
{
	const void *format = IOB_XFS_POINTER(item, xfs_buf_log_item,
					     bli_formats);
	u32 nr = IOB_XFS_READ(item, xfs_buf_log_item, bli_format_count, int);
	u32 i, k, words, chunks = 0;

	for (i = 0; i < nr && i < MAX_MAPS; i++) {
		const u32 *map = IOB_XFS_PLACE(format, xfs_buf_log_format,
					       blf_data_map);

		words = IOB_XFS_READ(format, xfs_buf_log_format, blf_map_size,
				     u32);
		words = min_t(u32, words, (IOB_OFF_xfs_buf_log_format_sizeof -
			IOB_OFF_xfs_buf_log_format_blf_data_map) / sizeof(u32));
		for (k = 0; k < words; k++)
			chunks += hweight32(map[k]);
		format += IOB_OFF_xfs_buf_log_format_sizeof;
	}
	return chunks;
}

/**
 * iob_xfs_item_inode_chunks() - How much of an inode the log will hold
 * @item: the inode's item, in a transaction
 *
 * Context: any.
 * Return: about so many chunks of 128 bytes.
 */
u32 iob_xfs_item_inode_chunks(const struct xfs_log_item *item)
{
	u32 fields = IOB_XFS_READ(item, xfs_inode_log_item, ili_fields, u32);

	return INODE_CHUNKS + !!(fields & ILOG_FORKS);
}

/**
 * iob_xfs_item_log() - The log a log item goes to
 * @item: the item
 *
 * Context: any.
 * Return: the log.
 */
const struct xlog *iob_xfs_item_log(const struct xfs_log_item *item)
{
	return IOB_XFS_POINTER(item, xfs_log_item, li_log);
}

/**
 * iob_xfs_ctx_log() - The log of a checkpoint
 * @ctx: the checkpoint
 *
 * Context: any.
 * Return: the log.
 */
const struct xlog *iob_xfs_ctx_log(const struct xfs_cil_ctx *ctx)
{
	return IOB_XFS_POINTER(IOB_XFS_POINTER(ctx, xfs_cil_ctx, cil), xfs_cil,
			       xc_log);
}

/**
 * iob_xfs_ctx_number() - Number of a checkpoint
 * @ctx: the checkpoint
 *
 * Context: any.
 * Return: the number, from 1.
 */
u64 iob_xfs_ctx_number(const struct xfs_cil_ctx *ctx)
{
	return IOB_XFS_READ(ctx, xfs_cil_ctx, sequence, s64);
}

/**
 * iob_xfs_log_dev() - The file system a log belongs to
 * @log: the log
 *
 * Context: any.
 * Return: number of its data device.
 */
u32 iob_xfs_log_dev(const struct xlog *log)
{
	const void *mp = IOB_XFS_POINTER(log, xlog, l_mp);

	return iob_xfs_target_bdev(IOB_XFS_POINTER(mp, xfs_mount,
						   m_ddev_targp))->bd_dev;
}

/**
 * iob_xfs_log_number() - Number of the checkpoint that transactions now join
 * @log: the log
 *
 * Context: a task that commits a transaction: it keeps the checkpoint from
 * being closed, as xc_ctx_lock is taken.
 * Return: the number, from 1.
 */
u64 iob_xfs_log_number(const struct xlog *log)
{
	const void *cil = IOB_XFS_POINTER(log, xlog, l_cilp);

	return iob_xfs_ctx_number(IOB_XFS_POINTER(cil, xfs_cil, xc_ctx));
}

/**
 * iob_xfs_log_extent() - Where a log lies
 * @log:    the log
 * @extent: filled
 *
 * Context: any.
 */
void iob_xfs_log_extent(const struct xlog *log, struct iob_xfs_extent *extent)
{
	set_extent(extent,
		   iob_xfs_target_bdev(IOB_XFS_POINTER(log, xlog, l_targ)),
		   IOB_XFS_READ(log, xlog, l_logBBstart, s64),
		   IOB_XFS_READ(log, xlog, l_logBBsize, int));
}

#endif /* IOB_XFS_KNOWN */
