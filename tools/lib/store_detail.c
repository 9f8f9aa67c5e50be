// SPDX-License-Identifier: GPL-2.0
/*
 * What a sum has besides bytes and IOs, as few bytes: numbers of seven bits a
 * byte. First a number of flags, then what was read and became used and so on,
 * if that is told; the sums of times; then of each time the longest and the
 * buckets of its histogram.
 */
#include <errno.h>
#include <string.h>

#include "store_impl.h"

enum { TELLS_READS = 1, TELLS_TIMES = 2 };

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

static uint8_t *put(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = v | 0x80;
	*p++ = v;
	return p;
}

static uint64_t get(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (r->p == r->end)
			break;
		byte = *r->p++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	r->bad = true;
	return 0;
}

/**
 * store_detail_pack - make few bytes of it
 * @row: the sums
 * @tells_times: the sums of times are known
 * @buf: room for STORE_DETAIL_MAX bytes
 *
 * Return: how many bytes.
 */
size_t store_detail_pack(const struct iob_row *row, bool tells_times,
			 uint8_t *buf)
{
	uint8_t *p = put(buf, (row->tells_reads ? TELLS_READS : 0) |
			      (tells_times ? TELLS_TIMES : 0));

	for (int k = 0; row->tells_reads && k < IOB_NR_READ_ENDS; k++)
		p = put(p, row->read[k]);
	for (int k = 0; k < IOB_NR_TIMES; k++) {
		const struct iob_hist *h = &row->hist[k];

		if (tells_times)
			p = put(p, row->sum_ns[k]);
		p = put(p, row->max[k]);
		p = put(p, h->nr);
		if (h->nr)
			p = put(p, h->first);
		for (unsigned int i = 0; i < h->nr; i++)
			p = put(p, h->n[i]);
	}
	return p - buf;
}

/**
 * store_detail_add - add what store_detail_pack() made to a row
 * @row: the sums
 * @p: the bytes
 * @len: how many
 * @tells_times: becomes false if the sums of times are not known
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int store_detail_add(struct iob_row *row, const uint8_t *p, size_t len,
		     bool *tells_times)
{
	struct reader r = { p, p + len, false };
	uint64_t flags = get(&r);
	int ret = 0;

	*tells_times &= !!(flags & TELLS_TIMES);
	row->tells_reads |= !!(flags & TELLS_READS);
	for (int k = 0; flags & TELLS_READS && k < IOB_NR_READ_ENDS; k++)
		row->read[k] += get(&r);
	for (int k = 0; !ret && k < IOB_NR_TIMES; k++) {
		uint64_t max, nr, first = 0;

		if (flags & TELLS_TIMES)
			row->sum_ns[k] += get(&r);
		max = get(&r);
		if (max > row->max[k])
			row->max[k] = max;
		nr = get(&r);
		if (nr)
			first = get(&r);
		for (uint64_t i = 0; !ret && !r.bad && i < nr; i++) {
			uint64_t n = get(&r);

			if (n && !r.bad)
				ret = iob_hist_add(&row->hist[k],
						   first + i < 256 ? first + i : 256,
						   n);
		}
	}
	return ret == -ENOMEM ? ret : ret || r.bad ? -EBADMSG : 0;
}

/* iob_detail(a, b): both added, for who folds rows in SQL. */
static void add_both(sqlite3_context *c, int nr, sqlite3_value **v)
{
	uint8_t buf[STORE_DETAIL_MAX];
	struct iob_row row = {};
	bool times = true;
	int ret = 0;

	for (int i = 0; !ret && i < nr; i++)
		ret = store_detail_add(&row, sqlite3_value_blob(v[i]),
				       sqlite3_value_bytes(v[i]), &times);
	if (ret == -ENOMEM)
		sqlite3_result_error_nomem(c);
	else if (ret)
		sqlite3_result_error_code(c, SQLITE_CORRUPT);
	else
		sqlite3_result_blob(c, buf, store_detail_pack(&row, times, buf),
				    SQLITE_TRANSIENT);
	iob_row_free(&row);
}

/**
 * store_detail_register - let SQL add them
 * @db: the database
 *
 * Return: SQLITE_OK or an error of SQLite.
 */
int store_detail_register(sqlite3 *db)
{
	return sqlite3_create_function(db, "iob_detail", 2,
				       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
				       add_both, NULL, NULL);
}
