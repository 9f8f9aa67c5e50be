// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "decode.h"
#include "top_reader.h"

static int decode(struct iob_tables **t, const struct iob_snapshot *snap,
		  struct iob_err *err)
{
	int ret;

	*t = iob_tables_create();
	if (!*t)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = iob_decode(*t, snap, err);
	if (!ret)
		return 0;
	iob_tables_destroy(*t);
	*t = NULL;
	return ret;
}

/**
 * iob_top_reader_start - the tables as the view begins
 * @r: the reader, all zeroes
 * @snap: the tables
 * @keep_base: tracing has been on before: what it counted is not ours
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_top_reader_start(struct iob_top_reader *r,
			 const struct iob_snapshot *snap, bool keep_base,
			 struct iob_err *err)
{
	int ret = decode(&r->before, snap, err);

	if (!ret && keep_base)
		ret = decode(&r->base, snap, err);
	r->start_ns = snap->time_ns;
	return ret;
}

/* Sums of a disk never shrink, unless they begin anew. */
static bool was_reset(const struct iob_tables *now,
		      const struct iob_tables *before)
{
	for (size_t i = 0; i < before->devices.nr; i++) {
		const struct iob_device_op *b = &before->devices.v[i], *n = NULL;

		for (size_t k = 0; !n && k < now->devices.nr; k++)
			if (now->devices.v[k].dev == b->dev &&
			    !strcmp(now->devices.v[k].op, b->op))
				n = &now->devices.v[k];
		if (n ? n->ios < b->ios || n->bytes < b->bytes : b->ios > 0)
			return true;
	}
	return false;
}

static int make_report(struct iob_report **r, struct iob_tables *t,
		       struct iob_tables *since, const struct iob_names *names,
		       const struct iob_filter *filter, struct iob_err *err)
{
	int ret;

	*r = iob_report_create();
	if (!*r)
		return iob_fail(err, -ENOMEM, "out of memory");
	if (since)
		iob_tables_subtract(t, since);
	ret = iob_report_from_tables(*r, t, names, err);
	if (!ret)
		iob_report_filter(*r, filter);
	return ret;
}

/**
 * iob_top_reader_next - what a reading says has happened
 * @r: the reader
 * @snap: the reading
 * @names: for devices and mount points; may be NULL
 * @filter: what of it is asked for
 * @now: what happened since the reading before
 * @all: what happened since the start
 * @err: error text
 *
 * The tables are decoded once for each use: a report takes what it is made of.
 *
 * Return: 0 or a negative errno, with no reports then.
 */
int iob_top_reader_next(struct iob_top_reader *r,
			const struct iob_snapshot *snap,
			const struct iob_names *names,
			const struct iob_filter *filter,
			struct iob_report **now, struct iob_report **all,
			struct iob_err *err)
{
	struct iob_tables *tables = NULL, *for_now = NULL, *for_all = NULL;
	int ret = decode(&tables, snap, err);

	*now = NULL;
	*all = NULL;
	if (!ret)
		ret = decode(&for_now, snap, err);
	if (!ret)
		ret = decode(&for_all, snap, err);
	if (!ret && r->before && was_reset(tables, r->before)) {
		r->nr_resets++;
		r->start_ns = r->before->time_ns;
		iob_tables_destroy(r->base);
		iob_tables_destroy(r->before);
		r->base = NULL;
		r->before = NULL;
	}
	if (!ret && r->amend)
		ret = r->amend(r->arg, for_now, err);
	if (!ret)
		ret = make_report(now, for_now, r->before, names, filter, err);
	if (!ret)
		ret = make_report(all, for_all, r->base, names, filter, err);
	if (!ret) {
		(*now)->start_ns = r->before ? r->before->time_ns : r->start_ns;
		(*all)->start_ns = r->start_ns;
		(*now)->end_ns = snap->time_ns;
		(*all)->end_ns = snap->time_ns;
		iob_tables_destroy(r->before);
		r->before = tables;
		tables = NULL;
	} else {
		iob_report_destroy(*now);
		iob_report_destroy(*all);
		*now = NULL;
		*all = NULL;
	}
	iob_tables_destroy(tables);
	iob_tables_destroy(for_now);
	iob_tables_destroy(for_all);
	return ret;
}

/**
 * iob_top_reader_free - free everything
 * @r: all zeroes afterwards
 */
void iob_top_reader_free(struct iob_top_reader *r)
{
	iob_tables_destroy(r->base);
	iob_tables_destroy(r->before);
	memset(r, 0, sizeof(*r));
}
