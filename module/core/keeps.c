// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps: whose is what a device holds back, to write it to another one when it
 * sees fit. By then those who gave it have long been told that it is done.
 */
#include "keeps.h"

static_assert(sizeof(struct iob_keep) % 8 == 0);

/**
 * iob_keeps_init() - Make an empty table
 * @k:        table
 * @counters: where losses are counted
 * @max:      most places
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int iob_keeps_init(struct iob_keeps *k, struct iob_counters *counters, u32 max)
{
	k->counters = counters;
	return iob_map_init(&k->map, max, sizeof(struct iob_keep));
}

/**
 * iob_keeps_exit() - Free the table
 * @k: table, initialised or zeroed; no probe may be using it
 */
void iob_keeps_exit(struct iob_keeps *k)
{
	iob_map_exit(&k->map);
}

static struct iob_map_key key_of(u32 dev, u64 sector)
{
	return (struct iob_map_key){ .a = dev, .b = sector / IOB_KEEP_SECTORS };
}

/**
 * iob_keeps_set() - A device has been given something
 * @k:      table
 * @dev:    that disk
 * @sector: where it lies there
 * @act:    whose it is; IOB_ACT_NONE if that is not known
 *
 * Context: any but NMI.
 */
void iob_keeps_set(struct iob_keeps *k, u32 dev, u64 sector, u32 act)
{
	const struct iob_map_key key = key_of(dev, sector);
	const struct iob_keep keep = { .act = act };

	if (iob_map_set(&k->map, &key, &keep))
		return;
	if (iob_map_make_room(&k->map))
		iob_map_set(&k->map, &key, &keep);
	iob_count(k->counters, IOB_CNT_OLD_KEEPS, 1);
}

/**
 * iob_keeps_lookup() - Whose is what a device has been given?
 * @k:      table
 * @dev:    that disk
 * @sector: where it lies there
 *
 * Context: any but NMI.
 * Return: the act; IOB_ACT_NONE if it is not known.
 */
u32 iob_keeps_lookup(struct iob_keeps *k, u32 dev, u64 sector)
{
	const struct iob_map_key key = key_of(dev, sector);
	struct iob_keep keep;

	return iob_map_lookup(&k->map, &key, &keep) ? keep.act : 0;
}

/**
 * iob_keeps_nr() - Places remembered
 * @k: table
 *
 * Return: the number.
 */
u32 iob_keeps_nr(const struct iob_keeps *k)
{
	return iob_map_nr(&k->map);
}

/**
 * iob_keeps_for_each() - Call a function for every place remembered
 * @k:   table
 * @fn:  called with @ctx and a struct iob_keep
 * @ctx: for @fn
 *
 * Context: the sweeper; @fn runs under a lock.
 */
void iob_keeps_for_each(struct iob_keeps *k,
			void (*fn)(void *ctx, const void *keep), void *ctx)
{
	iob_map_for_each(&k->map, fn, ctx);
}
