// SPDX-License-Identifier: GPL-2.0
/* What changed, in a sentence for each disk and operation; who did it, behind that. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cell.h"
#include "diff.h"
#include "grid.h"
#include "writer.h"

#define MAX_SENTENCES 3
#define MAX_WHO 3

struct answer {
	const struct iob_diff *d;
	const struct iob_write_options *o;
	FILE *out;
	struct iob_changes ops;		/* by disk and operation */
	struct iob_changes who;		/* and by task */
};

static bool same_op(const struct iob_row *a, const struct iob_row *b)
{
	static const uint32_t fields = IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP);

	return !((a->known ^ b->known) & fields) &&
	       a->v[IOB_ROW_DEV] == b->v[IOB_ROW_DEV] &&
	       a->v[IOB_ROW_OP] == b->v[IOB_ROW_OP];
}

static double change_of(const struct answer *a, const struct iob_change *c)
{
	return iob_diff_change(a->d, a->d->scale, c);
}

static void put_signed(const struct answer *a, double change)
{
	char text[64];

	iob_diff_format(a->d, text, sizeof(text), change, a->o->exact);
	fprintf(a->out, "%c%s", change < 0 ? '-' : '+', text);
}

static void put_side(const struct answer *a, const struct iob_change *c,
		     enum iob_side side)
{
	char text[64];

	iob_diff_format(a->d, text, sizeof(text),
			iob_diff_scaled(a->d, a->d->scale, c->value[side], side),
			a->o->exact);
	fputs(text, a->out);
}

/* "writes", or of another metric "write IOs" and the like */
static void what_is(const struct answer *a, const struct iob_row *row, char *buf,
		    size_t size)
{
	const char *op = iob_row_text(row, IOB_ROW_OP);
	char text[96];

	if (a->d->metric == iob_metrics) {
		snprintf(buf, size, "%s%s", op ? op : "IO",
			 !op ? "" : !strcmp(op, "flush") ? "es" : "s");
		return;
	}
	iob_metric_what(a->d->metric, text, sizeof(text), op);
	snprintf(buf, size, "%s", strncmp(text, "the ", 4) ? text : text + 4);
}

/* In a sentence where "takes" is said already */
static void put_how_much(const struct answer *a, const struct iob_change *c)
{
	double was = iob_diff_scaled(a->d, a->d->scale, c->value[IOB_SIDE_A],
				     IOB_SIDE_A);
	double change = change_of(a, c), percent = was ? 100 * change / was : 0;
	const char *second = a->d->scale == IOB_SCALE_SECOND ? " a second" : "";
	char what[96];

	what_is(a, &c->row, what, sizeof(what));
	if (a->d->scale == IOB_SCALE_SHARE)
		fprintf(a->out, "%s share of all in %s (", change > 0 ? "a greater" :
			change < 0 ? "a smaller" : "the same", what);
	else if (!change)
		fprintf(a->out, "as many %s%s as before (", what, second);
	else if (!c->value[IOB_SIDE_A])
		fprintf(a->out, "%s where it took none (", what);
	else if (!c->value[IOB_SIDE_B])
		fprintf(a->out, "no %s any more (", what);
	else if (percent >= 1000)
		fprintf(a->out, "%.1f times the %s%s (", percent / 100 + 1, what,
			second);
	else
		fprintf(a->out, "%.*f %% %s %s%s (", percent < 10 && percent > -10,
			percent < 0 ? -percent : percent,
			percent < 0 ? "fewer" : "more", what, second);
	if (change) {
		put_signed(a, change);
		fputs(", ", a->out);
		put_side(a, c, IOB_SIDE_A);
		fputs(" became ", a->out);
	}
	put_side(a, c, IOB_SIDE_B);
	fputc(')', a->out);
}

static void put_who(const struct answer *a, const struct iob_change *op)
{
	const char *sep = ": ";
	size_t nr = 0;
	double rest = 0;
	char name[512];

	for (size_t i = 0; i < a->who.v.nr; i++) {
		const struct iob_change *c = &a->who.v.v[i];
		double change = change_of(a, c);

		if (!change || !same_op(&c->row, &op->row))
			continue;
		if (++nr > MAX_WHO) {
			rest += change;
			continue;
		}
		iob_cell_comm(name, sizeof(name), &c->row);
		fprintf(a->out, "%s%s ", sep, name);
		put_signed(a, change);
		sep = ", ";
	}
	if (nr > MAX_WHO) {
		fprintf(a->out, ", %zu more ", nr - MAX_WHO);
		put_signed(a, rest);
	}
}

static bool anybody_changed(const struct answer *a, const struct iob_change *op)
{
	for (size_t i = 0; i < a->who.v.nr; i++)
		if (same_op(&a->who.v.v[i].row, &op->row) &&
		    change_of(a, &a->who.v.v[i]))
			return true;
	return false;
}

static void put_sentence(const struct answer *a, const struct iob_change *c)
{
	char name[512];

	iob_cell_dev(name, sizeof(name), a->d->both, &c->row);
	fputs(iob_tone_start(IOB_TONE_LOUD, a->o->colour), a->out);
	if (c->row.known & IOB_ROW_BIT(DEV))
		fprintf(a->out, "%s takes ", name);
	else
		fputs("there are ", a->out);
	put_how_much(a, c);
	put_who(a, c);
	fprintf(a->out, "%s\n", iob_tone_end(IOB_TONE_LOUD, a->o->colour));
}

static void put_equal(const struct answer *a)
{
	char text[64];

	iob_diff_format(a->d, text, sizeof(text),
			iob_diff_scaled(a->d, a->d->scale,
					a->d->all[IOB_SIDE_B], IOB_SIDE_B),
			a->o->exact);
	fprintf(a->out, "no difference: A and B have the same %s (%s) by these keys\n",
		a->d->metric->name, text);
}

static void put_all(const struct answer *a)
{
	size_t nr = 0;

	for (size_t i = 0; i < a->ops.v.nr; i++) {
		const struct iob_change *c = &a->ops.v.v[i];

		if (!anybody_changed(a, c))
			continue;
		if (++nr <= MAX_SENTENCES)
			put_sentence(a, c);
	}
	if (nr > MAX_SENTENCES)
		fprintf(a->out, "%zu more operations and disks changed\n",
			nr - MAX_SENTENCES);
	else if (!nr)
		fputs("no task has more or less than before; what differs is below\n",
		      a->out);
}

/**
 * iob_diff_answer - say what changed, and by whom
 * @d: the diff, grouped
 * @o: how
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_diff_answer(const struct iob_diff *d,
		    const struct iob_write_options *o, struct iob_err *err)
{
	static const uint32_t op = IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP);
	struct answer a = { .d = d, .o = o, .out = o->out };
	int ret = 0;

	if (iob_diff_is_equal(d)) {
		put_equal(&a);
		return 0;
	}
	ret = iob_diff_group(d, op, &a.ops, err);
	if (!ret)
		ret = iob_diff_group(d, op | IOB_ROW_BIT(COMM) |
				     IOB_ROW_BIT(UNKNOWN), &a.who, err);
	if (!ret)
		put_all(&a);
	iob_vec_free(&a.ops.v);
	iob_vec_free(&a.who.v);
	return ret;
}
