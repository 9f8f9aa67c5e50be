// SPDX-License-Identifier: GPL-2.0
/* Texts and origins of the store: each is there once and has a number. */
#include <errno.h>
#include <string.h>

#include "map.h"
#include "store_impl.h"

static const enum iob_row_field columns[] = {
	STORE_COLUMNS(STORE_COLUMN_FIELD)
};

#define NR_COLUMNS ((int)(sizeof(columns) / sizeof(*columns)))

/* Eight bytes at once: frames are long. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	size_t len = strlen(text);

	hash = iob_mix(hash, len);
	for (; len >= 8; len -= 8, text += 8) {
		uint64_t part;

		memcpy(&part, text, 8);
		hash = iob_mix(hash, part);
	}
	for (; len; len--)
		hash = iob_mix(hash, (unsigned char)*text++);
	return hash;
}

static int add_text(struct iob_store *s, int64_t hash, const char *text,
		    int64_t *id)
{
	sqlite3_stmt *st = store_stmt(s, STORE_TEXT_ADD);
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_int64(st, 1, hash);
	sqlite3_bind_blob(st, 2, text, strlen(text), SQLITE_STATIC);
	rc = sqlite3_step(st);
	*id = sqlite3_last_insert_rowid(s->db);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/**
 * store_text - the number of a text, which is added if it is new
 * @s: the store
 * @text: the text
 * @id: its number
 *
 * Return: SQLITE_OK or an error of SQLite.
 */
int store_text(struct iob_store *s, const char *text, int64_t *id)
{
	int64_t hash = hash_text(s->seed, text);
	sqlite3_stmt *st = store_stmt(s, STORE_TEXT_FIND);
	size_t len = strlen(text);
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_int64(st, 1, hash);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if ((size_t)sqlite3_column_bytes(st, 1) != len ||
		    (len && memcmp(sqlite3_column_blob(st, 1), text, len)))
			continue;
		*id = sqlite3_column_int64(st, 0);
		break;
	}
	sqlite3_reset(st);
	if (rc == SQLITE_ROW)
		return SQLITE_OK;
	return rc == SQLITE_DONE ? add_text(s, hash, text, id) : rc;
}

static int64_t origin_hash(const struct iob_store *s, const struct iob_row *row,
			   const char *frames)
{
	uint64_t h = iob_mix(s->seed, row->known & IOB_STORE_FIELDS);

	h = iob_mix(h, row->mixed & IOB_STORE_FIELDS);
	for (int i = 0; i < NR_COLUMNS; i++) {
		enum iob_row_field f = columns[i];

		if (!(row->known & 1u << f))
			continue;
		if (f == IOB_ROW_STACK)
			h = hash_text(h, frames);
		else if (iob_row_field_is_text(f))
			h = hash_text(h, iob_row_text(row, f));
		else
			h = iob_mix(h, row->v[f]);
	}
	return h;
}

static int add_origin(struct iob_store *s, const struct iob_row *row,
		      const char *frames, int64_t hash, int64_t t, int64_t *id)
{
	int64_t values[NR_COLUMNS];
	sqlite3_stmt *st;
	int rc = SQLITE_OK;

	for (int i = 0; rc == SQLITE_OK && i < NR_COLUMNS; i++) {
		enum iob_row_field f = columns[i];

		values[i] = row->v[f];
		if (!(row->known & 1u << f))
			continue;
		if (f == IOB_ROW_STACK || iob_row_field_is_text(f))
			rc = store_text(s, f == IOB_ROW_STACK ? frames :
					   iob_row_text(row, f), &values[i]);
	}
	st = rc == SQLITE_OK ? store_stmt(s, STORE_ORIGIN_ADD) : NULL;
	if (!st)
		return rc ? rc : sqlite3_errcode(s->db);
	sqlite3_bind_int64(st, 1, hash);
	sqlite3_bind_int64(st, 2, t);
	sqlite3_bind_int64(st, 3, row->mixed & IOB_STORE_FIELDS);
	for (int i = 0; i < NR_COLUMNS; i++) {
		if (row->known & 1u << columns[i])
			sqlite3_bind_int64(st, 4 + i, values[i]);
		else
			sqlite3_bind_null(st, 4 + i);
	}
	rc = sqlite3_step(st);
	*id = sqlite3_last_insert_rowid(s->db);
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/**
 * store_origin - the number of an origin, which is added if it is new
 * @s: the store
 * @row: what of IOB_STORE_FIELDS is known of it
 * @frames: its stack, if that is known
 * @t: when it did something: it is kept as long as this
 * @id: its number
 *
 * Return: SQLITE_OK or an error of SQLite.
 */
int store_origin(struct iob_store *s, const struct iob_row *row,
		 const char *frames, int64_t t, int64_t *id)
{
	int64_t hash = origin_hash(s, row, frames), last = 0;
	sqlite3_stmt *st = store_stmt(s, STORE_ORIGIN_FIND);
	int rc;

	/* So that it need not be written each time. */
	t -= t % store_unit_s[IOB_STORE_HOURS];
	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_int64(st, 1, hash);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		*id = sqlite3_column_int64(st, 0);
		last = sqlite3_column_int64(st, 1);
	}
	sqlite3_reset(st);
	if (rc == SQLITE_DONE)
		return add_origin(s, row, frames, hash, t, id);
	if (rc != SQLITE_ROW)
		return rc;
	return last >= t ? SQLITE_OK :
	       store_run(s, STORE_ORIGIN_USED, (int64_t[]){ *id, t }, 2);
}

/**
 * store_load_text - a text by its number
 * @s: the store
 * @id: its number
 * @is_name: it is kept as it is; else see iob_strings_word()
 * @r: the report that keeps it
 *
 * Return: the text; NULL if there is none, or without memory.
 */
const char *store_load_text(struct iob_store *s, int64_t id, bool is_name,
			    struct iob_report *r)
{
	sqlite3_stmt *st = store_stmt(s, STORE_TEXT_GET);
	const char *text = NULL;

	if (!st)
		return NULL;
	sqlite3_bind_int64(st, 1, id);
	if (sqlite3_step(st) == SQLITE_ROW) {
		const char *p = sqlite3_column_blob(st, 0);
		size_t len = sqlite3_column_bytes(st, 0);

		/* What has a NUL in it was not written by us. */
		len = p ? strnlen(p, len) : 0;
		text = is_name ? iob_strings_intern(r->strings, p ? p : "", len) :
				 iob_strings_word(r->strings, p ? p : "", len);
	}
	sqlite3_reset(st);
	return text;
}

/* Chosen by users; the other texts are words. */
#define NAMES (IOB_ROW_BIT(COMM) | IOB_ROW_BIT(CGROUP) |		\
	       IOB_ROW_BIT(FILE_PATH) | IOB_ROW_BIT(FILE_MOUNT))

/* A field of the origin that is looked at */
static int load_field(struct iob_store *s, enum iob_row_field f, int64_t value,
		      struct iob_row *row, struct iob_report *r)
{
	struct iob_report_stack *stack;
	const char *text;

	if (f != IOB_ROW_STACK && !iob_row_field_is_text(f)) {
		iob_row_set(row, f, value);
		return 0;
	}
	text = store_load_text(s, value, NAMES & 1u << f, r);
	if (!text)
		return -EBADMSG;
	if (f != IOB_ROW_STACK) {
		iob_row_set_text(row, f, text);
		return 0;
	}
	iob_row_set(row, f, (uint32_t)value);
	stack = iob_vec_add(&r->stacks);
	if (!stack)
		return -ENOMEM;
	stack->id = value;
	stack->frames = text;
	return 0;
}

/**
 * store_load_origin - who and what an origin is
 * @s: the store
 * @id: its number
 * @row: takes the fields
 * @r: the report that keeps the texts, and takes the stack
 *
 * Return: 0, -ENOMEM, or -EBADMSG if the store is damaged.
 */
int store_load_origin(struct iob_store *s, int64_t id, struct iob_row *row,
		      struct iob_report *r)
{
	sqlite3_stmt *st = store_stmt(s, STORE_ORIGIN_GET);
	int ret = -EBADMSG;

	if (!st)
		return ret;
	sqlite3_bind_int64(st, 1, id);
	if (sqlite3_step(st) == SQLITE_ROW) {
		row->mixed = sqlite3_column_int64(st, 0) & IOB_STORE_FIELDS;
		ret = 0;
		for (int i = 0; !ret && i < NR_COLUMNS; i++)
			if (sqlite3_column_type(st, 1 + i) != SQLITE_NULL)
				ret = load_field(s, columns[i],
						 sqlite3_column_int64(st, 1 + i),
						 row, r);
	}
	sqlite3_reset(st);
	return ret;
}
