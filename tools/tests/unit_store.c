// SPDX-License-Identifier: GPL-2.0
/* The long-term store: sums stay, times become coarse, the size is kept. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aggregate.h"
#include "../ioblame/history.h"
#include "store.h"
#include "unit.h"

#define BASE 1699999200ull		/* a full hour on the clock */
#define DAY 86400

static const struct iob_store_limits limits = {
	.max_bytes = 64 << 20, .keep_s = { 60, 3600 },
};

static char path[256];

static const char *fresh(void)
{
	char name[300];

	snprintf(path, sizeof(path), "%s/store.db", unit_dir());
	for (int i = 0; i < 3; i++) {
		static const char *const ends[] = { "", "-wal", "-shm" };

		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
	return path;
}

/* A report of one second: origins @from to @to - 1 wrote @bytes each. */
static struct iob_report *second(unsigned int from, unsigned int to,
				 uint64_t bytes)
{
	struct iob_report *r = iob_report_create();
	const char *op = iob_report_intern(r, "write");
	struct iob_device *d = iob_report_device(r, 254 << 20 | 16);
	struct iob_sum *sum = iob_device_op_sum(d, op);
	char text[64];

	r->host = iob_report_intern(r, "here");
	r->start_ns = 5000000000ull;
	r->end_ns = r->start_ns + 1000000000;
	d->name = iob_report_intern(r, "vdb");
	for (unsigned int i = from; i < to; i++) {
		struct iob_report_stack *stack = iob_vec_add(&r->stacks);
		struct iob_row *row = iob_vec_add(&r->rows);

		stack->id = i + 1;
		snprintf(text, sizeof(text), "f%u+0x1;g+0x2 [m]", i % 50);
		stack->frames = iob_report_intern(r, text);
		iob_row_set(row, IOB_ROW_DEV, 254 << 20 | 16);
		iob_row_set_text(row, IOB_ROW_OP, op);
		snprintf(text, sizeof(text), "task%u\n\xff", i % 20);
		iob_row_set_text(row, IOB_ROW_COMM, iob_report_intern(r, text));
		iob_row_set(row, IOB_ROW_PID, i);
		iob_row_set(row, IOB_ROW_TID, i);
		iob_row_set(row, IOB_ROW_FILE_INO, i);
		snprintf(text, sizeof(text), "/mnt/dir/file-%u", i);
		iob_row_set_text(row, IOB_ROW_FILE_PATH,
				 iob_report_intern(r, text));
		iob_row_set_text(row, IOB_ROW_BASIS, iob_report_intern(r, "page"));
		iob_row_set_text(row, IOB_ROW_REASON,
				 iob_report_intern(r, "fsync"));
		iob_row_set(row, IOB_ROW_STACK, stack->id);
		row->bytes = bytes;
		row->ios = 1;
		row->cancelled = 7;
		row->max[IOB_TIME_DEVICE] = 1000000 + i % 100;
		iob_hist_add(&row->hist[IOB_TIME_DEVICE], 10, 1);
		sum->bytes += bytes;
		sum->ios++;
	}
	iob_report_settle(r);
	return r;
}

static bool add(struct iob_store *s, unsigned int from, unsigned int to,
		uint64_t bytes, uint64_t now)
{
	struct iob_report *r = second(from, to, bytes);
	struct iob_err err;
	int ret = iob_store_add(s, r, now, &err);

	iob_report_destroy(r);
	if (ret)
		printf("# %s\n", err.text);
	return !ret;
}

static struct iob_report *ask(struct iob_store *s, uint64_t since,
			      uint64_t until)
{
	struct iob_report *r = iob_report_create();
	struct iob_err err;

	if (!iob_store_query(s, since, until, r, &err))
		return r;
	printf("# %s\n", err.text);
	iob_report_destroy(r);
	return NULL;
}

static uint64_t bytes_of(struct iob_store *s, uint64_t since, uint64_t until)
{
	struct iob_report *r = ask(s, since, until);
	uint64_t sum = 0;

	for (size_t i = 0; r && i < r->rows.nr; i++)
		sum += r->rows.v[i].bytes;
	iob_report_destroy(r);
	return sum;
}

static bool test_what_comes_back(void)
{
	struct iob_report *r, *was = second(0, 3, 4096);
	struct iob_store *s;
	struct iob_err err;

	EXPECT(!iob_store_open(&s, fresh(), &limits, &err));
	EXPECT(add(s, 0, 3, 4096, BASE) && add(s, 0, 3, 4096, BASE + 1));
	iob_store_close(s);
	EXPECT(!iob_store_open_reader(&s, path, &err));
	r = ask(s, BASE - 10, BASE + 10);
	EXPECT(r && r->rows.nr == 3 && r->devices.nr == 1);
	for (size_t i = 0; i < 3; i++) {
		const struct iob_row *a = &r->rows.v[i], *b = &was->rows.v[i];

		EXPECT(a->bytes == 8192 && a->ios == 2 && a->cancelled == 14);
		EXPECT(a->max[IOB_TIME_DEVICE] == b->max[IOB_TIME_DEVICE]);
		EXPECT(iob_hist_total(&a->hist[IOB_TIME_DEVICE]) == 2);
		EXPECT(!strcmp(iob_row_text(a, IOB_ROW_COMM),
			       iob_row_text(b, IOB_ROW_COMM)));
		EXPECT(a->v[IOB_ROW_PID] == b->v[IOB_ROW_PID]);
		EXPECT(!(a->known & IOB_ROW_BIT(TID)));
		EXPECT(!strcmp(iob_report_frames(r, a->v[IOB_ROW_STACK]),
			       iob_report_frames(was, b->v[IOB_ROW_STACK])));
	}
	EXPECT(r->devices.v[0].ops.v[0].sum.bytes == 6 * 4096);
	EXPECT(!strcmp(r->devices.v[0].name, "vdb"));
	EXPECT(r->end_ns - r->start_ns == 2000000000);
	iob_report_destroy(r);
	/* [BASE, BASE + 1) alone */
	EXPECT(bytes_of(s, BASE, BASE + 1) == 3 * 4096);
	EXPECT(bytes_of(s, BASE + 1, BASE + 100) == 0);
	iob_store_close(s);
	iob_report_destroy(was);
	return true;
}

static bool test_becomes_coarse(void)
{
	const uint64_t hour = BASE - BASE % 3600;
	struct iob_store_stats stats;
	struct iob_store *s;
	struct iob_err err;

	EXPECT(!iob_store_open(&s, fresh(), &limits, &err));
	for (int i = 0; i < 3 * 3600; i += 10)
		EXPECT(add(s, 0, 2, 100, hour + i + 1));
	/* 3 hours of a row in ten seconds, of two origins. */
	EXPECT(bytes_of(s, hour, hour + 3 * 3600) == 1080 * 200);
	EXPECT(!iob_store_stats(s, &stats, &err));
	/* In seconds there is a minute, in minutes an hour, and hours before. */
	EXPECT(stats.visited <= 2 * (8 + 62 + 3));
	EXPECT(bytes_of(s, hour, hour + 3600) == 360 * 200);
	EXPECT(bytes_of(s, hour + 3600, hour + 7200) == 360 * 200);
	/* Half an hour that is no longer told apart counts whole. */
	EXPECT(bytes_of(s, hour + 600, hour + 1200) == 360 * 200);
	EXPECT(!stats.removed_rows && !stats.coarse_rows);
	iob_store_close(s);
	return true;
}

static uint64_t rss_kb(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long size, rss = 0;

	if (f && fscanf(f, "%lu %lu", &size, &rss) != 2)
		rss = 0;
	if (f)
		fclose(f);
	return rss * 4;
}

/* Origins come and go; what was promised of them holds for a small file, too. */
static bool test_keeps_its_size(void)
{
	const struct iob_store_limits small = {
		.max_bytes = 2 << 20, .keep_s = { 300, 6 * 3600 },
	};
	struct iob_store_stats stats;
	struct iob_store *s;
	uint64_t all = 0, most = 0;
	struct iob_err err;

	EXPECT(!iob_store_open(&s, fresh(), &small, &err));
	for (unsigned int i = 0; i < 2000; i++) {
		EXPECT(add(s, i * 7, i * 7 + 40, 1000, BASE + 60 * i));
		all += 40 * 1000;
		EXPECT(!iob_store_stats(s, &stats, &err));
		most = stats.file_bytes > most ? stats.file_bytes : most;
	}
	EXPECT(most <= 2 << 20);
	/* Nothing is gone without a word. */
	EXPECT(stats.coarse_rows > 0);
	EXPECT(bytes_of(s, BASE - 60, BASE + 60 * 2000) + stats.removed_bytes == all);
	/* The latest is whole. */
	EXPECT(bytes_of(s, BASE + 60 * 1999 - 1, BASE + 60 * 1999) == 40 * 1000);
	iob_store_close(s);
	return true;
}

static bool test_refuses(void)
{
	struct iob_store *s;
	struct iob_err err;
	sqlite3 *db;
	FILE *f;

	EXPECT(iob_store_open_reader(&s, "/nonexistent/x", &err) == -ENOENT);
	EXPECT(!s && strstr(err.text, "no store"));
	EXPECT(!iob_store_open(&s, fresh(), &limits, &err));
	EXPECT(add(s, 0, 100, 1, BASE));
	iob_store_close(s);
	sqlite3_open(path, &db);
	sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL);
	sqlite3_close(db);
	EXPECT(iob_store_open_reader(&s, path, &err) == -EPROTO);
	EXPECT(strstr(err.text, "newer"));
	EXPECT(iob_store_open(&s, path, &limits, &err) == -EPROTO && !s);
	f = fopen(path, "r+");
	fwrite("nonsense", 1, 8, f);
	fclose(f);
	EXPECT(iob_store_open_reader(&s, path, &err) == -EBADMSG && !s);
	EXPECT(iob_store_open(&s, path, &limits, &err) == -EBADMSG && !s);
	/* Damaged further in: an error, or less; never a crash. */
	EXPECT(!iob_store_open(&s, fresh(), &limits, &err));
	EXPECT(add(s, 0, 200, 1, BASE));
	iob_store_close(s);
	for (long at = 4096; at < 100000; at += 4096) {
		struct iob_report *r = iob_report_create();

		f = fopen(path, "r+");
		fseek(f, at, SEEK_SET);
		fwrite("\x0d\x7f\xff\xff\xff\xff\xff\xff", 1, 8, f);
		fclose(f);
		if (!iob_store_open_reader(&s, path, &err)) {
			iob_store_query(s, 0, BASE * 2, r, &err);
			iob_store_close(s);
		}
		iob_report_destroy(r);
	}
	unlink(path);
	return true;
}

/* While one writes, another reads what was complete. */
static bool test_readers(void)
{
	struct iob_store *w, *s;
	struct iob_err err;

	EXPECT(!iob_store_open(&w, fresh(), &limits, &err));
	EXPECT(add(w, 0, 10, 1, BASE));
	EXPECT(!iob_store_open_reader(&s, path, &err));
	EXPECT(bytes_of(s, 0, BASE + 100) == 10);
	EXPECT(add(w, 0, 10, 1, BASE + 1));
	EXPECT(bytes_of(s, 0, BASE + 100) == 20);
	iob_store_close(s);
	EXPECT(add(w, 0, 10, 1, BASE + 2));
	iob_store_close(w);
	return true;
}

/*
 * A day of a thousand origins a minute, of which a hundredth is new each
 * minute: what watch does in a day, by a clock that we turn.
 */
static bool test_a_day(void)
{
	const struct iob_store_limits day = {
		.max_bytes = 96 << 20, .keep_s = { 900, 6 * 3600 },
	};
	struct iob_store_stats stats;
	uint64_t early = 0, late, all = 0, most = 0;
	struct iob_store *s;
	struct iob_err err;

	EXPECT(!iob_store_open(&s, fresh(), &day, &err));
	for (unsigned int m = 0; m < DAY / 60; m++) {
		EXPECT(add(s, m * 10, m * 10 + 1000, 4096, BASE + 60 * m));
		all += 1000 * 4096;
		if (m % 10)
			continue;
		EXPECT(!iob_store_stats(s, &stats, &err));
		most = stats.file_bytes > most ? stats.file_bytes : most;
		if (m == 480)
			early = rss_kb();
	}
	late = rss_kb();
	printf("# store after a day: %llu bytes at most, %llu KiB resident\n",
	       (unsigned long long)most, (unsigned long long)late);
	EXPECT(most <= day.max_bytes);
	EXPECT(!stats.removed_rows);
	/* Flat: what a turn needs, no more after a day than after eight hours. */
	EXPECT(late <= early + early / 4 + 16384);
	EXPECT(bytes_of(s, BASE - 60, BASE + DAY) == all);
	EXPECT(!iob_store_stats(s, &stats, &err));
	/* A day's question looks at six hours of minutes and 19 hours. */
	EXPECT(stats.visited <= 390 * 1000 + 19 * 1700);
	/* What happened some hours ago, at less. */
	EXPECT(bytes_of(s, BASE + DAY - 5 * 3600, BASE + DAY - 4 * 3600) ==
	       60 * 1000 * 4096ull);
	EXPECT(!iob_store_stats(s, &stats, &err));
	EXPECT(stats.visited <= 62 * 1000);
	iob_store_close(s);
	return true;
}

static bool test_times(void)
{
	static const char *const none[] = {
		"", "x", "2", "2x", "-2h", "h", "@", "@-1", "@1x", "25:00", "2h x",
		"2026-13-01", "99999999999999h"
	};
	const uint64_t now = BASE + 5000;
	time_t time;
	struct tm tm;
	uint64_t t;

	EXPECT(history_time("now", now, &t) && t == now);
	EXPECT(history_time("90m", now, &t) && t == now - 5400);
	EXPECT(history_time("1h1s", now, &t) && t == now - 3601);
	EXPECT(history_time("100000d", now, &t) && t == 0);
	EXPECT(history_time("@1700000001", now, &t) && t == 1700000001);
	EXPECT(history_time("2023-11-14 12:30", now, &t));
	time = t;
	localtime_r(&time, &tm);
	EXPECT(tm.tm_mday == 14 && tm.tm_hour == 12 && tm.tm_min == 30 && !tm.tm_sec);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		if (history_time(none[i], now, &t))
			printf("# '%s'\n", none[i]);
		EXPECT(!history_time(none[i], now, &t));
	}
	return true;
}

const struct unit_case store_cases[] = {
	{ "history: times as people say them", test_times },
	{ "store: what is kept comes back", test_what_comes_back },
	{ "store: seconds become minutes become hours", test_becomes_coarse },
	{ "store: a small one keeps its size and counts what it gives up",
	  test_keeps_its_size },
	{ "store: absent, damaged or newer", test_refuses },
	{ "store: read while it is written", test_readers },
	{ "store: a day of a thousand origins a minute", test_a_day },
	{}
};
