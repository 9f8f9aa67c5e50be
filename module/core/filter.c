// SPDX-License-Identifier: GPL-2.0
/* Filters: which IO is counted at all, and which origins are named. */
#include "filter.h"

#define FREE	0
#define LEFT	1	/* init's pid: never a member by descent, all are */

/**
 * iob_filter_has_dev() - Was this disk asked for?
 * @f:   filter
 * @dev: its number
 *
 * Return: true or false.
 */
bool iob_filter_has_dev(const struct iob_filter *f, u32 dev)
{
	u32 i;

	for (i = 0; i < f->nr_dev; i++)
		if (f->dev[i] == dev)
			return true;
	return false;
}

/**
 * iob_filter_has_tgid() - Was this process asked for by number?
 * @f:    filter
 * @tgid: the process
 *
 * Return: true or false.
 */
bool iob_filter_has_tgid(const struct iob_filter *f, u32 tgid)
{
	u32 i;

	for (i = 0; i < f->nr_tgid; i++)
		if (f->tgid[i] == tgid)
			return true;
	return false;
}

/**
 * iob_filter_has_cgroup() - Was this cgroup asked for by number?
 * @f:         filter
 * @cgroup_id: the cgroup
 *
 * Return: true or false.
 */
bool iob_filter_has_cgroup(const struct iob_filter *f, u64 cgroup_id)
{
	u32 i;

	for (i = 0; i < f->nr_cgroup; i++)
		if (f->cgroup[i] == cgroup_id)
			return true;
	return false;
}

/**
 * iob_family_init() - No members
 * @family: family
 */
void iob_family_init(struct iob_family *family)
{
	memset(family, 0, sizeof(*family));
	raw_spin_lock_init(&family->lock);
}

/* Slot that holds @tgid, else (for adding) the first that could. */
static u32 *find(struct iob_family *family, u32 tgid, bool add)
{
	u64 key = tgid;
	u32 hash = iob_hash(&key, 1), i, *could = NULL;

	for (i = 0; i < IOB_FAMILY_WAYS; i++) {
		u32 *slot = &family->member[(hash + i) % IOB_MAX_FAMILY];
		u32 there = READ_ONCE(*slot);

		if (there == tgid)
			return slot;
		if (there <= LEFT && !could)
			could = slot;
		if (there == FREE)
			break;
	}
	return add ? could : NULL;
}

/**
 * iob_family_has() - Does this process descend from a wanted one?
 * @family: family
 * @tgid:   the process
 *
 * Context: any; no lock.
 * Return: true or false.
 */
bool iob_family_has(struct iob_family *family, u32 tgid)
{
	return tgid > LEFT && find(family, tgid, false);
}

/**
 * iob_family_add() - A wanted process or member has a child
 * @family: family
 * @tgid:   the child
 *
 * Context: any but NMI.
 */
void iob_family_add(struct iob_family *family, u32 tgid)
{
	unsigned long flags;
	u32 *slot;

	if (tgid <= LEFT)
		return;
	raw_spin_lock_irqsave(&family->lock, flags);
	slot = find(family, tgid, true);
	if (slot)
		WRITE_ONCE(*slot, tgid);
	else
		family->nr_lost++;
	raw_spin_unlock_irqrestore(&family->lock, flags);
}

/**
 * iob_family_remove() - A process is gone, its number may be used again
 * @family: family
 * @tgid:   the process
 *
 * Context: any but NMI.
 */
void iob_family_remove(struct iob_family *family, u32 tgid)
{
	unsigned long flags;
	u32 *slot;

	if (tgid <= LEFT)
		return;
	raw_spin_lock_irqsave(&family->lock, flags);
	slot = find(family, tgid, false);
	if (slot)
		WRITE_ONCE(*slot, LEFT);
	raw_spin_unlock_irqrestore(&family->lock, flags);
}
