// SPDX-License-Identifier: GPL-2.0
/*
 * Two reports become comparable: numbers that mean something on one machine, at one
 * time, give way to what they stand for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

const char *const iob_scale_words[IOB_NR_SCALES] = { IOB_SCALES(IOB_ENUM_WORD) };
const char *const iob_change_words[IOB_NR_CHANGES] = {
	IOB_CHANGES(IOB_ENUM_WORD)
};

/* A rate over an interval of next to nothing still is a number of bytes. */
#define MAX_VALUE 1e19

static double magnitude(double change)
{
	return change < 0 ? -change : change;
}

/**
 * iob_diff_create - nothing yet to compare
 * @metric: what is compared
 * @scale: and how
 *
 * The sides are to be filled by the caller.
 *
 * Return: the diff, or NULL without memory.
 */
struct iob_diff *iob_diff_create(const struct iob_metric *metric,
				 enum iob_scale scale)
{
	struct iob_diff *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->metric = metric;
	d->scale = scale;
	d->strings = iob_strings_create();
	for (int s = 0; d->strings && s < IOB_NR_SIDES; s++)
		d->side[s] = iob_report_create_with(d->strings);
	if (d->strings)
		d->both = iob_report_create_with(d->strings);
	if (d->both && d->side[IOB_SIDE_A] && d->side[IOB_SIDE_B])
		return d;
	iob_diff_destroy(d);
	return NULL;
}

/**
 * iob_diff_destroy - free
 * @d: the diff, or NULL
 */
void iob_diff_destroy(struct iob_diff *d)
{
	if (!d)
		return;
	iob_vec_free(&d->changes.v);
	for (int s = 0; s < IOB_NR_SIDES; s++)
		iob_report_destroy(d->side[s]);
	iob_report_destroy(d->both);
	if (d->strings)
		iob_strings_destroy(d->strings);
	free(d);
}

/* Functions without the places in them, which differ from build to build. */
static const char *functions(struct iob_diff *d, const char *frames)
{
	struct iob_field rest = { frames, strlen(frames) }, frame;
	char *out = malloc(rest.len + 2);
	const char *kept;
	size_t n = 0;

	if (!out)
		return NULL;
	while (iob_split(&rest, ';', &frame)) {
		if (n)
			out[n++] = ';';
		iob_format_function(out + n, frame.len + 1, frame);
		n += strlen(out + n);
	}
	kept = iob_strings_intern(d->strings, out, n);
	free(out);
	return kept;
}

/* The number that both sides have for a stack: its place, from 1 on. */
static int both_stack(struct iob_diff *d, struct iob_map *seen,
		      const char *frames, uint32_t *id)
{
	const char *text = functions(d, frames);
	struct iob_report_stack *s;

	if (!text)
		return -ENOMEM;
	if (iob_map_get(seen, (uintptr_t)text, id))
		return 0;
	s = iob_vec_add(&d->both->stacks);
	if (!s)
		return -ENOMEM;
	s->id = d->both->stacks.nr;
	s->frames = text;
	*id = s->id;
	return iob_map_set(seen, (uintptr_t)text, s->id);
}

static int match_stacks(struct iob_diff *d, struct iob_report *r,
			struct iob_map *seen)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];
		const char *frames = NULL;
		uint32_t id;

		if (row->known & IOB_ROW_BIT(STACK))
			frames = iob_report_frames(r, row->v[IOB_ROW_STACK]);
		row->known &= ~IOB_ROW_BIT(STACK);
		row->v[IOB_ROW_STACK] = 0;
		if (!frames)
			continue;
		ret = both_stack(d, seen, frames, &id);
		if (!ret)
			iob_row_set(row, IOB_ROW_STACK, id);
	}
	return ret;
}

/* A disk is known by its name; by its number where a side has no name for it. */
static struct iob_device *find_device(struct iob_diff *d,
				      const struct iob_device *want)
{
	const char *name = iob_device_label(want);
	struct iob_device *number = NULL;

	for (size_t i = 0; i < d->both->devices.nr; i++) {
		struct iob_device *have = &d->both->devices.v[i];

		if (name && iob_device_label(have) == name)
			return have;
		if (have->dev == want->dev)
			number = have;
	}
	return number && (!number->name || !want->name) ? number : NULL;
}

static struct iob_device *new_device(struct iob_diff *d,
				     const struct iob_device *like)
{
	size_t nr = d->both->devices.nr;
	struct iob_device *made = iob_report_device(d->both, like->dev);

	/* The number is another disk's: this one has none that both understand. */
	if (made && d->both->devices.nr == nr)
		made = iob_report_device(d->both, IOB_DIFF_NO_DEV + nr);
	if (!made)
		return NULL;
	made->name = like->name;
	made->alias = like->alias;
	return made;
}

static int match_devices(struct iob_diff *d, struct iob_report *r)
{
	struct iob_map to = {};
	int ret = 0;

	for (size_t i = 0; !ret && i < r->devices.nr; i++) {
		const struct iob_device *mine = &r->devices.v[i];
		struct iob_device *both = find_device(d, mine);

		if (!both)
			both = new_device(d, mine);
		if (!both)
			ret = -ENOMEM;
		else
			ret = iob_map_set(&to, mine->dev, both->dev);
	}
	for (size_t i = 0; !ret && i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];
		uint32_t dev;

		if (row->known & IOB_ROW_BIT(DEV) &&
		    iob_map_get(&to, row->v[IOB_ROW_DEV], &dev))
			row->v[IOB_ROW_DEV] = dev;
	}
	iob_map_free(&to);
	return ret;
}

/*
 * A file is made anew with another inode, a cgroup with another id: where there is a
 * path it is what they are known by.
 */
static void match_names(struct iob_report *r)
{
	for (size_t i = 0; i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];
		uint32_t number = 0;

		if (row->known & IOB_ROW_BIT(FILE_PATH))
			number |= IOB_ROW_BIT(FILE_DEV) | IOB_ROW_BIT(FILE_INO) |
				  IOB_ROW_BIT(FILE_GEN);
		if (row->known & IOB_ROW_BIT(CGROUP))
			number |= IOB_ROW_BIT(CGROUP_ID);
		row->known &= ~number;
		for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
			if (number & 1u << f)
				row->v[f] = 0;
	}
}

/**
 * iob_diff_match - make the rows of both sides comparable
 * @d: the diff, its sides filled and filtered
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_diff_match(struct iob_diff *d, struct iob_err *err)
{
	struct iob_map seen = {};
	int ret = 0;

	for (int s = 0; !ret && s < IOB_NR_SIDES; s++) {
		ret = match_stacks(d, d->side[s], &seen);
		if (!ret)
			ret = match_devices(d, d->side[s]);
		match_names(d->side[s]);
		d->all[s] = 0;
		for (size_t i = 0; i < d->side[s]->rows.nr; i++)
			d->all[s] += d->metric->of(&d->side[s]->rows.v[i]);
	}
	iob_map_free(&seen);
	return ret ? iob_fail(err, ret, "out of memory comparing") : 0;
}

/**
 * iob_diff_fields - what rows have to agree in, where two sides are compared
 * @by: the fields of keys
 *
 * Return: those, with the paths by which iob_diff_match() knows things.
 */
uint32_t iob_diff_fields(uint32_t by)
{
	if (by & IOB_ROW_BIT(FILE_INO))
		by |= IOB_ROW_BIT(FILE_PATH);
	if (by & IOB_ROW_BIT(CGROUP_ID))
		by |= IOB_ROW_BIT(CGROUP);
	return by;
}

/**
 * iob_diff_scaled - a value of a side as it is compared
 * @d: the diff
 * @scale: as what
 * @value: of the metric
 * @side: whose
 *
 * Return: the value, the value a second, or its percentage; 0 where there is nothing
 * to divide by.
 */
double iob_diff_scaled(const struct iob_diff *d, enum iob_scale scale,
		       uint64_t value, enum iob_side side)
{
	const struct iob_report *r = d->side[side];
	double seconds = (r->end_ns - r->start_ns) / 1e9;

	if (scale == IOB_SCALE_SECOND)
		return seconds > 0 ? value / seconds : 0;
	if (scale == IOB_SCALE_SHARE)
		return d->all[side] ? 100.0 * value / d->all[side] : 0;
	return value;
}

/**
 * iob_diff_change - what B has more than A
 * @d: the diff
 * @scale: as what it is compared
 * @c: what changed
 *
 * Return: the difference, negative where B has less.
 */
double iob_diff_change(const struct iob_diff *d, enum iob_scale scale,
		       const struct iob_change *c)
{
	double a = iob_diff_scaled(d, scale, c->value[IOB_SIDE_A], IOB_SIDE_A);
	double b = iob_diff_scaled(d, scale, c->value[IOB_SIDE_B], IOB_SIDE_B);

	/* What dividing has left over is no change. */
	return magnitude(b - a) <= 1e-12 * (a > b ? a : b) ? 0 : b - a;
}

/**
 * iob_diff_word - what became of a key
 * @d: the diff
 * @c: its values
 *
 * Return: the word for it.
 */
enum iob_change_word iob_diff_word(const struct iob_diff *d,
				   const struct iob_change *c)
{
	double change = iob_diff_change(d, d->scale, c);

	if (!c->value[IOB_SIDE_A] && c->value[IOB_SIDE_B])
		return IOB_CHANGE_NEW;
	if (c->value[IOB_SIDE_A] && !c->value[IOB_SIDE_B])
		return IOB_CHANGE_GONE;
	if (change > 0)
		return IOB_CHANGE_MORE;
	return change < 0 ? IOB_CHANGE_LESS : IOB_CHANGE_SAME;
}

static uint64_t row_hash(const struct iob_row *r, uint32_t fields)
{
	uint64_t h = r->known & fields;

	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (r->known & fields & 1u << f)
			h = iob_mix(h, r->v[f]);
	return h;
}

static bool same_key(const struct iob_row *a, const struct iob_row *b,
		     uint32_t fields)
{
	if ((a->known ^ b->known) & fields)
		return false;
	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (a->known & fields & 1u << f && a->v[f] != b->v[f])
			return false;
	return true;
}

/* Who a row is, without how much. */
static struct iob_row bare(const struct iob_row *row)
{
	struct iob_row r = { .known = row->known, .mixed = row->mixed };

	memcpy(r.v, row->v, sizeof(r.v));
	return r;
}

static int add_row(const struct iob_diff *d, struct iob_changes *changes,
		   struct iob_map *first, uint32_t fields,
		   const struct iob_row *row, enum iob_side side)
{
	uint64_t h = row_hash(row, fields);
	struct iob_row who = bare(row);
	struct iob_change *c;
	uint32_t at;

	while (iob_map_get(first, h, &at) &&
	       !same_key(&changes->v.v[at].row, row, fields))
		h++;
	if (iob_map_get(first, h, &at)) {
		c = &changes->v.v[at];
		iob_row_merge(&c->row, &who);
	} else {
		c = iob_vec_add(&changes->v);
		if (!c || iob_map_set(first, h, changes->v.nr - 1))
			return -ENOMEM;
		c->row = who;
	}
	c->value[side] += d->metric->of(row);
	return 0;
}

static int compare_rows(const struct iob_row *a, const struct iob_row *b)
{
	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++) {
		bool ka = a->known & 1u << f, kb = b->known & 1u << f;
		int ret;

		if (ka != kb)
			return ka ? -1 : 1;
		if (!ka || a->v[f] == b->v[f])
			continue;
		if (!iob_row_field_is_text(f))
			return a->v[f] < b->v[f] ? -1 : 1;
		ret = strcmp(iob_row_text(a, f), iob_row_text(b, f));
		if (ret)
			return ret;
	}
	return 0;
}

static int compare(const void *pa, const void *pb, void *arg)
{
	const struct iob_change *a = pa, *b = pb;
	const struct iob_diff *d = arg;
	double x = iob_diff_change(d, d->scale, a);
	double y = iob_diff_change(d, d->scale, b);

	if (magnitude(x) != magnitude(y))
		return magnitude(x) > magnitude(y) ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	for (int s = IOB_NR_SIDES; s-- > 0;)
		if (a->value[s] != b->value[s])
			return a->value[s] > b->value[s] ? -1 : 1;
	return compare_rows(&a->row, &b->row);
}

/**
 * iob_diff_group - put side by side what agrees
 * @d: the diff, matched
 * @fields: bits of the fields that must agree
 * @changes: empty; what there is on either side, the greatest change first; to be
 *           freed also after an error
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_diff_group(const struct iob_diff *d, uint32_t fields,
		   struct iob_changes *changes, struct iob_err *err)
{
	struct iob_map first = {};
	size_t kept = 0;
	int ret = 0;

	for (int s = 0; s < IOB_NR_SIDES; s++) {
		const struct iob_report *r = d->side[s];

		for (size_t i = 0; !ret && i < r->rows.nr; i++)
			ret = add_row(d, changes, &first, fields, &r->rows.v[i], s);
	}
	iob_map_free(&first);
	if (ret)
		return iob_fail(err, ret, "out of memory comparing");
	for (size_t i = 0; i < changes->v.nr; i++) {
		const struct iob_change *c = &changes->v.v[i];

		if (c->value[IOB_SIDE_A] || c->value[IOB_SIDE_B])
			changes->v.v[kept++] = *c;
	}
	changes->v.nr = kept;
	if (kept)
		qsort_r(changes->v.v, kept, sizeof(*changes->v.v), compare,
			(void *)d);
	return 0;
}

/**
 * iob_diff_top - keep the greatest changes
 * @d: the diff, grouped
 * @nr: how many; 0: all
 *
 * What did not change is counted in @d->nr_same, kept or not.
 */
void iob_diff_top(struct iob_diff *d, size_t nr)
{
	d->nr_same = 0;
	for (size_t i = 0; i < d->changes.v.nr; i++) {
		const struct iob_change *c = &d->changes.v.v[i];
		bool same = iob_diff_word(d, c) == IOB_CHANGE_SAME;

		d->nr_same += same;
		if (!nr || i < nr || same)
			continue;
		d->nr_omitted++;
		d->omitted += magnitude(iob_diff_change(d, d->scale, c));
	}
	if (nr && d->changes.v.nr > nr)
		d->changes.v.nr = nr;
}

/**
 * iob_diff_is_equal - whether nothing changed
 * @d: the diff, grouped
 *
 * Return: true if no key has another value.
 */
bool iob_diff_is_equal(const struct iob_diff *d)
{
	for (size_t i = 0; i < d->changes.v.nr; i++)
		if (iob_diff_word(d, &d->changes.v.v[i]) != IOB_CHANGE_SAME)
			return false;
	return true;
}

/**
 * iob_diff_format - a scaled value as people read it
 * @d: the diff
 * @buf: the text, without a sign
 * @size: room in @buf
 * @value: the value; its sign is left out
 * @exact: not rounded
 */
void iob_diff_format(const struct iob_diff *d, char *buf, size_t size,
		     double value, bool exact)
{
	size_t at;

	value = magnitude(value);
	if (value > MAX_VALUE)
		value = MAX_VALUE;
	if (d->scale == IOB_SCALE_SHARE) {
		snprintf(buf, size, "%.*f%%", exact ? 6 : 1, value);
		return;
	}
	if (d->scale == IOB_SCALE_SECOND && exact)
		snprintf(buf, size, "%.3f", value);
	else if (d->scale == IOB_SCALE_SECOND && !strcmp(d->metric->unit, "count"))
		snprintf(buf, size, "%.1f", value);
	else
		iob_metric_format(d->metric, buf, size, value, exact);
	at = strlen(buf);
	if (d->scale == IOB_SCALE_SECOND)
		snprintf(buf + at, size - at, "/s");
}
