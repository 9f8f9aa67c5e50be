/* SPDX-License-Identifier: GPL-2.0 */
/* What the header of ext4's tracepoints expects of ext4's own, which is nowhere else. */
#ifndef IOB_COMPAT_EXT4_H
#define IOB_COMPAT_EXT4_H

#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/jbd2.h>

/* Types of fs/ext4/ext4.h */
#define ext4_fsblk_t	unsigned long long
#define ext4_grpblk_t	int
#define ext4_lblk_t	__u32
#define ext4_group_t	unsigned int

#include <trace/events/ext4.h>

#undef ext4_fsblk_t
#undef ext4_grpblk_t
#undef ext4_lblk_t
#undef ext4_group_t

#endif /* IOB_COMPAT_EXT4_H */
