/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_HIST_H
#define IOB_CORE_HIST_H

#include "base.h"

/**
 * struct iob_hist - a log2 histogram of times
 * @count: saturating; bucket 0 is below 1.024 us, bucket n is
 *         [2^(n-1), 2^n) x 1.024 us, the last has no upper end
 * @max_ns: the longest
 */
struct iob_hist {
	u32 count[IOB_HIST_BUCKETS];
	u64 max_ns;
};

/**
 * iob_hist_bucket() - Bucket of a time
 * @ns: the time
 *
 * Return: its index.
 */
static inline u32 iob_hist_bucket(u64 ns)
{
	u32 bucket = fls64(ns >> 10);

	return min_t(u32, bucket, IOB_HIST_BUCKETS - 1);
}

/**
 * iob_hist_count() - Count times of which only the bucket is known
 * @h:      histogram
 * @bucket: the bucket
 * @n:      how many
 */
static inline void iob_hist_count(struct iob_hist *h, u32 bucket, u32 n)
{
	u32 *count = &h->count[bucket];

	*count = *count > U32_MAX - n ? U32_MAX : *count + n;
}

/**
 * iob_hist_add() - Count a time
 * @h:  histogram
 * @ns: the time
 * @n:  how often
 */
static inline void iob_hist_add(struct iob_hist *h, u64 ns, u32 n)
{
	iob_hist_count(h, iob_hist_bucket(ns), n);
	if (ns > h->max_ns)
		h->max_ns = ns;
}

/**
 * iob_hist_merge() - Add all that another has counted
 * @h:    histogram
 * @more: the other
 */
static inline void iob_hist_merge(struct iob_hist *h, const struct iob_hist *more)
{
	u32 i;

	for (i = 0; i < IOB_HIST_BUCKETS; i++)
		if (more->count[i])
			iob_hist_count(h, i, more->count[i]);
	if (more->max_ns > h->max_ns)
		h->max_ns = more->max_ns;
}

#endif /* IOB_CORE_HIST_H */
