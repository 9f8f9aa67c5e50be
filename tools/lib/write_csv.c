// SPDX-License-Identifier: GPL-2.0
/*
 * Every field of every row, exact: CSV (RFC 4180) for spreadsheets, and the
 * same between TABs for scripts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "writer.h"

static const struct {
	const char *name;
	enum iob_row_field f;
} fields[] = {
	{ "dev", IOB_ROW_DEV }, { "op", IOB_ROW_OP }, { "comm", IOB_ROW_COMM },
	{ "pid", IOB_ROW_PID }, { "tid", IOB_ROW_TID },
	{ "start_time", IOB_ROW_START }, { "cgroup_id", IOB_ROW_CGROUP_ID },
	{ "cgroup", IOB_ROW_CGROUP }, { "file_dev", IOB_ROW_FILE_DEV },
	{ "file_ino", IOB_ROW_FILE_INO }, { "file_gen", IOB_ROW_FILE_GEN },
	{ "file_path", IOB_ROW_FILE_PATH }, { "kind", IOB_ROW_KIND },
	{ "reason", IOB_ROW_REASON }, { "basis", IOB_ROW_BASIS },
	{ "stack", IOB_ROW_STACK }, { "issuer_comm", IOB_ROW_ISSUER },
	{ "unknown", IOB_ROW_UNKNOWN },
};

static const char *const times[IOB_NR_TIMES] = {
	"dirty_age", "queue", "device"
};

#define NR_FIELDS (sizeof(fields) / sizeof(*fields))

/**
 * iob_csv_text - a text as one field
 * @out: where to
 * @text: the text, not yet escaped
 * @sep: between fields, ``,`` or TAB
 *
 * Return: 0 or -ENOMEM.
 */
int iob_csv_text(FILE *out, const char *text, char sep)
{
	char *escaped = iob_escape(text);

	if (!escaped)
		return -ENOMEM;
	if (sep != ',') {
		fputs(escaped, out);
	} else if (!strpbrk(escaped, ",\"") && *escaped != ' ') {
		fputs(escaped, out);
	} else {
		fputc('"', out);
		for (const char *p = escaped; *p; p++) {
			if (*p == '"')
				fputc('"', out);
			fputc(*p, out);
		}
		fputc('"', out);
	}
	free(escaped);
	return 0;
}

static int put_field(FILE *out, const struct iob_row *row,
		     enum iob_row_field f, char sep)
{
	char dev[32];

	if (!(row->known & 1u << f)) {
		/* An empty field vanishes for those who split at blanks. */
		if (sep == '\t')
			fputc('-', out);
		return 0;
	}
	if (iob_row_field_is_text(f))
		return iob_csv_text(out, iob_row_text(row, f), sep);
	if (f == IOB_ROW_DEV || f == IOB_ROW_FILE_DEV) {
		iob_format_dev(dev, sizeof(dev), row->v[f]);
		fputs(dev, out);
		return 0;
	}
	fprintf(out, "%" PRIu64, row->v[f]);
	return 0;
}

static const char *devname(const struct iob_report *r,
			   const struct iob_row *row, char sep)
{
	for (size_t i = 0; i < r->devices.nr; i++)
		if (row->known & IOB_ROW_BIT(DEV) && r->devices.v[i].name &&
		    r->devices.v[i].dev == row->v[IOB_ROW_DEV])
			return r->devices.v[i].name;
	return sep == '\t' ? "-" : "";
}

/**
 * iob_csv_names - what iob_csv_fields() writes
 * @out: where to
 * @sep: between fields
 */
void iob_csv_names(FILE *out, char sep)
{
	fputs("devname", out);
	for (size_t i = 0; i < NR_FIELDS; i++)
		fprintf(out, "%c%s", sep, fields[i].name);
}

/**
 * iob_csv_fields - who and what a row is, field by field
 * @out: where to
 * @r: its report
 * @row: the row
 * @sep: between fields
 *
 * Return: 0 or -ENOMEM.
 */
int iob_csv_fields(FILE *out, const struct iob_report *r,
		   const struct iob_row *row, char sep)
{
	int ret = iob_csv_text(out, devname(r, row, sep), sep);

	for (size_t i = 0; !ret && i < NR_FIELDS; i++) {
		fputc(sep, out);
		ret = put_field(out, row, fields[i].f, sep);
	}
	return ret;
}

/**
 * iob_csv_container - the field that came last, and so stands last
 * @out: where to
 * @row: the row
 * @sep: before it
 *
 * Return: 0 or -ENOMEM.
 */
int iob_csv_container(FILE *out, const struct iob_row *row, char sep)
{
	fputc(sep, out);
	return put_field(out, row, IOB_ROW_CONTAINER, sep);
}

static int put_row(const struct iob_report *r, FILE *out,
		   const struct iob_row *row, char sep)
{
	int ret;

	fprintf(out, "%" PRIu64 "%c%" PRIu64 "%c%" PRIu64 "%c", row->bytes, sep,
		row->ios, sep, row->cancelled, sep);
	ret = iob_csv_fields(out, r, row, sep);
	for (int k = 0; !ret && k < IOB_NR_TIMES; k++) {
		const struct iob_hist *h = &row->hist[k];

		fprintf(out, "%c%" PRIu64 "%c%" PRIu64 "%c%" PRIu64,
			sep, iob_hist_percentile(h, 50, row->max[k]),
			sep, iob_hist_percentile(h, 99, row->max[k]),
			sep, row->max[k]);
	}
	for (int k = 0; !ret && k < IOB_NR_READ_ENDS; k++) {
		fputc(sep, out);
		if (row->tells_reads)
			fprintf(out, "%" PRIu64, row->read[k]);
		else if (sep == '\t')
			fputc('-', out);
	}
	if (!ret)
		ret = iob_csv_container(out, row, sep);
	fputc('\n', out);
	return ret;
}

static int write_separated(const struct iob_report *r, FILE *out, char sep,
			   struct iob_err *err)
{
	int ret = 0;

	fprintf(out, "bytes%cios%ccancelled_bytes%c", sep, sep, sep);
	iob_csv_names(out, sep);
	for (int k = 0; k < IOB_NR_TIMES; k++)
		fprintf(out, "%c%s_p50_ns%c%s_p99_ns%c%s_max_ns", sep, times[k],
			sep, times[k], sep, times[k]);
	for (int k = 0; k < IOB_NR_READ_ENDS; k++)
		fprintf(out, "%c%s_bytes", sep, iob_read_words[k]);
	fprintf(out, "%ccontainer", sep);
	fputc('\n', out);
	for (size_t i = 0; !ret && i < r->rows.nr; i++)
		ret = put_row(r, out, &r->rows.v[i], sep);
	return ret ? iob_fail(err, ret, "out of memory writing rows") : 0;
}

static int write_csv(const struct iob_report *r,
		     const struct iob_write_options *o, struct iob_err *err)
{
	return write_separated(r, o->out, ',', err);
}

static int write_raw(const struct iob_report *r,
		     const struct iob_write_options *o, struct iob_err *err)
{
	struct iob_write_options exact = *o;

	exact.exact = true;
	iob_write_head(r, &exact, "# ");
	return write_separated(r, o->out, '\t', err);
}

const struct iob_writer iob_csv_writer = {
	.name = "csv",
	.default_fields = IOB_ALL_FIELDS,
	.write = write_csv,
	.diff = iob_diff_to_csv,
};

const struct iob_writer iob_raw_writer = {
	.name = "raw",
	.default_fields = IOB_ALL_FIELDS,
	.write = write_raw,
};
