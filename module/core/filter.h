/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_FILTER_H
#define IOB_CORE_FILTER_H

#include "base.h"

#define IOB_MAX_FILTER		64	/* values a user may write */
#define IOB_MAX_FAMILY		4096	/* processes that count as children */
#define IOB_FAMILY_WAYS		32	/* how far one may lie from its hash */

/**
 * struct iob_filter - what is wanted; an empty list wants everything
 * @dev, @tgid, @cgroup: values and how many
 * @ops: bits of enum iob_op, 0: all
 * @readahead: what becomes of what is read, too; costs something at every use of
 *             the page cache, so an empty filter does not want it
 *
 * Changes only while tracing is disabled, so probes read it without a lock.
 */
struct iob_filter {
	u32 nr_dev, nr_tgid, nr_cgroup;
	u32 ops;
	bool readahead;
	u32 dev[IOB_MAX_FILTER];
	u32 tgid[IOB_MAX_FILTER];
	u64 cgroup[IOB_MAX_FILTER];
};

/**
 * struct iob_family - processes that descend from a wanted one
 * @member: open addressing; 0: never used, 1: left
 */
struct iob_family {
	raw_spinlock_t lock;
	u32 nr_lost;
	u32 member[IOB_MAX_FAMILY];
};

bool iob_filter_has_dev(const struct iob_filter *f, u32 dev);
bool iob_filter_has_tgid(const struct iob_filter *f, u32 tgid);
bool iob_filter_has_cgroup(const struct iob_filter *f, u64 cgroup_id);

/**
 * iob_filter_wants_io() - Is IO of this kind counted?
 * @f:   filter
 * @dev: disk
 * @op:  enum iob_op
 *
 * Return: true or false.
 */
static inline bool iob_filter_wants_io(const struct iob_filter *f, u32 dev,
				       u32 op)
{
	return (!f->ops || f->ops >> op & 1) &&
	       (!f->nr_dev || iob_filter_has_dev(f, dev));
}

/**
 * iob_filter_wants_tasks() - Are origins filtered at all?
 * @f: filter
 *
 * Return: true if only some tasks are wanted.
 */
static inline bool iob_filter_wants_tasks(const struct iob_filter *f)
{
	return f->nr_tgid || f->nr_cgroup;
}

void iob_family_init(struct iob_family *family);
bool iob_family_has(struct iob_family *family, u32 tgid);
void iob_family_add(struct iob_family *family, u32 tgid);
void iob_family_remove(struct iob_family *family, u32 tgid);

#endif /* IOB_CORE_FILTER_H */
