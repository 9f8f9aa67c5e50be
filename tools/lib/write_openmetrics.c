// SPDX-License-Identifier: GPL-2.0
/*
 * OpenMetrics text. Rows whose labels are the same text are one series: to have it
 * twice would be an error there.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "writer.h"

struct series {
	char *labels;
	uint64_t bytes, ios, cancelled;
};

static const struct {
	const char *name;
	enum iob_row_field f;
} labels[] = {
	{ "dev", IOB_ROW_DEV }, { "op", IOB_ROW_OP }, { "comm", IOB_ROW_COMM },
	{ "pid", IOB_ROW_PID }, { "cgroup", IOB_ROW_CGROUP },
	{ "file", IOB_ROW_FILE_PATH }, { "kind", IOB_ROW_KIND },
	{ "reason", IOB_ROW_REASON }, { "basis", IOB_ROW_BASIS },
	{ "unknown", IOB_ROW_UNKNOWN },
};

/* What is no printable text is escaped as everywhere, and the backslash again. */
static int put_value(FILE *out, const char *name, const char *text)
{
	char *escaped = iob_escape(text);

	if (!escaped)
		return -ENOMEM;
	fprintf(out, "%s=\"", name);
	for (const char *p = escaped; *p; p++) {
		if (*p == '"' || *p == '\\')
			fputc('\\', out);
		fputc(*p, out);
	}
	fputc('"', out);
	free(escaped);
	return 0;
}

static const char *value_of(const struct iob_report *r,
			    const struct iob_row *row, enum iob_row_field f,
			    char *buf, size_t size)
{
	if (f == IOB_ROW_FILE_PATH && !(row->known & 1u << f) &&
	    row->known & IOB_ROW_BIT(FILE_INO)) {
		snprintf(buf, size, "inode %" PRIu64, row->v[IOB_ROW_FILE_INO]);
		return buf;
	}
	if (!(row->known & 1u << f))
		return NULL;
	if (iob_row_field_is_text(f))
		return iob_row_text(row, f);
	if (f == IOB_ROW_DEV)
		return iob_report_devname(r, row->v[f], buf, size);
	snprintf(buf, size, "%" PRIu64, row->v[f]);
	return buf;
}

static int make_labels(const struct iob_report *r, const struct iob_row *row,
		       char **text)
{
	const char *sep = "";
	size_t size;
	FILE *out = open_memstream(text, &size);
	int ret = 0;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < sizeof(labels) / sizeof(*labels); i++) {
		char buf[64];
		const char *value = value_of(r, row, labels[i].f, buf,
					     sizeof(buf));

		if (!value || !*value)
			continue;
		fputs(sep, out);
		ret = put_value(out, labels[i].name, value);
		sep = ",";
	}
	return fclose(out) ? -ENOMEM : ret;
}

static int by_labels(const void *pa, const void *pb)
{
	const struct series *a = pa, *b = pb;

	return strcmp(a->labels, b->labels);
}

static void merge(struct series *v, size_t *nr)
{
	size_t kept = 0;

	qsort(v, *nr, sizeof(*v), by_labels);
	for (size_t i = 0; i < *nr; i++) {
		if (!kept || strcmp(v[kept - 1].labels, v[i].labels)) {
			v[kept++] = v[i];
			continue;
		}
		v[kept - 1].bytes += v[i].bytes;
		v[kept - 1].ios += v[i].ios;
		v[kept - 1].cancelled += v[i].cancelled;
		free(v[i].labels);
	}
	*nr = kept;
}

static const struct family {
	const char *name, *unit, *help;
	size_t offset;			/* of the value in struct series */
} families[] = {
	{ "ioblame_bytes", "bytes",
	  "Bytes of completed disk IO, by their origin.",
	  offsetof(struct series, bytes) },
	{ "ioblame_ios", NULL,
	  "Completed IOs in which an origin has a share: one of two origins counts twice.",
	  offsetof(struct series, ios) },
	{ "ioblame_cancelled_bytes", "bytes",
	  "Bytes made dirty and gone before they were written.",
	  offsetof(struct series, cancelled) },
};

static void put_family(FILE *out, const char *name, const char *unit,
		       const char *help)
{
	fprintf(out, "# TYPE %s counter\n", name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

static void put_lost(const struct iob_report *r, FILE *out)
{
	put_family(out, "ioblame_lost", NULL,
		   "Detail that was lost, by what it was; bytes are complete.");
	for (int i = 0; i < IOB_NR_LOSSES; i++)
		fprintf(out, "ioblame_lost_total{what=\"%s\"} %" PRIu64 "\n",
			iob_loss_words[i], r->lost[i]);
}

static int write_openmetrics(const struct iob_report *r,
			     const struct iob_write_options *o,
			     struct iob_err *err)
{
	struct series *v = calloc(r->rows.nr + 1, sizeof(*v));
	size_t nr = 0;
	int ret = v ? 0 : -ENOMEM;

	for (; !ret && nr < r->rows.nr; nr++) {
		const struct iob_row *row = &r->rows.v[nr];

		v[nr].bytes = row->bytes;
		v[nr].ios = row->ios;
		v[nr].cancelled = row->cancelled;
		ret = make_labels(r, row, &v[nr].labels);
	}
	if (!ret)
		merge(v, &nr);
	for (size_t k = 0; !ret && k < sizeof(families) / sizeof(*families); k++) {
		const struct family *f = &families[k];

		put_family(o->out, f->name, f->unit, f->help);
		for (size_t i = 0; i < nr; i++)
			fprintf(o->out, "%s_total{%s} %" PRIu64 "\n", f->name,
				v[i].labels,
				*(uint64_t *)((char *)&v[i] + f->offset));
	}
	if (!ret) {
		put_lost(r, o->out);
		fputs("# EOF\n", o->out);
	}
	for (size_t i = 0; i < nr; i++)
		free(v[i].labels);
	free(v);
	return ret ? iob_fail(err, ret, "out of memory writing metrics") : 0;
}

const struct iob_writer iob_openmetrics_writer = {
	.name = "openmetrics",
	.default_fields = IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) | IOB_ROW_BIT(COMM) |
			  IOB_ROW_BIT(PID) | IOB_ROW_BIT(CGROUP) |
			  IOB_ROW_BIT(FILE_DEV) | IOB_ROW_BIT(FILE_INO) |
			  IOB_ROW_BIT(FILE_GEN) | IOB_ROW_BIT(KIND) |
			  IOB_ROW_BIT(REASON) | IOB_ROW_BIT(BASIS) |
			  IOB_ROW_BIT(UNKNOWN),
	.write = write_openmetrics,
};
