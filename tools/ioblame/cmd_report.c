// SPDX-License-Identifier: GPL-2.0
/*
 * ioblame report and what else writes a report: who wrote what, from the module's
 * totals or a file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "answer.h"
#include "command.h"
#include "decode.h"
#include "history.h"
#include "metric.h"
#include "source.h"
#include "tool.h"
#include "tree.h"
#include "version.h"
#include "writer.h"

struct levels {
	const struct iob_key *keys[IOB_MAX_LEVELS];
	size_t nr;
};

struct report_data {
	struct iob_tables *before, *after;
};

static struct report_data *data_of(struct tool *t)
{
	return t->data;
}

static int take(struct tool *t, struct iob_tables **tables,
		struct iob_err *err)
{
	struct iob_snapshot snap;
	int ret = iob_session_snapshot(&t->session, &snap, err);

	if (ret)
		return ret;
	*tables = iob_tables_create();
	ret = *tables ? iob_decode(*tables, &snap, err) :
			iob_fail(err, -ENOMEM, "out of memory");
	iob_snapshot_free(&snap);
	return ret;
}

static int prepare(struct tool *t, struct iob_err *err)
{
	t->data = calloc(1, sizeof(struct report_data));
	return t->data ? 0 : iob_fail(err, -ENOMEM, "out of memory");
}

/* Somebody else's totals run on: what there was before is not ours. */
static int start(struct tool *t, struct iob_err *err)
{
	int ret;

	if (!t->session.was_enabled)
		return 0;
	ret = take(t, &data_of(t)->before, err);
	if (!ret)
		t->start_ns = data_of(t)->before->time_ns;
	return ret;
}

static int stop(struct tool *t, struct iob_err *err)
{
	int ret = take(t, &data_of(t)->after, err);

	if (ret)
		return ret;
	t->end_ns = data_of(t)->after->time_ns;
	/* While those that wrote may still be there */
	if (iob_names_look_around(t->names))
		ret = iob_fail(err, -ENOMEM, "out of memory");
	return ret;
}

static void describe(struct tool *t, struct iob_report *r)
{
	struct utsname u;

	uname(&u);
	r->version = iob_report_intern(r, IOBLAME_VERSION);
	r->kernel = iob_report_word(r, u.release);
	r->host = iob_report_word(r, u.nodename);
	r->start_ns = t->start_ns;
	r->end_ns = t->end_ns;
	if (t->session.was_enabled)
		iob_report_note(r, "tracing was enabled before: this is the difference of its totals");
}

/* What is wanted of a recording besides its totals */
static unsigned int wishes(const struct params *p)
{
	bool times = (p->metric && p->metric->from_events) ||
		     (p->writer && p->writer->all_metrics);

	return (times ? IOB_SOURCE_TIMES : 0) | (p->self ? IOB_SOURCE_OWN : 0);
}

static int fill(struct tool *t, struct iob_report *r, struct iob_err *err)
{
	struct report_data *d = data_of(t);

	if (t->params->cmd->bit == CMD_HISTORY)
		return history_fill(t, r, err);
	if (t->params->input)
		return iob_source_load(r, t->params->input, t->names,
				       wishes(t->params), err);
	describe(t, r);
	if (d->before)
		iob_tables_subtract(d->after, d->before);
	return iob_report_from_tables(r, d->after, t->names, err);
}

/*
 * Rows that do not name their disk, and what people read unless it is asked for
 * disks, count each byte once: on the lowest disk.
 */
static void count_once(struct iob_report *r, const struct params *p,
		       const struct iob_writer *w)
{
	bool by_disk = p->by ? p->by & IOB_ROW_BIT(DEV) : !w->counts_once;
	size_t nr = by_disk || p->devs.nr ? 0 : iob_report_drop_stacked(r);

	if (nr)
		iob_report_note(r, "%zu rows of stacked disks are left out: the bytes count on the disks below; %s--dev shows them",
				nr, p->cmd->bit & (CMD_REPORT | CMD_HISTORY) ? "--by dev or " : "");
}

/* A file for programs has no first lines that would tell. */
static void tell_losses(const struct iob_report *r)
{
	char text[256] = "";
	size_t at = 0;

	for (int i = 0; i < IOB_NR_LOSSES; i++)
		if (r->lost[i])
			at += snprintf(text + at, sizeof(text) - at,
				       "%s%" PRIu64 " %s", at ? ", " : "",
				       r->lost[i], iob_loss_words[i]);
	if (at)
		tool_warn("LOST: %s: detail is missing in what is written, bytes are complete",
			  text);
}

#define DEFAULT_TREE "dev,op,comm,file"

/* What rows have to agree in, and the levels of a tree of them. */
static uint32_t shown_fields(const struct params *p, const struct iob_writer *w,
			     struct levels *l)
{
	const char *list = p->by_list ? p->by_list : DEFAULT_TREE;
	struct iob_err unused;
	uint32_t fields = p->by;

	if (p->tree) {
		l->nr = iob_keys_list(list, l->keys, IOB_MAX_LEVELS);
		if (!p->by)
			iob_keys_parse(DEFAULT_TREE, &fields, &unused);
		return fields;
	}
	if (p->by)
		return p->by;
	return p->amplification && !p->writer ?
	       IOB_ROW_BIT(COMM) | IOB_ROW_BIT(UNKNOWN) : w->default_fields;
}

/* Before rows are grouped, what grouping would hide. */
static int look_closer(struct tool *t, struct iob_report *r,
		       const struct iob_writer *w, struct iob_err *err)
{
	const struct params *p = t->params;

	if (p->amplification)
		iob_report_classify(r);
	if (w->answers && iob_report_answer(r, p->exact))
		return iob_fail(err, -ENOMEM, "out of memory");
	return 0;
}

static int take_writes(struct tool *t, struct iob_err *err)
{
	const char **op;

	if (!t->params->amplification || t->filter.ops.nr)
		return 0;
	op = iob_vec_add(&t->filter.ops);
	if (!op)
		return iob_fail(err, -ENOMEM, "out of memory");
	*op = "write";
	return 0;
}

static int show(struct tool *t, struct iob_err *err)
{
	const struct params *p = t->params;
	const struct iob_writer *w = p->writer ? p->writer : p->cmd->writer;
	struct iob_write_options o = {
		.out = t->out,
		.width = tool_width(t->out),
		.colour = tool_colour(p, t->out),
		.sort = p->sort,
		.exact = p->exact,
		.stacks = p->stacks,
		.metric = p->metric ? p->metric : iob_metrics,
		.top = p->top,
	};
	struct iob_report *r = iob_report_create();
	struct levels levels = {};
	int ret;

	if (!r)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = fill(t, r, err);
	if (!ret)
		ret = take_writes(t, err);
	tool_speak(w->for_people);
	if (!ret) {
		iob_report_filter(r, &t->filter);
		count_once(r, p, w);
		ret = look_closer(t, r, w, err);
	}
	if (!ret) {
		o.shown = shown_fields(p, w, &levels);
		o.levels = levels.nr ? levels.keys : NULL;
		o.nr_levels = levels.nr;
		ret = iob_report_group(r, o.shown, err);
	}
	if (!ret)
		ret = iob_metric_check(o.metric, r, err);
	if (!ret) {
		iob_report_sort(r, p->sort);
		if (!w->cuts && !o.levels)
			iob_report_top(r, p->top);
		ret = w->write(r, &o, err);
	}
	tool_speak(false);
	if (!ret && p->format)
		tell_losses(r);
	iob_report_destroy(r);
	return ret;
}

static void free_data(struct tool *t)
{
	if (!t->data)
		return;
	iob_tables_destroy(data_of(t)->before);
	iob_tables_destroy(data_of(t)->after);
	free(t->data);
}

const struct tool_ops report_ops = {
	.live = tool_is_live,
	.prepare = prepare,
	.start = start,
	.stop = stop,
	.show = show,
	.free = free_data,
};
