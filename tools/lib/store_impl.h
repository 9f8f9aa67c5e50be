/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the store share; for nobody else. */
#ifndef IOBLAME_STORE_IMPL_H
#define IOBLAME_STORE_IMPL_H

#include <sqlite3.h>

#include "store.h"

/* A level of its own: what has not yet become a profile to be sent. */
#define STORE_UNSENT	IOB_NR_STORE_LEVELS
#define STORE_DETAIL_MAX 2048

/* Fields of a row with a column each, in the order of the columns. */
#define STORE_COLUMNS(X)						\
	X(DEV, "dev") X(OP, "op") X(COMM, "comm") X(PID, "pid")		\
	X(CGROUP_ID, "cgroup_id") X(CGROUP, "cgroup")			\
	X(FILE_DEV, "file_dev") X(FILE_INO, "file_ino")			\
	X(FILE_GEN, "file_gen") X(FILE_PATH, "file_path")		\
	X(FILE_MOUNT, "file_mount") X(FILE_FLAGS, "file_flags")		\
	X(KIND, "kind") X(REASON, "reason") X(BASIS, "basis")		\
	X(STACK, "stack") X(UNKNOWN, "unknown")
#define STORE_COLUMN_NAME(field, name) ", " name
#define STORE_COLUMN_FIELD(field, name) IOB_ROW_##field,
#define STORE_COLUMN_NAMES STORE_COLUMNS(STORE_COLUMN_NAME)

/* name, SQL: each is prepared once, when it is first used. */
#define STORE_STATEMENTS(X)						\
	X(BEGIN, "BEGIN IMMEDIATE")					\
	X(COMMIT, "COMMIT")						\
	X(ROLLBACK, "ROLLBACK")						\
	X(META_GET, "SELECT value FROM meta WHERE name = ?1")		\
	X(META_SET, "INSERT INTO meta VALUES(?1, ?2) ON CONFLICT DO UPDATE SET value = ?2") \
	X(META_ADD, "INSERT INTO meta VALUES(?1, ?2) ON CONFLICT DO UPDATE SET value = value + ?2") \
	X(TEXT_FIND, "SELECT id, text FROM text WHERE hash = ?1")	\
	X(TEXT_ADD, "INSERT INTO text(hash, text) VALUES(?1, ?2)")	\
	X(TEXT_GET, "SELECT text FROM text WHERE id = ?1")		\
	X(TEXT_SWEEP, "DELETE FROM text WHERE id NOT IN (SELECT op FROM disk"	\
	  " UNION SELECT name FROM disk WHERE name NOT NULL" STORE_TEXTS_USED ")") \
	X(ORIGIN_FIND, "SELECT id, last FROM origin WHERE hash = ?1")	\
	X(ORIGIN_ADD, "INSERT INTO origin(hash, last, mixed" STORE_COLUMN_NAMES \
	  ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"	\
	  " ?14, ?15, ?16, ?17, ?18, ?19, ?20)")			\
	X(ORIGIN_USED, "UPDATE origin SET last = ?2 WHERE id = ?1")	\
	X(ORIGIN_GET, "SELECT mixed" STORE_COLUMN_NAMES			\
	  " FROM origin WHERE id = ?1")					\
	X(ORIGIN_SWEEP, "DELETE FROM origin WHERE last < CASE mixed WHEN 0"	\
	  " THEN ?1 ELSE ?2 END AND id NOT IN"				\
	  " (SELECT origin FROM sum WHERE level = 3)")			\
	X(SUM_ADD, "INSERT INTO sum VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"	\
	  " ON CONFLICT DO UPDATE SET ios = ios + ?4, bytes = bytes + ?5,"	\
	  " cancelled = cancelled + ?6, detail = iob_detail(detail, ?7)")	\
	X(SUM_AT, "SELECT origin, ios, bytes, cancelled, detail FROM sum"	\
	  " WHERE level = ?1 AND t = ?2")				\
	X(SUM_DROP, "DELETE FROM sum WHERE level = ?1 AND t = ?2")	\
	X(SUM_ALL, "SELECT count(*), sum(bytes) FROM sum WHERE level = ?1 AND t = ?2") \
	X(SUM_IN, "SELECT origin, ios, bytes, cancelled, detail, t FROM sum"	\
	  " WHERE level = ?1 AND t > ?2 AND t < ?3")			\
	X(SUM_FOLD, "INSERT INTO sum SELECT ?3, ?4, origin, ios, bytes,"	\
	  " cancelled, detail FROM sum WHERE level = ?1 AND t = ?2"	\
	  " ON CONFLICT DO UPDATE SET ios = ios + excluded.ios,"	\
	  " bytes = bytes + excluded.bytes,"				\
	  " cancelled = cancelled + excluded.cancelled,"		\
	  " detail = iob_detail(detail, excluded.detail)")		\
	X(DISK_ADD, "INSERT INTO disk VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)" \
	  " ON CONFLICT DO UPDATE SET ios = ios + ?8, bytes = bytes + ?9")	\
	X(DISK_IN, "SELECT dev, op, name, parent, stacked, ios, bytes FROM disk" \
	  " WHERE level = ?1 AND t > ?2 AND t < ?3")			\
	X(DISK_FOLD, "INSERT INTO disk SELECT ?3, ?4, dev, op, name, parent,"	\
	  " stacked, ios, bytes FROM disk WHERE level = ?1 AND t = ?2"	\
	  " ON CONFLICT DO UPDATE SET ios = ios + excluded.ios,"	\
	  " bytes = bytes + excluded.bytes")				\
	X(DISK_DROP, "DELETE FROM disk WHERE level = ?1 AND t = ?2")	\
	X(SPAN_ADD, "INSERT INTO span VALUES(?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8)" \
	  " ON CONFLICT DO UPDATE SET ns = ns + ?3, events = events + ?4,"	\
	  " stacks = stacks + ?5, acts = acts + ?6, pages = pages + ?7,"	\
	  " folds = folds + ?8")					\
	X(SPAN_IN, "SELECT t, ns, events, stacks, acts, pages, folds FROM span"	\
	  " WHERE level = ?1 AND t > ?2 AND t < ?3")			\
	X(SPAN_FOLD, "INSERT INTO span SELECT ?3, ?4, 0, ns, events, stacks,"	\
	  " acts, pages, folds FROM span WHERE level = ?1 AND t = ?2"	\
	  " ON CONFLICT DO UPDATE SET coarse = 0, ns = ns + excluded.ns,"	\
	  " events = events + excluded.events,"				\
	  " stacks = stacks + excluded.stacks, acts = acts + excluded.acts,"	\
	  " pages = pages + excluded.pages, folds = folds + excluded.folds")	\
	X(SPAN_DROP, "DELETE FROM span WHERE level = ?1 AND t = ?2")	\
	X(SPAN_FIRST, "SELECT min(t) FROM span WHERE level = ?1")	\
	X(SPAN_LAST, "SELECT max(t) FROM span WHERE level = ?1")	\
	X(SPAN_FINE, "SELECT min(t) FROM span WHERE level = 2 AND coarse = 0")	\
	X(SPAN_COARSE, "UPDATE span SET coarse = 1 WHERE level = 2 AND t = ?1")	\
	X(OUTBOX_ADD, "INSERT INTO outbox(name, since, until, bytes, body)"	\
	  " VALUES(?1, ?2, ?3, ?4, ?5)")				\
	X(OUTBOX_NEXT, "SELECT id, name, since, until, bytes, body FROM outbox"	\
	  " ORDER BY id LIMIT 1")					\
	X(OUTBOX_DONE, "DELETE FROM outbox WHERE id = ?1")		\
	X(OUTBOX_ALL, "SELECT count(*), coalesce(sum(length(body)), 0) FROM outbox")

#define STORE_TEXTS_USED						\
	" UNION SELECT op FROM origin UNION SELECT comm FROM origin"	\
	" UNION SELECT cgroup FROM origin UNION SELECT file_path FROM origin" \
	" UNION SELECT file_mount FROM origin UNION SELECT file_flags FROM origin" \
	" UNION SELECT kind FROM origin UNION SELECT reason FROM origin"	\
	" UNION SELECT basis FROM origin UNION SELECT stack FROM origin"	\
	" UNION SELECT unknown FROM origin"

#define STORE_ENUM_STATEMENT(name, sql) STORE_##name,
enum store_statement { STORE_STATEMENTS(STORE_ENUM_STATEMENT)
		       STORE_NR_STATEMENTS };

struct iob_store {
	sqlite3 *db;
	char *path;
	sqlite3_stmt *stmts[STORE_NR_STATEMENTS];
	struct iob_store_limits limits;
	uint64_t max_pages, page_size;
	uint64_t seed;			/* of hashes: nobody makes names that collide */
	uint64_t visited;
};

extern const uint32_t store_unit_s[IOB_NR_STORE_LEVELS];

int store_fail(struct iob_store *s, int rc, struct iob_err *err);
sqlite3_stmt *store_stmt(struct iob_store *s, enum store_statement which);
int store_run(struct iob_store *s, enum store_statement which,
	      const int64_t *args, int nr_args);
int store_number(struct iob_store *s, enum store_statement which,
		 const int64_t *args, int nr_args, int64_t *value);
int store_meta_add(struct iob_store *s, const char *name, uint64_t more);
uint64_t store_meta(struct iob_store *s, const char *name);

int store_text(struct iob_store *s, const char *text, int64_t *id);
int store_origin(struct iob_store *s, const struct iob_row *row,
		 const char *frames, int64_t t, int64_t *id);
int store_sum(struct iob_store *s, int level, int64_t t, int64_t origin,
	      const struct iob_row *row, bool times);
int store_load_origin(struct iob_store *s, int64_t id, struct iob_row *row,
		      struct iob_report *r);
const char *store_load_text(struct iob_store *s, int64_t id, bool is_name,
			    struct iob_report *r);

size_t store_detail_pack(const struct iob_row *row, bool tells_times,
			 uint8_t *buf);
int store_detail_add(struct iob_row *row, const uint8_t *p, size_t len,
		     bool *tells_times);
int store_detail_register(sqlite3 *db);

int store_fold(struct iob_store *s, int64_t now);
int store_trim(struct iob_store *s);
void store_describe(struct iob_store *s, struct iob_report *r);
void store_unite_stacks(struct iob_report *r);
int store_rows(struct iob_store *s, int level, int64_t after, int64_t before,
	       struct iob_report *r, struct iob_map *by_origin);

#endif /* IOBLAME_STORE_IMPL_H */
