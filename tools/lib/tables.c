// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "tables.h"
#include "uapi/ioblame.h"

/**
 * iob_tables_create - empty tables
 *
 * Return: the tables, or NULL without memory.
 */
struct iob_tables *iob_tables_create(void)
{
	struct iob_tables *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->strings = iob_strings_create();
	if (!t->strings) {
		free(t);
		return NULL;
	}
	return t;
}

/**
 * iob_tables_destroy - free the tables and all their strings
 * @t: the tables, or NULL
 */
void iob_tables_destroy(struct iob_tables *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->totals.nr; i++)
		for (int k = 0; k < IOB_NR_TIMES; k++)
			iob_hist_free(&t->totals.v[i].hist[k]);
	iob_vec_free(&t->stacks);
	iob_vec_free(&t->roles);
	iob_vec_free(&t->files);
	iob_vec_free(&t->acts);
	iob_vec_free(&t->totals);
	iob_vec_free(&t->devices);
	iob_vec_free(&t->hooks);
	iob_vec_free(&t->stats);
	iob_map_free(&t->stack_by_id);
	iob_map_free(&t->role_by_id);
	iob_map_free(&t->file_by_id);
	iob_map_free(&t->act_by_id);
	iob_strings_destroy(t->strings);
	free(t);
}

/**
 * iob_tables_name - intern a name as the module wrote it
 * @t: whose strings
 * @f: the field, with its escapes
 *
 * Return: the bytes; NULL for an empty name (or without memory).
 */
const char *iob_tables_name(struct iob_tables *t, struct iob_field f)
{
	char buf[4096];

	/* A NUL that somebody put there ends it: equal names stay one pointer. */
	iob_field_unescape(f, buf, sizeof(buf));
	return *buf ? iob_strings_intern(t->strings, buf, strlen(buf)) : NULL;
}

/**
 * iob_tables_word - intern what the module does not escape
 * @t: whose strings
 * @f: the field
 *
 * Return: the text, see iob_strings_word(); NULL for ``-`` (or without memory).
 */
const char *iob_tables_word(struct iob_tables *t, struct iob_field f)
{
	return !f.len || iob_field_is(f, "-") ? NULL :
	       iob_strings_word(t->strings, f.p, f.len);
}

/* One lookup for each kind of object; @add makes what is not there. */
#define LOOKUP(what, vec, map)						\
struct iob_##what *iob_tables_##what(struct iob_tables *t, uint32_t id,	\
				     bool add)				\
{									\
	uint32_t at;							\
	struct iob_##what *p;						\
									\
	if (iob_map_get(&t->map, id, &at))				\
		return &t->vec.v[at];					\
	if (!add)							\
		return NULL;						\
	at = t->vec.nr;							\
	p = iob_vec_add(&t->vec);					\
	if (!p || iob_map_set(&t->map, id, at))				\
		return NULL;						\
	p->id = id;							\
	return p;							\
}

LOOKUP(stack, stacks, stack_by_id)
LOOKUP(role, roles, role_by_id)
LOOKUP(file, files, file_by_id)
LOOKUP(act, acts, act_by_id)

/**
 * iob_tables_device - the name of a disk
 * @t: the tables
 * @dev: its number
 *
 * Return: its name, or NULL.
 */
const char *iob_tables_device(const struct iob_tables *t, uint32_t dev)
{
	for (size_t i = 0; i < t->devices.nr; i++)
		if (t->devices.v[i].dev == dev && t->devices.v[i].name)
			return t->devices.v[i].name;
	return NULL;
}

/**
 * iob_tables_stat - the value of a counter
 * @t: the tables
 * @name: of the counter
 *
 * Return: its value; 0 if the module has none of that name.
 */
uint64_t iob_tables_stat(const struct iob_tables *t, const char *name)
{
	for (size_t i = 0; i < t->stats.nr; i++)
		if (!strcmp(t->stats.v[i].name, name))
			return t->stats.v[i].value;
	return 0;
}

/**
 * iob_hook_is_missing - is something not seen for want of a hook?
 * @h: the hook
 *
 * Return: false also where its module is not loaded: what it would see does
 * not happen.
 */
bool iob_hook_is_missing(const struct iob_hook *h)
{
	return !strcmp(h->state, "missing") || !strcmp(h->state, "failed");
}

static uint64_t text_hash(const char *s)
{
	uint64_t h = 0;

	while (s && *s)
		h = iob_mix(h, (unsigned char)*s++);
	return h;
}

static uint64_t total_key(const struct iob_total *r)
{
	uint64_t h = iob_mix(iob_mix(r->act, r->issuer), r->dev);

	h = iob_mix(h, text_hash(r->op));
	h = iob_mix(h, text_hash(r->reason));
	return iob_mix(h, text_hash(r->basis));
}

static void take(uint64_t *from, uint64_t what)
{
	/* Smaller than before: reset in between, so all of it is new. */
	if (what <= *from)
		*from -= what;
}

static void subtract_total(struct iob_total *r, const struct iob_total *was)
{
	if (was->ios > r->ios || was->bytes > r->bytes ||
	    was->cancelled > r->cancelled)
		return;
	for (int k = 0; k < IOB_NR_READ_ENDS; k++)
		if (was->read[k] > r->read[k])
			return;
	r->ios -= was->ios;
	r->bytes -= was->bytes;
	r->cancelled -= was->cancelled;
	for (int k = 0; k < IOB_NR_READ_ENDS; k++)
		r->read[k] -= was->read[k];
	for (int k = 0; k < IOB_NR_TIMES; k++) {
		int last;
		uint64_t upper;

		iob_hist_subtract(&r->hist[k], &was->hist[k]);
		if (r->max[k] > was->max[k])
			continue;
		/* The longest time was earlier; ours is bounded by its bucket. */
		last = iob_hist_last(&r->hist[k]);
		upper = last < 0 ? 0 : iob_hist_upper_ns(last);
		if (upper < r->max[k])
			r->max[k] = upper;
	}
}

static void subtract_totals(struct iob_tables *later,
			    const struct iob_tables *earlier)
{
	struct iob_map by_key = {};

	for (size_t i = 0; i < earlier->totals.nr; i++)
		if (iob_map_set(&by_key, total_key(&earlier->totals.v[i]), i))
			break;
	for (size_t i = 0; i < later->totals.nr; i++) {
		struct iob_total *r = &later->totals.v[i];
		uint32_t at;

		if (iob_map_get(&by_key, total_key(r), &at))
			subtract_total(r, &earlier->totals.v[at]);
	}
	iob_map_free(&by_key);
}

/**
 * iob_tables_subtract - make the totals those of an interval
 * @later: tables at its end, made to hold the difference
 * @earlier: tables at its start
 *
 * For a module that somebody else had enabled before: its totals, devices and
 * counters have run on, and are not ours to reset.
 */
void iob_tables_subtract(struct iob_tables *later, struct iob_tables *earlier)
{
	subtract_totals(later, earlier);
	for (size_t i = 0; i < later->devices.nr; i++) {
		struct iob_device_op *d = &later->devices.v[i];

		for (size_t k = 0; k < earlier->devices.nr; k++) {
			struct iob_device_op *was = &earlier->devices.v[k];

			if (was->dev != d->dev || strcmp(was->op, d->op))
				continue;
			take(&d->ios, was->ios);
			take(&d->bytes, was->bytes);
			take(&d->folded_ios, was->folded_ios);
			take(&d->folded_bytes, was->folded_bytes);
		}
	}
	for (size_t i = 0; i < later->stats.nr; i++)
		take(&later->stats.v[i].value,
		     iob_tables_stat(earlier, later->stats.v[i].name));
}
