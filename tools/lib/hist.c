// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"
#include "uapi/ioblame.h"

#define BUCKET_0_NS 1024

/**
 * iob_hist_bucket - the bucket a time falls into
 * @ns: the time
 *
 * Return: as Documentation/abi.rst defines it.
 */
unsigned int iob_hist_bucket(uint64_t ns)
{
	unsigned int b = 0;

	for (ns /= BUCKET_0_NS; ns && b < IOB_HIST_BUCKETS - 1; ns >>= 1)
		b++;
	return b;
}

/**
 * iob_hist_upper_ns - the upper end of a bucket
 * @bucket: the bucket
 *
 * Return: the time no member of the bucket reaches; UINT64_MAX for the last.
 */
uint64_t iob_hist_upper_ns(unsigned int bucket)
{
	if (bucket >= IOB_HIST_BUCKETS - 1)
		return UINT64_MAX;
	return (uint64_t)BUCKET_0_NS << bucket;
}

/* Make @bucket one of those kept. */
static int include(struct iob_hist *h, unsigned int bucket)
{
	unsigned int first = h->nr ? h->first : bucket;
	unsigned int last = h->nr ? h->first + h->nr - 1u : bucket;
	uint64_t *n;

	if (h->nr && bucket >= first && bucket <= last)
		return 0;
	if (bucket < first)
		first = bucket;
	if (bucket > last)
		last = bucket;
	n = calloc(last - first + 1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	if (h->nr)
		memcpy(n + (h->first - first), h->n, h->nr * sizeof(*n));
	free(h->n);
	h->n = n;
	h->first = first;
	h->nr = last - first + 1;
	return 0;
}

/**
 * iob_hist_add - count times of one bucket
 * @h: the histogram; all zeroes is an empty one
 * @bucket: the bucket
 * @count: how many
 *
 * Return: 0, -EINVAL for no bucket, -ENOMEM.
 */
int iob_hist_add(struct iob_hist *h, unsigned int bucket, uint64_t count)
{
	if (bucket >= IOB_HIST_BUCKETS)
		return -EINVAL;
	if (include(h, bucket))
		return -ENOMEM;
	h->n[bucket - h->first] += count;
	return 0;
}

/**
 * iob_hist_merge - add one histogram to another
 * @to: the sum
 * @from: what is added
 *
 * Return: 0 or -ENOMEM.
 */
int iob_hist_merge(struct iob_hist *to, const struct iob_hist *from)
{
	for (unsigned int i = 0; i < from->nr; i++)
		if (from->n[i] && iob_hist_add(to, from->first + i, from->n[i]))
			return -ENOMEM;
	return 0;
}

/**
 * iob_hist_subtract - take an earlier state of a histogram off a later one
 * @from: the later
 * @what: the earlier; what would become negative becomes 0
 */
void iob_hist_subtract(struct iob_hist *from, const struct iob_hist *what)
{
	for (unsigned int i = 0; i < what->nr; i++) {
		int at = what->first + (int)i - from->first;

		if (at < 0 || at >= from->nr)
			continue;
		from->n[at] -= what->n[i] < from->n[at] ? what->n[i] : from->n[at];
	}
}

/**
 * iob_hist_parse - read ``bucket:count`` pairs
 * @h: the histogram, empty before
 * @f: the field
 *
 * Return: 0, -EPROTO, or -ENOMEM.
 */
int iob_hist_parse(struct iob_hist *h, struct iob_field f)
{
	struct iob_field pair, bucket;

	if (!f.len || iob_field_is(f, "-"))
		return 0;
	while (iob_split(&f, ',', &pair)) {
		uint64_t b, n;
		int ret;

		if (!iob_split(&pair, ':', &bucket) || !pair.p ||
		    !iob_field_u64(bucket, &b) || !iob_field_u64(pair, &n) ||
		    b >= IOB_HIST_BUCKETS)
			return -EPROTO;
		ret = iob_hist_add(h, b, n);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * iob_hist_free - free; the histogram is empty afterwards
 * @h: the histogram
 */
void iob_hist_free(struct iob_hist *h)
{
	free(h->n);
	memset(h, 0, sizeof(*h));
}

/**
 * iob_hist_total - how many times were counted
 * @h: the histogram
 *
 * Return: the sum over all buckets.
 */
uint64_t iob_hist_total(const struct iob_hist *h)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < h->nr; i++)
		sum += h->n[i];
	return sum;
}

/**
 * iob_hist_last - the highest bucket that counted
 * @h: the histogram
 *
 * Return: the bucket, or -1 if the histogram is empty.
 */
int iob_hist_last(const struct iob_hist *h)
{
	for (int i = (int)h->nr - 1; i >= 0; i--)
		if (h->n[i])
			return h->first + i;
	return -1;
}

/**
 * iob_hist_percentile - a time that this share of the times did not exceed
 * @h: the histogram
 * @percent: 1 to 100
 * @max_ns: the longest time known; 0: none
 *
 * The upper end of the bucket that holds the percentile, or @max_ns if that is
 * less: a bound that is never too low, at most twice too high. Nothing is
 * interpolated, since nothing is known of where in a bucket the times lie.
 *
 * Return: the time in ns; 0 for an empty histogram.
 */
uint64_t iob_hist_percentile(const struct iob_hist *h, unsigned int percent,
			     uint64_t max_ns)
{
	uint64_t total = iob_hist_total(h), rank, seen = 0, upper = 0;

	if (!total)
		return 0;
	rank = total / 100 * percent + (total % 100 * percent + 99) / 100;
	for (unsigned int i = 0; i < h->nr; i++) {
		seen += h->n[i];
		if (h->n[i] && seen >= rank) {
			upper = iob_hist_upper_ns(h->first + i);
			break;
		}
	}
	if (max_ns && max_ns < upper)
		return max_ns;
	/* The last bucket has no upper end; its lower one is all we know. */
	return upper == UINT64_MAX ? iob_hist_upper_ns(IOB_HIST_BUCKETS - 2) : upper;
}
