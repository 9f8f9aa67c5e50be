// SPDX-License-Identifier: GPL-2.0
/* The table for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "tree.h"

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

/* What is nobody's, or is gone, steps back. */
static enum iob_tone tone_of(const char *text)
{
	size_t len = strlen(text);

	return *text == '[' || (len > 9 && !strcmp(text + len - 9, "(deleted)")) ?
	       IOB_TONE_FAINT : IOB_TONE_PLAIN;
}

struct chosen {
	const struct iob_column *c[IOB_MAX_COLUMNS];
	size_t nr;
};

static int choose(struct iob_cell *t, struct iob_grid *g, struct chosen *on,
		  bool with_keys)
{
	int ret = 0;

	on->nr = 0;
	for (const struct iob_column *c = iob_columns; !ret && c->cell; c++) {
		if (!wanted(t, c) || (c->need && !with_keys))
			continue;
		on->c[on->nr++] = c;
		ret = iob_grid_column(g, &c->grid);
	}
	return ret;
}

static int put_line(struct iob_cell *t, struct iob_grid *g, size_t parent_1,
		    const struct chosen *on, const struct iob_row *row)
{
	int ret = iob_grid_line(g, parent_1);

	for (size_t c = 0; !ret && c < on->nr; c++) {
		on->c[c]->cell(t, row);
		ret = iob_grid_cell(g, t->text, tone_of(t->text));
	}
	return ret;
}

static int fill(struct iob_cell *t, struct iob_grid *g)
{
	struct chosen on;
	int ret = choose(t, g, &on, true);

	for (size_t i = 0; !ret && i < t->r->rows.nr; i++)
		ret = put_line(t, g, 0, &on, &t->r->rows.v[i]);
	return ret;
}

/* The column that shows a key */
static const struct iob_column *column_of(const struct iob_key *key)
{
	const struct iob_column *c = iob_columns;

	while (c->cell && !(c->need & key->fields))
		c++;
	return c->cell ? c : iob_columns;
}

static int add_tree_column(const struct iob_write_options *o, struct iob_grid *g,
			   char *name, size_t size)
{
	struct iob_grid_column tree = { name, IOB_CUT_END, .tree = true };
	size_t at = 0;

	for (size_t i = 0; i < o->nr_levels && at < size; i++)
		at += snprintf(name + at, size - at, "%s%s", i ? ", " : "",
			       o->levels[i]->name);
	return iob_grid_column(g, &tree);
}

static int fill_tree(struct iob_cell *t, struct iob_grid *g,
		     const struct iob_tree *tree, char *name, size_t size)
{
	size_t *line_of = calloc(tree->nodes.nr + 1, sizeof(*line_of));
	struct chosen on;
	int ret = line_of ? choose(t, g, &on, false) : -ENOMEM;

	if (!ret)
		ret = add_tree_column(t->o, g, name, size);
	for (size_t i = 0; !ret && i < tree->nodes.nr; i++) {
		const struct iob_tree_node *n = &tree->nodes.v[i];

		if (!n->shown)
			continue;
		ret = put_line(t, g, line_of[n->parent_1], &on, &n->row);
		line_of[i + 1] = g->lines.nr;
		column_of(t->o->levels[n->level])->cell(t, &n->row);
		if (!ret)
			ret = iob_grid_cell(g, t->text, tone_of(t->text));
	}
	free(line_of);
	return ret;
}

static void put_omitted(FILE *out, uint64_t nr, uint64_t bytes, bool exact)
{
	char text[32];

	if (!nr)
		return;
	iob_format_bytes(text, sizeof(text), bytes, exact);
	fprintf(out, "(%" PRIu64 " more rows with %s left out by --top)\n", nr, text);
}

static int write_tree(struct iob_cell *t, struct iob_err *err)
{
	const struct iob_write_options *o = t->o;
	struct iob_tree tree;
	struct iob_grid g;
	char name[256];
	int ret = iob_grid_init(&g);

	if (!ret)
		ret = iob_tree_make(&tree, t->r, o->levels, o->nr_levels, o->sort,
				    o->top);
	else
		memset(&tree, 0, sizeof(tree));
	if (!ret)
		ret = fill_tree(t, &g, &tree, name, sizeof(name));
	if (ret)
		iob_fail(err, ret, "out of memory");
	else
		ret = iob_grid_print(&g, o->out, o->width, o->colour, err);
	if (!ret)
		put_omitted(o->out, tree.nr_omitted, tree.omitted.bytes, o->exact);
	iob_tree_free(&tree);
	iob_grid_free(&g);
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
		ret = iob_grid_print(&g, t->o->out, t->o->width, t->o->colour,
				     err);
	iob_grid_free(&g);
	return ret;
}

static int write_table(const struct iob_report *r,
		       const struct iob_write_options *o, struct iob_err *err)
{
	struct iob_cell t = { .r = r, .o = o };
	int ret = 0;

	iob_write_head(r, o, "");
	fputc('\n', o->out);
	if (r->rows.nr)
		ret = o->levels ? write_tree(&t, err) : write_rows(&t, err);
	else
		fputs("no IO completed in the interval\n", o->out);
	if (ret)
		return ret;
	put_omitted(o->out, r->nr_omitted, r->omitted.bytes, o->exact);
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
	.answers = true,
	.write = write_table,
	.diff = iob_diff_to_table,
};
