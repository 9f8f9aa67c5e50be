// SPDX-License-Identifier: GPL-2.0
/* The table for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

/* A column nobody chose is left out where it would say nothing. */
static bool wanted(const struct iob_cell *t, const struct iob_column *c)
{
	if (c->tells && !c->tells(t->r))
		return false;
	if (c->need && !(c->need & t->o->shown))
		return false;
	if (c->need == IOB_ROW_BIT(DEV) &&
	    t->o->shown == iob_table_writer.default_fields)
		return t->r->devices.nr > 1;
	return true;
}

static void write_stacks(struct iob_cell *t)
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

static int fill(struct iob_cell *t, struct iob_grid *g)
{
	const struct iob_column *on[IOB_MAX_COLUMNS];
	size_t nr = 0;
	int ret = 0;

	for (const struct iob_column *c = iob_columns; !ret && c->cell; c++) {
		if (!wanted(t, c))
			continue;
		on[nr++] = c;
		ret = iob_grid_column(g, &c->grid);
	}
	for (size_t i = 0; !ret && i < t->r->rows.nr; i++) {
		ret = iob_grid_line(g, 0);
		for (size_t c = 0; !ret && c < nr; c++) {
			on[c]->cell(t, &t->r->rows.v[i]);
			ret = iob_grid_cell(g, t->text, IOB_TONE_PLAIN);
		}
	}
	return ret;
}

static int write_rows(struct iob_cell *t, struct iob_err *err)
{
	struct iob_grid g;
	int ret = iob_grid_init(&g);

	if (!ret)
		ret = fill(t, &g);
	if (ret)
		iob_fail(err, ret, "out of memory");
	else
		ret = iob_grid_print(&g, t->o->out, t->o->width, false, err);
	iob_grid_free(&g);
	return ret;
}

static int write_table(const struct iob_report *r,
		       const struct iob_write_options *o, struct iob_err *err)
{
	struct iob_cell t = { .r = r, .o = o };
	char bytes[32];
	int ret = 0;

	iob_write_head(r, o, "");
	fputc('\n', o->out);
	if (r->rows.nr)
		ret = write_rows(&t, err);
	else
		fputs("no IO completed in the interval\n", o->out);
	if (ret)
		return ret;
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
	.diff = iob_diff_to_table,
};
