// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "intern.h"
#include "width.h"

/* Cut columns are of no use below this. */
#define CUT_LEAST 12

/* What a level of a tree takes before the text */
#define INDENT 2

static const char *const tones[IOB_NR_TONES] = {
	[IOB_TONE_HEAD]	= "\033[1m",
	[IOB_TONE_LOUD]	= "\033[1m",
	[IOB_TONE_FAINT] = "\033[2m",
	[IOB_TONE_MORE]	= "\033[31m",
	[IOB_TONE_LESS]	= "\033[32m",
	[IOB_TONE_BAD]	= "\033[1;31m",
};

/* Where each column stands in the layout: is it there, and how wide. */
struct fit {
	bool on;
	size_t widest, cap;
};

struct layout {
	const struct iob_grid *g;
	size_t width;			/* 0: no limit */
	struct fit *fit;
};

/**
 * iob_tone_start - what makes a text what it is
 * @tone: which
 * @colour: whether colours are wanted
 *
 * Return: what goes before the text; "" for nothing.
 */
const char *iob_tone_start(enum iob_tone tone, bool colour)
{
	return colour && tones[tone] ? tones[tone] : "";
}

/**
 * iob_tone_end - what ends it
 * @tone: which
 * @colour: whether colours are wanted
 *
 * Return: what goes behind the text; "" for nothing.
 */
const char *iob_tone_end(enum iob_tone tone, bool colour)
{
	return colour && tones[tone] ? "\033[0m" : "";
}

/**
 * iob_grid_init - an empty table
 * @g: to be freed also after an error
 *
 * Return: 0 or -ENOMEM.
 */
int iob_grid_init(struct iob_grid *g)
{
	memset(g, 0, sizeof(*g));
	g->strings = iob_strings_create();
	return g->strings ? 0 : -ENOMEM;
}

/**
 * iob_grid_free - free a table
 * @g: the table
 */
void iob_grid_free(struct iob_grid *g)
{
	iob_vec_free(&g->columns);
	iob_vec_free(&g->lines);
	iob_vec_free(&g->cells);
	iob_strings_destroy(g->strings);
	g->strings = NULL;
}

/**
 * iob_grid_column - one more column, before the first line
 * @g: the table
 * @c: the column
 *
 * Return: 0 or -ENOMEM.
 */
int iob_grid_column(struct iob_grid *g, const struct iob_grid_column *c)
{
	struct iob_grid_column *made = iob_vec_add(&g->columns);

	if (!made)
		return -ENOMEM;
	*made = *c;
	return 0;
}

/**
 * iob_grid_line - begin the next line
 * @g: the table
 * @parent_1: number of the line that it hangs below, from 1 on; 0: none
 *
 * Return: 0 or -ENOMEM.
 */
int iob_grid_line(struct iob_grid *g, size_t parent_1)
{
	struct iob_grid_line *line = iob_vec_add(&g->lines);

	if (!line)
		return -ENOMEM;
	line->parent_1 = parent_1;
	line->depth = parent_1 ? g->lines.v[parent_1 - 1].depth + 1 : 0;
	return 0;
}

/**
 * iob_grid_cell - the next cell of the line
 * @g: the table
 * @text: printable, it is copied
 * @tone: its colour
 *
 * Return: 0 or -ENOMEM.
 */
int iob_grid_cell(struct iob_grid *g, const char *text, enum iob_tone tone)
{
	struct iob_grid_cell *cell = iob_vec_add(&g->cells);

	if (!cell)
		return -ENOMEM;
	cell->text = iob_strings_intern(g->strings, text, strlen(text));
	cell->tone = tone;
	return cell->text ? 0 : -ENOMEM;
}

static const struct iob_grid_cell *cell_at(const struct iob_grid *g, size_t line,
					   size_t column)
{
	return &g->cells.v[line * g->columns.nr + column];
}

static size_t indent(const struct iob_grid *g, size_t line, size_t column)
{
	return g->columns.v[column].tree ? INDENT * g->lines.v[line].depth : 0;
}

static void measure(struct layout *l)
{
	const struct iob_grid *g = l->g;

	for (size_t c = 0; c < g->columns.nr; c++) {
		struct fit *f = &l->fit[c];

		f->on = true;
		f->widest = iob_width(g->columns.v[c].name);
		for (size_t i = 0; i < g->lines.nr; i++) {
			size_t w = iob_width(cell_at(g, i, c)->text) +
				   indent(g, i, c);

			if (w > f->widest)
				f->widest = w;
		}
		f->cap = f->widest;
	}
}

static size_t least_width(const struct layout *l)
{
	size_t need = 0;

	for (size_t c = 0; c < l->g->columns.nr; c++) {
		size_t w = l->fit[c].widest;

		if (l->g->columns.v[c].cut != IOB_CUT_NEVER && w > CUT_LEAST)
			w = CUT_LEAST;
		need += l->fit[c].on ? w + 1 : 0;
	}
	return need ? need - 1 : 0;
}

/* What a narrow terminal does without, first the first; who and how much stays. */
static void leave_out(struct layout *l)
{
	while (l->width && least_width(l) > l->width) {
		struct fit *first = NULL;
		unsigned int drop = 0;

		for (size_t c = 0; c < l->g->columns.nr; c++) {
			unsigned int its = l->g->columns.v[c].drop;

			if (!l->fit[c].on || !its || (first && its >= drop))
				continue;
			first = &l->fit[c];
			drop = its;
		}
		if (!first)
			return;
		first->on = false;
	}
}

/* How wide each column may be, so that all fit: those that can be cut share. */
static void share_room(struct layout *l)
{
	size_t need = 0, room = l->width + 1, nr = 0;

	for (size_t c = 0; c < l->g->columns.nr; c++) {
		size_t w = l->fit[c].widest + 1;

		if (!l->fit[c].on)
			continue;
		need += w;
		nr += l->g->columns.v[c].cut != IOB_CUT_NEVER;
		if (l->g->columns.v[c].cut == IOB_CUT_NEVER)
			room -= room > w ? w : room;
	}
	if (!l->width || need <= l->width + 1)
		return;
	for (size_t c = 0; c < l->g->columns.nr; c++) {
		struct fit *f = &l->fit[c];
		size_t fair;

		if (!f->on || l->g->columns.v[c].cut == IOB_CUT_NEVER)
			continue;
		fair = room / nr > 4 ? room / nr - 1 : 3;
		if (f->cap > fair)
			f->cap = fair;
		/* What a short one leaves is for those after it. */
		room -= room > f->cap + 1 ? f->cap + 1 : room;
		nr--;
	}
}

static int set_cell(const struct layout *l, struct libscols_line *line, size_t at,
		    size_t i, size_t c, bool colour)
{
	const struct iob_grid_cell *cell = cell_at(l->g, i, c);
	size_t before = indent(l->g, i, c), cap = l->fit[c].cap;
	char *text = strdup(cell->text);
	int ret;

	if (!text)
		return -ENOMEM;
	iob_width_cut(text, cap > before ? cap - before : 1,
		      l->g->columns.v[c].cut == IOB_CUT_START);
	ret = scols_line_refer_data(line, at, text);
	if (ret) {
		free(text);
		return ret;
	}
	if (!colour || !tones[cell->tone])
		return 0;
	return scols_cell_set_color(scols_line_get_cell(line, at),
				    tones[cell->tone]);
}

static int fill(const struct layout *l, struct libscols_table *tb,
		struct libscols_line **made, bool colour)
{
	for (size_t i = 0; i < l->g->lines.nr; i++) {
		size_t parent_1 = l->g->lines.v[i].parent_1, at = 0;
		int ret = 0;

		made[i] = scols_table_new_line(tb, parent_1 ?
					       made[parent_1 - 1] : NULL);
		if (!made[i])
			return -ENOMEM;
		for (size_t c = 0; !ret && c < l->g->columns.nr; c++)
			if (l->fit[c].on)
				ret = set_cell(l, made[i], at++, i, c, colour);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_columns(const struct layout *l, struct libscols_table *tb,
		       bool colour)
{
	for (size_t c = 0; c < l->g->columns.nr; c++) {
		const struct iob_grid_column *column = &l->g->columns.v[c];
		struct libscols_column *made;
		int flags = (column->right ? SCOLS_FL_RIGHT : 0) |
			    (column->tree ? SCOLS_FL_TREE : 0);

		if (!l->fit[c].on)
			continue;
		made = scols_table_new_column(tb, column->name, 1, flags);
		if (!made || (colour &&
		    scols_cell_set_color(scols_column_get_header(made),
					 tones[IOB_TONE_HEAD])))
			return -ENOMEM;
	}
	return 0;
}

static void say_what_was_cut(const struct layout *l, FILE *out)
{
	const char *sep = NULL, *gone = NULL;

	for (size_t c = 0; c < l->g->columns.nr; c++) {
		if (!l->fit[c].on || l->fit[c].cap >= l->fit[c].widest)
			continue;
		fprintf(out, "%s%s", sep ? sep : "(cut: ", l->g->columns.v[c].name);
		sep = ", ";
	}
	for (size_t c = 0; c < l->g->columns.nr; c++) {
		if (l->fit[c].on)
			continue;
		fprintf(out, "%s%s", gone ? gone : sep ? "; left out: " :
			"(left out: ", l->g->columns.v[c].name);
		gone = ", ";
	}
	if (sep || gone)
		fprintf(out, "; %zu columns, whole when piped)\n", l->width);
}

static int print(struct layout *l, struct libscols_table *tb, FILE *out,
		 bool colour)
{
	struct libscols_line **made;
	int ret = add_columns(l, tb, colour);

	made = calloc(l->g->lines.nr + 1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	if (!ret)
		ret = fill(l, tb, made, colour);
	free(made);
	if (ret)
		return ret;
	scols_table_set_stream(tb, out);
	/* Names are escaped already, and reversibly. */
	scols_table_enable_noencoding(tb, 1);
	/* Ours to cut: it would wrap what still does not fit. */
	scols_table_set_termforce(tb, SCOLS_TERMFORCE_NEVER);
	scols_table_enable_colors(tb, colour);
	ret = scols_print_table(tb);
	if (!ret)
		say_what_was_cut(l, out);
	return ret;
}

/**
 * iob_grid_print - write a table
 * @g: the table, with a cell for each column of each line
 * @out: where to
 * @width: of the terminal; 0: nothing is cut
 * @colour: whether colours are wanted
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_grid_print(struct iob_grid *g, FILE *out, unsigned int width,
		   bool colour, struct iob_err *err)
{
	struct layout l = { .g = g, .width = width };
	struct libscols_table *tb = scols_new_table();
	int ret = -ENOMEM;

	l.fit = calloc(g->columns.nr + 1, sizeof(*l.fit));
	if (tb && l.fit) {
		measure(&l);
		leave_out(&l);
		share_room(&l);
		ret = print(&l, tb, out, colour);
	}
	scols_unref_table(tb);
	free(l.fit);
	return ret ? iob_fail(err, ret, "cannot lay the table out: %s",
			      strerror(-ret)) : 0;
}
