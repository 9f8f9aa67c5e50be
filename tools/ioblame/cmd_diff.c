// SPDX-License-Identifier: GPL-2.0
/* ioblame diff: two files side by side. */
#include <errno.h>

#include "command.h"
#include "diff.h"
#include "source.h"
#include "tool.h"
#include "writer.h"

#define DEFAULT_FIELDS (IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) | IOB_ROW_BIT(COMM) | \
			IOB_ROW_BIT(UNKNOWN) | IOB_ROW_BIT(FILE_DEV) |	\
			IOB_ROW_BIT(FILE_INO) | IOB_ROW_BIT(FILE_GEN))

static unsigned int wishes(const struct params *p)
{
	return (p->metric && p->metric->from_events ? IOB_SOURCE_TIMES : 0) |
	       (p->self ? IOB_SOURCE_OWN : 0);
}

/* What a stacked disk was given is also on the disk below: once is enough. */
static void count_once(struct iob_report *r, const struct params *p)
{
	if (!p->devs.nr && !(p->by & IOB_ROW_BIT(DEV)))
		iob_report_drop_stacked(r);
}

static int load(struct tool *t, struct iob_diff *d, enum iob_side s,
		struct iob_err *err)
{
	struct iob_report *r = d->side[s];
	struct iob_names *names;
	int ret;

	d->path[s] = t->params->files[s];
	/* Each file has its own mounts. */
	names = iob_names_create("/nonexistent");
	if (!names)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = iob_source_load(r, d->path[s], names, wishes(t->params), err);
	iob_names_destroy(names);
	if (ret)
		return ret;
	iob_report_filter(r, &t->filter);
	count_once(r, t->params);
	return iob_metric_check(d->metric, r, err);
}

static int show(struct tool *t, struct iob_err *err)
{
	const struct params *p = t->params;
	const struct iob_writer *w = p->writer ? p->writer : p->cmd->writer;
	struct iob_write_options o = {
		.out = t->out,
		.width = tool_width(t->out),
		.colour = tool_colour(p, t->out),
		.exact = p->exact,
		.metric = p->metric ? p->metric : iob_metrics,
		.shown = p->by ? p->by : DEFAULT_FIELDS,
		.width_of_a = p->width_side == IOB_SIDE_A + 1,
	};
	struct iob_diff *d = iob_diff_create(o.metric, p->scale);
	int ret = 0;

	if (!d)
		return iob_fail(err, -ENOMEM, "out of memory");
	for (int s = 0; !ret && s < IOB_NR_SIDES; s++)
		ret = load(t, d, s, err);
	if (!ret)
		ret = iob_diff_match(d, err);
	if (!ret)
		ret = iob_diff_group(d, iob_diff_fields(o.shown), &d->changes, err);
	if (!ret) {
		iob_diff_top(d, p->top);
		tool_speak(w->for_people);
		ret = w->diff(d, &o, err);
		tool_speak(false);
	}
	iob_diff_destroy(d);
	return ret;
}

const struct tool_ops diff_ops = {
	.show = show,
};
