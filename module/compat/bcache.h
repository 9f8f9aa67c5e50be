/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_BCACHE_H
#define IOB_COMPAT_BCACHE_H

/* Made by offsets.py while building; empty where there is no BTF. */
#include "offsets.h"

/* bcache is read at the places BTF tells; one that is not there: none is read. */
#if defined(IOB_OFF_bbio_bio) &&			\
	defined(IOB_OFF_bbio_key) &&			\
	defined(IOB_OFF_bcache_device_disk) &&		\
	defined(IOB_OFF_bkey_high) &&			\
	defined(IOB_OFF_bkey_low) &&			\
	defined(IOB_OFF_cache_sb_data_offset) &&	\
	defined(IOB_OFF_cache_set_moving_gc_wq) &&	\
	defined(IOB_OFF_cached_dev_disk) &&		\
	defined(IOB_OFF_cached_dev_sb) &&		\
	defined(IOB_OFF_data_insert_op_c) &&		\
	defined(IOB_OFF_data_insert_op_cl) &&		\
	defined(IOB_OFF_data_insert_op_wq) &&		\
	defined(IOB_OFF_dirty_io_bio) &&		\
	defined(IOB_OFF_dirty_io_dc) &&			\
	defined(IOB_OFF_keybuf_key_key) &&		\
	defined(IOB_OFF_search_cl) &&			\
	defined(IOB_OFF_search_d) &&			\
	defined(IOB_OFF_search_iop) &&			\
	defined(IOB_OFF_search_orig_bio)
#define IOB_BCACHE_KNOWN
#endif

/* KEY_SIZE() of drivers/md/bcache/bcache_ondisk.h, which is a format on disks. */
#define IOB_BCACHE_KEY_SIZE(high)	((high) >> 20 & 0xffff)

#endif /* IOB_COMPAT_BCACHE_H */
