// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "escape.h"
#include "load_json.h"
#include "own.h"
#include "replay.h"
#include "source.h"
#include "tracedat.h"

/* Recordings are read into memory whole: a day of a busy disk fits. */
#define RECORDING_MAX ((size_t)8 << 30)

/* A report is all objects, each many times as large as its text. */
#define REPORT_MAX ((size_t)256 << 20)

/* One that never ends (/dev/zero) is not read until memory does. */
static size_t max_of_recording(const struct iob_blob *begin)
{
	return iob_is_recording(begin) || iob_is_tracedat(begin) ?
	       RECORDING_MAX : 0;
}

static size_t max_of_input(const struct iob_blob *begin)
{
	if (begin->p[strspn(begin->p, " \t\r\n")] == '{')
		return REPORT_MAX;
	return max_of_recording(begin);
}

static int load_formats(struct iob_recording *rec, struct iob_events *e,
			struct iob_err *err)
{
	int ret = 0;

	if (rec->head_page)
		ret = iob_events_header_page(e, rec->head_page,
					     rec->head_page_len, err);
	for (size_t i = 0; !ret && i < rec->formats.nr; i++)
		ret = iob_events_format(e, rec->formats.v[i].p,
					rec->formats.v[i].len, err);
	/* Cut off before its formats, it has no events either. */
	if (!ret && rec->records.nr)
		ret = iob_events_ready(e, err);
	return ret;
}

static int check_abi(const struct iob_recording *rec, struct iob_err *err)
{
	uint64_t abi = iob_recording_number(rec, "abi");

	/* 0: cut off before it says. */
	if (!abi || abi == IOB_ABI)
		return 0;
	return iob_fail(err, -EPROTO,
			"recorded with ABI %" PRIu64 ", this program reads %d",
			abi, IOB_ABI);
}

/* @blob becomes a part of @rec. */
static int read_recording(struct iob_recording *rec, struct iob_events *e,
			  struct iob_blob *blob, const char *path,
			  struct iob_err *err)
{
	struct iob_err why;
	int ret = 0;

	if (iob_is_tracedat(blob))
		ret = iob_tracedat_convert(blob, &why);
	if (!ret)
		ret = iob_recording_read(rec, blob, &why);
	if (!ret)
		ret = check_abi(rec, &why);
	if (!ret)
		ret = load_formats(rec, e, &why);
	return ret ? iob_fail(err, ret, "%s: %s", path, why.text) : 0;
}

/**
 * iob_source_recording - read a recording, or a trace.dat, and what its events look like
 * @rec: the recording; to be freed also after an error
 * @e: takes the formats
 * @path: the file
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_source_recording(struct iob_recording *rec, struct iob_events *e,
			 const char *path, struct iob_err *err)
{
	struct iob_blob blob;
	int ret;

	memset(rec, 0, sizeof(*rec));
	ret = iob_blob_read_kind(&blob, path, max_of_recording, err);
	if (ret == -EINVAL)
		return iob_fail(err, ret, "%s: no recording", path);
	return ret ? ret : read_recording(rec, e, &blob, path, err);
}

static void forget_sums(struct iob_tables *t)
{
	for (size_t i = 0; i < t->totals.nr; i++)
		for (int k = 0; k < IOB_NR_TIMES; k++)
			iob_hist_free(&t->totals.v[i].hist[k]);
	t->totals.nr = 0;
	/* Their names stay. */
	for (size_t i = 0; i < t->devices.nr; i++) {
		t->devices.v[i].ios = 0;
		t->devices.v[i].bytes = 0;
	}
	t->hooks.nr = 0;
	t->stats.nr = 0;
}

/* Written at the start, so that also a file cut off has them. */
static void name_disks(const struct iob_recording *rec, struct iob_tables *t)
{
	for (size_t i = 0; i < rec->info.nr; i++) {
		const char *name = rec->info.v[i].name;
		struct iob_device_op *d;
		struct iob_field f;
		uint64_t dev;

		if (strncmp(name, "disk ", 5))
			continue;
		f = (struct iob_field){ name + 5, strlen(name + 5) };
		d = iob_field_u64(f, &dev) ? iob_vec_add(&t->devices) : NULL;
		if (!d)
			continue;
		d->dev = dev;
		d->op = "write";
		f.p = rec->info.v[i].value;
		f.len = strlen(f.p);
		d->name = iob_tables_word(t, f);
	}
}

static int decode_objects(struct iob_tables *t, const struct iob_snapshot *snap,
			  struct iob_err *err)
{
	int ret = iob_decode(t, snap, err);

	forget_sums(t);
	return ret;
}

/* @io: also what the IOs did, not only who and what there was. */
static int replay(struct iob_recording *rec, struct iob_events *e,
		  struct iob_tables *t, bool io, struct iob_err *err)
{
	struct iob_replay r = { .t = t };
	struct iob_event ev;
	int ret = 0;

	for (size_t i = 0; !ret && i < rec->records.nr; i++) {
		const struct iob_record *record = &rec->records.v[i];

		if (iob_events_decode(e, record->data, record->size, &ev))
			continue;
		if (!io && (ev.type == IOB_EVENT_IO ||
			    ev.type == IOB_EVENT_CANCEL))
			continue;
		ret = iob_replay_event(&r, &ev);
	}
	iob_replay_free(&r);
	return ret ? iob_fail(err, ret, "out of memory reading events") : 0;
}

/**
 * iob_source_objects - who and what the events of a recording name
 * @rec: the recording
 * @e: its formats
 * @t: the tables, empty
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_source_objects(struct iob_recording *rec, struct iob_events *e,
		       struct iob_tables *t, struct iob_err *err)
{
	int ret = 0;

	name_disks(rec, t);
	if (rec->has_start)
		ret = decode_objects(t, &rec->start, err);
	if (!ret)
		ret = replay(rec, e, t, false, err);
	if (!ret && rec->has_end)
		ret = decode_objects(t, &rec->end, err);
	return ret;
}

/**
 * iob_source_mounts - the mounts of the machine that recorded
 * @rec: the recording
 * @names: takes them
 *
 * Return: 0 or -ENOMEM.
 */
int iob_source_mounts(const struct iob_recording *rec, struct iob_names *names)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < rec->mounts.nr; i++)
		ret = iob_names_add_mounts(names, rec->mounts.v[i].p,
					   rec->mounts.v[i].len);
	return ret;
}

/**
 * iob_source_wishes - what was to be recorded, as far as the module cannot tell
 * @rec: the recording
 * @s: keeps the words
 * @f: takes the wishes
 *
 * Return: 0 or -ENOMEM.
 */
int iob_source_wishes(const struct iob_recording *rec, struct iob_strings *s,
		      struct iob_filter *f)
{
	for (size_t i = 0; i < rec->info.nr; i++) {
		const char *name = rec->info.v[i].name;
		struct iob_field value = { rec->info.v[i].value,
					   strlen(rec->info.v[i].value) };
		uint64_t tgid, *t;
		char buf[256];
		const char **c;

		if (!strcmp(name, "only tgid") && iob_field_u64(value, &tgid)) {
			t = iob_vec_add(&f->tgids);
			if (!t)
				return -ENOMEM;
			*t = tgid;
		} else if (!strcmp(name, "only comm")) {
			size_t n = iob_field_unescape(value, buf, sizeof(buf));

			c = iob_vec_add(&f->comms);
			if (!c)
				return -ENOMEM;
			*c = iob_strings_intern(s, buf, n);
			if (!*c)
				return -ENOMEM;
		}
	}
	return 0;
}

/* The tables at the end are exact; without them the events have to do. */
static int make_tables(struct iob_recording *rec, struct iob_events *e,
		       struct iob_tables *t, struct iob_err *err)
{
	struct iob_tables *before;
	int ret;

	name_disks(rec, t);
	if (!rec->has_end) {
		ret = rec->has_start ? decode_objects(t, &rec->start, err) : 0;
		return ret ? ret : replay(rec, e, t, true, err);
	}
	ret = iob_decode(t, &rec->end, err);
	if (ret || !rec->has_start)
		return ret;
	before = iob_tables_create();
	if (!before)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = iob_decode(before, &rec->start, err);
	if (!ret)
		iob_tables_subtract(t, before);
	iob_tables_destroy(before);
	return ret;
}

static int add_times(struct iob_recording *rec, struct iob_events *e,
		     struct iob_tables *t, struct iob_err *err)
{
	struct iob_replay r = { .t = t };
	struct iob_event ev;
	int ret = iob_replay_index(&r);

	for (size_t i = 0; !ret && i < rec->records.nr; i++) {
		const struct iob_record *record = &rec->records.v[i];

		if (!iob_events_decode(e, record->data, record->size, &ev) &&
		    ev.type == IOB_EVENT_IO)
			ret = iob_replay_times(&r, &ev.io);
	}
	iob_replay_free(&r);
	return ret ? iob_fail(err, ret, "out of memory reading events") : 0;
}

static void describe(struct iob_report *r, const struct iob_recording *rec)
{
	r->version = iob_report_word(r, iob_recording_info(rec, "version"));
	r->kernel = iob_report_word(r, iob_recording_info(rec, "kernel"));
	r->host = iob_report_word(r, iob_recording_info(rec, "host"));
	r->start_ns = iob_recording_number(rec, "start_ns");
	r->end_ns = iob_recording_number(rec, "end_ns");
	if (r->end_ns < r->start_ns)
		r->end_ns = rec->records.nr ?
			    rec->records.v[rec->records.nr - 1].ts_ns : 0;
	if (r->end_ns < r->start_ns)
		r->end_ns = r->start_ns;
	r->lost[IOB_LOSS_EVENTS] += iob_recording_number(rec, "lost_events");
	if (!rec->complete)
		iob_report_note(r, "the recording is good for %zu of %zu bytes: what came after is missing here",
				rec->good_bytes, rec->file.len);
	if (rec->nr_unknown)
		iob_report_note(r, "%zu parts of the recording are of a kind this program does not know: it is older than what recorded",
				rec->nr_unknown);
	if (!rec->has_end)
		iob_report_note(r, "made from the events: ages are those of the oldest data in each IO");
}

static void relate_disks(struct iob_report *r, const struct iob_recording *rec)
{
	char name[32], *plain;
	const char *alias;

	for (size_t i = 0; i < r->devices.nr; i++) {
		struct iob_device *d = &r->devices.v[i];

		snprintf(name, sizeof(name), "stacked %u", d->dev);
		d->stacked = iob_recording_number(rec, name);
		snprintf(name, sizeof(name), "above %u", d->dev);
		d->parent = iob_recording_number(rec, name);
		snprintf(name, sizeof(name), "alias %u", d->dev);
		alias = iob_recording_info(rec, name);
		plain = alias ? iob_unescape(alias) : NULL;
		if (plain)
			d->alias = iob_report_word(r, plain);
		free(plain);
	}
	iob_report_settle(r);
}

static int apply_wishes(struct iob_report *r, const struct iob_recording *rec,
			struct iob_err *err)
{
	struct iob_filter f = {};
	int ret = iob_source_wishes(rec, r->strings, &f);

	if (ret)
		iob_fail(err, ret, "out of memory");
	else if (!iob_filter_is_empty(&f))
		iob_report_filter(r, &f);
	iob_filter_free(&f);
	return ret;
}

/* @blob is ours to free. */
static int from_recording(struct iob_report *r, struct iob_blob *blob,
			  const char *path, struct iob_names *names,
			  unsigned int wanted, struct iob_err *err)
{
	struct iob_own own = {};
	struct iob_events *e = iob_events_create();
	struct iob_tables *t = iob_tables_create();
	struct iob_recording rec = {};
	int ret;

	if (e && t)
		ret = read_recording(&rec, e, blob, path, err);
	else
		ret = iob_fail(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = make_tables(&rec, e, t, err);
	if (!ret && (wanted & IOB_SOURCE_TIMES))
		ret = add_times(&rec, e, t, err);
	if (!ret)
		ret = iob_source_mounts(&rec, names);
	if (!ret) {
		describe(r, &rec);
		ret = iob_report_from_tables(r, t, names, err);
	}
	if (!ret) {
		relate_disks(r, &rec);
		if (!(wanted & IOB_SOURCE_OWN))
			iob_own_of(&own, &rec);
		iob_own_leave_out(&own, r);
		ret = apply_wishes(r, &rec, err);
	}
	iob_recording_free(&rec);
	iob_blob_free(blob);
	iob_tables_destroy(t);
	iob_events_destroy(e);
	return ret;
}


/**
 * iob_source_load - a report from a file
 * @r: the report, empty
 * @path: a report saved with --json, a recording, or a trace.dat of trace-cmd
 * @names: takes the mounts of a recording
 * @wanted: of a recording, besides its totals: IOB_SOURCE_*
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_source_load(struct iob_report *r, const char *path,
		    struct iob_names *names, unsigned int wanted,
		    struct iob_err *err)
{
	struct iob_blob blob;
	struct iob_err why;
	int ret = iob_blob_read_kind(&blob, path, max_of_input, err);

	if (ret == -EINVAL)
		return iob_fail(err, ret, "%s: no report and no recording", path);
	if (ret)
		return ret;
	if (iob_is_recording(&blob) || iob_is_tracedat(&blob))
		return from_recording(r, &blob, path, names, wanted, err);
	ret = iob_report_load(r, blob.p, blob.len, &why);
	if (ret)
		iob_fail(err, ret, "%s: %s", path, why.text);
	iob_blob_free(&blob);
	return ret;
}
