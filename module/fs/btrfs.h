/* SPDX-License-Identifier: GPL-2.0 */
/* Reading btrfs's own structures, for the probes. */
#ifndef IOB_FS_BTRFS_H
#define IOB_FS_BTRFS_H

#include <linux/fs.h>

#include "../core/joins.h"

const struct inode *iob_btrfs_inode(const void *object);
const struct inode *iob_btrfs_ordered_inode(const void *ordered);
struct iob_tx iob_btrfs_handle_tx(const void *trans, const struct inode *inode);

#endif /* IOB_FS_BTRFS_H */
