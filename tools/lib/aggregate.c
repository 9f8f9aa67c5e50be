// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"

/* Sums a report can be sorted by, most first; keys of rows sort from A to Z. */
const char *const iob_sort_keys[] = {
	"bytes", "ios", "cancelled", "age", "queue", "device", "unused", NULL
};

enum sort_sum { SORT_BYTES, SORT_IOS, SORT_CANCELLED, SORT_AGE, SORT_QUEUE,
		SORT_DEVICE, SORT_UNUSED, NR_SORT_SUMS };

/**
 * iob_filter_free - free a filter
 * @f: empty afterwards
 */
void iob_filter_free(struct iob_filter *f)
{
	iob_vec_free(&f->devs);
	iob_vec_free(&f->dev_names);
	iob_vec_free(&f->tgids);
	iob_vec_free(&f->cgroups);
	iob_vec_free(&f->cgroup_ids);
	iob_vec_free(&f->comms);
	iob_vec_free(&f->ops);
}

/**
 * iob_filter_is_empty - whether a filter lets everything through
 * @f: the filter
 *
 * Return: true if it does.
 */
bool iob_filter_is_empty(const struct iob_filter *f)
{
	return !f->devs.nr && !f->dev_names.nr && !f->tgids.nr && !f->cgroups.nr &&
	       !f->cgroup_ids.nr && !f->comms.nr && !f->ops.nr;
}

/**
 * iob_path_is_below - whether a path is a directory or something in it
 * @path: the path
 * @dir: the directory; slashes at its end do not count
 *
 * Return: true if it is.
 */
bool iob_path_is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return !strncmp(path, dir, len) && (path[len] == '/' || !path[len]);
}

static bool text_matches(const struct iob_row *r, enum iob_row_field field,
			 const char *const *words, size_t nr)
{
	const char *text = iob_row_text(r, field);

	for (size_t i = 0; text && i < nr; i++)
		if (!strcmp(text, words[i]))
			return true;
	return !nr;
}

static bool cgroup_matches(const struct iob_row *r, const struct iob_filter *f)
{
	const char *path = iob_row_text(r, IOB_ROW_CGROUP);

	if (!f->cgroups.nr && !f->cgroup_ids.nr)
		return true;
	for (size_t i = 0; i < f->cgroup_ids.nr; i++)
		if (r->known & IOB_ROW_BIT(CGROUP_ID) &&
		    r->v[IOB_ROW_CGROUP_ID] == f->cgroup_ids.v[i])
			return true;
	for (size_t i = 0; path && i < f->cgroups.nr; i++)
		if (iob_path_is_below(path, f->cgroups.v[i]))
			return true;
	return false;
}

/**
 * iob_filter_dev - whether a filter lets a disk through
 * @f: the filter
 * @dev: the disk's number
 * @name: its name, or NULL
 *
 * Return: true if it does.
 */
bool iob_filter_dev(const struct iob_filter *f, uint32_t dev, const char *name)
{
	for (size_t i = 0; i < f->devs.nr; i++)
		if (f->devs.v[i] == dev)
			return true;
	for (size_t i = 0; name && i < f->dev_names.nr; i++)
		if (!strcmp(f->dev_names.v[i], name))
			return true;
	return !f->devs.nr && !f->dev_names.nr;
}

static bool matches(const struct iob_report *report, const struct iob_row *r,
		    const struct iob_filter *f)
{
	bool dev, tgid = !f->tgids.nr;
	const char *name = NULL, *label = NULL;

	for (size_t i = 0; i < report->devices.nr; i++) {
		const struct iob_device *d = &report->devices.v[i];

		if (d->dev != r->v[IOB_ROW_DEV])
			continue;
		name = d->name;
		label = iob_device_label(d);
	}
	dev = iob_filter_dev(f, r->v[IOB_ROW_DEV], name) ||
	      iob_filter_dev(f, r->v[IOB_ROW_DEV], label);
	for (size_t i = 0; i < f->tgids.nr; i++)
		tgid |= r->known & IOB_ROW_BIT(PID) &&
			r->v[IOB_ROW_PID] == f->tgids.v[i];
	return dev && tgid && cgroup_matches(r, f) &&
	       text_matches(r, IOB_ROW_COMM, f->comms.v, f->comms.nr) &&
	       text_matches(r, IOB_ROW_OP, f->ops.v, f->ops.nr);
}

static bool module_filtered(const struct iob_row *r)
{
	const char *unknown = iob_row_text(r, IOB_ROW_UNKNOWN);

	return unknown && !strcmp(unknown, "filtered");
}

/**
 * iob_report_filter - take out the rows that are not asked for
 * @r: the report
 * @f: what is asked for
 *
 * They are added up in @r->filtered, together with what the module's own
 * filters kept out, so that the sums still agree with the devices'.
 */
void iob_report_filter(struct iob_report *r, const struct iob_filter *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];

		if (!module_filtered(row) && matches(r, row, f)) {
			r->rows.v[kept++] = *row;
			continue;
		}
		r->has_filter = true;
		r->filtered.bytes += row->bytes;
		r->filtered.ios += row->ios;
		iob_row_free(row);
	}
	r->rows.nr = kept;
	r->has_filter |= !iob_filter_is_empty(f);
	iob_report_settle(r);
}

/**
 * iob_report_drop_stacked - keep the rows of the lowest disks only
 * @r: the report
 *
 * What dm, md or loop was given reaches the disk below: without this the same
 * bytes count twice wherever rows of several disks are added up.
 *
 * Return: how many rows were left out.
 */
size_t iob_report_drop_stacked(struct iob_report *r)
{
	size_t kept = 0, nr = r->rows.nr;

	for (size_t i = 0; i < nr; i++) {
		struct iob_row *row = &r->rows.v[i];

		if (!(row->known & IOB_ROW_BIT(DEV)) ||
		    !iob_report_is_stacked(r, row->v[IOB_ROW_DEV])) {
			r->rows.v[kept++] = *row;
			continue;
		}
		/* Cancelled bytes never got below. */
		row->bytes = 0;
		row->ios = 0;
		row->tells_reads = false;
		memset(row->read, 0, sizeof(row->read));
		if (row->cancelled)
			r->rows.v[kept++] = *row;
		else
			iob_row_free(row);
	}
	r->rows.nr = kept;
	return nr - kept;
}

static uint64_t group_hash(const struct iob_row *r, uint32_t fields)
{
	uint64_t h = r->known & fields;

	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (r->known & fields & 1u << f)
			h = iob_mix(h, r->v[f]);
	return h;
}

static bool same_group(const struct iob_row *a, const struct iob_row *b,
		       uint32_t fields)
{
	if ((a->known ^ b->known) & fields)
		return false;
	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (a->known & fields & 1u << f && a->v[f] != b->v[f])
			return false;
	return true;
}

/**
 * iob_report_group - make one row of those that agree
 * @r: the report
 * @fields: bits of the fields that must agree; the others stay where all rows
 *          of a group happen to agree and become unknown elsewhere
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_report_group(struct iob_report *r, uint32_t fields, struct iob_err *err)
{
	struct iob_map first = {};
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];
		uint64_t h = group_hash(row, fields);
		uint32_t at;

		/* Another group with this hash: try the next hash. */
		while (!ret && iob_map_get(&first, h, &at) &&
		       !same_group(&r->rows.v[at], row, fields))
			h++;
		if (!ret && iob_map_get(&first, h, &at)) {
			ret = iob_row_merge(&r->rows.v[at], row);
			iob_row_free(row);
			continue;
		}
		if (!ret)
			ret = iob_map_set(&first, h, kept);
		r->rows.v[kept++] = *row;
	}
	r->rows.nr = kept;
	iob_map_free(&first);
	return ret ? iob_fail(err, ret, "out of memory grouping rows") : 0;
}

static uint64_t sort_sum(const struct iob_row *r, enum sort_sum by)
{
	switch (by) {
	case SORT_IOS:
		return r->ios;
	case SORT_CANCELLED:
		return r->cancelled;
	case SORT_AGE:
	case SORT_QUEUE:
	case SORT_DEVICE:
		return r->max[by - SORT_AGE];
	case SORT_UNUSED:
		return r->read[IOB_READ_UNUSED];
	default:
		return r->bytes;
	}
}

static int compare_field(const struct iob_row *a, const struct iob_row *b, int f)
{
	bool ka = a->known & 1u << f, kb = b->known & 1u << f;

	if (ka != kb)
		return ka ? -1 : 1;
	if (!ka)
		return 0;
	if (iob_row_field_is_text(f))
		return strcmp(iob_row_text(a, f), iob_row_text(b, f));
	return a->v[f] < b->v[f] ? -1 : a->v[f] > b->v[f];
}

struct order {
	int by;				/* a sum, or -1 */
	uint32_t fields;
};

static int compare(const void *pa, const void *pb, void *arg)
{
	static const int sums[] = { SORT_BYTES, SORT_CANCELLED, SORT_IOS };
	const struct iob_row *a = pa, *b = pb;
	const struct order *o = arg;
	int ret = 0;

	if (o->by >= 0) {
		uint64_t x = sort_sum(a, o->by), y = sort_sum(b, o->by);

		if (x != y)
			return x > y ? -1 : 1;
	}
	for (int f = 0; !ret && f < IOB_NR_ROW_FIELDS; f++)
		if (o->fields & 1u << f)
			ret = compare_field(a, b, f);
	for (size_t i = 0; !ret && i < sizeof(sums) / sizeof(*sums); i++) {
		uint64_t x = sort_sum(a, sums[i]), y = sort_sum(b, sums[i]);

		ret = x == y ? 0 : x > y ? -1 : 1;
	}
	for (int f = 0; !ret && f < IOB_NR_ROW_FIELDS; f++)
		ret = compare_field(a, b, f);
	return ret;
}

/**
 * iob_sort_check - whether a report can be sorted by a key
 * @key: the key
 * @err: error text, with a suggestion
 *
 * Return: 0 or -EINVAL.
 */
int iob_sort_check(const char *key, struct iob_err *err)
{
	const char *words[64];
	size_t nr = 0;

	for (int i = 0; i < NR_SORT_SUMS; i++)
		words[nr++] = iob_sort_keys[i];
	for (const struct iob_key *k = iob_keys; k->name; k++)
		words[nr++] = k->name;
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(key, words[i]))
			return 0;
	return iob_unknown(err, "sort key", key, words, nr,
			   "take bytes, ios, cancelled, age, queue, device, unused or a key of --by");
}

static struct order order_of(const char *key)
{
	struct order o = { .by = -1 };

	for (int i = 0; i < NR_SORT_SUMS; i++)
		if (!strcmp(key, iob_sort_keys[i]))
			o.by = i;
	if (o.by < 0 && iob_key_find(key))
		o.fields = iob_key_find(key)->fields;
	return o;
}

/**
 * iob_row_compare - which of two rows comes first
 * @a: a row
 * @b: another
 * @key: one that iob_sort_check() accepts
 *
 * Return: below 0 for @a, above for @b, 0 if nothing tells.
 */
int iob_row_compare(const struct iob_row *a, const struct iob_row *b,
		    const char *key)
{
	struct order o = order_of(key);

	return compare(a, b, &o);
}

/**
 * iob_report_classify - say of each row what its bytes hold
 * @r: the report, not yet grouped
 */
void iob_report_classify(struct iob_report *r)
{
	for (size_t i = 0; i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];

		row->written[iob_row_written(row)] = row->bytes;
	}
	r->tells_written = true;
}

/**
 * iob_report_sort - put the rows in order
 * @r: the report
 * @key: one that iob_sort_check() accepts
 *
 * Rows that are equal there are ordered by everything else, so that the same
 * rows always come out in the same order.
 */
void iob_report_sort(struct iob_report *r, const char *key)
{
	struct order o = order_of(key);

	if (r->rows.nr)
		qsort_r(r->rows.v, r->rows.nr, sizeof(*r->rows.v), compare, &o);
}

/**
 * iob_report_top - keep the first rows
 * @r: the report
 * @nr: how many; 0: all
 *
 * The others are added up in @r->omitted.
 */
void iob_report_top(struct iob_report *r, size_t nr)
{
	if (!nr || r->rows.nr <= nr)
		return;
	for (size_t i = nr; i < r->rows.nr; i++) {
		r->omitted.bytes += r->rows.v[i].bytes;
		r->omitted.ios += r->rows.v[i].ios;
		iob_row_free(&r->rows.v[i]);
	}
	r->nr_omitted += r->rows.nr - nr;
	r->rows.nr = nr;
}
