// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "cell.h"
#include "top_model.h"

#define LEVEL_WORD(name, word) [IOB_TOP_##name] = word,
#define COLUMN_WORD(name, word) [IOB_TOP_COL_##name] = word,
#define B(name) IOB_ROW_BIT(name)

const char *const iob_top_level_words[IOB_NR_TOP_LEVELS] = {
	IOB_TOP_LEVELS(LEVEL_WORD)
};
const char *const iob_top_column_words[IOB_NR_TOP_COLUMNS] = {
	IOB_TOP_COLUMNS(COLUMN_WORD)
};

/* What makes a row of each level the same row. */
static const uint32_t level_fields[IOB_NR_TOP_LEVELS] = {
	[IOB_TOP_DEV] = B(DEV),
	[IOB_TOP_PROCESS] = B(PID) | B(COMM) | B(UNKNOWN),
	[IOB_TOP_FILE] = B(FILE_DEV) | B(FILE_INO) | B(FILE_GEN) | B(UNKNOWN),
	[IOB_TOP_STACK] = B(STACK) | B(UNKNOWN),
};

/* Of what differs within a row, that with most bytes is named. */
static const struct detail {
	uint32_t fields;		/* one of them is one thing */
	uint32_t shown;			/* and these say which */
} details[IOB_NR_TOP_DETAILS] = {
	[IOB_TOP_NR_DEVS] = { B(DEV), 0 },
	[IOB_TOP_NR_TASKS] = { B(PID) | B(COMM) | B(UNKNOWN), 0 },
	[IOB_TOP_NR_FILES] = {
		B(FILE_DEV) | B(FILE_INO) | B(FILE_GEN),
		B(FILE_PATH) | B(FILE_MOUNT) | B(FILE_FLAGS) },
	[IOB_TOP_NR_STACKS] = { B(STACK), 0 },
	[IOB_TOP_NR_REASONS] = { B(REASON), 0 },
};

#undef B

struct best {
	const struct iob_row *row[IOB_NR_TOP_DETAILS];
	uint64_t bytes[IOB_NR_TOP_DETAILS];
};

/* While rows are made of those of a reading. */
struct make {
	struct iob_top *t;
	struct iob_map row_by_key, sum_by_key;
	IOB_VEC(uint64_t) sums;		/* bytes of one detail of one row */
	IOB_VEC(struct best) best;	/* of each row */
};

/**
 * iob_top_init - nothing has been read yet
 * @t: the view: processes by bytes
 */
void iob_top_init(struct iob_top *t)
{
	memset(t, 0, sizeof(*t));
	t->level = IOB_TOP_PROCESS;
	t->sort = IOB_TOP_COL_BYTES;
}

static void drop_rows(struct iob_top *t)
{
	for (size_t i = 0; i < t->rows.nr; i++)
		iob_row_free(&t->rows.v[i].row);
	t->rows.nr = 0;
}

/**
 * iob_top_exit - free everything
 * @t: the view
 */
void iob_top_exit(struct iob_top *t)
{
	drop_rows(t);
	iob_vec_free(&t->rows);
	iob_top_history_free(&t->history);
	iob_report_destroy(t->now);
	iob_report_destroy(t->all);
	memset(t, 0, sizeof(*t));
}

/**
 * iob_top_take - take the next reading
 * @t: the view; its rows are gone until iob_top_update()
 * @now: what happened since the reading before; becomes ours
 * @all: what happened since the start; becomes ours
 * @seconds: since the reading before
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_top_take(struct iob_top *t, struct iob_report *now,
		 struct iob_report *all, double seconds, struct iob_err *err)
{
	int ret;

	drop_rows(t);
	iob_report_destroy(t->now);
	iob_report_destroy(t->all);
	t->now = now;
	t->all = all;
	t->seconds = seconds > 0 ? seconds : 1e-3;
	t->nr_readings++;
	ret = iob_report_group(now, IOB_TOP_IDENTITY, err);
	if (!ret)
		ret = iob_report_group(all, IOB_TOP_IDENTITY, err);
	if (ret)
		return ret;
	ret = iob_top_history_next(&t->history);
	for (size_t i = 0; !ret && i < now->rows.nr; i++)
		ret = iob_top_history_add(&t->history, &now->rows.v[i],
					  t->seconds);
	return ret ? iob_fail(err, ret, "out of memory") : 0;
}

/**
 * iob_top_report - the reading that is shown
 * @t: the view
 *
 * Return: that of the interval, or of all since the start; NULL before the first.
 */
const struct iob_report *iob_top_report(const struct iob_top *t)
{
	return t->cumulative ? t->all : t->now;
}

/* What dm, md or loop was given counts on the disk below, unless asked for. */
static bool counts(const struct iob_top *t, const struct iob_report *r,
		   const struct iob_row *row)
{
	const struct iob_top_step *dev = &t->path[IOB_TOP_DEV];

	if (t->level > IOB_TOP_DEV && dev->chosen)
		return iob_top_key(row, level_fields[IOB_TOP_DEV]) == dev->key;
	return !iob_report_is_stacked(r, row->v[IOB_ROW_DEV]);
}

static bool on_path(const struct iob_top *t, const struct iob_report *r,
		    const struct iob_row *row)
{
	if (t->level > IOB_TOP_DEV && !counts(t, r, row))
		return false;
	for (int l = IOB_TOP_PROCESS; l < (int)t->level; l++)
		if (t->path[l].chosen &&
		    iob_top_key(row, level_fields[l]) != t->path[l].key)
			return false;
	return true;
}

static bool matches(const struct iob_top *t, const struct iob_report *r,
		    const struct iob_row *row)
{
	static const enum iob_row_field fields[] = {
		IOB_ROW_PID, IOB_ROW_OP, IOB_ROW_REASON, IOB_ROW_BASIS,
		IOB_ROW_KIND, IOB_ROW_CGROUP, IOB_ROW_ISSUER,
	};
	char cell[1024];

	if (!*t->filter)
		return true;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		iob_cell_field(cell, sizeof(cell), row, fields[i]);
		if (strcasestr(cell, t->filter))
			return true;
	}
	iob_cell_comm(cell, sizeof(cell), row);
	if (strcasestr(cell, t->filter))
		return true;
	iob_cell_file(cell, sizeof(cell), row);
	if (strcasestr(cell, t->filter))
		return true;
	iob_cell_dev(cell, sizeof(cell), r, row);
	if (strcasestr(cell, t->filter))
		return true;
	iob_cell_stack(cell, sizeof(cell), r, row, false);
	return strcasestr(cell, t->filter);
}

static int row_of(struct make *m, const struct iob_row *row, uint32_t *at)
{
	uint64_t key = iob_top_key(row, level_fields[m->t->level]);
	struct iob_top_row *v;

	if (iob_map_get(&m->row_by_key, key, at))
		return 0;
	*at = m->t->rows.nr;
	v = iob_vec_add(&m->t->rows);
	if (!v || !iob_vec_add(&m->best) || iob_map_set(&m->row_by_key, key, *at))
		return -ENOMEM;
	v->key = key;
	v->row.known = row->known;
	v->row.mixed = row->mixed;
	memcpy(v->row.v, row->v, sizeof(row->v));
	return 0;
}

static int add_detail(struct make *m, uint32_t at, const struct iob_row *row,
		      unsigned int d)
{
	uint64_t key = iob_mix(iob_mix(d, m->t->rows.v[at].key),
			       iob_top_key(row, details[d].fields));
	struct best *best = &m->best.v[at];
	uint32_t i;

	if (!(row->known & details[d].fields))
		return 0;
	if (!iob_map_get(&m->sum_by_key, key, &i)) {
		i = m->sums.nr;
		if (!iob_vec_add(&m->sums) ||
		    iob_map_set(&m->sum_by_key, key, i))
			return -ENOMEM;
		m->t->rows.v[at].nr[d]++;
	}
	m->sums.v[i] += row->bytes;
	if (!best->row[d] || m->sums.v[i] > best->bytes[d]) {
		best->row[d] = row;
		best->bytes[d] = m->sums.v[i];
	}
	return 0;
}

/* @sums: also how much, not only who. */
static int add(struct make *m, uint32_t at, const struct iob_row *row, bool sums)
{
	struct iob_top_row *v = &m->t->rows.v[at];
	const char *op = iob_row_text(row, IOB_ROW_OP);
	struct iob_row names = { .known = row->known, .mixed = row->mixed };
	int ret;

	memcpy(names.v, row->v, sizeof(names.v));
	ret = iob_row_merge(&v->row, sums ? row : &names);
	if (sums && op && !strcmp(op, "read"))
		v->read_bytes += row->bytes;
	else if (sums && op && !strcmp(op, "write"))
		v->write_bytes += row->bytes;
	for (unsigned int d = 0; !ret && d < IOB_NR_TOP_DETAILS; d++)
		ret = add_detail(m, at, row, d);
	return ret;
}

/* What happened in the interval. */
static int add_now(struct make *m)
{
	const struct iob_report *r = m->t->now;
	int ret = 0;

	for (size_t i = 0; !ret && i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		uint32_t at;

		if (!on_path(m->t, r, row) || !matches(m->t, r, row))
			continue;
		ret = row_of(m, row, &at);
		if (!ret)
			ret = add(m, at, row, true);
	}
	for (size_t i = 0; i < m->t->rows.nr; i++)
		m->t->rows.v[i].active = true;
	return ret;
}

/* And before: rows that are silent now keep their names and their history. */
static int add_all(struct make *m)
{
	const struct iob_report *r = m->t->all;
	size_t nr_now = m->t->rows.nr;
	int ret = 0;

	for (size_t i = 0; !ret && i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		struct iob_top_row *v;
		uint32_t at;

		if (!on_path(m->t, r, row) || !matches(m->t, r, row))
			continue;
		ret = row_of(m, row, &at);
		if (ret)
			break;
		if (m->t->cumulative || at >= nr_now)
			ret = add(m, at, row, m->t->cumulative);
		v = &m->t->rows.v[at];
		v->all_bytes += row->bytes;
		v->active |= iob_top_history_get(&m->t->history, row, v->history);
	}
	return ret;
}

static void name_details(struct make *m)
{
	for (size_t i = 0; i < m->t->rows.nr; i++) {
		struct iob_row *row = &m->t->rows.v[i].row;

		for (unsigned int d = 0; d < IOB_NR_TOP_DETAILS; d++) {
			uint32_t fields = details[d].fields | details[d].shown;
			const struct iob_row *from = m->best.v[i].row[d];

			if (!from)
				continue;
			row->known = (row->known & ~fields) | (from->known & fields);
			row->mixed = (row->mixed & ~fields) | (from->mixed & fields);
			for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
				if (fields & 1u << f)
					row->v[f] = from->v[f];
		}
	}
}

static void forget_silent(struct iob_top *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->rows.nr; i++) {
		if (t->rows.v[i].active || t->cumulative)
			t->rows.v[kept++] = t->rows.v[i];
		else
			iob_row_free(&t->rows.v[i].row);
	}
	t->rows.nr = kept;
}

static void add_up(struct iob_top *t)
{
	const struct iob_report *r = iob_top_report(t);

	t->total_bytes = 0;
	for (size_t i = 0; i < r->rows.nr; i++)
		if (counts(t, r, &r->rows.v[i]))
			t->total_bytes += r->rows.v[i].bytes;
}

static void find_selected(struct iob_top *t)
{
	for (size_t i = 0; t->pinned && i < t->rows.nr; i++)
		if (t->rows.v[i].key == t->selected_key) {
			t->selected = i;
			return;
		}
	/* Whoever watches the first row wants to see who is the first. */
	if (!t->pinned)
		t->selected = 0;
	iob_top_select(t, t->selected);
	if (!t->selected)
		t->pinned = false;
}

/**
 * iob_top_update - make the rows anew, after a reading or a change of the view
 * @t: the view
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_top_update(struct iob_top *t, struct iob_err *err)
{
	struct make m = { .t = t };
	int ret = 0;

	drop_rows(t);
	if (!t->now)
		return 0;
	if (!t->cumulative)
		ret = add_now(&m);
	if (!ret)
		ret = add_all(&m);
	if (!ret)
		name_details(&m);
	iob_map_free(&m.row_by_key);
	iob_map_free(&m.sum_by_key);
	iob_vec_free(&m.sums);
	iob_vec_free(&m.best);
	if (ret)
		return iob_fail(err, ret, "out of memory");
	forget_silent(t);
	add_up(t);
	iob_top_sort(t);
	find_selected(t);
	return 0;
}

/**
 * iob_top_select - select a row, and follow it from now on
 * @t: the view
 * @index: of the row; what is beyond an end is that end
 */
void iob_top_select(struct iob_top *t, long index)
{
	if (index >= (long)t->rows.nr)
		index = (long)t->rows.nr - 1;
	if (index < 0)
		index = 0;
	t->selected = index;
	t->pinned = t->rows.nr;
	if (t->pinned)
		t->selected_key = t->rows.v[index].key;
}

/**
 * iob_top_label - what a row of a level is called
 * @t: the view
 * @row: the row
 * @level: the level
 * @buf: the text, escaped
 * @size: room in @buf
 */
void iob_top_label(const struct iob_top *t, const struct iob_top_row *row,
		   enum iob_top_level level, char *buf, size_t size)
{
	size_t len;

	switch (level) {
	case IOB_TOP_DEV:
		iob_cell_dev(buf, size, t->all, &row->row);
		return;
	case IOB_TOP_PROCESS:
		iob_cell_comm(buf, size, &row->row);
		len = strlen(buf);
		if (row->row.known & IOB_ROW_BIT(PID))
			snprintf(buf + len, size - len, "[%u]",
				 (unsigned int)row->row.v[IOB_ROW_PID]);
		return;
	case IOB_TOP_FILE:
		iob_cell_file(buf, size, &row->row);
		return;
	default:
		iob_cell_stack(buf, size, t->all, &row->row, false);
	}
}

/**
 * iob_top_enter - show what is below the selected row
 * @t: the view; to be updated
 *
 * Return: false if there is nothing below.
 */
bool iob_top_enter(struct iob_top *t)
{
	struct iob_top_step *step = &t->path[t->level];
	const struct iob_top_row *row;

	if (t->level + 1 >= IOB_NR_TOP_LEVELS || t->selected >= t->rows.nr)
		return false;
	row = &t->rows.v[t->selected];
	step->chosen = true;
	step->key = row->key;
	iob_top_label(t, row, t->level, step->label, sizeof(step->label));
	t->level++;
	t->pinned = false;
	return true;
}

/**
 * iob_top_back - show what is above
 * @t: the view; to be updated
 *
 * Return: false if nothing is above.
 */
bool iob_top_back(struct iob_top *t)
{
	struct iob_top_step *step;

	if (!t->level)
		return false;
	step = &t->path[--t->level];
	/* Where we came from is selected. */
	t->pinned = step->chosen;
	t->selected_key = step->key;
	step->chosen = false;
	return true;
}

/**
 * iob_top_next_level - show the same by something else
 * @t: the view; to be updated
 *
 * Nothing is chosen at the level that is left; after the last comes the first,
 * with nothing chosen at all.
 */
void iob_top_next_level(struct iob_top *t)
{
	t->path[t->level].chosen = false;
	t->level = (t->level + 1) % IOB_NR_TOP_LEVELS;
	if (!t->level)
		memset(t->path, 0, sizeof(t->path));
	t->pinned = false;
}
