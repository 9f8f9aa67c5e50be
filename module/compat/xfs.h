/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_XFS_H
#define IOB_COMPAT_XFS_H

#include "../uapi/ioblame.h"

/* Made by offsets.py while building; empty where there is no BTF. */
#include "offsets.h"

/*
 * XFS keeps its structures to itself; they are read at the places its BTF tells.
 * One that is not there: none is read, see IOB_XFS_KNOWN.
 */
#define IOB_XFS_PLACE(base, type, member) \
	((const void *)(base) + IOB_OFF_##type##_##member)
#define IOB_XFS_READ(base, type, member, as) \
	(*(const as *)IOB_XFS_PLACE(base, type, member))
#define IOB_XFS_POINTER(base, type, member) \
	IOB_XFS_READ(base, type, member, void *)

#if defined(IOB_OFF_xfs_imap_im_blkno)
/* Up to v7.0 the place of an inode's cluster was kept as such. */
#define IOB_XFS_IMAP_SECTOR
#define IOB_XFS_IMAP_KNOWN
#elif defined(IOB_OFF_xfs_imap_im_agbno) &&		\
	defined(IOB_OFF_xfs_ino_geometry_agino_log) &&	\
	defined(IOB_OFF_xfs_mount_m_blkbb_log) &&	\
	defined(IOB_OFF_xfs_mount_m_ino_geo) &&		\
	defined(IOB_OFF_xfs_mount_m_sb) &&		\
	defined(IOB_OFF_xfs_sb_sb_agblocks)
#define IOB_XFS_IMAP_KNOWN
#endif

#if defined(IOB_XFS_IMAP_KNOWN) &&			\
	defined(IOB_OFF_xfs_buf_b_maps) &&		\
	defined(IOB_OFF_xfs_buf_b_map_count) &&		\
	defined(IOB_OFF_xfs_buf_b_target) &&		\
	defined(IOB_OFF_xfs_buf_log_format_blf_data_map) && \
	defined(IOB_OFF_xfs_buf_log_format_blf_map_size) && \
	defined(IOB_OFF_xfs_buf_log_format_sizeof) &&	\
	defined(IOB_OFF_xfs_buf_log_item_bli_buf) &&	\
	defined(IOB_OFF_xfs_buf_log_item_bli_format_count) && \
	defined(IOB_OFF_xfs_buf_log_item_bli_formats) && \
	defined(IOB_OFF_xfs_buf_map_bm_bn) &&		\
	defined(IOB_OFF_xfs_buf_map_bm_len) &&		\
	defined(IOB_OFF_xfs_buf_map_sizeof) &&		\
	defined(IOB_OFF_xfs_buftarg_bt_bdev) &&		\
	defined(IOB_OFF_xfs_cil_xc_ctx) &&		\
	defined(IOB_OFF_xfs_cil_xc_log) &&		\
	defined(IOB_OFF_xfs_cil_ctx_cil) &&		\
	defined(IOB_OFF_xfs_cil_ctx_sequence) &&	\
	defined(IOB_OFF_xfs_imap_im_boffset) &&		\
	defined(IOB_OFF_xfs_inode_i_imap) &&		\
	defined(IOB_OFF_xfs_inode_i_mount) &&		\
	defined(IOB_OFF_xfs_inode_i_vnode) &&		\
	defined(IOB_OFF_xfs_inode_log_item_ili_fields) && \
	defined(IOB_OFF_xfs_inode_log_item_ili_inode) && \
	defined(IOB_OFF_xfs_log_item_li_log) &&		\
	defined(IOB_OFF_xfs_mount_m_ddev_targp) &&	\
	defined(IOB_OFF_xlog_l_cilp) &&			\
	defined(IOB_OFF_xlog_l_logBBsize) &&		\
	defined(IOB_OFF_xlog_l_logBBstart) &&		\
	defined(IOB_OFF_xlog_l_mp) &&			\
	defined(IOB_OFF_xlog_l_targ)
#define IOB_XFS_KNOWN
#endif

#endif /* IOB_COMPAT_XFS_H */
