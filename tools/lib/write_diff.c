// SPDX-License-Identifier: GPL-2.0
/* Two reports side by side, for people and for spreadsheets. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "diff.h"
#include "escape.h"

struct table {
	const struct iob_diff *d;
	const struct iob_write_options *o;
	struct iob_grid grid;
	struct iob_cell cell;
};

static const struct iob_grid_column sums[] = {
	{ "change", .right = true }, { "%", .right = true, .drop = 2 },
	{ "A", .right = true }, { "B", .right = true },
};

static void put_losses(const struct iob_diff *d,
		       const struct iob_write_options *o)
{
	char text[256];

	for (int s = 0; s < IOB_NR_SIDES; s++)
		if (iob_format_losses(text, sizeof(text), d->side[s]))
			fprintf(o->out, "%sLOST in %c: %s%s (detail is missing; bytes per device are complete)\n",
				iob_tone_start(IOB_TONE_BAD, o->colour), 'A' + s,
				text, iob_tone_end(IOB_TONE_BAD, o->colour));
}

static double seconds(const struct iob_report *r)
{
	return (r->end_ns - r->start_ns) / 1e9;
}

static int put_side(const struct iob_diff *d, enum iob_side s,
		    const struct iob_write_options *o)
{
	const struct iob_report *r = d->side[s];
	char *path = iob_escape(d->path[s]);
	char text[64];
	uint64_t all = 0;

	if (!path)
		return -ENOMEM;
	fprintf(o->out, "%c: %s: %.3f s", 'A' + s, path, seconds(r));
	free(path);
	iob_write_where(r, o->out);
	iob_metric_format(d->metric, text, sizeof(text), d->all[s], o->exact);
	fprintf(o->out, ", %s %s", d->metric->name, text);
	for (int k = 0; k < IOB_NR_BASES; k++)
		all += r->basis_bytes[k];
	if (all)
		fprintf(o->out, ", unattributed %.1f %%",
			100.0 * r->unattributed.bytes / all);
	if (r->has_filter) {
		iob_format_bytes(text, sizeof(text), r->filtered.bytes, o->exact);
		fprintf(o->out, ", filtered out %s", text);
	}
	if (r->nr_omitted)
		fprintf(o->out, ", %" PRIu64 " rows missing (saved with --top)",
			r->nr_omitted);
	fputc('\n', o->out);
	return 0;
}

/* Who compares sums of a minute with those of an hour is to know. */
static void put_advice(const struct iob_diff *d, FILE *out)
{
	double a = seconds(d->side[IOB_SIDE_A]), b = seconds(d->side[IOB_SIDE_B]);

	if (d->scale == IOB_SCALE_TOTAL && (a > 1.1 * b || b > 1.1 * a))
		fputs("note: the intervals differ: --scale second compares rates, --scale share shares\n",
		      out);
}

static enum iob_tone tone_of(double change)
{
	return change > 0 ? IOB_TONE_MORE : change < 0 ? IOB_TONE_LESS :
	       IOB_TONE_PLAIN;
}

static int add_value(struct table *t, const struct iob_change *c,
		     enum iob_side s)
{
	char text[64] = "-";

	if (c->value[s])
		iob_diff_format(t->d, text, sizeof(text),
				iob_diff_scaled(t->d, t->d->scale, c->value[s], s),
				t->o->exact);
	return iob_grid_cell(&t->grid, text, IOB_TONE_PLAIN);
}

static int add_change(struct table *t, const struct iob_change *c)
{
	enum iob_change_word word = iob_diff_word(t->d, c);
	double change = iob_diff_change(t->d, t->d->scale, c);
	double was = iob_diff_scaled(t->d, t->d->scale, c->value[IOB_SIDE_A],
				     IOB_SIDE_A);
	char text[64], sized[62];
	int ret;

	iob_diff_format(t->d, sized, sizeof(sized), change, t->o->exact);
	snprintf(text, sizeof(text), "%s%s", change < 0 ? "-" : change > 0 ? "+" : "",
		 sized);
	ret = iob_grid_cell(&t->grid, text, tone_of(change));
	if (word == IOB_CHANGE_NEW || word == IOB_CHANGE_GONE)
		snprintf(text, sizeof(text), "%s", iob_change_words[word]);
	else if (was && change / was >= 10)
		snprintf(text, sizeof(text), "x%.1f", 1 + change / was);
	else
		snprintf(text, sizeof(text), "%+.1f%%", was ? 100 * change / was : 0);
	if (!ret)
		ret = iob_grid_cell(&t->grid, text, tone_of(change));
	for (int s = 0; !ret && s < IOB_NR_SIDES; s++)
		ret = add_value(t, c, s);
	return ret;
}

static bool is_key(const struct table *t, const struct iob_column *c)
{
	return c->need & t->o->shown;
}

static int fill(struct table *t)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(sums) / sizeof(*sums); i++)
		ret = iob_grid_column(&t->grid, &sums[i]);
	for (const struct iob_column *k = iob_columns; !ret && k->cell; k++)
		if (is_key(t, k))
			ret = iob_grid_column(&t->grid, &k->grid);
	for (size_t i = 0; !ret && i < t->d->changes.v.nr; i++) {
		const struct iob_change *c = &t->d->changes.v.v[i];

		if (iob_diff_word(t->d, c) == IOB_CHANGE_SAME)
			continue;
		ret = iob_grid_line(&t->grid, 0);
		if (!ret)
			ret = add_change(t, c);
		for (const struct iob_column *k = iob_columns; !ret && k->cell; k++) {
			if (!is_key(t, k))
				continue;
			k->cell(&t->cell, &c->row);
			ret = iob_grid_cell(&t->grid, t->cell.text, IOB_TONE_PLAIN);
		}
	}
	return ret;
}

static int put_rows(struct table *t, struct iob_err *err)
{
	const struct iob_diff *d = t->d;
	char text[64];
	int ret = iob_grid_init(&t->grid);

	if (!ret)
		ret = fill(t);
	if (ret)
		iob_fail(err, ret, "out of memory");
	else if (t->grid.lines.nr)
		ret = iob_grid_print(&t->grid, t->o->out, t->o->width,
				     t->o->colour, err);
	iob_grid_free(&t->grid);
	if (ret)
		return ret;
	if (d->nr_omitted) {
		iob_diff_format(d, text, sizeof(text), d->omitted, t->o->exact);
		fprintf(t->o->out, "(%" PRIu64 " more changes of %s together left out by --top)\n",
			d->nr_omitted, text);
	}
	if (d->nr_same)
		fprintf(t->o->out, "(%" PRIu64 " the same in A and B)\n",
			d->nr_same);
	return 0;
}

static int put_head(const struct iob_diff *d, const struct iob_write_options *o,
		    struct iob_err *err)
{
	int ret;

	put_losses(d, o);
	ret = iob_diff_answer(d, o, err);
	for (int s = 0; !ret && s < IOB_NR_SIDES; s++)
		if (put_side(d, s, o))
			ret = iob_fail(err, -ENOMEM, "out of memory");
	return ret;
}

/**
 * iob_diff_text - the first lines of a diff as a text
 * @d: the diff, grouped
 *
 * Return: the text, to be freed by the caller; NULL without memory.
 */
char *iob_diff_text(const struct iob_diff *d)
{
	struct iob_write_options to_text = {};
	struct iob_err err;
	char *text = NULL;
	size_t size = 0;
	int ret;

	to_text.out = open_memstream(&text, &size);
	if (!to_text.out)
		return NULL;
	ret = put_head(d, &to_text, &err);
	if (!fclose(to_text.out) && !ret)
		return text;
	free(text);
	return NULL;
}

/**
 * iob_diff_to_table - what changed, for people
 * @d: the diff
 * @o: how
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_diff_to_table(const struct iob_diff *d,
		      const struct iob_write_options *o, struct iob_err *err)
{
	struct table t = { .d = d, .o = o, .cell = { d->both, o } };
	int ret = put_head(d, o, err);

	if (ret || iob_diff_is_equal(d))
		return ret;
	put_advice(d, o->out);
	fputc('\n', o->out);
	return put_rows(&t, err);
}

static void put_scaled(const struct iob_diff *d, FILE *out, enum iob_scale scale,
		       const struct iob_change *c)
{
	fprintf(out, ",%.6f,%.6f,%.6f", iob_diff_change(d, scale, c),
		iob_diff_scaled(d, scale, c->value[IOB_SIDE_A], IOB_SIDE_A),
		iob_diff_scaled(d, scale, c->value[IOB_SIDE_B], IOB_SIDE_B));
}

/**
 * iob_diff_to_csv - what changed and what did not, every field
 * @d: the diff
 * @o: how
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_diff_to_csv(const struct iob_diff *d,
		    const struct iob_write_options *o, struct iob_err *err)
{
	int ret = 0;

	fputs("status,change,a,b,change_per_s,a_per_s,b_per_s,change_percent,a_percent,b_percent,",
	      o->out);
	iob_csv_names(o->out, ',');
	fputs(",container\n", o->out);
	for (size_t i = 0; !ret && i < d->changes.v.nr; i++) {
		const struct iob_change *c = &d->changes.v.v[i];
		uint64_t a = c->value[IOB_SIDE_A], b = c->value[IOB_SIDE_B];

		fprintf(o->out, "%s,%s%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			iob_change_words[iob_diff_word(d, c)], b < a ? "-" : "",
			b < a ? a - b : b - a, a, b);
		put_scaled(d, o->out, IOB_SCALE_SECOND, c);
		put_scaled(d, o->out, IOB_SCALE_SHARE, c);
		fputc(',', o->out);
		ret = iob_csv_fields(o->out, d->both, &c->row, ',');
		if (!ret)
			ret = iob_csv_container(o->out, &c->row, ',');
		fputc('\n', o->out);
	}
	return ret ? iob_fail(err, ret, "out of memory writing rows") : 0;
}
