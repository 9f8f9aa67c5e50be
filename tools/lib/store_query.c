// SPDX-License-Identifier: GPL-2.0
/* What the store says of a time, as a report. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "map.h"
#include "store_impl.h"

#define SECOND_NS 1000000000ull

/**
 * store_rows - add what the origins did in a time to a report
 * @s: the store
 * @level: where it is kept
 * @after: only what began after this
 * @before: and before this
 * @r: the report
 * @by_origin: the rows it has already, by the origin's number
 *
 * Return: 0, -ENOMEM, or -EBADMSG if the store is damaged.
 */
int store_rows(struct iob_store *s, int level, int64_t after, int64_t before,
	       struct iob_report *r, struct iob_map *by_origin)
{
	sqlite3_stmt *st = store_stmt(s, STORE_SUM_IN);
	int ret = 0, rc;

	if (!st)
		return -EBADMSG;
	sqlite3_bind_int64(st, 1, level);
	sqlite3_bind_int64(st, 2, after);
	sqlite3_bind_int64(st, 3, before);
	while (!ret && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t origin = sqlite3_column_int64(st, 0);
		struct iob_row *row;
		uint32_t at;

		s->visited++;
		if (iob_map_get(by_origin, origin, &at)) {
			row = &r->rows.v[at];
		} else {
			at = r->rows.nr;
			row = iob_vec_add(&r->rows);
			if (!row || iob_map_set(by_origin, origin, at))
				ret = -ENOMEM;
			else
				ret = store_load_origin(s, origin, row, r);
		}
		if (ret)
			break;
		row->ios += sqlite3_column_int64(st, 1);
		row->bytes += sqlite3_column_int64(st, 2);
		row->cancelled += sqlite3_column_int64(st, 3);
		ret = store_detail_add(row, sqlite3_column_blob(st, 4),
				       sqlite3_column_bytes(st, 4),
				       &r->tells_times);
	}
	sqlite3_reset(st);
	return ret ? ret : rc == SQLITE_DONE ? 0 : -EBADMSG;
}

static int add_disks(struct iob_store *s, int level, int64_t after,
		     int64_t before, struct iob_report *r)
{
	sqlite3_stmt *st = store_stmt(s, STORE_DISK_IN);
	int ret = 0, rc;

	if (!st)
		return -EBADMSG;
	sqlite3_bind_int64(st, 1, level);
	sqlite3_bind_int64(st, 2, after);
	sqlite3_bind_int64(st, 3, before);
	while (!ret && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *op = store_load_text(s, sqlite3_column_int64(st, 1),
						 false, r);
		struct iob_device *d = iob_report_device(r,
						sqlite3_column_int64(st, 0));
		struct iob_sum *sum = d && op ? iob_device_op_sum(d, op) : NULL;

		if (!sum) {
			ret = op ? -ENOMEM : -EBADMSG;
			break;
		}
		if (!d->name && sqlite3_column_int64(st, 2))
			d->name = store_load_text(s, sqlite3_column_int64(st, 2),
						  false, r);
		d->parent = sqlite3_column_int64(st, 3);
		d->stacked = sqlite3_column_int64(st, 4);
		sum->ios += sqlite3_column_int64(st, 5);
		sum->bytes += sqlite3_column_int64(st, 6);
	}
	sqlite3_reset(st);
	return ret ? ret : rc == SQLITE_DONE ? 0 : -EBADMSG;
}

/* How much of the time was watched, and where its ends really are */
struct covered {
	uint64_t ns;
	int64_t first, last;
	int64_t coarsest;		/* the unit that reaches beyond what was asked */
};

static int add_spans(struct iob_store *s, int level, int64_t after,
		     int64_t before, int64_t since, int64_t until,
		     struct iob_report *r, struct covered *c)
{
	static const enum iob_loss losses[] = {
		IOB_LOSS_EVENTS, IOB_LOSS_STACKS, IOB_LOSS_ACTS, IOB_LOSS_PAGES,
		IOB_LOSS_FOLDS
	};
	sqlite3_stmt *st = store_stmt(s, STORE_SPAN_IN);
	int64_t unit = store_unit_s[level];
	int rc;

	if (!st)
		return -EBADMSG;
	sqlite3_bind_int64(st, 1, level);
	sqlite3_bind_int64(st, 2, after);
	sqlite3_bind_int64(st, 3, before);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t t = sqlite3_column_int64(st, 0);

		c->ns += sqlite3_column_int64(st, 1);
		for (int i = 0; i < IOB_NR_LOSSES; i++)
			r->lost[losses[i]] += sqlite3_column_int64(st, 2 + i);
		if (t < c->first)
			c->first = t;
		if (t + unit > c->last)
			c->last = t + unit;
		if (unit > c->coarsest && (t < since || t + unit > until))
			c->coarsest = unit;
	}
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? 0 : -EBADMSG;
}

static int by_id(const void *pa, const void *pb)
{
	const struct iob_report_stack *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

/**
 * store_unite_stacks - several origins have the same stack
 * @r: the report
 */
void store_unite_stacks(struct iob_report *r)
{
	size_t kept = 0;

	if (r->stacks.nr)
		qsort(r->stacks.v, r->stacks.nr, sizeof(*r->stacks.v), by_id);
	for (size_t i = 0; i < r->stacks.nr; i++)
		if (!kept || r->stacks.v[kept - 1].id != r->stacks.v[i].id)
			r->stacks.v[kept++] = r->stacks.v[i];
	r->stacks.nr = kept;
}

static const char *meta_text(struct iob_store *s, const char *name,
			     struct iob_report *r)
{
	sqlite3_stmt *st = store_stmt(s, STORE_META_GET);
	const char *text = NULL;

	if (!st)
		return NULL;
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW)
		text = iob_report_word(r, (const char *)
				       sqlite3_column_text(st, 0));
	sqlite3_reset(st);
	return text;
}

/**
 * store_describe - say whose store it is
 * @s: the store
 * @r: the report; what is not known stays NULL
 */
void store_describe(struct iob_store *s, struct iob_report *r)
{
	r->version = meta_text(s, "version", r);
	r->kernel = meta_text(s, "kernel", r);
	r->host = meta_text(s, "host", r);
}

static void clock_text(char *buf, size_t size, int64_t t)
{
	time_t time = t;
	struct tm tm;

	if (!localtime_r(&time, &tm) ||
	    !strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(buf, size, "@%" PRId64, t);
}

static void describe(struct iob_store *s, struct iob_report *r, int64_t since,
		     int64_t until, const struct covered *c)
{
	uint64_t removed = store_meta(s, "removed_rows");
	char from[32], to[32];

	store_describe(s, r);
	if (c->first < c->last) {
		since = c->first;
		until = c->last;
	}
	r->start_ns = since * SECOND_NS;
	r->end_ns = until * SECOND_NS;
	clock_text(from, sizeof(from), since);
	clock_text(to, sizeof(to), until);
	iob_report_note(r, "from %s to %s on the clock, of which %.0f s were watched",
			from, to, c->ns / 1e9);
	if (c->coarsest > 1)
		iob_report_note(r, "of that time the store has whole %s: one that was asked for in part counts whole",
				c->coarsest == 60 ? "minutes" : "hours");
	if (removed)
		iob_report_note(r, "%" PRIu64 " rows of %" PRIu64 " bytes were removed from the store, the oldest first: it may not become bigger",
				removed, store_meta(s, "removed_bytes"));
}

static int query(struct iob_store *s, int64_t since, int64_t until,
		 struct iob_report *r, struct covered *c)
{
	struct iob_map by_origin = {};
	int ret = 0;

	for (int level = 0; !ret && level < IOB_NR_STORE_LEVELS; level++) {
		int64_t after = since - store_unit_s[level];

		ret = store_rows(s, level, after, until, r, &by_origin);
		if (!ret)
			ret = add_disks(s, level, after, until, r);
		if (!ret)
			ret = add_spans(s, level, after, until, since, until, r,
					c);
	}
	iob_map_free(&by_origin);
	return ret;
}

/**
 * iob_store_query - what happened in a time
 * @s: the store
 * @since_s: its start, on the clock on the wall
 * @until_s: its end
 * @r: the report, empty
 * @err: error text
 *
 * What is kept in coarser pieces than what is asked for counts whole, and the
 * report says so.
 *
 * Return: 0 or a negative errno.
 */
int iob_store_query(struct iob_store *s, uint64_t since_s, uint64_t until_s,
		    struct iob_report *r, struct iob_err *err)
{
	struct covered c = { .first = INT64_MAX, .last = INT64_MIN };
	int ret, rc;

	s->visited = 0;
	r->tells_times = true;
	/* All of one moment, whatever is written meanwhile. */
	rc = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return store_fail(s, rc, err);
	ret = query(s, since_s, until_s, r, &c);
	rc = sqlite3_errcode(s->db);
	if (!ret)
		describe(s, r, since_s, until_s, &c);
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	if (ret == -ENOMEM)
		return iob_fail(err, ret, "out of memory");
	if (ret)
		return store_fail(s, rc == SQLITE_OK || rc == SQLITE_ROW ||
				     rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, err);
	r->tells_times &= r->rows.nr > 0;
	store_unite_stacks(r);
	iob_report_settle(r);
	return 0;
}
