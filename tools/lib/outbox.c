// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "escape.h"
#include "map.h"
#include "metric.h"
#include "outbox.h"
#include "store_impl.h"
#include "writer.h"

#define OUTBOX_PART	4		/* of the store may be full of it */

/* Rows that agree in these are one profile. */
#define LABELS (IOB_ROW_BIT(DEV) | IOB_ROW_BIT(CGROUP_ID) |	\
		IOB_ROW_BIT(CGROUP) | IOB_ROW_BIT(COMM) | IOB_ROW_BIT(UNKNOWN))

/* The name's own syntax has no way to quote these. */
static void put_label(FILE *out, const char *key, const char *value)
{
	char *text = value ? iob_escape(value) : NULL;

	if (!text || !*text) {
		free(text);
		return;
	}
	fprintf(out, ",%s=", key);
	for (const char *p = text; *p; p++) {
		if (strchr(",={}\"", *p) || (*p == ' ' && (p == text || !p[1])))
			fprintf(out, "\\x%02x", *p);
		else
			fputc(*p, out);
	}
	free(text);
}

static char *make_name(const struct iob_report *r, const struct iob_row *row,
		       const char *name)
{
	const char *unknown = iob_row_text(row, IOB_ROW_UNKNOWN);
	char *text = NULL, dev[64], who[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s{service_name=%s", name, name);
	put_label(out, "host", r->host);
	put_label(out, "kernel", r->kernel);
	put_label(out, "device", iob_report_devname(r, row->v[IOB_ROW_DEV], dev,
						    sizeof(dev)));
	put_label(out, "cgroup", iob_row_text(row, IOB_ROW_CGROUP));
	snprintf(who, sizeof(who), "[%s]", unknown ? unknown : "");
	put_label(out, "comm", unknown ? who : iob_row_text(row, IOB_ROW_COMM));
	fputc('}', out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int by_labels(const void *pa, const void *pb)
{
	const struct iob_row *a = pa, *b = pb;

	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++) {
		uint64_t x = LABELS & a->known & 1u << f ? a->v[f] : 0;
		uint64_t y = LABELS & b->known & 1u << f ? b->v[f] : 0;

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int add_profile(struct iob_store *s, const char *name, uint64_t since_s,
		       uint64_t until_s, uint64_t bytes, const void *body,
		       size_t len)
{
	sqlite3_stmt *st = store_stmt(s, STORE_OUTBOX_ADD);
	int rc;

	if (!st)
		return sqlite3_errcode(s->db);
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, since_s);
	sqlite3_bind_int64(st, 3, until_s);
	sqlite3_bind_int64(st, 4, bytes);
	sqlite3_bind_blob64(st, 5, body, len, SQLITE_STATIC);
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* One profile: @rows of @all */
static int make_profile(struct iob_store *s, struct iob_report *all,
			struct iob_row *rows, size_t nr, const char *name)
{
	struct iob_report part = *all;
	struct iob_write_options o = { .metric = iob_metrics };
	char *body = NULL, *text = make_name(all, rows, name);
	struct iob_err err;
	uint64_t bytes = 0;
	size_t len = 0;
	int rc = SQLITE_NOMEM;

	part.rows.v = rows;
	part.rows.nr = nr;
	/* Its head is about these rows alone. */
	part.notes.nr = 0;
	o.out = open_memstream(&body, &len);
	for (size_t i = 0; i < nr; i++)
		bytes += rows[i].bytes;
	if (o.out && text) {
		int ret = iob_pprof_writer.write(&part, &o, &err);

		if (!fclose(o.out) && !ret)
			rc = add_profile(s, text, all->start_ns / 1000000000,
					 all->end_ns / 1000000000, bytes, body,
					 len);
	} else if (o.out) {
		fclose(o.out);
	}
	free(text);
	free(body);
	return rc;
}

static int load_disks(struct iob_store *s, struct iob_report *r)
{
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(s->db,
		"SELECT dev, name, max(stacked) FROM disk GROUP BY dev", -1, &st,
		NULL);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct iob_device *d = iob_report_device(r,
						sqlite3_column_int64(st, 0));

		if (!d)
			break;
		if (sqlite3_column_int64(st, 1))
			d->name = store_load_text(s, sqlite3_column_int64(st, 1),
						  false, r);
		d->stacked = sqlite3_column_int64(st, 2);
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc == SQLITE_ROW ? SQLITE_NOMEM : rc;
}

static int make_profiles(struct iob_store *s, struct iob_report *r,
			 const char *name)
{
	int rc = SQLITE_OK;

	iob_report_drop_stacked(r);
	if (r->rows.nr)
		qsort(r->rows.v, r->rows.nr, sizeof(*r->rows.v), by_labels);
	for (size_t i = 0, n; rc == SQLITE_OK && i < r->rows.nr; i += n) {
		for (n = 1; i + n < r->rows.nr; n++)
			if (by_labels(&r->rows.v[i], &r->rows.v[i + n]))
				break;
		rc = make_profile(s, r, r->rows.v + i, n, name);
	}
	return rc;
}

/* The oldest have waited in vain. */
static int keep_bounded(struct iob_store *s)
{
	uint64_t max = s->limits.max_bytes / OUTBOX_PART;
	int rc = SQLITE_OK;

	for (;;) {
		struct iob_profile p;
		struct iob_store_stats stats;
		struct iob_err err;

		if (iob_store_stats(s, &stats, &err))
			return sqlite3_errcode(s->db);
		if (stats.outbox_bytes <= max || rc != SQLITE_OK)
			return rc;
		if (iob_outbox_next(s, &p, &err))
			return sqlite3_errcode(s->db);
		rc = store_run(s, STORE_OUTBOX_DONE, &p.id, 1);
		if (rc == SQLITE_OK)
			rc = store_meta_add(s, "dropped_profiles", 1);
		if (rc == SQLITE_OK)
			rc = store_meta_add(s, "dropped_bytes", p.bytes);
		iob_profile_free(&p);
	}
}

static int set_since(struct iob_store *s, uint64_t old, uint64_t now)
{
	return store_meta_add(s, "unsent_since", now - old);
}

static int fill(struct iob_store *s, uint64_t since_s, uint64_t now_s,
		const char *name)
{
	struct iob_report *r = iob_report_create();
	struct iob_map by_origin = {};
	int rc = SQLITE_NOMEM;

	if (r && load_disks(s, r) == SQLITE_OK) {
		store_describe(s, r);
		r->start_ns = since_s * 1000000000;
		r->end_ns = now_s * 1000000000;
		r->tells_times = true;
		rc = store_rows(s, STORE_UNSENT, -1, 1, r, &by_origin) ?
		     SQLITE_CORRUPT : SQLITE_OK;
		store_unite_stacks(r);
	}
	if (rc == SQLITE_OK)
		rc = make_profiles(s, r, name);
	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_SUM_DROP, (int64_t[]){ STORE_UNSENT, 0 },
			       2);
	if (rc == SQLITE_OK)
		rc = set_since(s, since_s, now_s);
	if (rc == SQLITE_OK)
		rc = keep_bounded(s);
	iob_map_free(&by_origin);
	iob_report_destroy(r);
	return rc;
}

/**
 * iob_outbox_fill - make profiles of what is unsent, if it is time to
 * @s: the store
 * @now_s: the time, on the clock on the wall
 * @every_s: how often
 * @name: what the server knows us by
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_outbox_fill(struct iob_store *s, uint64_t now_s, uint32_t every_s,
		    const char *name, struct iob_err *err)
{
	uint64_t since_s = store_meta(s, "unsent_since");
	int rc;

	/* The clock may have been set. */
	if (since_s && now_s >= since_s && now_s - since_s < every_s)
		return 0;
	rc = store_run(s, STORE_BEGIN, NULL, 0);
	if (rc == SQLITE_OK && since_s && now_s >= since_s)
		rc = fill(s, since_s, now_s, name);
	else if (rc == SQLITE_OK)
		rc = set_since(s, since_s, now_s);
	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_COMMIT, NULL, 0);
	if (rc == SQLITE_OK)
		return 0;
	rc = store_fail(s, rc, err);
	if (!sqlite3_get_autocommit(s->db))
		store_run(s, STORE_ROLLBACK, NULL, 0);
	return rc;
}

/**
 * iob_outbox_next - the profile that has waited longest
 * @s: the store
 * @p: the profile, to be freed
 * @err: error text
 *
 * Return: 0, -ENOENT if there is none, or a negative errno.
 */
int iob_outbox_next(struct iob_store *s, struct iob_profile *p,
		    struct iob_err *err)
{
	sqlite3_stmt *st = store_stmt(s, STORE_OUTBOX_NEXT);
	int rc = st ? sqlite3_step(st) : sqlite3_errcode(s->db), ret = 0;

	memset(p, 0, sizeof(*p));
	if (rc == SQLITE_ROW) {
		p->id = sqlite3_column_int64(st, 0);
		p->name = strdup((const char *)sqlite3_column_text(st, 1));
		p->since_s = sqlite3_column_int64(st, 2);
		p->until_s = sqlite3_column_int64(st, 3);
		p->bytes = sqlite3_column_int64(st, 4);
		p->len = sqlite3_column_bytes(st, 5);
		p->body = malloc(p->len + 1);
		if (p->name && p->body)
			memcpy(p->body, sqlite3_column_blob(st, 5), p->len);
		else
			ret = iob_fail(err, -ENOMEM, "out of memory");
	} else if (rc == SQLITE_DONE) {
		ret = iob_fail(err, -ENOENT, "nothing to send");
	} else {
		ret = store_fail(s, rc, err);
	}
	sqlite3_reset(st);
	if (ret)
		iob_profile_free(p);
	return ret;
}

/**
 * iob_outbox_done - a profile need not wait any longer
 * @s: the store
 * @p: the profile
 * @refused: the server does not want it: it is counted
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_outbox_done(struct iob_store *s, const struct iob_profile *p,
		    bool refused, struct iob_err *err)
{
	int rc = store_run(s, STORE_BEGIN, NULL, 0);

	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_OUTBOX_DONE, &p->id, 1);
	if (rc == SQLITE_OK)
		rc = store_meta_add(s, refused ? "dropped_profiles" :
						 "sent_profiles", 1);
	if (rc == SQLITE_OK)
		rc = store_meta_add(s, refused ? "dropped_bytes" : "sent_bytes",
				    p->bytes);
	if (rc == SQLITE_OK)
		rc = store_run(s, STORE_COMMIT, NULL, 0);
	if (rc == SQLITE_OK)
		return 0;
	rc = store_fail(s, rc, err);
	if (!sqlite3_get_autocommit(s->db))
		store_run(s, STORE_ROLLBACK, NULL, 0);
	return rc;
}

/**
 * iob_profile_free - free
 * @p: all zeroes afterwards
 */
void iob_profile_free(struct iob_profile *p)
{
	free(p->name);
	free(p->body);
	memset(p, 0, sizeof(*p));
}
