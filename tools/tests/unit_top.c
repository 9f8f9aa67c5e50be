// SPDX-License-Identifier: GPL-2.0
/* The live view: rates, history, order, filter, drilling down, from made-up readings. */
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>

#include "top_reader.h"
#include "top_text.h"
#include "unit.h"
#include "width.h"

#define DIR "tests/root/sys/kernel/debug/ioblame"
#define SECOND 1000000000ull

/* Sums since boot of four acts: writer-a in two files, "odd", jbd2. */
enum { A_FILE1, ODD_FILE2, JBD, A_FILE2, NR_ACTS };

struct world {
	struct iob_top_reader reader;
	struct iob_top top;
	uint64_t ns;
	uint64_t bytes[NR_ACTS], ios[NR_ACTS];
	uint64_t read_bytes;		/* by jbd2 */
	bool with_dm;			/* the same bytes once more, on 253:0 */
};

static void replace(struct iob_snapshot *snap, enum iob_table t,
		    const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void replace(struct iob_snapshot *snap, enum iob_table t,
		    const char *fmt, ...)
{
	struct iob_blob *b = &snap->text[t];
	va_list ap;

	free(b->p);
	va_start(ap, fmt);
	b->len = vasprintf(&b->p, fmt, ap);
	va_end(ap);
}

static void reading(const struct world *w, struct iob_snapshot *snap)
{
	static const char *const row = "%s%u\t3\t%s\t%s\tsync\tpage\t%llu\t%llu\t0\t3000000\t9000\t800000\t12:%llu\t3:%llu\t9:%llu\t-\t-\t-\n";
	char *text = strdup("act\tissuer\tdev\top\treason\tbasis\tios\tbytes\tcancelled\tage_max\tqueue_max\tdevice_max\tage\tqueue\tdevice\tused\tunused\tunseen\n");
	unsigned long long bytes = 0, ios = 0;
	struct iob_err err;

	iob_snapshot_read(snap, DIR, &err);
	for (int i = 0; i < (w->with_dm ? 2 : 1) * NR_ACTS; i++) {
		unsigned long long n = w->ios[i % NR_ACTS];
		char *longer;

		if (asprintf(&longer, row, text, 16 + i % NR_ACTS,
			     i < NR_ACTS ? "254:16" : "253:0", "write", n,
			     (unsigned long long)w->bytes[i % NR_ACTS], n, n, n) < 0)
			abort();
		free(text);
		text = longer;
		bytes += i < NR_ACTS ? w->bytes[i] : 0;
		ios += i < NR_ACTS ? n : 0;
	}
	if (w->read_bytes) {
		char *longer;

		if (asprintf(&longer, row, text, 16 + JBD, "254:16", "read", 1ull,
			     (unsigned long long)w->read_bytes, 0ull, 1ull, 1ull) < 0)
			abort();
		free(text);
		text = longer;
	}
	replace(snap, IOB_TABLE_TOTALS, "%s", text);
	free(text);
	replace(snap, IOB_TABLE_DEVICES,
		"dev\tname\top\tios\tbytes\tfolded_ios\tfolded_bytes\n"
		"254:16\tvdb\twrite\t%llu\t%llu\t0\t0\n"
		"254:16\tvdb\tread\t%d\t%llu\t0\t0\n"
		"253:0\tdm-0\twrite\t%llu\t%llu\t0\t0\n", ios, bytes,
		w->read_bytes ? 1 : 0, (unsigned long long)w->read_bytes,
		w->with_dm ? ios : 0, w->with_dm ? bytes : 0);
	replace(snap, IOB_TABLE_ACTS,
		"id\trole\tstack\tfile\tkind\n0\t-\t-\t-\tnone\n16\t1\t1\t1\tdata\n"
		"17\t2\t1\t2\tdata\n18\t4\t2\t0\tjournal\n19\t1\t2\t2\tdata\n");
	snap->time_ns = w->ns;
}

static void begin(struct world *w, bool keep_base)
{
	struct iob_snapshot snap;
	struct iob_err err;

	w->ns = 100 * SECOND;
	iob_top_init(&w->top);
	reading(w, &snap);
	iob_top_reader_start(&w->reader, &snap, keep_base, &err);
	iob_snapshot_free(&snap);
}

static void end(struct world *w)
{
	iob_top_exit(&w->top);
	iob_top_reader_free(&w->reader);
}

/* /sys would say so. */
static void stack_dm(struct iob_report *r)
{
	for (size_t i = 0; i < r->devices.nr; i++)
		r->devices.v[i].stacked =
			IOB_DEV_MAJOR(r->devices.v[i].dev) == 253;
}

/* The interval ends after @seconds. */
static bool tick(struct world *w, unsigned int seconds)
{
	static const struct iob_filter all = {};
	struct iob_report *now, *since;
	struct iob_snapshot snap;
	struct iob_err err;

	w->ns += seconds * SECOND;
	reading(w, &snap);
	EXPECT(!iob_top_reader_next(&w->reader, &snap, NULL, &all, &now, &since,
				    &err));
	iob_snapshot_free(&snap);
	stack_dm(now);
	stack_dm(since);
	EXPECT(!iob_top_take(&w->top, now, since, seconds, &err));
	EXPECT(!iob_top_update(&w->top, &err));
	return true;
}

static void write_some(struct world *w, int act, uint64_t bytes)
{
	w->bytes[act] += bytes;
	w->ios[act]++;
}

static bool update(struct world *w)
{
	struct iob_err err;

	return !iob_top_update(&w->top, &err);
}

static const char *label(const struct world *w, size_t i)
{
	static char buf[256];

	if (i >= w->top.rows.nr)
		return "none";
	iob_top_label(&w->top, &w->top.rows.v[i], w->top.level, buf, sizeof(buf));
	return buf;
}

static bool is(const struct world *w, size_t i, const char *what)
{
	if (!strcmp(label(w, i), what))
		return true;
	printf("# row %zu of %zu is '%s', not '%s'\n", i, w->top.rows.nr,
	       label(w, i), what);
	return false;
}

static bool rates(void)
{
	struct world w = { .bytes = { 1 << 20 }, .ios = { 100 } };
	struct iob_top_look look = { .utf8 = false };
	struct iob_top_layout l;
	char line[1024];

	begin(&w, true);
	write_some(&w, A_FILE1, 8192);
	write_some(&w, A_FILE2, 4096);
	w.read_bytes = 2048;
	EXPECT(tick(&w, 2));
	EXPECT(w.top.rows.nr == 2 && is(&w, 0, "writer-a[100]"));
	EXPECT(w.top.rows.v[0].row.bytes == 12288 && w.top.rows.v[0].row.ios == 2);
	EXPECT(w.top.rows.v[0].write_bytes == 12288 && !w.top.rows.v[0].read_bytes);
	EXPECT(w.top.rows.v[1].read_bytes == 2048 && w.top.total_bytes == 14336);
	/* The busiest file is named, and that there is one more. */
	EXPECT(w.top.rows.v[0].nr[IOB_TOP_NR_FILES] == 2);
	iob_top_lay_out(&w.top, &look, &l);
	iob_top_line(&w.top, &look, &l, &w.top.rows.v[0], line, sizeof(line));
	EXPECT(strstr(line, "6.0 KiB") && strstr(line, "85.7%") && strstr(line, "/a.dat +1"));
	/* Since the start, but not what was before that. */
	w.top.cumulative = true;
	EXPECT(update(&w) && w.top.rows.v[0].row.bytes == 12288);
	end(&w);
	return true;
}

static bool keeps_history(void)
{
	struct world w = {};
	struct iob_top_row *v;

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	EXPECT(tick(&w, 1));
	write_some(&w, A_FILE2, 8192);
	write_some(&w, ODD_FILE2, 512);
	EXPECT(tick(&w, 2));
	/* By second, whatever the interval; both files of the process. */
	v = &w.top.rows.v[0];
	EXPECT(v->history[IOB_TOP_HISTORY - 2] == 4096);
	EXPECT(v->history[IOB_TOP_HISTORY - 1] == 4096);
	EXPECT(!v->history[IOB_TOP_HISTORY - 3]);
	/* A level that was not shown meanwhile has one all the same. */
	iob_top_enter(&w.top);
	EXPECT(update(&w) && w.top.rows.nr == 2);
	EXPECT(w.top.rows.v[1].history[IOB_TOP_HISTORY - 2] == 4096);
	end(&w);
	return true;
}

static bool forgets(void)
{
	struct world w = {};

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	EXPECT(tick(&w, 1));
	for (int i = 1; i < IOB_TOP_HISTORY; i++) {
		write_some(&w, JBD, 512);
		EXPECT(tick(&w, 1) && w.top.rows.nr == 2);
	}
	EXPECT(w.top.history.cells.nr == 2);
	EXPECT(tick(&w, 1) && w.top.rows.nr == 1 && w.top.history.cells.nr == 1);
	w.top.cumulative = true;
	EXPECT(update(&w) && w.top.rows.nr == 2);
	end(&w);
	return true;
}

static bool survives_reset(void)
{
	struct world w = { .bytes = { 1 << 20 }, .ios = { 100 } };

	begin(&w, true);
	write_some(&w, A_FILE1, 4096);
	EXPECT(tick(&w, 1) && w.top.rows.v[0].row.bytes == 4096);
	memset(w.bytes, 0, sizeof(w.bytes));
	memset(w.ios, 0, sizeof(w.ios));
	write_some(&w, A_FILE1, 512);
	EXPECT(tick(&w, 1) && w.reader.nr_resets == 1);
	EXPECT(w.top.rows.nr == 1 && w.top.rows.v[0].row.bytes == 512);
	EXPECT(w.top.all->start_ns == 101 * SECOND);
	/* More than before the reset is still counted from the reset on. */
	write_some(&w, A_FILE1, 4 << 20);
	EXPECT(tick(&w, 1) && w.top.rows.v[0].row.bytes == 4 << 20);
	w.top.cumulative = true;
	EXPECT(update(&w) && w.top.rows.v[0].row.bytes == (4 << 20) + 512);
	EXPECT(w.reader.nr_resets == 1);
	end(&w);
	return true;
}

static bool sorts(void)
{
	struct world w = {};

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	write_some(&w, ODD_FILE2, 512);
	write_some(&w, ODD_FILE2, 512);
	write_some(&w, JBD, 4096);
	EXPECT(tick(&w, 1));
	w.top.sort = IOB_TOP_COL_IOS;
	EXPECT(update(&w) && strstr(label(&w, 0), "odd"));
	w.top.sort = IOB_TOP_COL_COMM;
	EXPECT(update(&w) && is(&w, 0, "jbd2/vdb-8[60]") && is(&w, 2, "writer-a[100]"));
	w.top.reverse = true;
	EXPECT(update(&w) && is(&w, 0, "writer-a[100]"));
	w.top.reverse = false;
	w.top.sort = IOB_TOP_COL_PID;
	EXPECT(update(&w) && is(&w, 2, "jbd2/vdb-8[60]"));
	for (int c = 0; c < IOB_NR_TOP_COLUMNS; c++) {
		w.top.sort = c;
		EXPECT(update(&w) && w.top.rows.nr == 3);
	}
	end(&w);
	return true;
}

/* Rows that are equal keep their order, and the selection its row. */
static bool selection_follows(void)
{
	struct world w = {};
	uint64_t first;

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	write_some(&w, JBD, 4096);
	EXPECT(tick(&w, 1));
	first = w.top.rows.v[0].key;
	for (int i = 0; i < 5; i++)
		EXPECT(tick(&w, 1) && w.top.rows.v[0].key == first);
	/* Nobody has chosen a row: that is the first, whichever it is. */
	write_some(&w, ODD_FILE2, 8192);
	EXPECT(tick(&w, 1) && w.top.selected == 0 && strstr(label(&w, 0), "odd"));
	iob_top_select(&w.top, 0);
	write_some(&w, A_FILE1, 1 << 20);
	write_some(&w, JBD, 1 << 21);
	EXPECT(tick(&w, 1) && w.top.selected == 2 && strstr(label(&w, 2), "odd"));
	iob_top_select(&w.top, 99);
	EXPECT(w.top.selected == 2);
	iob_top_select(&w.top, -5);
	EXPECT(w.top.selected == 0);
	snprintf(w.top.filter, sizeof(w.top.filter), "nothing of this name");
	EXPECT(update(&w) && !w.top.rows.nr && !iob_top_enter(&w.top));
	end(&w);
	return true;
}

static bool filters(void)
{
	struct world w = {};

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	write_some(&w, A_FILE2, 512);
	write_some(&w, JBD, 1024);
	EXPECT(tick(&w, 1));
	strcpy(w.top.filter, "JBD2");
	EXPECT(update(&w) && w.top.rows.nr == 1 && is(&w, 0, "jbd2/vdb-8[60]"));
	/* Only what matches counts, of what it is in. */
	strcpy(w.top.filter, "/dir/b");
	EXPECT(update(&w) && w.top.rows.nr == 1 && w.top.rows.v[0].row.bytes == 512);
	EXPECT(w.top.rows.v[0].history[IOB_TOP_HISTORY - 1] == 512);
	EXPECT(w.top.total_bytes == 5632);
	/* A kind, and the function of a stack. */
	strcpy(w.top.filter, "journal");
	EXPECT(update(&w) && w.top.rows.nr == 2);
	*w.top.filter = '\0';
	EXPECT(update(&w) && w.top.rows.nr == 2);
	end(&w);
	return true;
}

static bool drills(void)
{
	struct world w = {};

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	write_some(&w, A_FILE2, 512);
	write_some(&w, ODD_FILE2, 1024);
	EXPECT(tick(&w, 1) && w.top.level == IOB_TOP_PROCESS);
	iob_top_select(&w.top, 1);
	EXPECT(iob_top_enter(&w.top) && update(&w));
	EXPECT(w.top.rows.nr == 1 && w.top.rows.v[0].row.bytes == 1024);
	EXPECT(strstr(w.top.path[IOB_TOP_PROCESS].label, "odd\\x09"));
	EXPECT(iob_top_back(&w.top) && update(&w));
	EXPECT(w.top.rows.nr == 2 && w.top.selected == 1);
	iob_top_select(&w.top, 0);
	EXPECT(iob_top_enter(&w.top) && update(&w) && w.top.rows.nr == 2);
	iob_top_select(&w.top, 1);
	EXPECT(iob_top_enter(&w.top) && update(&w));
	EXPECT(w.top.level == IOB_TOP_STACK && w.top.rows.nr == 1);
	EXPECT(w.top.rows.v[0].row.bytes == 512 && strstr(label(&w, 0), "kjournald2"));
	EXPECT(!iob_top_enter(&w.top));
	/* Next round it is still only that. */
	write_some(&w, ODD_FILE2, 1 << 20);
	write_some(&w, A_FILE2, 2048);
	EXPECT(tick(&w, 1) && w.top.rows.nr == 1 && w.top.rows.v[0].row.bytes == 2048);
	while (iob_top_back(&w.top))
		EXPECT(update(&w));
	EXPECT(w.top.level == IOB_TOP_DEV && is(&w, 0, "vdb"));
	iob_top_next_level(&w.top);
	iob_top_next_level(&w.top);
	EXPECT(update(&w) && w.top.level == IOB_TOP_FILE && w.top.rows.nr == 2);
	EXPECT(w.top.rows.v[0].nr[IOB_TOP_NR_TASKS] == 2);
	end(&w);
	return true;
}

static bool counts_stacked_once(void)
{
	struct world w = { .with_dm = true };

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	EXPECT(tick(&w, 1));
	EXPECT(w.top.rows.nr == 1 && w.top.rows.v[0].row.bytes == 4096);
	EXPECT(iob_top_back(&w.top) && update(&w) && w.top.rows.nr == 2);
	w.top.sort = IOB_TOP_COL_DEVICE;
	EXPECT(update(&w) && is(&w, 0, "dm-0"));
	iob_top_select(&w.top, 0);
	EXPECT(iob_top_enter(&w.top) && update(&w));
	EXPECT(w.top.rows.nr == 1 && w.top.rows.v[0].row.bytes == 4096);
	EXPECT(w.top.total_bytes == 4096);
	end(&w);
	return true;
}

static bool fits_any_width(void)
{
	struct world w = {};
	char line[2048];

	begin(&w, false);
	write_some(&w, A_FILE1, 4096);
	write_some(&w, ODD_FILE2, 4 << 20);
	EXPECT(tick(&w, 1));
	for (unsigned int width = 40; width < 220; width++) {
		struct iob_top_look look = { .width = width, .utf8 = true };
		struct iob_top_layout l;

		for (int level = 0; level < IOB_NR_TOP_LEVELS; level++) {
			w.top.level = level;
			EXPECT(update(&w));
			iob_top_lay_out(&w.top, &look, &l);
			iob_top_heading(&w.top, &look, &l, line, sizeof(line));
			EXPECT(l.nr && iob_width(line) <= width);
			for (size_t i = 0; i < w.top.rows.nr; i++) {
				iob_top_line(&w.top, &look, &l,
					     &w.top.rows.v[i], line, sizeof(line));
				if (iob_width(line) > width)
					printf("# %u: '%s'\n", width, line);
				EXPECT(iob_width(line) <= width);
			}
		}
	}
	end(&w);
	return true;
}

static bool cuts_by_width(void)
{
	char text[64];
	bool wide;

	setlocale(LC_CTYPE, "C.UTF-8");
	wide = wcwidth(0x4e2d) == 2;
	strcpy(text, "/a/long/path");
	iob_width_cut(text, 6, true);
	EXPECT(!strcmp(text, "..path"));
	strcpy(text, "/a/long/path");
	iob_width_cut(text, 6, false);
	EXPECT(!strcmp(text, "/a/l.."));
	if (wide) {
		strcpy(text, "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad");
		EXPECT(iob_width(text) == 6);
		iob_width_cut(text, 5, false);
		EXPECT(iob_width(text) <= 5 && !strncmp(text, "\xe4\xb8\xad", 3));
		strcpy(text, "e\xcc\x81" "e\xcc\x81" "e\xcc\x81" "e\xcc\x81");
		EXPECT(iob_width(text) == 4);
		iob_width_cut(text, 3, true);
		EXPECT(!strcmp(text, "..e\xcc\x81"));
	}
	for (size_t cap = 0; cap < 12; cap++) {
		strcpy(text, "x\xe4\xb8\xad\xff" "abc\xe4\xb8\xad");
		iob_width_cut(text, cap, cap & 1);
		EXPECT(iob_width(text) <= (cap ? cap : 1));
	}
	strcpy(text, "a\xc3\xa9");
	iob_width_ascii(text, sizeof(text));
	EXPECT(!strcmp(text, "a\\xc3\\xa9"));
	setlocale(LC_CTYPE, "C");
	return true;
}

const struct unit_case top_cases[] = {
	{ "top: rates and sums", rates },
	{ "top: history by origin, at every level", keeps_history },
	{ "top: who is silent is forgotten", forgets },
	{ "top: the module is reset meanwhile", survives_reset },
	{ "top: sorted by any column", sorts },
	{ "top: the selection follows its row", selection_follows },
	{ "top: a filter counts what matches", filters },
	{ "top: down to the stack and back", drills },
	{ "top: stacked disks count once", counts_stacked_once },
	{ "top: lines fit any width", fits_any_width },
	{ "top: texts are cut by width", cuts_by_width },
	{}
};
