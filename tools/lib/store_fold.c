// SPDX-License-Identifier: GPL-2.0
/*
 * What is old becomes coarse: seconds become minutes, minutes become hours. If
 * that is not enough, hours lose files, stacks and pids, the oldest first, and
 * at last are removed. What was lost that way is counted.
 *
 * One step moves what happened at one time, so that a turn never takes long.
 */
#include <errno.h>

#include "aggregate.h"
#include "map.h"
#include "store_impl.h"

#define FOLD_STEPS	8		/* a level and a turn: more than come in */
#define FULL_PART	8		/* of the pages is kept free */

/* SQLITE_DONE: there is nothing at that level. */
static int first_at(struct iob_store *s, int level, int64_t *t)
{
	return store_number(s, STORE_SPAN_FIRST, (int64_t[]){ level }, 1, t);
}

static int fold_one(struct iob_store *s, int level, int64_t t)
{
	int64_t unit = store_unit_s[level + 1];
	const int64_t args[] = { level, t, level + 1, t - t % unit };
	static const enum store_statement folds[] = {
		STORE_SUM_FOLD, STORE_DISK_FOLD, STORE_SPAN_FOLD
	}, drops[] = { STORE_SUM_DROP, STORE_DISK_DROP, STORE_SPAN_DROP };
	int rc = SQLITE_OK;

	for (int i = 0; rc == SQLITE_OK && i < 3; i++)
		rc = store_run(s, folds[i], args, 4);
	for (int i = 0; rc == SQLITE_OK && i < 3; i++)
		rc = store_run(s, drops[i], args, 2);
	return rc;
}

/**
 * store_fold - make minutes of old seconds and hours of old minutes
 * @s: the store, within a transaction
 * @now: the time
 *
 * Return: SQLITE_OK or an error of SQLite.
 */
int store_fold(struct iob_store *s, int64_t now)
{
	int rc = SQLITE_OK;

	for (int level = 0; level < IOB_STORE_HOURS; level++) {
		for (int i = 0; rc == SQLITE_OK && i < FOLD_STEPS; i++) {
			int64_t t;

			rc = first_at(s, level, &t);
			if (rc != SQLITE_OK || t + store_unit_s[level] >
					       now - s->limits.keep_s[level])
				break;
			rc = fold_one(s, level, t);
		}
		if (rc == SQLITE_DONE)
			rc = SQLITE_OK;
	}
	return rc;
}

/* What no row names any more */
static int sweep(struct iob_store *s)
{
	int64_t fine = INT64_MAX, any = INT64_MAX, t;
	int rc = store_number(s, STORE_SPAN_FINE, NULL, 0, &fine);

	for (int level = 0; level < IOB_NR_STORE_LEVELS; level++) {
		if (rc != SQLITE_OK && rc != SQLITE_DONE)
			return rc;
		rc = first_at(s, level, &t);
		if (rc != SQLITE_OK)
			continue;
		t -= t % store_unit_s[IOB_STORE_HOURS];
		any = t < any ? t : any;
		if (level != IOB_STORE_HOURS)
			fine = t < fine ? t : fine;
	}
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		return rc;
	rc = store_run(s, STORE_ORIGIN_SWEEP, (int64_t[]){ fine, any }, 2);
	if (rc != SQLITE_OK || !sqlite3_changes(s->db))
		return rc;
	return store_run(s, STORE_TEXT_SWEEP, NULL, 0);
}

static int coarsen_rows(struct iob_store *s, struct iob_report *r, int64_t t)
{
	int rc = store_run(s, STORE_SUM_DROP,
			   (int64_t[]){ IOB_STORE_HOURS, t }, 2);

	for (size_t i = 0; rc == SQLITE_OK && i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];
		int64_t origin;

		/* Coarse also where nothing differed: it is not told from others. */
		row->mixed = IOB_STORE_FIELDS & ~IOB_STORE_COARSE;
		row->known &= ~row->mixed;
		rc = store_origin(s, row, "", t, &origin);
		if (rc == SQLITE_OK)
			rc = store_sum(s, IOB_STORE_HOURS, t, origin, row,
				       r->tells_times);
	}
	return rc;
}

static int coarsen(struct iob_store *s, int64_t t)
{
	struct iob_report *r = iob_report_create();
	struct iob_map by_origin = {};
	size_t nr = 0;
	int rc = SQLITE_NOMEM;

	if (r)
		r->tells_times = true;
	if (r && !store_rows(s, IOB_STORE_HOURS, t - 1, t + 1, r, &by_origin)) {
		nr = r->rows.nr;
		if (!iob_report_group(r, IOB_STORE_COARSE, NULL))
			rc = coarsen_rows(s, r, t);
	}
	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_SPAN_COARSE, &t, 1);
	if (rc == SQLITE_OK)
		rc = store_meta_add(s, "coarse_rows", nr);
	iob_map_free(&by_origin);
	iob_report_destroy(r);
	return rc == SQLITE_OK ? sweep(s) : rc;
}

static int drop(struct iob_store *s, int level, int64_t t)
{
	const int64_t args[] = { level, t };
	sqlite3_stmt *st = store_stmt(s, STORE_SUM_ALL);
	uint64_t rows = 0, bytes = 0;
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_int64(st, 1, level);
	sqlite3_bind_int64(st, 2, t);
	if (sqlite3_step(st) == SQLITE_ROW) {
		rows = sqlite3_column_int64(st, 0);
		bytes = sqlite3_column_int64(st, 1);
	}
	sqlite3_reset(st);
	rc = store_run(s, STORE_SUM_DROP, args, 2);
	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_DISK_DROP, args, 2);
	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_SPAN_DROP, args, 2);
	if (rc == SQLITE_OK)
		rc = store_meta_add(s, "removed_rows", rows);
	if (rc == SQLITE_OK)
		rc = store_meta_add(s, "removed_bytes", bytes);
	return rc == SQLITE_OK ? sweep(s) : rc;
}

static int number_of(struct iob_store *s, const char *text, int64_t *value)
{
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(s->db, text, -1, &st, NULL);

	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(st);
	*value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* SQLITE_DONE: there is nothing that could be. */
static int fold_early(struct iob_store *s, bool keep_latest)
{
	for (int level = 0; level < IOB_STORE_HOURS; level++) {
		int64_t t, newest, least = keep_latest ? store_unit_s[level + 1] : 1;
		int rc = store_number(s, STORE_SPAN_LAST, (int64_t[]){ level }, 1,
				      &newest);

		if (rc == SQLITE_OK)
			rc = first_at(s, level, &t);
		if (rc == SQLITE_OK && newest - t >= least)
			return fold_one(s, level, t);
		if (rc != SQLITE_OK && rc != SQLITE_DONE)
			return rc;
	}
	return SQLITE_DONE;
}

/**
 * store_trim - make room by one step, if there is little
 * @s: the store, within a transaction
 *
 * Return: SQLITE_OK; SQLITE_DONE if there is room enough, or nothing to give up;
 * or an error of SQLite.
 */
int store_trim(struct iob_store *s)
{
	int64_t pages, unused, t;
	int rc = number_of(s, "PRAGMA page_count", &pages);

	if (rc == SQLITE_OK)
		rc = number_of(s, "PRAGMA freelist_count", &unused);
	if (rc != SQLITE_OK)
		return rc;
	if ((uint64_t)(pages - unused) <= s->max_pages - s->max_pages / FULL_PART)
		return SQLITE_DONE;
	/* A minute in seconds and an hour in minutes stay as long as they can. */
	rc = fold_early(s, true);
	if (rc != SQLITE_DONE)
		return rc;
	rc = store_number(s, STORE_SPAN_FINE, NULL, 0, &t);
	if (rc == SQLITE_OK)
		return coarsen(s, t);
	if (rc == SQLITE_DONE)
		rc = fold_early(s, false);
	if (rc != SQLITE_DONE)
		return rc;
	for (int level = IOB_STORE_HOURS; rc == SQLITE_DONE && level >= 0; level--) {
		rc = first_at(s, level, &t);
		if (rc == SQLITE_OK)
			return drop(s, level, t);
	}
	return rc;
}
