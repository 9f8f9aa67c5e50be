// SPDX-License-Identifier: GPL-2.0
/* From the module's tables to a report: ids become what they stand for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>

#include "container.h"
#include "report.h"
#include "writer.h"

/* Which of the module's counters are which loss. */
static const struct loss_stat {
	const char *stat;
	enum iob_loss loss;
} loss_stats[] = {
	{ "lost_events",	IOB_LOSS_EVENTS },
	{ "lost_stacks",	IOB_LOSS_STACKS },
	{ "lost_roles",		IOB_LOSS_ACTS },
	{ "lost_files",		IOB_LOSS_ACTS },
	{ "lost_acts",		IOB_LOSS_ACTS },
	{ "lost_flows",		IOB_LOSS_ACTS },
	{ "lost_stale",		IOB_LOSS_ACTS },
	{ "lost_marks",		IOB_LOSS_ACTS },
	{ "lost_devices",	IOB_LOSS_ACTS },
	{ "lost_family",	IOB_LOSS_ACTS },
	{ "lost_pages",		IOB_LOSS_PAGES },
	{ "lost_aside",		IOB_LOSS_PAGES },
	{ "lost_nested",	IOB_LOSS_PAGES },
	{ "folds",		IOB_LOSS_FOLDS },
};

struct build {
	struct iob_report *r;
	struct iob_tables *t;
	const struct iob_names *names;
	struct iob_map stack_seen;
};

static const char *keep(struct build *b, const char *text)
{
	return iob_report_intern(b->r, text);
}

/* The size of a function tells nothing: "func+0x89 [mod]" will do. */
static const char *strip_sizes(struct build *b, const char *frames)
{
	struct iob_field rest = { frames, strlen(frames) }, frame;
	char *out = malloc(rest.len + 2);
	const char *kept;
	size_t n = 0;

	if (!out)
		return NULL;
	while (iob_split(&rest, ';', &frame)) {
		if (n)
			out[n++] = ';';
		iob_format_frame(out + n, frame.len + 1, frame);
		n += strlen(out + n);
	}
	kept = iob_strings_intern(b->r->strings, out, n);
	free(out);
	return kept;
}

static int set_stack(struct build *b, struct iob_row *row, uint32_t id)
{
	const struct iob_stack *s = iob_tables_stack(b->t, id, false);
	struct iob_report_stack *kept;
	uint32_t at;

	if (!s || !s->frames)
		return 0;
	iob_row_set(row, IOB_ROW_STACK, id);
	if (iob_map_get(&b->stack_seen, id, &at))
		return 0;
	kept = iob_vec_add(&b->r->stacks);
	if (!kept || iob_map_set(&b->stack_seen, id, 0))
		return -ENOMEM;
	kept->id = id;
	kept->frames = strip_sizes(b, s->frames);
	return kept->frames ? 0 : -ENOMEM;
}

/* All processes of that name: the module had no room to tell them apart. */
static bool is_merged(const struct iob_role *role)
{
	return role->flags && strstr(role->flags, "merged");
}

static void set_role(struct build *b, struct iob_row *row, uint32_t id)
{
	const struct iob_role *role = iob_tables_role(b->t, id, false);

	if (!role)
		return;
	if (!is_merged(role)) {
		iob_row_set(row, IOB_ROW_PID, role->tgid);
		iob_row_set(row, IOB_ROW_TID, role->pid);
		iob_row_set(row, IOB_ROW_START, role->start_ns);
	}
	iob_row_set_text(row, IOB_ROW_COMM, keep(b, role->comm));
	if (role->cgroup_id)
		iob_row_set(row, IOB_ROW_CGROUP_ID, role->cgroup_id);
	iob_row_set_text(row, IOB_ROW_CGROUP, keep(b, role->cgroup));
	iob_container_set(b->r, row);
}

static void set_path(struct build *b, struct iob_row *row,
		     const struct iob_file *file)
{
	const struct iob_mount *m;
	char path[2 * PATH_MAX];

	m = iob_names_path(b->names, file->dev, file->path, path, sizeof(path));
	iob_row_set_text(row, IOB_ROW_FILE_PATH, keep(b, path));
	if (m)
		iob_row_set_text(row, IOB_ROW_FILE_MOUNT, keep(b, m->point));
}

static void set_file(struct build *b, struct iob_row *row, uint32_t id)
{
	const struct iob_file *file = iob_tables_file(b->t, id, false);

	if (!file)
		return;
	if (file->dev)
		iob_row_set(row, IOB_ROW_FILE_DEV, file->dev);
	iob_row_set(row, IOB_ROW_FILE_INO, file->ino);
	iob_row_set(row, IOB_ROW_FILE_GEN, file->gen);
	iob_row_set_text(row, IOB_ROW_FILE_FLAGS, keep(b, file->flags));
	if (file->path)
		set_path(b, row, file);
}

static const char *reserved_word(const struct iob_act *act, uint32_t id)
{
	static const char *const words[] = { IOB_RESERVED_ACTS(IOB_ENUM_WORD) };

	if (act)
		return act->reserved;
	/* An act that was recycled is as good as one the module calls stale. */
	return words[id < IOB_NR_RESERVED_ACTS ? id : IOB_ACT_STALE];
}

static int set_act(struct build *b, struct iob_row *row, uint32_t id)
{
	const struct iob_act *act = iob_tables_act(b->t, id, false);

	if (!act || act->reserved) {
		iob_row_set_text(row, IOB_ROW_UNKNOWN,
				 keep(b, reserved_word(act, id)));
		return 0;
	}
	set_role(b, row, act->role);
	set_file(b, row, act->file);
	iob_row_set_text(row, IOB_ROW_KIND, keep(b, act->kind));
	return set_stack(b, row, act->stack);
}

static void set_issuer(struct build *b, struct iob_row *row, uint32_t id)
{
	const struct iob_role *role = iob_tables_role(b->t, id, false);

	if (!role)
		return;
	iob_row_set_text(row, IOB_ROW_ISSUER, keep(b, role->comm));
	iob_row_set(row, IOB_ROW_ISSUER_PID, role->tgid);
}

static bool is_empty(const struct iob_total *total)
{
	uint64_t all = total->ios | total->bytes | total->cancelled |
		       total->sum_ns[IOB_TIME_QUEUE] |
		       total->sum_ns[IOB_TIME_DEVICE];

	for (int k = 0; k < IOB_NR_READ_ENDS; k++)
		all |= total->read[k];
	return !all;
}

static int add_total(struct build *b, struct iob_total *total)
{
	struct iob_row *row;
	int ret;

	if (is_empty(total))
		return 0;
	row = iob_vec_add(&b->r->rows);
	if (!row)
		return -ENOMEM;
	iob_row_set(row, IOB_ROW_DEV, total->dev);
	iob_row_set_text(row, IOB_ROW_OP, keep(b, total->op));
	iob_row_set_text(row, IOB_ROW_REASON, keep(b, total->reason));
	iob_row_set_text(row, IOB_ROW_BASIS, keep(b, total->basis));
	ret = set_act(b, row, total->act);
	if (ret)
		return ret;
	set_issuer(b, row, total->issuer);
	row->ios = total->ios;
	row->bytes = total->bytes;
	row->cancelled = total->cancelled;
	row->tells_reads = total->tells_reads;
	memcpy(row->read, total->read, sizeof(row->read));
	for (int k = 0; k < IOB_NR_TIMES; k++) {
		row->sum_ns[k] = total->sum_ns[k];
		row->max[k] = total->max[k];
		row->hist[k] = total->hist[k];
		memset(&total->hist[k], 0, sizeof(total->hist[k]));
	}
	return 0;
}

static int add_device(struct build *b, const struct iob_device_op *from)
{
	struct iob_device *d;
	struct iob_sum *sum;
	char name[NAME_MAX + 1], alias[PATH_MAX];

	if (!from->ios && !from->bytes)
		return 0;
	d = iob_report_device(b->r, from->dev);
	if (!d)
		return -ENOMEM;
	if (b->r->devices.nr > IOB_REPORT_MAX_DISKS ||
	    d->ops.nr > IOB_REPORT_MAX_OPS)
		return -E2BIG;
	if (!d->name) {
		d->name = keep(b, iob_tables_device(b->t, from->dev));
		if (b->names && !d->name &&
		    iob_names_device(b->names, from->dev, name, sizeof(name)))
			d->name = iob_report_word(b->r, name);
		if (b->names) {
			d->stacked = iob_names_stacked(b->names, from->dev);
			d->parent = iob_names_above(b->names, from->dev);
			if (iob_names_alias(b->names, from->dev, alias,
					    sizeof(alias)))
				d->alias = iob_report_word(b->r, alias);
		}
	}
	sum = iob_device_op_sum(d, keep(b, from->op));
	if (!sum)
		return -ENOMEM;
	sum->bytes += from->bytes;
	sum->ios += from->ios;
	return 0;
}

/*
 * What the rows of one device and operation lack of what the device did is a
 * row of its own: the module gave its detail up, or IO completed while the
 * tables were read. What they have more can only be the latter.
 */
static int balance(struct build *b, struct iob_device *d, struct iob_op_sum *s)
{
	struct iob_sum rows = {}, left = {};
	struct iob_row *row;

	for (size_t i = 0; i < b->r->rows.nr; i++) {
		row = &b->r->rows.v[i];
		if (row->v[IOB_ROW_DEV] != d->dev ||
		    iob_row_text(row, IOB_ROW_OP) != s->op)
			continue;
		rows.bytes += row->bytes;
		rows.ios += row->ios;
	}
	if (rows.bytes > s->sum.bytes)
		s->sum.bytes = rows.bytes;
	left.bytes = s->sum.bytes - rows.bytes;
	/*
	 * One IO counts in each of its origins' rows, so ios need not add up. Nor do
	 * flushes: one command may serve several who asked.
	 */
	if (strcmp(s->op, "flush") && s->sum.ios > rows.ios)
		left.ios = s->sum.ios - rows.ios;
	if (!left.bytes && !left.ios)
		return 0;
	row = iob_vec_add(&b->r->rows);
	if (!row)
		return -ENOMEM;
	iob_row_set(row, IOB_ROW_DEV, d->dev);
	iob_row_set_text(row, IOB_ROW_OP, s->op);
	iob_row_set_text(row, IOB_ROW_REASON, keep(b, "none"));
	iob_row_set_text(row, IOB_ROW_BASIS, keep(b, "issuer"));
	iob_row_set_text(row, IOB_ROW_UNKNOWN, keep(b, "folded"));
	row->bytes = left.bytes;
	row->ios = left.ios;
	return 0;
}

static int add_hooks_and_stats(struct build *b)
{
	for (size_t i = 0; i < b->t->hooks.nr; i++) {
		const struct iob_hook *from = &b->t->hooks.v[i];
		struct iob_hook *h = iob_vec_add(&b->r->hooks);

		if (!h)
			return -ENOMEM;
		*h = *from;
		h->name = keep(b, from->name);
		h->type = keep(b, from->type);
		h->need = keep(b, from->need);
		h->state = keep(b, from->state);
		h->effect = keep(b, from->effect);
	}
	for (size_t i = 0; i < b->t->stats.nr; i++) {
		struct iob_stat *s = iob_vec_add(&b->r->stats);

		if (!s)
			return -ENOMEM;
		s->name = keep(b, b->t->stats.v[i].name);
		s->value = b->t->stats.v[i].value;
	}
	return 0;
}

static int build(struct build *b)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < b->t->devices.nr; i++)
		ret = add_device(b, &b->t->devices.v[i]);
	for (size_t i = 0; !ret && i < b->t->totals.nr; i++)
		ret = add_total(b, &b->t->totals.v[i]);
	for (size_t i = 0; !ret && i < b->r->devices.nr; i++) {
		struct iob_device *d = &b->r->devices.v[i];

		for (size_t k = 0; !ret && k < d->ops.nr; k++)
			ret = balance(b, d, &d->ops.v[k]);
	}
	if (!ret)
		ret = add_hooks_and_stats(b);
	return ret;
}

/**
 * iob_report_from_tables - fill a report
 * @r: the report, empty
 * @t: the tables; their histograms move into the report
 * @names: for devices and mount points; may be NULL
 * @err: error text
 *
 * Return: 0, -ENOMEM or -E2BIG.
 */
int iob_report_from_tables(struct iob_report *r, struct iob_tables *t,
			   const struct iob_names *names, struct iob_err *err)
{
	struct build b = { .r = r, .t = t, .names = names };
	int ret = t->devices.nr > 16 * IOB_REPORT_MAX_DISKS ? -E2BIG : build(&b);

	iob_map_free(&b.stack_seen);
	if (ret == -E2BIG)
		return iob_fail(err, ret,
				"there are more disks than any machine has");
	if (ret)
		return iob_fail(err, ret, "out of memory making the report");
	for (size_t i = 0; i < sizeof(loss_stats) / sizeof(*loss_stats); i++)
		r->lost[loss_stats[i].loss] +=
			iob_tables_stat(t, loss_stats[i].stat);
	r->tells_times = t->tells_times;
	if (t->nr_bad_lines)
		iob_report_note(r, "%llu lines of the module's tables were not understood and are left out",
				(unsigned long long)t->nr_bad_lines);
	iob_report_settle(r);
	return 0;
}
