/* SPDX-License-Identifier: GPL-2.0 */
/* What the header of ext4's tracepoints expects of ext4's own, which is nowhere else. */
#ifndef IOB_COMPAT_EXT4_H
#define IOB_COMPAT_EXT4_H

#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/jbd2.h>

/* fs/ext4/ext4.h */
typedef unsigned long long ext4_fsblk_t;
typedef int ext4_grpblk_t;
typedef __u32 ext4_lblk_t;
typedef unsigned int ext4_group_t;

#include <trace/events/ext4.h>

#endif /* IOB_COMPAT_EXT4_H */
