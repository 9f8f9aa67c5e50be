// SPDX-License-Identifier: GPL-2.0
/* Devices: the sums that every other sum must agree with. */
#include "devices.h"

/**
 * iob_devices_init() - No disks yet
 * @d:        devices
 * @counters: where losses are counted
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int iob_devices_init(struct iob_devices *d, struct iob_counters *counters)
{
	memset(d, 0, sizeof(*d));
	d->counters = counters;
	raw_spin_lock_init(&d->lock);
	d->device = iob_table_alloc(IOB_MAX_DEVICES, sizeof(*d->device));
	if (!d->device)
		return -ENOMEM;
	strscpy(d->device[0].name, "other", IOB_DISK_NAME_LEN);
	return 0;
}

/**
 * iob_devices_exit() - Free the table
 * @d: devices, initialised or zeroed
 */
void iob_devices_exit(struct iob_devices *d)
{
	iob_table_free(d->device);
	memset(d, 0, sizeof(*d));
}

/* Slot of @dev, or the free one where it would go, or NULL: table full. */
static struct iob_device *find(struct iob_devices *d, u32 dev)
{
	u64 key = dev;
	u32 hash = iob_hash(&key, 1), i;

	for (i = 0; i < IOB_MAX_DEVICES - 1; i++) {
		struct iob_device *device =
			&d->device[1 + (hash + i) % (IOB_MAX_DEVICES - 1)];
		/* pairs with the release in iob_devices_get() */
		u32 there = smp_load_acquire(&device->dev);

		if (there == dev || !there)
			return device;
	}
	return NULL;
}

/**
 * iob_devices_get() - Sums of a disk
 * @d:    devices
 * @dev:  its number
 * @name: its name, kept when it is new
 *
 * Context: any but NMI.
 * Return: its sums; those of "other" when there are too many disks (counted),
 * and for the number 0, which says "free" in the table.
 */
struct iob_device *iob_devices_get(struct iob_devices *d, u32 dev,
				   const char *name)
{
	struct iob_device *device = dev ? find(d, dev) : &d->device[0];
	unsigned long flags;

	if (likely(device && READ_ONCE(device->dev) == dev))
		return device;
	raw_spin_lock_irqsave(&d->lock, flags);
	device = find(d, dev);
	if (device && device->dev != dev) {
		strscpy(device->name, name, IOB_DISK_NAME_LEN);
		/* the name before the number that makes find() stop here */
		smp_store_release(&device->dev, dev);
	}
	raw_spin_unlock_irqrestore(&d->lock, flags);
	if (device)
		return device;
	iob_count(d->counters, IOB_CNT_LOST_DEVICES, 1);
	return &d->device[0];
}

/**
 * iob_devices_reset() - All sums to zero
 * @d: devices
 */
void iob_devices_reset(struct iob_devices *d)
{
	int i, op;

	for (i = 0; i < IOB_MAX_DEVICES; i++) {
		for (op = 0; op < IOB_NR_OPS; op++) {
			struct iob_device_op *o = &d->device[i].op[op];

			atomic64_set(&o->ios, 0);
			atomic64_set(&o->bytes, 0);
			atomic64_set(&o->folded_ios, 0);
			atomic64_set(&o->folded_bytes, 0);
		}
	}
}
