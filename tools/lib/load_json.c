// SPDX-License-Identifier: GPL-2.0
/*
 * A report saved with --json, read back. The file may come from anywhere: what
 * is of the wrong type counts as unknown, what is no report is refused.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "escape.h"
#include "load_json.h"

static struct json_object *member(struct json_object *o, const char *name,
				  enum json_type type)
{
	struct json_object *v;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, name, &v) ||
	    !json_object_is_type(v, type))
		return NULL;
	return v;
}

static bool get_u64(struct json_object *o, const char *name, uint64_t *value)
{
	struct json_object *v = member(o, name, json_type_int);

	if (!v || json_object_get_int64(v) < 0)
		return false;
	*value = json_object_get_uint64(v);
	return true;
}

static const char *get_text(struct iob_report *r, struct json_object *o,
			    const char *name)
{
	struct json_object *v = member(o, name, json_type_string);
	const char *kept;
	char *bytes;

	if (!v)
		return NULL;
	bytes = iob_unescape(json_object_get_string(v));
	kept = iob_report_intern(r, bytes);
	free(bytes);
	return kept;
}

/* What is no name, see iob_strings_word(). */
static const char *get_word(struct iob_report *r, struct json_object *o,
			    const char *name)
{
	struct json_object *v = member(o, name, json_type_string);
	const char *kept;
	char *bytes;

	if (!v)
		return NULL;
	bytes = iob_unescape(json_object_get_string(v));
	kept = iob_report_word(r, bytes);
	free(bytes);
	return kept;
}

static bool get_dev(struct json_object *o, const char *name, uint32_t *dev)
{
	struct json_object *v = member(o, name, json_type_string);
	struct iob_field f;

	if (!v)
		return false;
	f.p = json_object_get_string(v);
	f.len = strlen(f.p);
	return iob_field_dev(f, dev);
}

static void get_sum(struct json_object *o, const char *name,
		    struct iob_sum *sum)
{
	struct json_object *v = member(o, name, json_type_object);

	if (!v)
		return;
	get_u64(v, "bytes", &sum->bytes);
	get_u64(v, "ios", &sum->ios);
}

static int load_device(struct iob_report *r, struct json_object *o)
{
	struct json_object *ops = member(o, "ops", json_type_object);
	struct iob_device *d;
	uint32_t dev;

	if (!get_dev(o, "dev", &dev))
		return 0;
	d = iob_report_device(r, dev);
	if (!d)
		return -ENOMEM;
	if (r->devices.nr > IOB_REPORT_MAX_DISKS)
		return -E2BIG;
	d->name = get_word(r, o, "name");
	d->alias = get_word(r, o, "alias");
	get_dev(o, "parent", &d->parent);
	d->stacked = member(o, "stacked", json_type_boolean);
	if (!ops)
		return 0;
	if (json_object_object_length(ops) > IOB_REPORT_MAX_OPS)
		return -E2BIG;
	json_object_object_foreach(ops, op, v) {
		struct iob_sum *sum;

		sum = iob_device_op_sum(d, iob_report_word(r, op));
		if (!sum)
			return -ENOMEM;
		get_u64(v, "bytes", &sum->bytes);
		get_u64(v, "ios", &sum->ios);
	}
	return 0;
}

static void load_number(struct iob_row *row, struct json_object *o,
			const char *name, enum iob_row_field f)
{
	uint64_t v;

	if (get_u64(o, name, &v))
		iob_row_set(row, f, v);
}

static int load_times(struct iob_row *row, struct json_object *o,
		      const char *name, enum iob_time k)
{
	struct json_object *times = member(o, name, json_type_object);
	struct json_object *hist = member(times, "hist", json_type_object);

	if (!times)
		return 0;
	get_u64(times, "max", &row->max[k]);
	if (!hist)
		return 0;
	json_object_object_foreach(hist, bucket, count) {
		struct iob_field f = { bucket, strlen(bucket) };
		uint64_t b;

		if (!iob_field_u64(f, &b) || b >= IOB_HIST_BUCKETS ||
		    !json_object_is_type(count, json_type_int) ||
		    json_object_get_int64(count) < 0)
			continue;
		if (iob_hist_add(&row->hist[k], b, json_object_get_uint64(count)))
			return -ENOMEM;
	}
	return 0;
}

static void load_file(struct iob_report *r, struct iob_row *row,
		      struct json_object *file)
{
	uint32_t dev;

	if (!file)
		return;
	if (get_dev(file, "dev", &dev))
		iob_row_set(row, IOB_ROW_FILE_DEV, dev);
	load_number(row, file, "ino", IOB_ROW_FILE_INO);
	load_number(row, file, "gen", IOB_ROW_FILE_GEN);
	iob_row_set_text(row, IOB_ROW_FILE_PATH, get_text(r, file, "path"));
	iob_row_set_text(row, IOB_ROW_FILE_MOUNT, get_text(r, file, "mount"));
	iob_row_set_text(row, IOB_ROW_FILE_FLAGS, get_word(r, file, "flags"));
}

static bool load_ends(uint64_t *bytes, struct json_object *o)
{
	struct json_object *ends = member(o, "readahead", json_type_object);
	char name[32];

	for (int i = 0; ends && i < IOB_NR_READ_ENDS; i++) {
		snprintf(name, sizeof(name), "%s_bytes", iob_read_words[i]);
		get_u64(ends, name, &bytes[i]);
	}
	return ends;
}

static int load_origin(struct iob_report *r, struct json_object *o)
{
	static const struct {
		const char *name;
		enum iob_row_field f;
	} texts[] = {
		{ "comm", IOB_ROW_COMM }, { "cgroup", IOB_ROW_CGROUP },
		{ "issuer_comm", IOB_ROW_ISSUER },
		{ "container", IOB_ROW_CONTAINER },
	}, words[] = {
		{ "op", IOB_ROW_OP }, { "kind", IOB_ROW_KIND },
		{ "reason", IOB_ROW_REASON }, { "basis", IOB_ROW_BASIS },
		{ "unknown", IOB_ROW_UNKNOWN },
	}, numbers[] = {
		{ "pid", IOB_ROW_PID }, { "tid", IOB_ROW_TID },
		{ "start_time", IOB_ROW_START },
		{ "cgroup_id", IOB_ROW_CGROUP_ID }, { "stack", IOB_ROW_STACK },
		{ "issuer_pid", IOB_ROW_ISSUER_PID },
	};
	struct iob_row *row;
	uint32_t dev;

	if (!json_object_is_type(o, json_type_object))
		return 0;
	row = iob_vec_add(&r->rows);
	if (!row)
		return -ENOMEM;
	if (get_dev(o, "dev", &dev))
		iob_row_set(row, IOB_ROW_DEV, dev);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		iob_row_set_text(row, texts[i].f, get_text(r, o, texts[i].name));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		iob_row_set_text(row, words[i].f, get_word(r, o, words[i].name));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		load_number(row, o, numbers[i].name, numbers[i].f);
	/* Of who saved it without: its cgroup tells. */
	if (!(row->known & IOB_ROW_BIT(CONTAINER)))
		iob_container_set(r, row);
	load_file(r, row, member(o, "file", json_type_object));
	get_u64(o, "bytes", &row->bytes);
	get_u64(o, "ios", &row->ios);
	get_u64(o, "cancelled_bytes", &row->cancelled);
	row->tells_reads = load_ends(row->read, o);
	if (load_times(row, o, "dirty_age_ns", IOB_TIME_AGE) ||
	    load_times(row, o, "queue_ns", IOB_TIME_QUEUE) ||
	    load_times(row, o, "device_ns", IOB_TIME_DEVICE))
		return -ENOMEM;
	return 0;
}

static int load_hook(struct iob_report *r, struct json_object *o)
{
	struct iob_hook *h, v = {};

	v.name = get_word(r, o, "name");
	v.state = get_word(r, o, "state");
	v.need = get_word(r, o, "need");
	v.effect = get_word(r, o, "missing_effect");
	get_u64(o, "hits", &v.hits);
	if (!v.name || !v.state)
		return 0;
	h = iob_vec_add(&r->hooks);
	if (!h)
		return -ENOMEM;
	*h = v;
	return 0;
}

static int load_note(struct iob_report *r, struct json_object *o)
{
	char *text = json_object_is_type(o, json_type_string) ?
		     iob_unescape(json_object_get_string(o)) : NULL;
	const char **note = text ? iob_vec_add(&r->notes) : NULL;

	if (note)
		*note = iob_report_word(r, text);
	if (note && !*note)
		r->notes.nr--;
	free(text);
	return 0;
}

static int load_array(struct iob_report *r, struct json_object *root,
		      const char *name,
		      int (*load)(struct iob_report *r, struct json_object *o))
{
	struct json_object *a = member(root, name, json_type_array);
	int ret = 0;

	for (size_t i = 0; a && !ret && i < json_object_array_length(a); i++)
		ret = load(r, json_object_array_get_idx(a, i));
	return ret;
}

static int load_stack(struct iob_report *r, const char *id,
		      struct json_object *a)
{
	struct iob_field f = { id, strlen(id) };
	struct iob_report_stack *s;
	uint64_t n;
	size_t size = 1;
	char *frames;

	if (!iob_field_u64(f, &n) || n > UINT32_MAX ||
	    !json_object_is_type(a, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(a); i++) {
		const char *frame =
			json_object_get_string(json_object_array_get_idx(a, i));

		size += frame ? strlen(frame) + 1 : 0;
	}
	frames = calloc(1, size);
	s = frames ? iob_vec_add(&r->stacks) : NULL;
	if (!s) {
		free(frames);
		return -ENOMEM;
	}
	size = 0;
	for (size_t i = 0; i < json_object_array_length(a); i++) {
		const char *frame =
			json_object_get_string(json_object_array_get_idx(a, i));

		if (frame)
			size += sprintf(frames + size, "%s%s", i ? ";" : "",
					frame);
	}
	s->id = n;
	s->frames = iob_report_word(r, frames);
	free(frames);
	return s->frames ? 0 : -ENOMEM;
}

static int load_stacks(struct iob_report *r, struct json_object *root)
{
	struct json_object *o = member(root, "stacks", json_type_object);
	int ret = 0;

	if (!o)
		return 0;
	json_object_object_foreach(o, id, a) {
		if (!ret)
			ret = load_stack(r, id, a);
	}
	return ret;
}

/* A grouped report no longer has the basis of each row: take its own sums. */
static int load_sums(struct iob_report *r, struct json_object *root)
{
	struct json_object *lost = member(root, "lost", json_type_object);
	struct json_object *bases = member(root, "bases", json_type_object);
	struct json_object *stats = member(root, "stats", json_type_object);
	struct json_object *omitted = member(root, "omitted", json_type_object);

	for (int i = 0; i < IOB_NR_LOSSES; i++)
		get_u64(lost, iob_loss_words[i], &r->lost[i]);
	for (int i = 0; bases && i < IOB_NR_BASES; i++) {
		r->basis_bytes[i] = 0;
		get_u64(bases, iob_basis_words[i], &r->basis_bytes[i]);
	}
	get_u64(root, "cancelled_bytes", &r->cancelled_bytes);
	r->tells_reads = load_ends(r->read_bytes, root);
	get_sum(root, "unattributed", &r->unattributed);
	r->has_filter = member(root, "filtered", json_type_object);
	get_sum(root, "filtered", &r->filtered);
	get_sum(root, "omitted", &r->omitted);
	get_u64(omitted, "rows", &r->nr_omitted);
	if (!stats)
		return 0;
	json_object_object_foreach(stats, name, v) {
		struct iob_stat *s = iob_vec_add(&r->stats);

		if (!s)
			return -ENOMEM;
		s->name = iob_report_word(r, name);
		s->value = json_object_get_uint64(v);
	}
	return 0;
}

static int load(struct iob_report *r, struct json_object *root)
{
	int ret;

	r->version = get_word(r, root, "version");
	r->kernel = get_word(r, root, "kernel");
	r->host = get_word(r, root, "host");
	get_u64(root, "start_ns", &r->start_ns);
	get_u64(root, "end_ns", &r->end_ns);
	if (r->end_ns < r->start_ns)
		r->end_ns = r->start_ns;
	ret = load_array(r, root, "devices", load_device);
	if (!ret)
		ret = load_array(r, root, "origins", load_origin);
	if (!ret)
		ret = load_array(r, root, "hooks", load_hook);
	if (!ret)
		ret = load_array(r, root, "notes", load_note);
	if (!ret)
		ret = load_stacks(r, root);
	if (ret)
		return ret;
	iob_report_settle(r);
	return load_sums(r, root);
}

/**
 * iob_report_load - read a saved report
 * @r: the report, empty
 * @text: the JSON text
 * @len: its length
 * @err: error text
 *
 * Return: 0, -EINVAL for what is no such report, -E2BIG, -ENOMEM.
 */
int iob_report_load(struct iob_report *r, const char *text, size_t len,
		    struct iob_err *err)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *root, *schema;
	enum json_tokener_error why;
	size_t at;
	int ret;

	if (!tok)
		return iob_fail(err, -ENOMEM, "out of memory");
	if (len > INT32_MAX)
		len = INT32_MAX;
	root = json_tokener_parse_ex(tok, text, len);
	why = json_tokener_get_error(tok);
	at = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (!root)
		return iob_fail(err, -EINVAL, "no report: %s at byte %zu",
				why == json_tokener_continue ? "it ends too early" :
				json_tokener_error_desc(why), at);
	schema = member(root, "schema", json_type_string);
	if (!schema || strcmp(json_object_get_string(schema), IOB_REPORT_SCHEMA)) {
		ret = iob_fail(err, -EINVAL, "no report of schema %s but %.60s",
			       IOB_REPORT_SCHEMA,
			       schema ? json_object_get_string(schema) :
					"of something else");
		json_object_put(root);
		return ret;
	}
	ret = load(r, root);
	json_object_put(root);
	if (ret == -E2BIG)
		return iob_fail(err, ret, "no report: it has more disks than any machine");
	return ret ? iob_fail(err, ret, "out of memory reading the report") : 0;
}
