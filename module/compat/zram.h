/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_ZRAM_H
#define IOB_COMPAT_ZRAM_H

/* Made by offsets.py while building; empty where there is no BTF. */
#include "offsets.h"

/* A zram is read at the places BTF tells; one that is not there: none is read. */
#if defined(IOB_OFF_zram_backing_dev) && defined(IOB_OFF_zram_disk)
#define IOB_ZRAM_KNOWN
#endif

/* What is written back is a request that says which page it is. */
#if defined(IOB_OFF_zram_pp_slot_index) &&	\
	defined(IOB_OFF_zram_wb_req_bio) &&	\
	defined(IOB_OFF_zram_wb_req_pps)
#define IOB_ZRAM_REQUESTS
#endif

/* Else it is what was read last from memory, by this function. */
#ifdef IOB_HAVE_RW_PAGE
#define IOB_ZRAM_READ	"__zram_bvec_read.constprop.0"
#else
#define IOB_ZRAM_READ	"zram_read_from_zspool"
#endif

#endif /* IOB_COMPAT_ZRAM_H */
