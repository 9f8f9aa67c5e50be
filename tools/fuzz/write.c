// SPDX-License-Identifier: GPL-2.0
/* A report through every writer, a script through every form. */
#include <string.h>

#include "../ioblame/io_trace.h"
#include "aggregate.h"
#include "answer.h"
#include "diff.h"
#include "escape.h"
#include "fuzz.h"
#include "load_json.h"
#include "metric.h"
#include "replay.h"
#include "report.h"
#include "writer.h"

static void must_be_plain(const char *text, size_t len)
{
	must_be_text(text, len, "\n");
}

/* In an order that leaves to each what it groups by. */
static const struct {
	const struct iob_writer *writer;
	void (*must)(const char *text, size_t len);
	bool all_metrics;
} writers[] = {
	{ &iob_json_writer, must_be_json },
	{ &iob_jsonl_writer, must_be_json_lines },
	{ &iob_csv_writer, must_be_csv },
	{ &iob_raw_writer, must_be_raw },
	{ &iob_pprof_writer, must_be_pprof },
	{ &iob_openmetrics_writer, must_be_metrics },
	{ &iob_table_writer, must_be_plain },
	{ &iob_stacks_writer, must_be_plain, true },
	{ &iob_folded_writer, must_be_folded, true },
	{ &iob_svg_writer, must_be_xml, true },
	{ &iob_speedscope_writer, must_be_json },
};

static void must_write_one(const struct iob_report *r, size_t i,
			   const struct iob_metric *metric, unsigned int width)
{
	const struct iob_writer *w = writers[i].writer;
	struct iob_write_options o = {
		.metric = metric, .width = width, .stacks = true,
		.shown = w->default_fields,
	};
	struct fuzz_out out;
	struct iob_err err;

	out_open(&out);
	o.out = out.file;
	MUST(!w->write(r, &o, &err));
	out_close(&out);
	writers[i].must(out.text, out.len);
	out_free(&out);
}

static void write_json(const struct iob_report *r, struct fuzz_out *out)
{
	struct iob_write_options o = { .metric = iob_metrics };
	struct iob_err err;

	out_open(out);
	o.out = out->file;
	MUST(!iob_json_writer.write(r, &o, &err));
	out_close(out);
}

/* A saved report is the same report. */
static void must_be_read_back(const struct iob_report *r)
{
	struct iob_report *again = iob_report_create();
	struct fuzz_out first, second;
	struct iob_err err;

	write_json(r, &first);
	if (iob_report_load(again, first.text, first.len, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	write_json(again, &second);
	if (first.len != second.len || memcmp(first.text, second.text, first.len)) {
		size_t i = 0;

		while (first.text[i] == second.text[i])
			i++;
		fprintf(stderr, "%.400s\nbecame\n%.400s\n", first.text + i,
			second.text + i);
		abort();
	}
	out_free(&first);
	out_free(&second);
	iob_report_destroy(again);
}

/* Colours and nothing else: "ESC [ digits m" is taken out, the rest is text. */
static void must_be_coloured(char *text, size_t len)
{
	size_t kept = 0;

	for (size_t i = 0; i < len; i++) {
		size_t n = 2;

		if (text[i] == '\033' && i + 1 < len && text[i + 1] == '[') {
			n += strspn(text + i + n, "0123456789;");
			MUST(i + n < len && text[i + n] == 'm');
			i += n;
		} else {
			text[kept++] = text[i];
		}
	}
	must_be_plain(text, kept);
}

static void must_write_tree(struct iob_report *r)
{
	const struct iob_key *levels[8];
	struct iob_write_options o = {
		.metric = iob_metrics, .width = 60, .colour = true, .top = 2,
		.levels = levels, .sort = "bytes",
	};
	struct fuzz_out out;
	struct iob_err err;

	o.nr_levels = iob_keys_list("dev,comm,file", levels, 8);
	MUST(!iob_keys_parse("dev,comm,file", &o.shown, &err));
	MUST(!iob_report_group(r, o.shown, &err));
	out_open(&out);
	o.out = out.file;
	MUST(!iob_table_writer.write(r, &o, &err));
	out_close(&out);
	must_be_coloured(out.text, out.len);
	out_free(&out);
}

static void must_write_change(const struct iob_diff *d, size_t i, uint32_t shown)
{
	struct iob_write_options o = { .metric = d->metric, .shown = shown };
	struct fuzz_out out;
	struct iob_err err;

	if (!writers[i].writer->diff)
		return;
	out_open(&out);
	o.out = out.file;
	MUST(!writers[i].writer->diff(d, &o, &err));
	out_close(&out);
	/* A line of two reports has two numbers. */
	if (writers[i].writer == &iob_folded_writer)
		must_be_plain(out.text, out.len);
	else
		writers[i].must(out.text, out.len);
	out_free(&out);
}

void must_compare(struct iob_diff *d)
{
	uint32_t shown = IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) | IOB_ROW_BIT(COMM) |
			 IOB_ROW_BIT(FILE_DEV) | IOB_ROW_BIT(FILE_INO) |
			 IOB_ROW_BIT(STACK) | IOB_ROW_BIT(UNKNOWN);
	struct iob_err err;

	MUST(!iob_diff_match(d, &err));
	MUST(!iob_diff_group(d, iob_diff_fields(shown), &d->changes, &err));
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		must_write_change(d, i, shown);
}

void must_write(struct iob_report *r)
{
	static const unsigned int widths[] = { 0, 1, 20, 80, 100000 };
	struct iob_err err;

	iob_report_sort(r, "bytes");
	must_be_read_back(r);
	iob_report_classify(r);
	MUST(!iob_report_answer(r, false));
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		const struct iob_writer *w = writers[i].writer;

		if (w->counts_once)
			iob_report_drop_stacked(r);
		MUST(!iob_report_group(r, w->default_fields, &err));
		iob_report_sort(r, "comm");
		for (const struct iob_metric *m = iob_metrics; m->name; m++)
			if (m == iob_metrics ||
			    (writers[i].all_metrics && !iob_metric_check(m, r, &err)))
				must_write_one(r, i, m, 0);
		for (size_t k = 1; w == &iob_table_writer &&
		     k < sizeof(widths) / sizeof(*widths); k++)
			must_write_one(r, i, iob_metrics, widths[k]);
	}
	must_write_tree(r);
}

struct script {
	struct iob_tables *t;
	const struct iob_names *names;
	struct iob_replay replay;
	struct io_trace *trace;
	struct fuzz_out text, json;
};

struct script *script_create(struct iob_tables *t, const struct iob_names *n)
{
	struct script *s = calloc(1, sizeof(*s));

	MUST(s);
	s->t = s->replay.t = t;
	s->names = n;
	s->trace = io_trace_create();
	MUST(s->trace);
	out_open(&s->text);
	out_open(&s->json);
	return s;
}

void script_event(struct script *s, uint64_t ts_ns, const struct iob_event *ev)
{
	struct io_line line = { .ts_ns = ts_ns, .io = &ev->io, .t = s->t,
				.names = s->names };
	struct iob_filter none = {};

	if (ev->type == IOB_EVENT_CANCEL)
		return;
	if (ev->type != IOB_EVENT_IO) {
		MUST(!iob_replay_event(&s->replay, ev));
		return;
	}
	MUST(io_line_matches(&none, s->t, &ev->io));
	line.out = s->text.file;
	io_line_text(&line);
	line.out = s->json.file;
	io_line_json(&line);
	MUST(!io_trace_add(s->trace, &line));
}

void script_end(struct script *s)
{
	struct fuzz_out out;

	out_close(&s->text);
	out_close(&s->json);
	must_be_plain(s->text.text, s->text.len);
	must_be_json_lines(s->json.text, s->json.len);
	out_open(&out);
	MUST(!io_trace_write(s->trace, out.file));
	out_close(&out);
	must_be_json(out.text, out.len);
	out_free(&out);
	out_free(&s->text);
	out_free(&s->json);
	io_trace_destroy(s->trace);
	iob_replay_free(&s->replay);
	free(s);
}
