/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_BTRFS_H
#define IOB_COMPAT_BTRFS_H

#include <linux/build_bug.h>

/* Made by offsets.py while building; empty where there is no BTF. */
#include "offsets.h"

/* The number of a handle's transaction is read as its first word. */
#ifdef IOB_OFF_btrfs_trans_handle_transid
static_assert(IOB_OFF_btrfs_trans_handle_transid == 0);
#endif

#endif /* IOB_COMPAT_BTRFS_H */
