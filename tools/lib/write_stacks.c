// SPDX-License-Identifier: GPL-2.0
/* The stacks that most of a metric comes through: the answer, then each of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "metric.h"
#include "writer.h"

#define MAX_WHO 3
#define INDENT 20

/* Rows of one operation that come through one stack. */
struct stack_sum {
	const struct iob_row *first;	/* for what they agree in */
	const char *op;
	uint64_t value, bytes, ios;
	size_t nr_rows;
};

struct op_sum {
	const char *op;
	uint64_t value;
};

struct stacks {
	const struct iob_report *r;
	const struct iob_write_options *o;
	const struct iob_metric *metric;
	IOB_VEC(struct stack_sum) sums;
	IOB_VEC(struct op_sum) ops;
	IOB_VEC(const struct iob_row *) rows;	/* those with a value, as sums lie */
};

/* Who is not known is told apart by why, where there is no stack to tell. */
static int compare_group(const struct iob_row *a, const struct iob_row *b)
{
	static const enum iob_row_field fields[] = {
		IOB_ROW_OP, IOB_ROW_STACK, IOB_ROW_UNKNOWN,
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		uint64_t x = a->v[fields[i]], y = b->v[fields[i]];
		bool kx = a->known & 1u << fields[i], ky = b->known & 1u << fields[i];

		if (kx != ky)
			return kx ? -1 : 1;
		if (x == y)
			continue;
		if (iob_row_field_is_text(fields[i]))
			return strcmp(iob_row_text(a, fields[i]),
				      iob_row_text(b, fields[i]));
		return x < y ? -1 : 1;
	}
	return 0;
}

static int compare_row(const void *pa, const void *pb, void *arg)
{
	const struct iob_row *a = *(const struct iob_row *const *)pa;
	const struct iob_row *b = *(const struct iob_row *const *)pb;
	const struct iob_metric *m = arg;
	int ret = compare_group(a, b);

	if (ret)
		return ret;
	if (m->of(a) != m->of(b))
		return m->of(a) > m->of(b) ? -1 : 1;
	/* As they lie in the report, which is in order. */
	return a < b ? -1 : a > b;
}

static int compare_sum(const void *pa, const void *pb)
{
	const struct stack_sum *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return compare_group(a->first, b->first);
}

static int compare_op(const void *pa, const void *pb)
{
	const struct op_sum *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return strcmp(a->op ? a->op : "", b->op ? b->op : "");
}

static int add_op(struct stacks *s, const char *op, uint64_t value)
{
	struct op_sum *sum;

	for (size_t i = 0; i < s->ops.nr; i++) {
		if (s->ops.v[i].op != op)
			continue;
		s->ops.v[i].value += value;
		return 0;
	}
	sum = iob_vec_add(&s->ops);
	if (!sum)
		return -ENOMEM;
	sum->op = op;
	sum->value = value;
	return 0;
}

static int collect(struct stacks *s)
{
	struct stack_sum *sum = NULL;

	for (size_t i = 0; i < s->r->rows.nr; i++) {
		const struct iob_row *row = &s->r->rows.v[i], **p;

		if (!s->metric->of(row))
			continue;
		p = iob_vec_add(&s->rows);
		if (!p)
			return -ENOMEM;
		*p = row;
	}
	if (s->rows.nr)
		qsort_r(s->rows.v, s->rows.nr, sizeof(*s->rows.v), compare_row,
			(void *)s->metric);
	for (size_t i = 0; i < s->rows.nr; i++) {
		const struct iob_row *row = s->rows.v[i];

		if (!sum || compare_group(sum->first, row)) {
			sum = iob_vec_add(&s->sums);
			if (!sum)
				return -ENOMEM;
			sum->first = row;
			sum->op = iob_row_text(row, IOB_ROW_OP);
		}
		sum->value += s->metric->of(row);
		sum->bytes += row->bytes;
		sum->ios += row->ios;
		sum->nr_rows++;
		if (add_op(s, sum->op, s->metric->of(row)))
			return -ENOMEM;
	}
	return 0;
}

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

static uint64_t op_value(const struct stacks *s, const char *op)
{
	for (size_t i = 0; i < s->ops.nr; i++)
		if (s->ops.v[i].op == op)
			return s->ops.v[i].value;
	return 0;
}

static void put_name(FILE *out, const struct iob_row *row)
{
	const char *comm = iob_row_text(row, IOB_ROW_COMM);
	const char *unknown = iob_row_text(row, IOB_ROW_UNKNOWN);
	char *escaped = comm ? iob_escape(comm) : NULL;

	if (!comm && unknown)
		fprintf(out, "[%s]", unknown);
	else
		fputs(escaped ? escaped : "-", out);
	free(escaped);
}

/* Where the rows of a sum begin: those of one group lie together, most first. */
static size_t first_row(const struct stacks *s, const struct stack_sum *sum)
{
	size_t i = 0;

	while (s->rows.v[i] != sum->first)
		i++;
	return i;
}

static void put_who(const struct stacks *s, const struct stack_sum *sum)
{
	size_t at = first_row(s, sum);
	FILE *out = s->o->out;

	for (size_t i = 0; i < sum->nr_rows && i < MAX_WHO; i++) {
		const struct iob_row *row = s->rows.v[at + i];

		fputs(i ? ", " : "", out);
		put_name(out, row);
		if (sum->nr_rows > 1)
			fprintf(out, " %.1f %%",
				share(s->metric->of(row), sum->value));
	}
	if (sum->nr_rows > MAX_WHO)
		fprintf(out, ", %zu more", sum->nr_rows - MAX_WHO);
}

static const char *frames_of(const struct stacks *s, const struct stack_sum *sum)
{
	if (!(sum->first->known & IOB_ROW_BIT(STACK)))
		return NULL;
	return iob_report_frames(s->r, sum->first->v[IOB_ROW_STACK]);
}

static void put_answer(const struct stacks *s, const struct op_sum *op)
{
	char what[64], part[32], all[32], telling[512];
	const struct stack_sum *sum = s->sums.v;
	FILE *out = s->o->out;

	while (sum->op != op->op)
		sum++;
	iob_metric_what(s->metric, what, sizeof(what), op->op);
	iob_metric_format(s->metric, part, sizeof(part), sum->value, s->o->exact);
	iob_metric_format(s->metric, all, sizeof(all), op->value, s->o->exact);
	fprintf(out, "%.1f %% of %s (%s of %s) %s ", share(sum->value, op->value),
		what, part, all, s->metric->come);
	if (frames_of(s, sum)) {
		iob_format_telling(telling, sizeof(telling), frames_of(s, sum));
		fprintf(out, "through %s, from ", telling);
	} else {
		fputs("without a stack, from ", out);
	}
	put_who(s, sum);
	fputc('\n', out);
}

static void put_frames(const struct stacks *s, const char *frames)
{
	struct iob_field rest = { frames, strlen(frames) }, frame, name;
	struct iob_telling t = {};
	bool call;

	while (iob_split(&rest, ';', &frame)) {
		bool tells = iob_frame_tells(&t, frame, &name, &call);

		fprintf(s->o->out, "%*s%c %.*s\n", INDENT, "", tells ? '>' : ' ',
			(int)frame.len, frame.p);
	}
}

static void put_stack(const struct stacks *s, const struct stack_sum *sum)
{
	const char *frames = frames_of(s, sum);
	char value[32], bytes[32], telling[512];
	FILE *out = s->o->out;

	iob_metric_format(s->metric, value, sizeof(value), sum->value,
			  s->o->exact);
	iob_format_bytes(bytes, sizeof(bytes), sum->bytes, s->o->exact);
	fprintf(out, "\n%10s %5.1f %%  ", value,
		share(sum->value, op_value(s, sum->op)));
	if (frames) {
		iob_format_telling(telling, sizeof(telling), frames);
		fprintf(out, "#%" PRIu64 " %s\n", sum->first->v[IOB_ROW_STACK],
			telling);
	} else {
		fputs("no stack is known\n", out);
	}
	fprintf(out, "%*s%s", INDENT, "", sum->op ? sum->op : "-");
	if (s->metric != iob_metrics)
		fprintf(out, " %s%s", bytes, s->o->exact ? " bytes" : "");
	fprintf(out, " in %" PRIu64 " IO%s: ", sum->ios, sum->ios == 1 ? "" : "s");
	put_who(s, sum);
	fputc('\n', out);
	if (frames && s->o->stacks)
		put_frames(s, frames);
}

/* Of each operation apart: a discard of a whole disk is no work done. */
static void put_omitted(const struct stacks *s)
{
	uint64_t left = 0;
	char value[32];

	for (size_t i = s->o->top; i < s->sums.nr; i++)
		left += s->sums.v[i].value;
	iob_metric_format(s->metric, value, sizeof(value), left, s->o->exact);
	fprintf(s->o->out, "\n(%zu more stacks with %s left out by --top)\n",
		s->sums.nr - s->o->top, value);
}

static void put_all(const struct stacks *s)
{
	size_t nr = s->sums.nr;

	for (size_t i = 0; i < s->ops.nr; i++)
		put_answer(s, &s->ops.v[i]);
	if (!nr)
		fprintf(s->o->out, "no %s in the interval\n", s->metric->name);
	iob_write_head(s->r, s->o, "");
	if (s->o->top && nr > s->o->top)
		nr = s->o->top;
	for (size_t i = 0; i < nr; i++)
		put_stack(s, &s->sums.v[i]);
	if (nr < s->sums.nr)
		put_omitted(s);
}

static int write_stacks(const struct iob_report *r,
			const struct iob_write_options *o, struct iob_err *err)
{
	struct stacks s = { .r = r, .o = o, .metric = o->metric };
	int ret = collect(&s);

	if (!ret) {
		if (s.sums.nr)
			qsort(s.sums.v, s.sums.nr, sizeof(*s.sums.v), compare_sum);
		if (s.ops.nr)
			qsort(s.ops.v, s.ops.nr, sizeof(*s.ops.v), compare_op);
		put_all(&s);
	}
	iob_vec_free(&s.sums);
	iob_vec_free(&s.ops);
	iob_vec_free(&s.rows);
	return ret ? iob_fail(err, ret, "out of memory adding stacks up") : 0;
}

const struct iob_writer iob_stacks_writer = {
	.name = "stacks",
	.default_fields = IOB_ROW_BIT(OP) | IOB_ROW_BIT(STACK) |
			  IOB_ROW_BIT(COMM) | IOB_ROW_BIT(UNKNOWN),
	.counts_once = true,
	.for_people = true,
	.cuts = true,
	.write = write_stacks,
};
