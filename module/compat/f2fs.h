/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_F2FS_H
#define IOB_COMPAT_F2FS_H

/* Made by offsets.py while building; empty where there is no BTF. */
#include "offsets.h"

/* What a compressed page was made of is read at the places BTF tells, or not at all. */
#if defined(IOB_OFF_compress_io_ctx_magic) &&		\
	defined(IOB_OFF_compress_io_ctx_nr_rpages) &&	\
	defined(IOB_OFF_compress_io_ctx_rpages)
#define IOB_F2FS_CLUSTER_KNOWN

/* fs/f2fs/f2fs.h of v6.1, v6.12 and v7.3: F2FS_COMPRESSED_PAGE_MAGIC */
#define IOB_F2FS_CLUSTER_MAGIC	0xf5f2c000u
#endif

#endif /* IOB_COMPAT_F2FS_H */
