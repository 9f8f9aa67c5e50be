// SPDX-License-Identifier: GPL-2.0
/* The order of the live view's rows. */
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "top_model.h"

/**
 * iob_top_is_text - whether a column sorts from A to Z
 * @c: the column
 *
 * Return: false for one that sorts by size, most first.
 */
bool iob_top_is_text(enum iob_top_column c)
{
	return c == IOB_TOP_COL_COMM || c == IOB_TOP_COL_PATH ||
	       c == IOB_TOP_COL_REASON || c == IOB_TOP_COL_DEVICE ||
	       c == IOB_TOP_COL_FRAMES;
}

static uint64_t rank(const struct iob_top_row *v, enum iob_top_column c)
{
	uint64_t sum = 0;

	switch (c) {
	case IOB_TOP_COL_READ:
		return v->read_bytes;
	case IOB_TOP_COL_WRITE:
		return v->write_bytes;
	case IOB_TOP_COL_IOS:
		return v->row.ios;
	case IOB_TOP_COL_PID:
		return v->row.v[IOB_ROW_PID];
	case IOB_TOP_COL_AGE:
		return iob_hist_percentile(&v->row.hist[IOB_TIME_AGE], 50,
					   v->row.max[IOB_TIME_AGE]);
	case IOB_TOP_COL_P99:
		return iob_hist_percentile(&v->row.hist[IOB_TIME_DEVICE], 99,
					   v->row.max[IOB_TIME_DEVICE]);
	case IOB_TOP_COL_HISTORY:
		for (int i = 0; i < IOB_TOP_HISTORY; i++)
			sum += v->history[i];
		return sum;
	default:
		return v->row.bytes;
	}
}

static void rank_text(const struct iob_top *t, const struct iob_top_row *v,
		      char *buf, size_t size)
{
	switch (t->sort) {
	case IOB_TOP_COL_COMM:
		iob_cell_comm(buf, size, &v->row);
		break;
	case IOB_TOP_COL_PATH:
		iob_cell_file(buf, size, &v->row);
		break;
	case IOB_TOP_COL_DEVICE:
		iob_cell_dev(buf, size, t->all, &v->row);
		break;
	case IOB_TOP_COL_FRAMES:
		iob_cell_stack(buf, size, t->all, &v->row, false);
		break;
	default:
		iob_cell_field(buf, size, &v->row, IOB_ROW_REASON);
	}
}

/* Equal rows have an order, too: rows must not jump about without a reason. */
static int compare(const void *pa, const void *pb, void *arg)
{
	const struct iob_top_row *a = pa, *b = pb;
	const struct iob_top *t = arg;
	uint64_t x = rank(a, t->sort), y = rank(b, t->sort);
	int ret = x == y ? 0 : x > y ? -1 : 1;

	if (iob_top_is_text(t->sort)) {
		char ta[1024], tb[1024];

		rank_text(t, a, ta, sizeof(ta));
		rank_text(t, b, tb, sizeof(tb));
		ret = strcmp(ta, tb);
	}
	if (ret)
		return t->reverse ? -ret : ret;
	if (a->row.bytes != b->row.bytes)
		return a->row.bytes > b->row.bytes ? -1 : 1;
	if (a->all_bytes != b->all_bytes)
		return a->all_bytes > b->all_bytes ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

/**
 * iob_top_sort - put the rows in order
 * @t: the view
 */
void iob_top_sort(struct iob_top *t)
{
	if (t->rows.nr)
		qsort_r(t->rows.v, t->rows.nr, sizeof(*t->rows.v), compare, t);
}
