/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_DEVICES_H
#define IOB_CORE_DEVICES_H

#include "counters.h"

#define IOB_MAX_DEVICES		512
#define IOB_DISK_NAME_LEN	32

/**
 * struct iob_device - everything that completed on one disk
 * @dev:    major << 20 | minor; 0: free. Written last, never changed
 * @name:   the disk's name
 * @op:     per enum iob_op: IOs, bytes, and the part of both that found no row
 *          in the totals
 */
struct iob_device {
	u32 dev;
	char name[IOB_DISK_NAME_LEN];
	struct iob_device_op {
		atomic64_t ios;
		atomic64_t bytes;
		atomic64_t folded_ios;
		atomic64_t folded_bytes;
	} op[IOB_NR_OPS];
};

/**
 * struct iob_devices - the disks; slot 0 takes what no slot is left for
 */
struct iob_devices {
	struct iob_counters *counters;
	raw_spinlock_t lock;		/* adding a disk */
	struct iob_device *device;	/* IOB_MAX_DEVICES, open addressing */
};

int iob_devices_init(struct iob_devices *d, struct iob_counters *counters);
void iob_devices_exit(struct iob_devices *d);
struct iob_device *iob_devices_get(struct iob_devices *d, u32 dev,
				   const char *name);
void iob_devices_reset(struct iob_devices *d);

#endif /* IOB_CORE_DEVICES_H */
