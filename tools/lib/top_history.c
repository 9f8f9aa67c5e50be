// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "top_history.h"

/**
 * iob_top_key - a number for what a row is about
 * @row: the row
 * @fields: bits of the fields that make it what it is
 *
 * Texts count by what they say, so that rows of two readings with strings of
 * their own have the same key.
 *
 * Return: the key; two that differ share it as good as never.
 */
uint64_t iob_top_key(const struct iob_row *row, uint32_t fields)
{
	uint64_t h = iob_mix(0, row->known & fields);

	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++) {
		const char *text;

		if (!(row->known & fields & 1u << f))
			continue;
		if (!iob_row_field_is_text(f)) {
			h = iob_mix(h, row->v[f]);
			continue;
		}
		for (text = iob_row_text(row, f); *text; text++)
			h = iob_mix(h, (unsigned char)*text);
		h = iob_mix(h, 0);
	}
	return h;
}

/**
 * iob_top_history_next - begin an interval
 * @h: the history
 *
 * Origins that have been silent for the whole length are forgotten.
 *
 * Return: 0 or -ENOMEM.
 */
int iob_top_history_next(struct iob_top_history *h)
{
	size_t kept = 0;
	int ret = 0;

	h->interval++;
	iob_map_free(&h->by_key);
	for (size_t i = 0; i < h->cells.nr; i++) {
		struct iob_top_cell *c = &h->cells.v[i];

		if (h->interval - c->last >= IOB_TOP_HISTORY)
			continue;
		c->rate[h->interval % IOB_TOP_HISTORY] = 0;
		h->cells.v[kept] = *c;
		if (!ret)
			ret = iob_map_set(&h->by_key, c->key, kept);
		kept++;
	}
	h->cells.nr = kept;
	return ret;
}

/**
 * iob_top_history_add - an origin did something in this interval
 * @h: the history
 * @row: what it did
 * @seconds: how long the interval was
 *
 * Return: 0 or -ENOMEM.
 */
int iob_top_history_add(struct iob_top_history *h, const struct iob_row *row,
			double seconds)
{
	uint64_t key = iob_top_key(row, IOB_TOP_IDENTITY);
	struct iob_top_cell *c;
	uint32_t at;

	if (iob_map_get(&h->by_key, key, &at)) {
		c = &h->cells.v[at];
	} else {
		at = h->cells.nr;
		c = iob_vec_add(&h->cells);
		if (!c || iob_map_set(&h->by_key, key, at))
			return -ENOMEM;
		c->key = key;
	}
	c->last = h->interval;
	c->rate[h->interval % IOB_TOP_HISTORY] += row->bytes / seconds;
	return 0;
}

/**
 * iob_top_history_get - add what an origin did to a sum
 * @h: the history
 * @row: the origin
 * @sum: IOB_TOP_HISTORY numbers, oldest interval first
 *
 * Return: false if it is forgotten.
 */
bool iob_top_history_get(const struct iob_top_history *h,
			 const struct iob_row *row, uint64_t *sum)
{
	const struct iob_top_cell *c;
	uint32_t at;

	if (!iob_map_get(&h->by_key, iob_top_key(row, IOB_TOP_IDENTITY), &at))
		return false;
	c = &h->cells.v[at];
	for (int i = 0; i < IOB_TOP_HISTORY; i++)
		sum[i] += c->rate[(h->interval + 1 + i) % IOB_TOP_HISTORY];
	return true;
}

/**
 * iob_top_history_free - free; nothing is known afterwards
 * @h: the history
 */
void iob_top_history_free(struct iob_top_history *h)
{
	iob_vec_free(&h->cells);
	iob_map_free(&h->by_key);
}
