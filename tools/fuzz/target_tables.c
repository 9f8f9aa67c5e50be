// SPDX-License-Identifier: GPL-2.0
/*
 * The text of all tables, a form feed between: first as it was, then as it is. An
 * empty part is a table without rows.
 */
#include <string.h>

#include "decode.h"
#include "fuzz.h"
#include "report.h"
#include "top_model.h"
#include "top_reader.h"
#include "top_text.h"

static const char *const heads[IOB_NR_TABLES] = {
	[IOB_TABLE_DEVICES] = "dev\tname\top\tios\tbytes\tfolded_ios\tfolded_bytes\n",
	[IOB_TABLE_TOTALS] = "act\tissuer\tdev\top\treason\tbasis\tios\tbytes\tcancelled\tage_max\tqueue_max\tdevice_max\tage\tqueue\tdevice\tused\tunused\tunseen\n",
	[IOB_TABLE_ACTS] = "id\trole\tstack\tfile\tkind\n",
	[IOB_TABLE_ROLES] = "id\tpid\ttgid\tstart_ns\tflags\tcgroup_id\tcgroup\tcomm\n",
	[IOB_TABLE_FILES] = "id\tdev\tino\tgen\tflags\tfstype\tpath\n",
	[IOB_TABLE_STACKS] = "id\treason\tframes\n",
	[IOB_TABLE_HOOKS] = "name\ttype\tneed\tstate\thits\teffect\n",
	[IOB_TABLE_STATS] = "name\tvalue\n",
};

static void take(struct iob_snapshot *snap, const uint8_t **data, size_t *size)
{
	for (int i = 0; i < IOB_NR_TABLES; i++) {
		char *part = next_part(data, size, '\f');

		if (!part || !*part) {
			free(part);
			part = strdup(heads[i]);
		}
		snap->text[i] = (struct iob_blob){ part, strlen(part) };
	}
}

static void as_report(const struct iob_snapshot *was,
		      const struct iob_snapshot *is)
{
	struct iob_tables *before = iob_tables_create();
	struct iob_tables *after = iob_tables_create();
	struct iob_report *r = iob_report_create();
	struct iob_err err;

	if (!iob_decode(before, was, &err) && !iob_decode(after, is, &err)) {
		iob_tables_subtract(after, before);
		MUST(!iob_report_from_tables(r, after, NULL, &err));
		must_write(r);
	}
	iob_report_destroy(r);
	iob_tables_destroy(before);
	iob_tables_destroy(after);
}

static int see(void *arg, enum iob_top_line line, const char *text)
{
	(void)arg;
	(void)line;
	must_be_text(text, strlen(text), "");
	return 0;
}

static void see_level(struct iob_top *top, struct iob_top_look *look)
{
	struct iob_top_layout layout;
	char buf[IOB_TOP_LINE_MAX];
	struct iob_err err;

	MUST(!iob_top_update(top, &err));
	MUST(!iob_top_head(top, look, see, NULL));
	iob_top_lay_out(top, look, &layout);
	iob_top_heading(top, look, &layout, buf, sizeof(buf));
	see(NULL, 0, buf);
	for (size_t i = 0; i < top->rows.nr; i++) {
		iob_top_line(top, look, &layout, &top->rows.v[i], buf,
			     sizeof(buf));
		see(NULL, 0, buf);
	}
}

/* Every way down, at several widths. */
static void see_all(struct iob_top *top)
{
	static const unsigned int widths[] = { 0, 1, 40, 2000 };

	for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
		struct iob_top_look look = { .width = widths[w], .utf8 = w & 1,
					     .interval = 1 };

		top->cumulative = w & 1;
		for (int level = 0; level < IOB_NR_TOP_LEVELS; level++) {
			see_level(top, &look);
			iob_top_select(top, w);
			if (!iob_top_enter(top))
				iob_top_next_level(top);
		}
		while (iob_top_back(top))
			;
	}
}

static void as_top(struct iob_snapshot *was, struct iob_snapshot *is)
{
	struct iob_filter none = {};
	struct iob_top_reader reader = {};
	struct iob_report *now, *all;
	struct iob_top top;
	struct iob_err err;

	was->time_ns = 1;
	is->time_ns = 1000000001;
	iob_top_init(&top);
	if (!iob_top_reader_start(&reader, was, true, &err) &&
	    !iob_top_reader_next(&reader, is, NULL, &none, &now, &all, &err)) {
		MUST(!iob_top_take(&top, now, all, 1, &err));
		see_all(&top);
	}
	iob_top_reader_free(&reader);
	iob_top_exit(&top);
}

void fuzz_tables(const uint8_t *data, size_t size)
{
	struct iob_snapshot was = {}, is = {};

	take(&is, &data, &size);
	take(&was, &data, &size);
	as_report(&was, &is);
	as_top(&was, &is);
	iob_snapshot_free(&was);
	iob_snapshot_free(&is);
}
