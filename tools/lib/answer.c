// SPDX-License-Identifier: GPL-2.0
/*
 * What a report comes to, in a sentence for each disk. It claims no more than what
 * was seen: whom nobody knows comes first where that is much, and where nobody has
 * the most it says so.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "cell.h"
#include "writer.h"

#define MAX_WHO 3
#define MUCH 0.1		/* of the bytes: worth to be named */
#define MOST 0.5
#define NEARLY_ALL 0.8

struct who {
	const struct iob_row *row;	/* any of theirs */
	uint64_t bytes;
};

struct question {
	const struct iob_report *r;
	const struct iob_device *d;
	const struct iob_op_sum *op;
	bool exact;
	bool said;			/* what is asked about */
	IOB_VEC(struct who) who;	/* most first */
	uint64_t seen;			/* in rows */
	uint64_t unknown;		/* of nobody we know */
	uint64_t untold;		/* of rows that were grouped by other things */
};

static const struct iob_op_sum *most_of(const struct iob_device *d)
{
	const struct iob_op_sum *most = NULL;

	for (size_t i = 0; i < d->ops.nr; i++)
		if (!most || d->ops.v[i].sum.bytes > most->sum.bytes)
			most = &d->ops.v[i];
	return most && most->sum.bytes ? most : NULL;
}

static bool is_asked(const struct question *q, const struct iob_row *row)
{
	return row->known & IOB_ROW_BIT(DEV) && row->v[IOB_ROW_DEV] == q->d->dev &&
	       iob_row_text(row, IOB_ROW_OP) == q->op->op;
}

/* Who stands in for one that is not known has not been seen to do it. */
static bool is_unknown(const struct iob_row *row)
{
	const char *basis = iob_row_text(row, IOB_ROW_BASIS);

	return row->known & IOB_ROW_BIT(UNKNOWN) ||
	       (basis && !strcmp(basis, iob_basis_words[IOB_BASIS_ISSUER]));
}

static int add_who(struct question *q, const struct iob_row *row)
{
	struct who *w;

	for (size_t i = 0; i < q->who.nr; i++) {
		if (q->who.v[i].row->v[IOB_ROW_COMM] != row->v[IOB_ROW_COMM])
			continue;
		q->who.v[i].bytes += row->bytes;
		return 0;
	}
	w = iob_vec_add(&q->who);
	if (!w)
		return -ENOMEM;
	w->row = row;
	w->bytes = row->bytes;
	return 0;
}

static int most_first(const void *pa, const void *pb)
{
	const struct who *a = pa, *b = pb;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(iob_row_text(a->row, IOB_ROW_COMM),
		      iob_row_text(b->row, IOB_ROW_COMM));
}

static int collect(struct question *q)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < q->r->rows.nr; i++) {
		const struct iob_row *row = &q->r->rows.v[i];

		if (!is_asked(q, row))
			continue;
		q->seen += row->bytes;
		if (is_unknown(row))
			q->unknown += row->bytes;
		else if (!(row->known & IOB_ROW_BIT(COMM)))
			q->untold += row->bytes;
		else
			ret = add_who(q, row);
	}
	if (q->who.nr)
		qsort(q->who.v, q->who.nr, sizeof(*q->who.v), most_first);
	return ret;
}

static double share(const struct question *q, uint64_t bytes)
{
	return (double)bytes / q->op->sum.bytes;
}

/* The file that has nearly all of what somebody has, or NULL. */
static const struct iob_row *main_file(const struct question *q,
				       const struct who *w)
{
	const struct iob_row *best = NULL;
	uint64_t bytes = 0;

	for (size_t i = 0; i < q->r->rows.nr; i++) {
		const struct iob_row *row = &q->r->rows.v[i];

		if (!is_asked(q, row) || is_unknown(row) ||
		    row->v[IOB_ROW_COMM] != w->row->v[IOB_ROW_COMM] ||
		    !(row->known & IOB_ROW_BIT(FILE_PATH)))
			continue;
		if (!best || row->bytes > best->bytes)
			best = row;
	}
	for (size_t i = 0; best && i < q->r->rows.nr; i++) {
		const struct iob_row *row = &q->r->rows.v[i];

		if (is_asked(q, row) && !is_unknown(row) &&
		    row->v[IOB_ROW_COMM] == w->row->v[IOB_ROW_COMM] &&
		    row->v[IOB_ROW_FILE_PATH] == best->v[IOB_ROW_FILE_PATH])
			bytes += row->bytes;
	}
	return bytes >= NEARLY_ALL * w->bytes ? best : NULL;
}

static void put_what(struct question *q, FILE *out, uint64_t part)
{
	char dev[32], some[32], all[32];

	iob_format_dev(dev, sizeof(dev), q->d->dev);
	iob_format_bytes(some, sizeof(some), part, q->exact);
	iob_format_bytes(all, sizeof(all), q->op->sum.bytes, q->exact);
	if (q->said) {
		fprintf(out, "them (%s)", part < q->op->sum.bytes ? some : all);
		return;
	}
	q->said = true;
	fprintf(out, "the %ss on %s (", q->op->op,
		iob_device_label(q->d) ? iob_device_label(q->d) : dev);
	if (part < q->op->sum.bytes)
		fprintf(out, "%s of ", some);
	fprintf(out, "%s%s)", all, q->exact ? " bytes" : "");
}

static void put_who(FILE *out, const struct who *w)
{
	char name[512];

	iob_cell_comm(name, sizeof(name), w->row);
	fputs(name, out);
}

static void put_file(const struct question *q, FILE *out, const struct who *w)
{
	const struct iob_row *row = main_file(q, w);
	char file[8 * PATH_MAX + 32];

	if (!row)
		return;
	iob_cell_file(file, sizeof(file), row);
	fprintf(out, ", nearly all of it in %s", file);
}

/* One has the most: say who, and who else has much. */
static void put_one(struct question *q, FILE *out)
{
	fprintf(out, "%.1f %% of ", 100 * share(q, q->who.v[0].bytes));
	put_what(q, out, q->who.v[0].bytes);
	fputs(" come from ", out);
	put_who(out, &q->who.v[0]);
	put_file(q, out, &q->who.v[0]);
	for (size_t i = 1; i < q->who.nr && i < MAX_WHO; i++) {
		if (share(q, q->who.v[i].bytes) < MUCH)
			break;
		fprintf(out, "; %.1f %% from ", 100 * share(q, q->who.v[i].bytes));
		put_who(out, &q->who.v[i]);
	}
}

/* The first few that have the most together; 0: they have not. */
static size_t few(const struct question *q, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t i = 0; i < q->who.nr && i < MAX_WHO; i++) {
		*bytes += q->who.v[i].bytes;
		if (share(q, *bytes) >= MOST)
			return i + 1;
	}
	return 0;
}

static void put_some(struct question *q, FILE *out)
{
	uint64_t bytes;
	size_t nr = few(q, &bytes);

	if (nr) {
		fprintf(out, "%.1f %% of ", 100 * share(q, bytes));
		put_what(q, out, bytes);
		fputs(" come from", out);
	} else {
		nr = q->who.nr < MAX_WHO ? q->who.nr : MAX_WHO;
		fputs(q->r->has_filter ? "the filters let through, of " :
		      "nobody has most of ", out);
		put_what(q, out, q->op->sum.bytes);
		fputs(q->r->has_filter ? ":" : "; the greatest are", out);
	}
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? ", " : " ", out);
		put_who(out, &q->who.v[i]);
		fprintf(out, " (%.1f %%)", 100 * share(q, q->who.v[i].bytes));
	}
}

static void put_answer(struct question *q, FILE *out)
{
	if (share(q, q->unknown) >= MUCH) {
		fprintf(out, "%.1f %% of ", 100 * share(q, q->unknown));
		put_what(q, out, q->unknown);
		fputs(" are not attributed", out);
		if (q->who.nr)
			fputs("; ", out);
	}
	if (q->who.nr && share(q, q->who.v[0].bytes) >= MOST)
		put_one(q, out);
	else if (q->who.nr)
		put_some(q, out);
}

static int answer(struct iob_report *r, const struct iob_device *d, bool exact)
{
	struct question q = { .r = r, .d = d, .op = most_of(d), .exact = exact };
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int ret = 0;

	if (!q.op)
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	ret = collect(&q);
	/* Of rows that were saved without tasks nothing can be said. */
	if (!ret && q.seen && share(&q, q.untold) < MUCH)
		put_answer(&q, out);
	iob_vec_free(&q.who);
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	if (!ret && size) {
		const char **line = iob_vec_add(&r->answers);

		if (line)
			*line = iob_report_intern(r, text);
		ret = line && *line ? 0 : -ENOMEM;
	}
	free(text);
	return ret;
}

static uint64_t all_of(const struct iob_device *d)
{
	const struct iob_op_sum *most = most_of(d);

	return most ? most->sum.bytes : 0;
}

/**
 * iob_report_answer - say what the report comes to, before its rows are grouped
 * @r: the report; its answers are set, at most IOB_MAX_ANSWERS
 * @exact: numbers are not rounded
 *
 * Return: 0 or -ENOMEM.
 */
int iob_report_answer(struct iob_report *r, bool exact)
{
	uint64_t below = UINT64_MAX;
	int ret = 0;

	/* Most first; of two that have the same, the one with the lower number. */
	while (!ret && r->answers.nr < IOB_MAX_ANSWERS) {
		uint64_t next = 0;

		for (size_t i = 0; i < r->devices.nr; i++) {
			uint64_t n = all_of(&r->devices.v[i]);

			if (n < below && n > next)
				next = n;
		}
		if (!next)
			break;
		for (size_t i = 0; !ret && i < r->devices.nr; i++)
			if (all_of(&r->devices.v[i]) == next &&
			    r->answers.nr < IOB_MAX_ANSWERS)
				ret = answer(r, &r->devices.v[i], exact);
		below = next;
	}
	return ret;
}
