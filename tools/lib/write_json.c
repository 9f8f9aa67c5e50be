// SPDX-License-Identifier: GPL-2.0
/* Schema ioblame.report/1, see Documentation/abi.rst and ioblame-report(1). */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "writer.h"

/**
 * iob_json_text - a text, escaped
 * @s: the text, or NULL
 *
 * Return: the string; NULL, which stands for null, for NULL.
 */
struct json_object *iob_json_text(const char *s)
{
	struct json_object *o;
	char *escaped;

	if (!s)
		return NULL;
	escaped = iob_escape(s);
	if (!escaped)
		return NULL;
	o = json_object_new_string(escaped);
	free(escaped);
	return o;
}

static struct json_object *number(uint64_t v)
{
	return json_object_new_uint64(v);
}

static struct json_object *dev_text(uint32_t dev)
{
	char buf[32];

	iob_format_dev(buf, sizeof(buf), dev);
	return json_object_new_string(buf);
}

static struct json_object *row_member(const struct iob_row *row,
				      enum iob_row_field f)
{
	if (!(row->known & 1u << f))
		return NULL;
	if (iob_row_field_is_text(f))
		return iob_json_text(iob_row_text(row, f));
	if (f == IOB_ROW_DEV || f == IOB_ROW_FILE_DEV)
		return dev_text(row->v[f]);
	return number(row->v[f]);
}

static void add(struct json_object *o, const char *name, struct json_object *v)
{
	json_object_object_add(o, name, v);
}

static struct json_object *sum_object(const struct iob_sum *s)
{
	struct json_object *o = json_object_new_object();

	add(o, "ios", number(s->ios));
	add(o, "bytes", number(s->bytes));
	return o;
}

static struct json_object *devices_array(const struct iob_report *r)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < r->devices.nr; i++) {
		const struct iob_device *d = &r->devices.v[i];
		struct json_object *o = json_object_new_object();
		struct json_object *ops = json_object_new_object();

		add(o, "dev", dev_text(d->dev));
		add(o, "name", iob_json_text(d->name));
		if (d->alias)
			add(o, "alias", iob_json_text(d->alias));
		if (d->parent)
			add(o, "parent", dev_text(d->parent));
		if (d->stacked)
			add(o, "stacked", json_object_new_boolean(1));
		for (size_t k = 0; k < d->ops.nr; k++)
			add(ops, d->ops.v[k].op, sum_object(&d->ops.v[k].sum));
		add(o, "ops", ops);
		json_object_array_add(a, o);
	}
	return a;
}

/* The histogram goes along so that a saved report can be grouped again. */
static struct json_object *times_object(const struct iob_row *row, int k)
{
	const struct iob_hist *h = &row->hist[k];
	struct json_object *o, *hist;
	char bucket[8];

	if (!iob_hist_total(h))
		return NULL;
	o = json_object_new_object();
	hist = json_object_new_object();
	add(o, "p50", number(iob_hist_percentile(h, 50, row->max[k])));
	add(o, "p99", number(iob_hist_percentile(h, 99, row->max[k])));
	add(o, "max", number(row->max[k]));
	for (int i = 0; i < h->nr; i++) {
		if (!h->n[i])
			continue;
		snprintf(bucket, sizeof(bucket), "%d", h->first + i);
		add(hist, bucket, number(h->n[i]));
	}
	add(o, "hist", hist);
	return o;
}

/* What became of what was read. */
static struct json_object *ends_object(const uint64_t *bytes)
{
	struct json_object *o = json_object_new_object();
	char name[32];

	for (int i = 0; i < IOB_NR_READ_ENDS; i++) {
		snprintf(name, sizeof(name), "%s_bytes", iob_read_words[i]);
		add(o, name, number(bytes[i]));
	}
	return o;
}

/* What the bytes hold, for who asked for it. */
static struct json_object *written_object(const struct iob_row *row)
{
	struct json_object *o = json_object_new_object(), *ratio = NULL;
	char name[32], text[512];

	add(o, "dirtied_bytes", number(iob_row_dirtied(row)));
	for (int i = 0; i < IOB_NR_WRITTEN; i++) {
		snprintf(name, sizeof(name), "%s_bytes", iob_written_words[i]);
		add(o, name, number(row->written[i]));
	}
	snprintf(text, sizeof(text), "%.6f", iob_row_amplification(row));
	if (row->written[IOB_WRITTEN_DATA])
		ratio = json_object_new_double_s(iob_row_amplification(row), text);
	add(o, "ratio", ratio);
	return o;
}

static struct json_object *file_object(const struct iob_row *row)
{
	struct json_object *o;

	if (!(row->known & (IOB_ROW_BIT(FILE_INO) | IOB_ROW_BIT(FILE_PATH))))
		return NULL;
	o = json_object_new_object();
	add(o, "dev", row_member(row, IOB_ROW_FILE_DEV));
	add(o, "ino", row_member(row, IOB_ROW_FILE_INO));
	add(o, "gen", row_member(row, IOB_ROW_FILE_GEN));
	add(o, "path", row_member(row, IOB_ROW_FILE_PATH));
	add(o, "mount", row_member(row, IOB_ROW_FILE_MOUNT));
	if (row->known & IOB_ROW_BIT(FILE_FLAGS))
		add(o, "flags", row_member(row, IOB_ROW_FILE_FLAGS));
	return o;
}

static struct json_object *devname(const struct iob_report *r,
				   const struct iob_row *row)
{
	for (size_t i = 0; i < r->devices.nr; i++)
		if (row->known & IOB_ROW_BIT(DEV) &&
		    r->devices.v[i].dev == row->v[IOB_ROW_DEV])
			return iob_json_text(r->devices.v[i].name);
	return NULL;
}

static const struct member {
	const char *name;
	enum iob_row_field f;
} who[] = {
	{ "pid", IOB_ROW_PID }, { "tid", IOB_ROW_TID },
	{ "start_time", IOB_ROW_START }, { "comm", IOB_ROW_COMM },
	{ "cgroup_id", IOB_ROW_CGROUP_ID }, { "cgroup", IOB_ROW_CGROUP },
	{ "container", IOB_ROW_CONTAINER },
}, why[] = {
	{ "kind", IOB_ROW_KIND }, { "reason", IOB_ROW_REASON },
	{ "basis", IOB_ROW_BASIS }, { "stack", IOB_ROW_STACK },
	{ "issuer_comm", IOB_ROW_ISSUER },
	{ "issuer_pid", IOB_ROW_ISSUER_PID },
};

/**
 * iob_json_fields - who a row is, which file and why
 * @o: takes the members
 * @row: the row
 */
void iob_json_fields(struct json_object *o, const struct iob_row *row)
{
	for (size_t i = 0; i < sizeof(who) / sizeof(*who); i++)
		add(o, who[i].name, row_member(row, who[i].f));
	add(o, "file", file_object(row));
	for (size_t i = 0; i < sizeof(why) / sizeof(*why); i++)
		add(o, why[i].name, row_member(row, why[i].f));
	if (row->known & IOB_ROW_BIT(UNKNOWN))
		add(o, "unknown", row_member(row, IOB_ROW_UNKNOWN));
}

/**
 * iob_row_to_json - a row as one object
 * @r: its report
 * @row: the row
 *
 * Return: the object, to be put by the caller.
 */
struct json_object *iob_row_to_json(const struct iob_report *r,
				    const struct iob_row *row)
{
	struct json_object *o = json_object_new_object();

	add(o, "dev", row_member(row, IOB_ROW_DEV));
	add(o, "devname", devname(r, row));
	add(o, "op", row_member(row, IOB_ROW_OP));
	add(o, "bytes", number(row->bytes));
	add(o, "ios", number(row->ios));
	add(o, "cancelled_bytes", number(row->cancelled));
	add(o, "readahead", row->tells_reads ? ends_object(row->read) : NULL);
	if (r->tells_written)
		add(o, "written", written_object(row));
	iob_json_fields(o, row);
	add(o, "dirty_age_ns", times_object(row, IOB_TIME_AGE));
	add(o, "queue_ns", times_object(row, IOB_TIME_QUEUE));
	add(o, "device_ns", times_object(row, IOB_TIME_DEVICE));
	return o;
}

/**
 * iob_frames_to_json - a stack as one array
 * @frames: the frames, innermost first, ';' between
 *
 * Return: the array, to be put by the caller.
 */
struct json_object *iob_frames_to_json(const char *frames)
{
	struct iob_field rest = { frames, strlen(frames) }, f;
	struct json_object *a = json_object_new_array();

	while (iob_split(&rest, ';', &f))
		json_object_array_add(a, json_object_new_string_len(f.p, f.len));
	return a;
}

/* Only the stacks that a row names. */
static struct json_object *stacks_object(const struct iob_report *r)
{
	struct json_object *o = json_object_new_object();
	char id[16];

	for (size_t i = 0; i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		const char *frames;

		if (!(row->known & IOB_ROW_BIT(STACK)))
			continue;
		snprintf(id, sizeof(id), "%u", (uint32_t)row->v[IOB_ROW_STACK]);
		frames = iob_report_frames(r, row->v[IOB_ROW_STACK]);
		if (frames && !json_object_object_get_ex(o, id, NULL))
			add(o, id, iob_frames_to_json(frames));
	}
	return o;
}

static struct json_object *hooks_array(const struct iob_report *r)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < r->hooks.nr; i++) {
		const struct iob_hook *h = &r->hooks.v[i];
		struct json_object *o = json_object_new_object();

		add(o, "name", iob_json_text(h->name));
		add(o, "state", iob_json_text(h->state));
		add(o, "need", iob_json_text(h->need));
		add(o, "hits", number(h->hits));
		if (h->effect && iob_hook_is_missing(h))
			add(o, "missing_effect", iob_json_text(h->effect));
		json_object_array_add(a, o);
	}
	return a;
}

static void add_sums(struct json_object *o, const struct iob_report *r)
{
	struct json_object *lost = json_object_new_object();
	struct json_object *bases = json_object_new_object();
	struct json_object *stats = json_object_new_object();
	struct json_object *notes = json_object_new_array();
	struct json_object *omitted = sum_object(&r->omitted);

	for (int i = 0; i < IOB_NR_LOSSES; i++)
		add(lost, iob_loss_words[i], number(r->lost[i]));
	for (int i = 0; i < IOB_NR_BASES; i++)
		if (r->basis_bytes[i])
			add(bases, iob_basis_words[i], number(r->basis_bytes[i]));
	for (size_t i = 0; i < r->stats.nr; i++)
		add(stats, r->stats.v[i].name, number(r->stats.v[i].value));
	for (size_t i = 0; i < r->notes.nr; i++)
		json_object_array_add(notes, iob_json_text(r->notes.v[i]));
	add(o, "lost", lost);
	add(o, "unattributed", sum_object(&r->unattributed));
	add(o, "bases", bases);
	add(o, "cancelled_bytes", number(r->cancelled_bytes));
	add(o, "readahead", r->tells_reads ? ends_object(r->read_bytes) : NULL);
	if (r->has_filter)
		add(o, "filtered", sum_object(&r->filtered));
	add(omitted, "rows", number(r->nr_omitted));
	if (r->nr_omitted)
		add(o, "omitted", omitted);
	else
		json_object_put(omitted);
	add(o, "hooks", hooks_array(r));
	add(o, "stats", stats);
	add(o, "notes", notes);
}

/**
 * iob_report_to_json - a report as one object
 * @r: the report
 *
 * Return: the object, to be put by the caller.
 */
struct json_object *iob_report_to_json(const struct iob_report *r)
{
	struct json_object *o = json_object_new_object(), *origins;
	char seconds[32];

	add(o, "schema", iob_json_text(IOB_REPORT_SCHEMA));
	add(o, "version", iob_json_text(r->version));
	add(o, "kernel", iob_json_text(r->kernel));
	add(o, "host", iob_json_text(r->host));
	add(o, "start_ns", number(r->start_ns));
	add(o, "end_ns", number(r->end_ns));
	snprintf(seconds, sizeof(seconds), "%" PRIu64 ".%06" PRIu64,
		 (r->end_ns - r->start_ns) / 1000000000,
		 (r->end_ns - r->start_ns) % 1000000000 / 1000);
	add(o, "interval_s",
	    json_object_new_double_s((r->end_ns - r->start_ns) / 1e9, seconds));
	add(o, "devices", devices_array(r));
	origins = json_object_new_array();
	for (size_t i = 0; i < r->rows.nr; i++)
		json_object_array_add(origins, iob_row_to_json(r, &r->rows.v[i]));
	add(o, "origins", origins);
	add(o, "stacks", stacks_object(r));
	add_sums(o, r);
	return o;
}

/**
 * iob_json_put - write an object and free it
 * @json: the object
 * @out: where to
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_json_put(struct json_object *json, FILE *out, struct iob_err *err)
{
	const char *s = json_object_to_json_string_ext(json,
			JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			JSON_C_TO_STRING_NOSLASHESCAPE);

	if (s) {
		fputs(s, out);
		fputc('\n', out);
	}
	json_object_put(json);
	return s ? 0 : iob_fail(err, -ENOMEM, "out of memory writing JSON");
}

static int write_json(const struct iob_report *r,
		      const struct iob_write_options *o, struct iob_err *err)
{
	return iob_json_put(iob_report_to_json(r), o->out, err);
}

const struct iob_writer iob_json_writer = {
	.name = "json",
	.default_fields = IOB_ALL_FIELDS,
	.write = write_json,
	.diff = iob_diff_to_json,
};
