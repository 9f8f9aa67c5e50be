// SPDX-License-Identifier: GPL-2.0
/* Columns and cells of the live view. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "top_text.h"
#include "width.h"
#include "writer.h"

#define L(name) (1u << IOB_TOP_##name)
#define ANY_LEVEL (L(DEV) | L(PROCESS) | L(FILE) | L(STACK))

enum shape { LEFT, RIGHT, CUT_START, CUT_END };

static const struct column {
	const char *rate, *sum;		/* headings */
	unsigned int levels;
	unsigned int least;		/* so that columns do not dance */
	enum shape shape;
	/* Where there is no room for all, what has the greatest number goes. */
	unsigned int order;
} columns[IOB_NR_TOP_COLUMNS] = {
	[IOB_TOP_COL_BYTES] = { "bytes/s", "bytes", ANY_LEVEL, 10, RIGHT, 0 },
	[IOB_TOP_COL_READ] = { "read/s", "read", ANY_LEVEL, 10, RIGHT, 11 },
	[IOB_TOP_COL_WRITE] = { "write/s", "write", ANY_LEVEL, 10, RIGHT, 10 },
	[IOB_TOP_COL_IOS] = { "ios/s", "ios", ANY_LEVEL, 5, RIGHT, 3 },
	[IOB_TOP_COL_SHARE] = { "share", "share", ANY_LEVEL, 6, RIGHT, 5 },
	[IOB_TOP_COL_DEVICE] = { "dev", "dev", ANY_LEVEL, 4, LEFT, 9 },
	[IOB_TOP_COL_COMM] = { "comm", "comm", ANY_LEVEL, 10, CUT_END, 1 },
	[IOB_TOP_COL_PID] = { "pid", "pid", L(PROCESS), 6, RIGHT, 2 },
	[IOB_TOP_COL_PATH] = { "file", "file", L(DEV) | L(PROCESS) | L(FILE), 12,
			       CUT_START, 1 },
	[IOB_TOP_COL_FRAMES] = { "stack", "stack", L(STACK), 24, CUT_END, 0 },
	[IOB_TOP_COL_REASON] = { "reason", "reason", ANY_LEVEL, 8, LEFT, 8 },
	[IOB_TOP_COL_AGE] = { "age p50", "age p50", ANY_LEVEL, 8, RIGHT, 7 },
	[IOB_TOP_COL_P99] = { "dev p99", "dev p99", ANY_LEVEL, 8, RIGHT, 6 },
	[IOB_TOP_COL_HISTORY] = { "history", "history", ANY_LEVEL, 8, LEFT, 4 },
};

#undef L

/* The narrower of the two is for screens where other columns need the room. */
#define HISTORY_NARROW 8
#define WIDE_SCREEN 110
#define COMM_MOST 15

static void add_others(char *buf, size_t size, uint32_t nr)
{
	size_t len = strlen(buf);

	if (nr > 1)
		snprintf(buf + len, size - len, " +%u", nr - 1);
}

static void sparkline(char *buf, size_t size, const uint64_t *history,
		      unsigned int nr, bool utf8)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆",
					      "▇", "█" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*",
					     "#", "@" };
	uint64_t most = 0;
	size_t at = 0;

	*buf = '\0';
	for (int i = 0; i < IOB_TOP_HISTORY; i++)
		if (history[i] > most)
			most = history[i];
	for (unsigned int i = IOB_TOP_HISTORY - nr; i < IOB_TOP_HISTORY; i++) {
		/* What is not nothing shows. */
		unsigned int h = !history[i] ? 0 :
				 1 + (unsigned int)(7.0 * history[i] / most);

		if (at < size)
			at += snprintf(buf + at, size - at, "%s",
				       utf8 ? blocks[h] : ascii[h]);
	}
}

static void rate(const struct iob_top *t, char *buf, size_t size, uint64_t bytes)
{
	iob_format_bytes(buf, size,
			 t->cumulative ? bytes : bytes / t->seconds + 0.5, false);
}

static void ios(const struct iob_top *t, char *buf, size_t size, uint64_t ios)
{
	double v = ios / t->seconds;

	if (t->cumulative)
		snprintf(buf, size, "%" PRIu64, ios);
	else
		snprintf(buf, size, v && v < 100 ? "%.1f" : "%.0f", v);
}

static void cell(const struct iob_top *t, const struct iob_top_look *look,
		 const struct iob_top_row *v, enum iob_top_column c,
		 unsigned int width, char *buf, size_t size)
{
	switch (c) {
	case IOB_TOP_COL_BYTES:
		rate(t, buf, size, v->row.bytes);
		break;
	case IOB_TOP_COL_READ:
		rate(t, buf, size, v->read_bytes);
		break;
	case IOB_TOP_COL_WRITE:
		rate(t, buf, size, v->write_bytes);
		break;
	case IOB_TOP_COL_IOS:
		ios(t, buf, size, v->row.ios);
		break;
	case IOB_TOP_COL_SHARE:
		if (t->total_bytes)
			snprintf(buf, size, "%.1f%%",
				 100.0 * v->row.bytes / t->total_bytes);
		else
			snprintf(buf, size, "-");
		break;
	case IOB_TOP_COL_DEVICE:
		iob_cell_dev(buf, size, t->all, &v->row);
		add_others(buf, size, v->nr[IOB_TOP_NR_DEVS]);
		break;
	case IOB_TOP_COL_COMM:
		iob_cell_comm(buf, size, &v->row);
		add_others(buf, size, v->nr[IOB_TOP_NR_TASKS]);
		break;
	case IOB_TOP_COL_PID:
		iob_cell_field(buf, size, &v->row, IOB_ROW_PID);
		break;
	case IOB_TOP_COL_PATH:
		iob_cell_file(buf, size, &v->row);
		add_others(buf, size, v->nr[IOB_TOP_NR_FILES]);
		break;
	case IOB_TOP_COL_FRAMES:
		iob_cell_stack(buf, size, t->all, &v->row, false);
		break;
	case IOB_TOP_COL_REASON:
		iob_cell_field(buf, size, &v->row, IOB_ROW_REASON);
		add_others(buf, size, v->nr[IOB_TOP_NR_REASONS]);
		break;
	case IOB_TOP_COL_AGE:
		iob_cell_time(buf, size, &v->row, IOB_TIME_AGE, 50, false);
		break;
	case IOB_TOP_COL_P99:
		iob_cell_time(buf, size, &v->row, IOB_TIME_DEVICE, 99, false);
		break;
	default:
		sparkline(buf, size, v->history, width && width < IOB_TOP_HISTORY ?
			  width : IOB_TOP_HISTORY, look->utf8);
	}
	if (!look->utf8)
		iob_width_ascii(buf, size);
}

static const char *heading(const struct iob_top *t, enum iob_top_column c)
{
	return t->cumulative ? columns[c].sum : columns[c].rate;
}

static size_t needed(const bool *on, const size_t *widths)
{
	size_t sum = 0;

	for (int c = 0; c < IOB_NR_TOP_COLUMNS; c++) {
		size_t w = widths[c];

		if (columns[c].shape >= CUT_START && w > columns[c].least)
			w = columns[c].least;
		sum += on[c] ? w + 1 : 0;
	}
	return sum ? sum - 1 : 0;
}

static void leave_out(bool *on, const size_t *widths, size_t room)
{
	for (unsigned int order = 11; order; order--) {
		if (needed(on, widths) <= room)
			return;
		for (int c = 0; c < IOB_NR_TOP_COLUMNS; c++)
			if (columns[c].order == order &&
			    needed(on, widths) > room)
				on[c] = false;
	}
}

/* What is left over goes to those that are cut, the last of them first. */
static void share_room(const bool *on, size_t *widths, size_t room)
{
	size_t need = needed(on, widths), more = room > need ? room - need : 0;

	for (int c = 0; c < IOB_NR_TOP_COLUMNS; c++) {
		size_t want = widths[c], least = columns[c].least;

		if (!on[c] || columns[c].shape < CUT_START || want <= least)
			continue;
		/* A task's name is short, unless it is escaped. */
		if (c == IOB_TOP_COL_COMM && want > COMM_MOST)
			want = COMM_MOST;
		widths[c] = want - least < more ? want : least + more;
		more -= widths[c] - least;
	}
	/* One column is all there is room for. */
	for (int c = 0; c < IOB_NR_TOP_COLUMNS; c++)
		if (on[c] && widths[c] > room)
			widths[c] = room;
}

/**
 * iob_top_lay_out - which columns there are, and how wide
 * @t: the view
 * @look: how it is shown
 * @l: the columns
 */
void iob_top_lay_out(const struct iob_top *t, const struct iob_top_look *look,
		     struct iob_top_layout *l)
{
	size_t widths[IOB_NR_TOP_COLUMNS];
	bool on[IOB_NR_TOP_COLUMNS];
	char buf[IOB_TOP_LINE_MAX];

	for (int c = 0; c < IOB_NR_TOP_COLUMNS; c++) {
		on[c] = columns[c].levels & 1u << t->level;
		widths[c] = columns[c].least;
		if (c == IOB_TOP_COL_HISTORY) {
			widths[c] = look->width && look->width < WIDE_SCREEN ?
				    HISTORY_NARROW : IOB_TOP_HISTORY;
			continue;
		}
		for (size_t i = 0; on[c] && i < t->rows.nr; i++) {
			size_t w;

			cell(t, look, &t->rows.v[i], c, 0, buf, sizeof(buf));
			w = iob_width(buf);
			if (w > widths[c])
				widths[c] = w;
		}
	}
	if (look->width) {
		leave_out(on, widths, look->width);
		share_room(on, widths, look->width);
	}
	l->nr = 0;
	for (int c = 0; c < IOB_NR_TOP_COLUMNS; c++)
		if (on[c])
			l->shown[l->nr++] = (struct iob_top_shown){
				c, widths[c] };
}

/* Append a cell to a line; the last one is not filled up with blanks. */
static size_t append(char *line, size_t at, size_t size, char *text,
		     size_t text_size, const struct iob_top_shown *s, bool last)
{
	const struct column *c = &columns[s->column];

	iob_width_cut(text, s->width, c->shape == CUT_START);
	if (!last || c->shape == RIGHT)
		iob_width_pad(text, text_size, s->width, c->shape == RIGHT);
	if (at < size)
		at += snprintf(line + at, size - at, "%s%s", text,
			       last ? "" : " ");
	return at;
}

static void trim(char *line)
{
	size_t len = strlen(line);

	while (len && line[len - 1] == ' ')
		line[--len] = '\0';
}

/**
 * iob_top_heading - the line of column names
 * @t: the view
 * @look: how it is shown
 * @l: the columns
 * @buf: the line
 * @size: room in @buf
 *
 * The column that rows are sorted by has a mark: '-' most first or, for text,
 * '+' A to Z; reversed the other.
 */
void iob_top_heading(const struct iob_top *t, const struct iob_top_look *look,
		     const struct iob_top_layout *l, char *buf, size_t size)
{
	size_t at = 0;

	(void)look;
	*buf = '\0';
	for (unsigned int i = 0; i < l->nr; i++) {
		char text[64];
		bool sorted = l->shown[i].column == t->sort;
		bool up = iob_top_is_text(t->sort) != t->reverse;

		snprintf(text, sizeof(text), "%s%s", sorted ? up ? "+" : "-" : "",
			 heading(t, l->shown[i].column));
		at = append(buf, at, size, text, sizeof(text), &l->shown[i],
			    i + 1 == l->nr);
	}
	trim(buf);
}

/**
 * iob_top_line - one row
 * @t: the view
 * @look: how it is shown
 * @l: the columns
 * @row: the row
 * @buf: the line
 * @size: room in @buf
 */
void iob_top_line(const struct iob_top *t, const struct iob_top_look *look,
		  const struct iob_top_layout *l, const struct iob_top_row *row,
		  char *buf, size_t size)
{
	size_t at = 0;

	*buf = '\0';
	for (unsigned int i = 0; i < l->nr; i++) {
		char text[IOB_TOP_LINE_MAX];

		cell(t, look, row, l->shown[i].column, l->shown[i].width, text,
		     sizeof(text));
		at = append(buf, at, size, text, sizeof(text), &l->shown[i],
			    i + 1 == l->nr);
	}
	trim(buf);
}
