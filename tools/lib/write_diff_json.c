// SPDX-License-Identifier: GPL-2.0
/* Schema ioblame.diff/1, see Documentation/abi.rst. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "diff.h"

static void add(struct json_object *o, const char *name, struct json_object *v)
{
	json_object_object_add(o, name, v);
}

static struct json_object *number(uint64_t v)
{
	return json_object_new_uint64(v);
}

/* To six places, as interval_s of a report is. */
static struct json_object *decimal(double v)
{
	char text[512];

	snprintf(text, sizeof(text), "%.6f", v);
	return json_object_new_double_s(v, text);
}

static struct json_object *side_object(const struct iob_diff *d,
				       enum iob_side s)
{
	const struct iob_report *r = d->side[s];
	struct json_object *o = json_object_new_object();
	struct json_object *lost = json_object_new_object();
	struct json_object *unattributed = json_object_new_object();

	add(o, "file", iob_json_text(d->path[s]));
	add(o, "host", iob_json_text(r->host));
	add(o, "kernel", iob_json_text(r->kernel));
	add(o, "interval_s", decimal((r->end_ns - r->start_ns) / 1e9));
	add(o, "value", number(d->all[s]));
	add(unattributed, "ios", number(r->unattributed.ios));
	add(unattributed, "bytes", number(r->unattributed.bytes));
	add(o, "unattributed", unattributed);
	for (int i = 0; i < IOB_NR_LOSSES; i++)
		add(lost, iob_loss_words[i], number(r->lost[i]));
	add(o, "lost", lost);
	return o;
}

static struct json_object *values_object(const struct iob_diff *d,
					 const struct iob_change *c,
					 enum iob_side s)
{
	struct json_object *o = json_object_new_object();

	add(o, "value", number(c->value[s]));
	add(o, "per_s", decimal(iob_diff_scaled(d, IOB_SCALE_SECOND,
						c->value[s], s)));
	add(o, "percent", decimal(iob_diff_scaled(d, IOB_SCALE_SHARE,
						  c->value[s], s)));
	return o;
}

/* Sums of sums may be beyond what a signed number holds. */
static struct json_object *difference(uint64_t a, uint64_t b)
{
	if (b >= a)
		return number(b - a);
	return a - b <= INT64_MAX ? json_object_new_int64(-(int64_t)(a - b)) :
				    decimal(-(double)(a - b));
}

static void add_disk(struct json_object *o, const struct iob_diff *d,
		     const struct iob_row *row)
{
	struct json_object *name = NULL, *dev = NULL;
	uint32_t number = row->v[IOB_ROW_DEV];
	char text[32];

	for (size_t i = 0; i < d->both->devices.nr; i++)
		if (row->known & IOB_ROW_BIT(DEV) &&
		    d->both->devices.v[i].dev == number)
			name = iob_json_text(d->both->devices.v[i].name);
	iob_format_dev(text, sizeof(text), number);
	if (row->known & IOB_ROW_BIT(DEV) && number < IOB_DIFF_NO_DEV)
		dev = json_object_new_string(text);
	add(o, "dev", dev);
	add(o, "devname", name);
	add(o, "op", iob_json_text(iob_row_text(row, IOB_ROW_OP)));
}

static struct json_object *change_object(const struct iob_diff *d,
					 const struct iob_change *c)
{
	struct json_object *o = json_object_new_object();
	struct json_object *change = json_object_new_object();

	add(o, "status", json_object_new_string(iob_change_words[iob_diff_word(d, c)]));
	add(change, "value", difference(c->value[IOB_SIDE_A],
					c->value[IOB_SIDE_B]));
	add(change, "per_s", decimal(iob_diff_change(d, IOB_SCALE_SECOND, c)));
	add(change, "percent", decimal(iob_diff_change(d, IOB_SCALE_SHARE, c)));
	add(o, "change", change);
	add(o, "a", values_object(d, c, IOB_SIDE_A));
	add(o, "b", values_object(d, c, IOB_SIDE_B));
	add_disk(o, d, &c->row);
	iob_json_fields(o, &c->row);
	return o;
}

static struct json_object *stacks_object(const struct iob_diff *d)
{
	struct json_object *o = json_object_new_object();
	char id[16];

	for (size_t i = 0; i < d->changes.v.nr; i++) {
		const struct iob_row *row = &d->changes.v.v[i].row;
		const char *frames = NULL;

		if (row->known & IOB_ROW_BIT(STACK))
			frames = iob_report_frames(d->both, row->v[IOB_ROW_STACK]);
		snprintf(id, sizeof(id), "%u", (uint32_t)row->v[IOB_ROW_STACK]);
		if (frames && !json_object_object_get_ex(o, id, NULL))
			add(o, id, iob_frames_to_json(frames));
	}
	return o;
}

/**
 * iob_diff_to_json - all of a diff as one object
 * @d: the diff
 * @o: how
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_diff_to_json(const struct iob_diff *d,
		     const struct iob_write_options *o, struct iob_err *err)
{
	struct json_object *json = json_object_new_object();
	struct json_object *changes = json_object_new_array();

	add(json, "schema", json_object_new_string(IOB_DIFF_SCHEMA));
	add(json, "metric", json_object_new_string(d->metric->name));
	add(json, "unit", json_object_new_string(d->metric->unit));
	add(json, "scale", json_object_new_string(iob_scale_words[d->scale]));
	add(json, "equal", json_object_new_boolean(iob_diff_is_equal(d)));
	add(json, "a", side_object(d, IOB_SIDE_A));
	add(json, "b", side_object(d, IOB_SIDE_B));
	for (size_t i = 0; i < d->changes.v.nr; i++)
		json_object_array_add(changes,
				      change_object(d, &d->changes.v.v[i]));
	add(json, "changes", changes);
	add(json, "stacks", stacks_object(d));
	return iob_json_put(json, o->out, err);
}
