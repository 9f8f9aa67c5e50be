// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aggregate.h"
#include "store_impl.h"

#define APPLICATION_ID	0x494f4221	/* what file(1) sees */
#define BUSY_MS		2000
#define JOURNAL_PART	4		/* of the size is for the journal */
#define TRIM_STEPS	64		/* at one time */

#define STORE_SQL(name, sql) [STORE_##name] = sql,

static const char *const sql[STORE_NR_STATEMENTS] = {
	STORE_STATEMENTS(STORE_SQL)
};

const uint32_t store_unit_s[IOB_NR_STORE_LEVELS] = { 1, 60, 3600 };

static const char schema[] =
	"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE text(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL,"
	" text BLOB NOT NULL);"
	"CREATE INDEX text_by_hash ON text(hash);"
	"CREATE TABLE origin(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL,"
	" last INTEGER NOT NULL, mixed INTEGER NOT NULL" STORE_COLUMN_NAMES ");"
	"CREATE UNIQUE INDEX origin_by_hash ON origin(hash);"
	"CREATE TABLE sum(level INTEGER, t INTEGER, origin INTEGER,"
	" ios INTEGER NOT NULL, bytes INTEGER NOT NULL,"
	" cancelled INTEGER NOT NULL, detail BLOB NOT NULL,"
	" PRIMARY KEY(level, t, origin)) WITHOUT ROWID;"
	"CREATE TABLE disk(level INTEGER, t INTEGER, dev INTEGER, op INTEGER,"
	" name INTEGER, parent INTEGER, stacked INTEGER,"
	" ios INTEGER NOT NULL, bytes INTEGER NOT NULL,"
	" PRIMARY KEY(level, t, dev, op)) WITHOUT ROWID;"
	"CREATE TABLE span(level INTEGER, t INTEGER, coarse INTEGER NOT NULL,"
	" ns INTEGER NOT NULL, events INTEGER NOT NULL,"
	" stacks INTEGER NOT NULL, acts INTEGER NOT NULL,"
	" pages INTEGER NOT NULL, folds INTEGER NOT NULL,"
	" PRIMARY KEY(level, t)) WITHOUT ROWID;"
	"CREATE TABLE outbox(id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" name TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,"
	" bytes INTEGER NOT NULL, body BLOB NOT NULL);";

/**
 * store_fail - say what SQLite says
 * @s: the store
 * @rc: its error
 * @err: error text
 *
 * Return: a negative errno: -EBADMSG for a file that is damaged, -ENOSPC.
 */
int store_fail(struct iob_store *s, int rc, struct iob_err *err)
{
	const char *said = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);

	switch (rc & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return iob_fail(err, -EBADMSG,
				"the store %s is damaged (%s): move it away, and watching begins a new one",
				s->path, said);
	case SQLITE_FULL:
		return iob_fail(err, -ENOSPC, "the store %s: no space left",
				s->path);
	case SQLITE_NOMEM:
		return iob_fail(err, -ENOMEM, "out of memory");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return iob_fail(err, -EBUSY,
				"the store %s is in use by another program",
				s->path);
	}
	return iob_fail(err, -EIO, "the store %s: %s", s->path, said);
}

/**
 * store_stmt - a statement, ready to be bound
 * @s: the store
 * @which: which
 *
 * Return: the statement; NULL if it cannot be made.
 */
sqlite3_stmt *store_stmt(struct iob_store *s, enum store_statement which)
{
	if (!s->stmts[which] &&
	    sqlite3_prepare_v3(s->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT,
			       &s->stmts[which], NULL) != SQLITE_OK)
		return NULL;
	return s->stmts[which];
}

/**
 * store_run - run a statement that gives no rows
 * @s: the store
 * @which: which
 * @args: numbers to be bound
 * @nr_args: how many
 *
 * Return: SQLITE_OK or an error of SQLite.
 */
int store_run(struct iob_store *s, enum store_statement which,
	      const int64_t *args, int nr_args)
{
	int64_t ignored;
	int rc = store_number(s, which, args, nr_args, &ignored);

	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/**
 * store_number - run a statement that gives one number
 * @s: the store
 * @which: which
 * @args: numbers to be bound
 * @nr_args: how many
 * @value: the number
 *
 * Return: SQLITE_OK, SQLITE_DONE if there is none, or an error of SQLite.
 */
int store_number(struct iob_store *s, enum store_statement which,
		 const int64_t *args, int nr_args, int64_t *value)
{
	sqlite3_stmt *st = store_stmt(s, which);
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	for (int i = 0; i < nr_args; i++)
		sqlite3_bind_int64(st, 1 + i, args[i]);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		bool null = sqlite3_column_type(st, 0) == SQLITE_NULL;

		*value = sqlite3_column_int64(st, 0);
		rc = null ? SQLITE_DONE : SQLITE_OK;
	}
	sqlite3_reset(st);
	return rc;
}

/**
 * store_meta_add - count
 * @s: the store
 * @name: what
 * @more: how many more
 *
 * Return: SQLITE_OK or an error of SQLite.
 */
int store_meta_add(struct iob_store *s, const char *name, uint64_t more)
{
	sqlite3_stmt *st = store_stmt(s, STORE_META_ADD);
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, more);
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/**
 * store_meta - what was counted
 * @s: the store
 * @name: what
 *
 * Return: how many; 0 if there is none.
 */
uint64_t store_meta(struct iob_store *s, const char *name)
{
	sqlite3_stmt *st = store_stmt(s, STORE_META_GET);
	uint64_t value = 0;

	if (!st)
		return 0;
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW)
		value = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return value;
}

static int set_text(struct iob_store *s, const char *name, const char *text)
{
	sqlite3_stmt *st = store_stmt(s, STORE_META_SET);
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, text, -1, SQLITE_TRANSIENT);
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int pragma(struct iob_store *s, int64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int pragma(struct iob_store *s, int64_t *value, const char *fmt, ...)
{
	sqlite3_stmt *st = NULL;
	char text[128];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rc = sqlite3_prepare_v2(s->db, text, -1, &st, NULL);
	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && value)
		*value = sqlite3_column_int64(st, 0);
	/* A second step may be what does it. */
	while (rc == SQLITE_ROW)
		rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int make_schema(struct iob_store *s)
{
	uint64_t seed = 0, id = 0;
	int rc = pragma(s, NULL, "PRAGMA application_id = %d", APPLICATION_ID);

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uintptr_t)s ^ getpid();
	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		id = ~seed;
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, schema, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = store_meta_add(s, "seed", seed);
	if (rc == SQLITE_OK)
		rc = store_meta_add(s, "id", id);
	if (rc == SQLITE_OK)
		rc = pragma(s, NULL, "PRAGMA user_version = %d",
			    IOB_STORE_SCHEMA);
	return rc == SQLITE_OK ?
	       sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) : rc;
}

/* Whether it is a store, and one that we know */
static int check_schema(struct iob_store *s, bool *is_new, struct iob_err *err)
{
	int64_t id = 0, version = 0, tables = 0;
	int rc = pragma(s, &id, "PRAGMA application_id");

	if (rc == SQLITE_OK)
		rc = pragma(s, &version, "PRAGMA user_version");
	if (rc == SQLITE_OK)
		rc = pragma(s, &tables, "SELECT count(*) FROM sqlite_master");
	if (rc != SQLITE_OK)
		return store_fail(s, rc, err);
	*is_new = !tables && !version;
	if (*is_new)
		return 0;
	if (id != APPLICATION_ID)
		return iob_fail(err, -EBADMSG, "%s is no store of ioblame",
				s->path);
	if (version != IOB_STORE_SCHEMA)
		return iob_fail(err, -EPROTO,
				"the store %s is of schema %lld, this program knows %d: install a newer ioblame",
				s->path, (long long)version, IOB_STORE_SCHEMA);
	return 0;
}

static int open_db(struct iob_store **sp, const char *path, int flags,
		   struct iob_err *err)
{
	struct iob_store *s = calloc(1, sizeof(*s));
	int rc;

	*sp = s;
	if (s)
		s->path = strdup(path);
	if (!s || !s->path)
		return iob_fail(err, -ENOMEM, "out of memory");
	rc = sqlite3_open_v2(path, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK)
		return store_fail(s, rc, err);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	/* What is in the file cannot make us call anything. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	rc = store_detail_register(s->db);
	return rc == SQLITE_OK ? 0 : store_fail(s, rc, err);
}

static int set_limits(struct iob_store *s, const struct iob_store_limits *l,
		      struct iob_err *err)
{
	int64_t page_size = 0, pages;
	int rc = pragma(s, &page_size, "PRAGMA page_size");

	s->limits = *l;
	if (s->limits.max_bytes < IOB_STORE_MIN_BYTES)
		s->limits.max_bytes = IOB_STORE_MIN_BYTES;
	s->page_size = page_size ? page_size : 4096;
	pages = s->limits.max_bytes / s->page_size;
	s->max_pages = pages - pages / JOURNAL_PART;
	if (rc == SQLITE_OK)
		rc = pragma(s, NULL, "PRAGMA max_page_count = %llu",
			    (unsigned long long)s->max_pages);
	if (rc == SQLITE_OK)
		rc = pragma(s, NULL, "PRAGMA journal_size_limit = %llu",
			    (unsigned long long)(s->limits.max_bytes / 16));
	/* The journal is moved into the file long before its part is full. */
	if (rc == SQLITE_OK)
		rc = pragma(s, NULL, "PRAGMA wal_autocheckpoint = %lld",
			    (long long)(pages / 32 < 1000 ? pages / 32 + 1 : 1000));
	return rc == SQLITE_OK ? 0 : store_fail(s, rc, err);
}

/**
 * iob_store_open - open the store to write to it, or make one
 * @sp: the store; NULL after an error
 * @path: the file
 * @limits: how big it may become
 * @err: error text
 *
 * Return: 0 or a negative errno; -EBADMSG if what is there is damaged.
 */
int iob_store_open(struct iob_store **sp, const char *path,
		   const struct iob_store_limits *limits, struct iob_err *err)
{
	/* Names of files and programs are not for everybody. */
	mode_t mask = umask(0077);
	bool is_new = false;
	int ret = open_db(sp, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			  err), rc;
	struct iob_store *s = *sp;

	if (!ret)
		ret = check_schema(s, &is_new, err);
	if (!ret) {
		/* A power cut may cost the last seconds, never the file. */
		rc = pragma(s, NULL, "PRAGMA journal_mode = WAL");
		if (rc == SQLITE_OK)
			rc = pragma(s, NULL, "PRAGMA synchronous = NORMAL");
		if (rc == SQLITE_OK)
			rc = pragma(s, NULL, "PRAGMA cache_size = -8192");
		if (rc == SQLITE_OK && is_new)
			rc = make_schema(s);
		ret = rc == SQLITE_OK ? set_limits(s, limits, err) :
					store_fail(s, rc, err);
	}
	umask(mask);
	if (ret) {
		iob_store_close(s);
		*sp = NULL;
	} else {
		s->seed = store_meta(s, "seed");
	}
	return ret;
}

/**
 * iob_store_open_reader - open the store to ask it, also while it is written to
 * @sp: the store; NULL after an error
 * @path: the file
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_store_open_reader(struct iob_store **sp, const char *path,
			  struct iob_err *err)
{
	bool is_new = false;
	int ret;

	*sp = NULL;
	if (access(path, F_OK))
		return iob_fail(err, -ENOENT,
				"no store %s: 'ioblame watch' makes it, --store names another",
				path);
	/* Who may write cleans up after a writer that was killed. */
	ret = open_db(sp, path, access(path, W_OK) ? SQLITE_OPEN_READONLY :
						     SQLITE_OPEN_READWRITE, err);
	if (!ret)
		ret = check_schema(*sp, &is_new, err);
	if (!ret && is_new)
		ret = iob_fail(err, -EBADMSG, "%s is no store of ioblame", path);
	if (!ret)
		pragma(*sp, NULL, "PRAGMA query_only = 1");
	if (!ret)
		return 0;
	iob_store_close(*sp);
	*sp = NULL;
	return ret;
}

/**
 * iob_store_close - close
 * @s: the store, or NULL
 */
void iob_store_close(struct iob_store *s)
{
	if (!s)
		return;
	for (int i = 0; i < STORE_NR_STATEMENTS; i++)
		sqlite3_finalize(s->stmts[i]);
	sqlite3_close(s->db);
	free(s->path);
	free(s);
}

/**
 * iob_store_id - a number that no other store has
 * @s: the store
 *
 * Return: the number.
 */
uint64_t iob_store_id(struct iob_store *s)
{
	return store_meta(s, "id");
}

static int add_disks(struct iob_store *s, const struct iob_report *r, int64_t t)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < r->devices.nr; i++) {
		const struct iob_device *d = &r->devices.v[i];
		int64_t name = 0, op;

		if (d->name)
			rc = store_text(s, d->name, &name);
		for (size_t k = 0; rc == SQLITE_OK && k < d->ops.nr; k++) {
			const struct iob_op_sum *sum = &d->ops.v[k];

			rc = store_text(s, sum->op, &op);
			if (rc != SQLITE_OK)
				break;
			rc = store_run(s, STORE_DISK_ADD, (int64_t[]){
				IOB_STORE_SECONDS, t, d->dev, op, name,
				d->parent, d->stacked, sum->sum.ios,
				sum->sum.bytes }, 9);
		}
	}
	return rc;
}

/**
 * store_sum - add what an origin did
 * @s: the store
 * @level: where to
 * @t: when
 * @origin: its number
 * @row: what it did
 * @times: the sums of times are known
 *
 * Return: SQLITE_OK or an error of SQLite.
 */
int store_sum(struct iob_store *s, int level, int64_t t, int64_t origin,
	      const struct iob_row *row, bool times)
{
	sqlite3_stmt *st = store_stmt(s, STORE_SUM_ADD);
	uint8_t detail[STORE_DETAIL_MAX];
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_int64(st, 1, level);
	sqlite3_bind_int64(st, 2, t);
	sqlite3_bind_int64(st, 3, origin);
	sqlite3_bind_int64(st, 4, row->ios);
	sqlite3_bind_int64(st, 5, row->bytes);
	sqlite3_bind_int64(st, 6, row->cancelled);
	sqlite3_bind_blob(st, 7, detail, store_detail_pack(row, times, detail),
			  SQLITE_STATIC);
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int add_rows(struct iob_store *s, const struct iob_report *r, int64_t t)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		const char *frames = NULL;
		int64_t origin;

		if (row->known & IOB_ROW_BIT(STACK))
			frames = iob_report_frames(r, row->v[IOB_ROW_STACK]);
		rc = store_origin(s, row, frames ? frames : "", t, &origin);
		if (rc == SQLITE_OK)
			rc = store_sum(s, IOB_STORE_SECONDS, t, origin, row,
				       r->tells_times);
		if (rc == SQLITE_OK && s->limits.pushes)
			rc = store_sum(s, STORE_UNSENT, 0, origin, row,
				       r->tells_times);
	}
	return rc;
}

static int add_all(struct iob_store *s, const struct iob_report *r, int64_t t)
{
	int rc = store_run(s, STORE_SPAN_ADD, (int64_t[]){
		IOB_STORE_SECONDS, t, r->end_ns - r->start_ns,
		r->lost[IOB_LOSS_EVENTS], r->lost[IOB_LOSS_STACKS],
		r->lost[IOB_LOSS_ACTS], r->lost[IOB_LOSS_PAGES],
		r->lost[IOB_LOSS_FOLDS] }, 8);

	if (rc == SQLITE_OK)
		rc = add_disks(s, r, t);
	if (rc == SQLITE_OK)
		rc = add_rows(s, r, t);
	if (rc == SQLITE_OK && r->kernel)
		rc = set_text(s, "kernel", r->kernel);
	if (rc == SQLITE_OK && r->host)
		rc = set_text(s, "host", r->host);
	if (rc == SQLITE_OK && r->version)
		rc = set_text(s, "version", r->version);
	if (rc == SQLITE_OK)
		rc = store_fold(s, t + 1);
	for (int i = 0; rc == SQLITE_OK && i < TRIM_STEPS; i++) {
		rc = store_trim(s);
		if (rc == SQLITE_DONE)
			break;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Room is made in a transaction of its own: what was to be added comes after. */
static int make_room(struct iob_store *s)
{
	int rc = store_run(s, STORE_BEGIN, NULL, 0);

	for (int i = 0; rc == SQLITE_OK && i < TRIM_STEPS; i++) {
		rc = store_trim(s);
		if (rc == SQLITE_DONE)
			break;
	}
	if (rc == SQLITE_OK || rc == SQLITE_DONE)
		rc = store_run(s, STORE_COMMIT, NULL, 0);
	if (rc != SQLITE_OK && !sqlite3_get_autocommit(s->db))
		store_run(s, STORE_ROLLBACK, NULL, 0);
	return rc;
}

static int add_once(struct iob_store *s, const struct iob_report *r, int64_t t)
{
	int rc = store_run(s, STORE_BEGIN, NULL, 0);

	if (rc == SQLITE_OK)
		rc = add_all(s, r, t);
	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_COMMIT, NULL, 0);
	/* Some errors have rolled back already. */
	if (rc != SQLITE_OK && !sqlite3_get_autocommit(s->db))
		store_run(s, STORE_ROLLBACK, NULL, 0);
	return rc;
}

/**
 * iob_store_add - keep what happened in an interval
 * @s: the store
 * @r: what happened; its rows are grouped by what is kept
 * @now_s: when the interval ended
 * @err: error text
 *
 * All of it or nothing: after an error the same report can be added again.
 * Also makes minutes of old seconds, hours of old minutes, and room.
 *
 * Return: 0 or a negative errno.
 */
int iob_store_add(struct iob_store *s, struct iob_report *r, uint64_t now_s,
		  struct iob_err *err)
{
	int ret = iob_report_group(r, IOB_STORE_FIELDS, err), rc;

	if (ret)
		return ret;
	rc = add_once(s, r, now_s ? now_s - 1 : 0);
	if (rc == SQLITE_FULL && make_room(s) == SQLITE_OK)
		rc = add_once(s, r, now_s ? now_s - 1 : 0);
	return rc == SQLITE_OK ? 0 : store_fail(s, rc, err);
}

static uint64_t size_of(const char *path, const char *suffix)
{
	char name[4096];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, &st) ? 0 : st.st_size;
}

/**
 * iob_store_stats - how big it is and what it had to give up
 * @s: the store
 * @stats: the numbers
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_store_stats(struct iob_store *s, struct iob_store_stats *stats,
		    struct iob_err *err)
{
	sqlite3_stmt *st = store_stmt(s, STORE_OUTBOX_ALL);
	int rc = st ? sqlite3_step(st) : sqlite3_errcode(s->db);

	memset(stats, 0, sizeof(*stats));
	if (rc == SQLITE_ROW) {
		stats->outbox_profiles = sqlite3_column_int64(st, 0);
		stats->outbox_bytes = sqlite3_column_int64(st, 1);
	}
	sqlite3_reset(st);
	if (rc != SQLITE_ROW)
		return store_fail(s, rc, err);
	stats->file_bytes = size_of(s->path, "") + size_of(s->path, "-wal");
	stats->coarse_rows = store_meta(s, "coarse_rows");
	stats->removed_rows = store_meta(s, "removed_rows");
	stats->removed_bytes = store_meta(s, "removed_bytes");
	stats->dropped_profiles = store_meta(s, "dropped_profiles");
	stats->dropped_bytes = store_meta(s, "dropped_bytes");
	stats->visited = s->visited;
	return 0;
}
