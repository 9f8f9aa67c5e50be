// SPDX-License-Identifier: GPL-2.0
/* What a row says, column by column. */
#include <inttypes.h>
#include <string.h>

#include "cell.h"
#include "columns.h"

static void cell_bytes(struct iob_cell *t, const struct iob_row *row)
{
	iob_format_bytes(t->text, sizeof(t->text), row->bytes, t->o->exact);
}

static void cell_ios(struct iob_cell *t, const struct iob_row *row)
{
	snprintf(t->text, sizeof(t->text), "%" PRIu64, row->ios);
}

static void cell_cancelled(struct iob_cell *t, const struct iob_row *row)
{
	iob_format_bytes(t->text, sizeof(t->text), row->cancelled, t->o->exact);
}

#define CELL_WRITTEN(lower, upper)					\
static void cell_##lower(struct iob_cell *t, const struct iob_row *row)	\
{									\
	iob_format_bytes(t->text, sizeof(t->text),			\
			 row->written[IOB_WRITTEN_##upper], t->o->exact); \
}

CELL_WRITTEN(data, DATA)
CELL_WRITTEN(metadata, METADATA)
CELL_WRITTEN(journal, JOURNAL)
CELL_WRITTEN(other, OTHER)

/* What reached the disk, and what was gone before it could. */
static void cell_dirtied(struct iob_cell *t, const struct iob_row *row)
{
	iob_format_bytes(t->text, sizeof(t->text), iob_row_dirtied(row),
			 t->o->exact);
}

static void cell_ratio(struct iob_cell *t, const struct iob_row *row)
{
	if (row->written[IOB_WRITTEN_DATA])
		snprintf(t->text, sizeof(t->text), "%.2f",
			 iob_row_amplification(row));
	else
		strcpy(t->text, "-");
}

static void cell_read(struct iob_cell *t, const struct iob_row *row,
		      enum iob_read_end end)
{
	if (row->tells_reads)
		iob_format_bytes(t->text, sizeof(t->text), row->read[end],
				 t->o->exact);
	else
		strcpy(t->text, "-");
}

static void cell_used(struct iob_cell *t, const struct iob_row *row)
{
	cell_read(t, row, IOB_READ_USED);
}

static void cell_unused(struct iob_cell *t, const struct iob_row *row)
{
	cell_read(t, row, IOB_READ_UNUSED);
}

/* Of the bytes of the same operation and disk, as far as the row has one. */
static void cell_share(struct iob_cell *t, const struct iob_row *row)
{
	const char *op = iob_row_text(row, IOB_ROW_OP);
	uint64_t all = 0;

	for (size_t i = 0; i < t->r->devices.nr; i++) {
		const struct iob_device *d = &t->r->devices.v[i];

		if (row->known & IOB_ROW_BIT(DEV) ?
		    d->dev != row->v[IOB_ROW_DEV] : d->stacked)
			continue;
		for (size_t k = 0; k < d->ops.nr; k++)
			if (!op || d->ops.v[k].op == op)
				all += d->ops.v[k].sum.bytes;
	}
	if (all)
		snprintf(t->text, sizeof(t->text), "%.1f%%",
			 100.0 * row->bytes / all);
	else
		strcpy(t->text, "-");
}

static void cell_dev(struct iob_cell *t, const struct iob_row *row)
{
	iob_cell_dev(t->text, sizeof(t->text), t->r, row);
}

#define CELL(lower, upper)						\
static void cell_##lower(struct iob_cell *t, const struct iob_row *row)	\
{									\
	iob_cell_field(t->text, sizeof(t->text), row, IOB_ROW_##upper);	\
}

CELL(op, OP)
CELL(pid, PID)
CELL(tid, TID)
CELL(cgroup, CGROUP)
CELL(container, CONTAINER)
CELL(kind, KIND)
CELL(reason, REASON)
CELL(basis, BASIS)
CELL(issuer, ISSUER)

static void cell_comm(struct iob_cell *t, const struct iob_row *row)
{
	iob_cell_comm(t->text, sizeof(t->text), row);
}

static void cell_file(struct iob_cell *t, const struct iob_row *row)
{
	iob_cell_file(t->text, sizeof(t->text), row);
}

static void cell_age(struct iob_cell *t, const struct iob_row *row)
{
	iob_cell_time(t->text, sizeof(t->text), row, IOB_TIME_AGE, 50,
		      t->o->exact);
}

static void cell_device(struct iob_cell *t, const struct iob_row *row)
{
	iob_cell_time(t->text, sizeof(t->text), row, IOB_TIME_DEVICE, 99,
		      t->o->exact);
}

static void cell_stack(struct iob_cell *t, const struct iob_row *row)
{
	iob_cell_stack(t->text, sizeof(t->text), t->r, row, t->o->stacks);
}

static bool any_cancelled(const struct iob_report *r)
{
	for (size_t i = 0; !r->tells_written && i < r->rows.nr; i++)
		if (r->rows.v[i].cancelled)
			return true;
	return false;
}

static bool whole(const struct iob_report *r)
{
	return !r->tells_written;
}

static bool written(const struct iob_report *r)
{
	return r->tells_written;
}

static bool tells_reads(const struct iob_report *r)
{
	return r->tells_reads && !r->tells_written;
}

/* What a narrow terminal does without, first the first */
enum drop { DROP_NEVER, DROP_DEV_P99, DROP_AGE, DROP_SHARE, DROP_CANCELLED,
	    DROP_IOS, DROP_USED, DROP_KIND, DROP_BASIS, DROP_TID, DROP_ISSUER,
	    DROP_REASON, DROP_STACK, DROP_CGROUP, DROP_OP, DROP_DEV, DROP_UNUSED,
	    DROP_PID, DROP_OTHER, DROP_DIRTIED };

#define RIGHT .right = true

const struct iob_column iob_columns[] = {
	{ { "bytes", RIGHT }, cell_bytes },
	{ { "dirtied", RIGHT, .drop = DROP_DIRTIED }, cell_dirtied, 0, written },
	{ { "data", RIGHT }, cell_data, 0, written },
	{ { "metadata", RIGHT }, cell_metadata, 0, written },
	{ { "journal", RIGHT }, cell_journal, 0, written },
	{ { "other", RIGHT, .drop = DROP_OTHER }, cell_other, 0, written },
	{ { "ratio", RIGHT }, cell_ratio, 0, written },
	{ { "ios", RIGHT, .drop = DROP_IOS }, cell_ios, 0, whole },
	{ { "share", RIGHT, .drop = DROP_SHARE }, cell_share },
	{ { "cancelled", RIGHT, .drop = DROP_CANCELLED }, cell_cancelled, 0,
	  any_cancelled },
	{ { "used", RIGHT, .drop = DROP_USED }, cell_used, 0, tells_reads },
	{ { "unused", RIGHT, .drop = DROP_UNUSED }, cell_unused, 0, tells_reads },
	{ { "dev", .drop = DROP_DEV }, cell_dev, IOB_ROW_BIT(DEV) },
	{ { "op", .drop = DROP_OP }, cell_op, IOB_ROW_BIT(OP) },
	{ { "comm" }, cell_comm, IOB_ROW_BIT(COMM) },
	{ { "pid", RIGHT, .drop = DROP_PID }, cell_pid, IOB_ROW_BIT(PID) },
	{ { "tid", RIGHT, .drop = DROP_TID }, cell_tid, IOB_ROW_BIT(TID) },
	{ { "cgroup", IOB_CUT_START, .drop = DROP_CGROUP }, cell_cgroup,
	  IOB_ROW_BIT(CGROUP_ID) },
	{ { "container", .drop = DROP_CGROUP }, cell_container,
	  IOB_ROW_BIT(CONTAINER) },
	{ { "file", IOB_CUT_START }, cell_file, IOB_ROW_BIT(FILE_INO) },
	{ { "kind", .drop = DROP_KIND }, cell_kind, IOB_ROW_BIT(KIND) },
	{ { "reason", .drop = DROP_REASON }, cell_reason, IOB_ROW_BIT(REASON) },
	{ { "basis", .drop = DROP_BASIS }, cell_basis, IOB_ROW_BIT(BASIS) },
	{ { "issuer", .drop = DROP_ISSUER }, cell_issuer, IOB_ROW_BIT(ISSUER) },
	{ { "age p50", RIGHT, .drop = DROP_AGE }, cell_age, 0, whole },
	{ { "dev p99", RIGHT, .drop = DROP_DEV_P99 }, cell_device, 0, whole },
	{ { "stack", IOB_CUT_END, .drop = DROP_STACK }, cell_stack,
	  IOB_ROW_BIT(STACK) },
	{}
};
