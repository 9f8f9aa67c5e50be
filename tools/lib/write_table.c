// SPDX-License-Identifier: GPL-2.0
/* The table for people. libsmartcols lays it out; what was cut is said below. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "width.h"
#include "writer.h"

struct table {
	const struct iob_report *r;
	const struct iob_write_options *o;
	char cell[8 * PATH_MAX + 32];	/* a path behind a mount point, escaped */
};

static void cell_bytes(struct table *t, const struct iob_row *row)
{
	iob_format_bytes(t->cell, sizeof(t->cell), row->bytes, t->o->exact);
}

static void cell_ios(struct table *t, const struct iob_row *row)
{
	snprintf(t->cell, sizeof(t->cell), "%" PRIu64, row->ios);
}

static void cell_cancelled(struct table *t, const struct iob_row *row)
{
	iob_format_bytes(t->cell, sizeof(t->cell), row->cancelled, t->o->exact);
}

static void cell_read(struct table *t, const struct iob_row *row,
		      enum iob_read_end end)
{
	if (row->tells_reads)
		iob_format_bytes(t->cell, sizeof(t->cell), row->read[end],
				 t->o->exact);
	else
		strcpy(t->cell, "-");
}

static void cell_used(struct table *t, const struct iob_row *row)
{
	cell_read(t, row, IOB_READ_USED);
}

static void cell_unused(struct table *t, const struct iob_row *row)
{
	cell_read(t, row, IOB_READ_UNUSED);
}

/* Of the bytes of the same operation and disk, as far as the row has one. */
static void cell_share(struct table *t, const struct iob_row *row)
{
	const char *op = iob_row_text(row, IOB_ROW_OP);
	uint64_t all = 0;

	for (size_t i = 0; i < t->r->devices.nr; i++) {
		const struct iob_device *d = &t->r->devices.v[i];

		if (row->known & IOB_ROW_BIT(DEV) ?
		    d->dev != row->v[IOB_ROW_DEV] : d->stacked)
			continue;
		for (size_t k = 0; k < d->ops.nr; k++)
			if (!op || d->ops.v[k].op == op)
				all += d->ops.v[k].sum.bytes;
	}
	if (all)
		snprintf(t->cell, sizeof(t->cell), "%.1f%%",
			 100.0 * row->bytes / all);
	else
		strcpy(t->cell, "-");
}

static void cell_dev(struct table *t, const struct iob_row *row)
{
	iob_cell_dev(t->cell, sizeof(t->cell), t->r, row);
}

#define CELL(lower, upper)						\
static void cell_##lower(struct table *t, const struct iob_row *row)	\
{									\
	iob_cell_field(t->cell, sizeof(t->cell), row, IOB_ROW_##upper);	\
}

CELL(op, OP)
CELL(pid, PID)
CELL(tid, TID)
CELL(cgroup, CGROUP)
CELL(kind, KIND)
CELL(reason, REASON)
CELL(basis, BASIS)
CELL(issuer, ISSUER)

static void cell_comm(struct table *t, const struct iob_row *row)
{
	iob_cell_comm(t->cell, sizeof(t->cell), row);
}

static void cell_file(struct table *t, const struct iob_row *row)
{
	iob_cell_file(t->cell, sizeof(t->cell), row);
}

static void cell_age(struct table *t, const struct iob_row *row)
{
	iob_cell_time(t->cell, sizeof(t->cell), row, IOB_TIME_AGE, 50,
		      t->o->exact);
}

static void cell_device(struct table *t, const struct iob_row *row)
{
	iob_cell_time(t->cell, sizeof(t->cell), row, IOB_TIME_DEVICE, 99,
		      t->o->exact);
}

static void cell_stack(struct table *t, const struct iob_row *row)
{
	iob_cell_stack(t->cell, sizeof(t->cell), t->r, row, t->o->stacks);
}

enum cut { CUT_NEVER, CUT_START, CUT_END };

static const struct column {
	const char *name;
	void (*cell)(struct table *t, const struct iob_row *row);
	uint32_t need;		/* shown if the rows have one of these fields */
	enum cut cut;		/* on a terminal that is too narrow */
	int flags;
} columns[] = {
	{ "bytes", cell_bytes, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "ios", cell_ios, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "share", cell_share, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "cancelled", cell_cancelled, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "used", cell_used, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "unused", cell_unused, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "dev", cell_dev, IOB_ROW_BIT(DEV), CUT_NEVER, 0 },
	{ "op", cell_op, IOB_ROW_BIT(OP), CUT_NEVER, 0 },
	{ "comm", cell_comm, IOB_ROW_BIT(COMM), CUT_NEVER, 0 },
	{ "pid", cell_pid, IOB_ROW_BIT(PID), CUT_NEVER, SCOLS_FL_RIGHT },
	{ "tid", cell_tid, IOB_ROW_BIT(TID), CUT_NEVER, SCOLS_FL_RIGHT },
	{ "cgroup", cell_cgroup, IOB_ROW_BIT(CGROUP_ID), CUT_START, 0 },
	{ "file", cell_file, IOB_ROW_BIT(FILE_INO), CUT_START, 0 },
	{ "kind", cell_kind, IOB_ROW_BIT(KIND), CUT_NEVER, 0 },
	{ "reason", cell_reason, IOB_ROW_BIT(REASON), CUT_NEVER, 0 },
	{ "basis", cell_basis, IOB_ROW_BIT(BASIS), CUT_NEVER, 0 },
	{ "issuer", cell_issuer, IOB_ROW_BIT(ISSUER), CUT_NEVER, 0 },
	{ "age p50", cell_age, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "dev p99", cell_device, 0, CUT_NEVER, SCOLS_FL_RIGHT },
	{ "stack", cell_stack, IOB_ROW_BIT(STACK), CUT_END, 0 },
};

#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

/* A column nobody chose is left out where it would say nothing. */
static bool wanted(const struct table *t, const struct column *c)
{
	const struct iob_report *r = t->r;

	if (c->cell == cell_cancelled) {
		for (size_t i = 0; i < r->rows.nr; i++)
			if (r->rows.v[i].cancelled)
				return true;
		return false;
	}
	if (c->cell == cell_used || c->cell == cell_unused)
		return r->tells_reads;
	if (c->need && !(c->need & t->o->shown))
		return false;
	if (c->cell == cell_dev && t->o->shown == iob_table_writer.default_fields)
		return r->devices.nr > 1;
	return true;
}

/* Cut columns are of no use below this. */
#define CUT_LEAST 12

static size_t least_width(const bool *on, const size_t *widest)
{
	size_t need = 0;

	for (size_t c = 0; c < NR_COLUMNS; c++) {
		size_t w = widest[c];

		if (columns[c].cut != CUT_NEVER && w > CUT_LEAST)
			w = CUT_LEAST;
		need += on[c] ? w + 1 : 0;
	}
	return need ? need - 1 : 0;
}

/* What a narrow terminal does without, first the first; who and how much stays. */
static void leave_out(const struct table *t, bool *on, const size_t *widest)
{
	static const char *const order[] = {
		"dev p99", "age p50", "share", "cancelled", "ios", "used", "kind",
		"basis", "tid", "issuer", "reason", "stack", "cgroup", "op",
		"dev", "unused", "pid",
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (!t->o->width || least_width(on, widest) <= t->o->width)
			return;
		for (size_t c = 0; c < NR_COLUMNS; c++)
			if (!strcmp(columns[c].name, order[i]))
				on[c] = false;
	}
}

/* How wide each column may be, so that all fit: those that can be cut share. */
static void fit(const struct table *t, const bool *on, const size_t *widest,
		size_t *cap)
{
	size_t need = 0, room = t->o->width + 1, nr = 0;

	for (size_t c = 0; c < NR_COLUMNS; c++) {
		cap[c] = widest[c];
		if (!on[c])
			continue;
		need += widest[c] + 1;
		nr += columns[c].cut != CUT_NEVER;
		if (columns[c].cut == CUT_NEVER)
			room -= room > widest[c] + 1 ? widest[c] + 1 : room;
	}
	if (!t->o->width || need <= t->o->width + 1u)
		return;
	for (size_t c = 0; c < NR_COLUMNS; c++) {
		size_t fair;

		if (!on[c] || columns[c].cut == CUT_NEVER)
			continue;
		fair = room / nr > 4 ? room / nr - 1 : 3;
		if (cap[c] > fair)
			cap[c] = fair;
		/* What a short one leaves is for those after it. */
		room -= room > cap[c] + 1 ? cap[c] + 1 : room;
		nr--;
	}
}

static void measure(struct table *t, const bool *on, size_t *widest)
{
	for (size_t c = 0; c < NR_COLUMNS; c++) {
		widest[c] = strlen(columns[c].name);
		for (size_t i = 0; on[c] && i < t->r->rows.nr; i++) {
			size_t n;

			columns[c].cell(t, &t->r->rows.v[i]);
			n = iob_width(t->cell);
			if (n > widest[c])
				widest[c] = n;
		}
	}
}

static int fill(struct table *t, struct libscols_table *tb, const bool *on,
		const size_t *cap)
{
	for (size_t i = 0; i < t->r->rows.nr; i++) {
		struct libscols_line *line = scols_table_new_line(tb, NULL);
		size_t at = 0;

		if (!line)
			return -ENOMEM;
		for (size_t c = 0; c < NR_COLUMNS; c++) {
			if (!on[c])
				continue;
			columns[c].cell(t, &t->r->rows.v[i]);
			iob_width_cut(t->cell, cap[c],
				      columns[c].cut == CUT_START);
			if (scols_line_set_data(line, at++, t->cell))
				return -ENOMEM;
		}
	}
	return 0;
}

static void say_what_was_cut(struct table *t, const bool *on,
			     const size_t *widest, const size_t *cap)
{
	const char *sep = NULL, *out = NULL;

	for (size_t c = 0; c < NR_COLUMNS; c++) {
		if (!on[c] || cap[c] >= widest[c])
			continue;
		fprintf(t->o->out, "%s%s", sep ? sep : "(cut: ",
			columns[c].name);
		sep = ", ";
	}
	for (size_t c = 0; c < NR_COLUMNS; c++) {
		if (on[c] || !wanted(t, &columns[c]))
			continue;
		fprintf(t->o->out, "%s%s", out ? out : sep ? "; left out: " :
			"(left out: ", columns[c].name);
		out = ", ";
	}
	if (sep || out)
		fprintf(t->o->out, "; %u columns, whole when piped)\n",
			t->o->width);
}

static void write_stacks(struct table *t)
{
	struct iob_map seen = {};
	uint32_t at;

	for (size_t i = 0; i < t->r->rows.nr; i++) {
		const struct iob_row *row = &t->r->rows.v[i];
		struct iob_field rest, f;
		const char *frames;

		if (!(row->known & IOB_ROW_BIT(STACK)) ||
		    iob_map_get(&seen, row->v[IOB_ROW_STACK], &at))
			continue;
		frames = iob_report_frames(t->r, row->v[IOB_ROW_STACK]);
		if (!frames || iob_map_set(&seen, row->v[IOB_ROW_STACK], 0))
			continue;
		fprintf(t->o->out, "\nstack #%" PRIu64 "\n",
			row->v[IOB_ROW_STACK]);
		rest = (struct iob_field){ frames, strlen(frames) };
		while (iob_split(&rest, ';', &f))
			fprintf(t->o->out, "    %.*s\n", (int)f.len, f.p);
	}
	iob_map_free(&seen);
}

static int layout(struct table *t, struct libscols_table *tb)
{
	size_t widest[NR_COLUMNS], cap[NR_COLUMNS];
	bool on[NR_COLUMNS];
	int ret;

	for (size_t c = 0; c < NR_COLUMNS; c++)
		on[c] = wanted(t, &columns[c]);
	measure(t, on, widest);
	leave_out(t, on, widest);
	fit(t, on, widest, cap);
	for (size_t c = 0; c < NR_COLUMNS; c++) {
		if (on[c] && !scols_table_new_column(tb, columns[c].name, 1,
						     columns[c].flags))
			return -ENOMEM;
	}
	ret = fill(t, tb, on, cap);
	if (ret)
		return ret;
	scols_table_set_stream(tb, t->o->out);
	/* Names are escaped already, and reversibly. */
	scols_table_enable_noencoding(tb, 1);
	/* Ours to cut: it would wrap what still does not fit. */
	scols_table_set_termforce(tb, SCOLS_TERMFORCE_NEVER);
	ret = scols_print_table(tb);
	if (!ret)
		say_what_was_cut(t, on, widest, cap);
	return ret;
}

static int write_table(const struct iob_report *r,
		       const struct iob_write_options *o, struct iob_err *err)
{
	struct table t = { .r = r, .o = o };
	struct libscols_table *tb;
	char bytes[32];
	int ret = 0;

	iob_write_head(r, o, "");
	fputc('\n', o->out);
	tb = scols_new_table();
	if (!tb)
		return iob_fail(err, -ENOMEM, "out of memory");
	if (r->rows.nr)
		ret = layout(&t, tb);
	else
		fputs("no IO completed in the interval\n", o->out);
	scols_unref_table(tb);
	if (ret)
		return iob_fail(err, ret, "cannot lay the table out: %s",
				strerror(-ret));
	if (r->nr_omitted) {
		iob_format_bytes(bytes, sizeof(bytes), r->omitted.bytes, o->exact);
		fprintf(o->out, "(%" PRIu64 " more rows with %s left out by --top)\n",
			r->nr_omitted, bytes);
	}
	if (o->stacks)
		write_stacks(&t);
	return 0;
}

const struct iob_writer iob_table_writer = {
	.name = "table",
	.default_fields = IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) | IOB_ROW_BIT(COMM) |
			  IOB_ROW_BIT(PID) | IOB_ROW_BIT(FILE_DEV) |
			  IOB_ROW_BIT(FILE_INO) | IOB_ROW_BIT(FILE_GEN) |
			  IOB_ROW_BIT(REASON) | IOB_ROW_BIT(STACK) |
			  IOB_ROW_BIT(UNKNOWN),
	.counts_once = true,
	.for_people = true,
	.write = write_table,
};
