// SPDX-License-Identifier: GPL-2.0
/* The head of the live view: what the disks do, and how much of it is explained. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top_text.h"
#include "writer.h"

struct head {
	const struct iob_top *t;
	const struct iob_top_look *look;
	const struct iob_report *r;	/* what is shown */
	iob_top_line_fn fn;
	void *arg;
};

#define SAY(buf, at, fmt, ...)						\
	do {								\
		if ((at) < sizeof(buf))					\
			(at) += snprintf((buf) + (at), sizeof(buf) - (at), \
					 fmt, ##__VA_ARGS__);		\
	} while (0)

static double per_second(const struct head *h, uint64_t what)
{
	return h->t->cumulative ? what : what / h->t->seconds;
}

static void format_sum(const struct head *h, char *buf, size_t size,
		       uint64_t bytes)
{
	size_t len;

	iob_format_bytes(buf, size, per_second(h, bytes) + 0.5, false);
	len = strlen(buf);
	if (!h->t->cumulative)
		snprintf(buf + len, size - len, "/s");
}

static int title(const struct head *h)
{
	const struct iob_top *t = h->t;
	char buf[IOB_TOP_LINE_MAX];
	size_t at = 0;

	SAY(buf, at, "ioblame top");
	if (h->look->clock)
		SAY(buf, at, "  %s", h->look->clock);
	SAY(buf, at, "  every %g s", h->look->interval);
	if (!t->nr_readings)
		SAY(buf, at, "  waiting for the first interval to end");
	else if (t->cumulative)
		SAY(buf, at, "  SINCE START, %.1f s",
		    (t->all->end_ns - t->all->start_ns) / 1e9);
	else
		SAY(buf, at, "  interval %.2f s", t->seconds);
	if (h->look->paused)
		SAY(buf, at, "  PAUSED");
	if (h->look->nr_resets)
		SAY(buf, at, "  (the module was reset meanwhile: sums begin there)");
	else if (h->look->was_enabled)
		SAY(buf, at, "  (tracing was enabled before)");
	return h->fn(h->arg, IOB_TOP_LINE_TITLE, buf);
}

/* Of one disk and operation; NULL: nothing in this reading. */
static const struct iob_sum *sum_of(const struct iob_report *r, uint32_t dev,
				    const char *op)
{
	for (size_t i = 0; i < r->devices.nr; i++) {
		const struct iob_device *d = &r->devices.v[i];

		for (size_t k = 0; d->dev == dev && k < d->ops.nr; k++)
			if (!strcmp(d->ops.v[k].op, op))
				return &d->ops.v[k].sum;
	}
	return NULL;
}

/* Each disk that has done anything since the start keeps its line. */
static int device(const struct head *h, const struct iob_device *d)
{
	char buf[IOB_TOP_LINE_MAX], bytes[32];
	const char *sep = "";
	size_t at = 0;

	iob_format_dev(bytes, sizeof(bytes), d->dev);
	SAY(buf, at, "%s:", d->name ? d->name : bytes);
	for (size_t i = 0; i < d->ops.nr; i++) {
		const char *op = d->ops.v[i].op;
		const struct iob_sum *s = sum_of(h->r, d->dev, op);

		SAY(buf, at, "%s %s", sep, op);
		if (strcmp(op, "flush")) {
			format_sum(h, bytes, sizeof(bytes), s ? s->bytes : 0);
			SAY(buf, at, " %s in", bytes);
		}
		SAY(buf, at, h->t->cumulative ? " %.0f IOs" : " %.1f IO/s",
		    per_second(h, s ? s->ios : 0));
		sep = ",";
	}
	if (d->stacked)
		SAY(buf, at, " (reaches another disk, too)");
	return h->fn(h->arg, IOB_TOP_LINE_DEVICE, buf);
}

static uint64_t device_bytes(const struct iob_report *r, uint32_t dev)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->devices.nr; i++)
		for (size_t k = 0; r->devices.v[i].dev == dev &&
		     k < r->devices.v[i].ops.nr; k++)
			sum += r->devices.v[i].ops.v[k].sum.bytes;
	return sum;
}

static int by_bytes(const void *pa, const void *pb, void *arg)
{
	const struct iob_device *const *a = pa, *const *b = pb;
	uint64_t x = device_bytes(arg, (*a)->dev), y = device_bytes(arg, (*b)->dev);

	if (x != y)
		return x > y ? -1 : 1;
	return (*a)->dev < (*b)->dev ? -1 : (*a)->dev > (*b)->dev;
}

static int by_number(const void *pa, const void *pb)
{
	const struct iob_device *const *a = pa, *const *b = pb;

	return (*a)->dev < (*b)->dev ? -1 : (*a)->dev > (*b)->dev;
}

static int devices(const struct head *h)
{
	size_t nr = h->t->all->devices.nr, most = h->look->max_devices, max;
	const struct iob_device **d = calloc(nr + 1, sizeof(*d));
	char buf[64];
	int ret = 0;

	if (!d)
		return 0;
	for (size_t i = 0; i < nr; i++)
		d[i] = &h->t->all->devices.v[i];
	max = most && nr > most ? most - 1 : nr;
	/* The busiest are chosen, but keep their places. */
	if (max < nr) {
		qsort_r(d, nr, sizeof(*d), by_bytes, (void *)h->r);
		qsort(d, max, sizeof(*d), by_number);
	}
	for (size_t i = 0; !ret && i < max; i++)
		ret = device(h, d[i]);
	free(d);
	if (ret || max == nr)
		return ret;
	snprintf(buf, sizeof(buf), "and %zu less busy disks", nr - max);
	return h->fn(h->arg, IOB_TOP_LINE_DEVICE, buf);
}

/* What is not explained comes first: a narrow screen cuts the end. */
static int sums(const struct head *h)
{
	char buf[IOB_TOP_LINE_MAX], text[256];
	bool lost = iob_format_losses(text, sizeof(text), h->t->all);
	size_t at = 0, nr_missing = 0;

	SAY(buf, at, "%s%s", lost ? "LOST " : "lost nothing", lost ? text : "");
	format_sum(h, text, sizeof(text), h->r->unattributed.bytes);
	SAY(buf, at, ", unattributed %s", text);
	format_sum(h, text, sizeof(text), h->r->cancelled_bytes);
	SAY(buf, at, ", cancelled %s", text);
	if (h->r->has_filter) {
		format_sum(h, text, sizeof(text), h->r->filtered.bytes);
		SAY(buf, at, ", filtered out %s", text);
	}
	for (size_t i = 0; i < h->t->all->hooks.nr; i++)
		nr_missing += iob_hook_is_missing(&h->t->all->hooks.v[i]);
	if (nr_missing)
		SAY(buf, at, ", %zu hook%s missing (see ioblame check)",
		    nr_missing, nr_missing == 1 ? "" : "s");
	return h->fn(h->arg, lost ? IOB_TOP_LINE_LOST : IOB_TOP_LINE_SUMS, buf);
}

static int bases(const struct head *h)
{
	char buf[IOB_TOP_LINE_MAX], text[256];

	if (!iob_format_bases(text, sizeof(text), h->r))
		snprintf(text, sizeof(text), "-: no bytes %s",
			 h->t->cumulative ? "yet" : "in this interval");
	snprintf(buf, sizeof(buf), "attributed %s", text);
	return h->fn(h->arg, IOB_TOP_LINE_SUMS, buf);
}

static int path(const struct head *h)
{
	const struct iob_top *t = h->t;
	char buf[IOB_TOP_LINE_MAX];
	bool any = false;
	size_t at = 0;

	for (int l = 0; l < (int)t->level; l++) {
		if (!t->path[l].chosen)
			continue;
		SAY(buf, at, "%s > ", t->path[l].label);
		any = true;
	}
	SAY(buf, at, "%s%s: %zu, by %s%s", any ? "" : "all ",
	    iob_top_level_words[t->level], t->rows.nr,
	    iob_top_column_words[t->sort], t->reverse ? ", reversed" : "");
	if (*t->filter)
		SAY(buf, at, ", only '%s'", t->filter);
	return h->fn(h->arg, IOB_TOP_LINE_PATH, buf);
}

/**
 * iob_top_head - the lines above the rows
 * @t: the view
 * @look: how it is shown
 * @fn: takes each line
 * @arg: for @fn
 *
 * Return: 0, or what @fn returned if that was not 0.
 */
int iob_top_head(const struct iob_top *t, const struct iob_top_look *look,
		 iob_top_line_fn fn, void *arg)
{
	struct head h = { t, look, iob_top_report(t), fn, arg };
	int ret = title(&h);

	if (!h.r || ret)
		return ret;
	ret = devices(&h);
	if (!ret)
		ret = sums(&h);
	if (!ret)
		ret = bases(&h);
	if (!ret)
		ret = path(&h);
	return ret;
}
