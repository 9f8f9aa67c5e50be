// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "formats.h"
#include "row.h"
#include "writer.h"

const struct format formats[] = {
	{ "folded", true, &iob_folded_writer, &report_ops },
	{ "svg", true, &iob_svg_writer, &report_ops },
	{ "pprof", true, &iob_pprof_writer, &report_ops },
	{ "speedscope", true, &iob_speedscope_writer, &report_ops },
	{ "perfetto", false, NULL, &script_ops },
	{ "csv", false, &iob_csv_writer, &report_ops },
	{ "jsonl", false, &iob_jsonl_writer, &report_ops },
	{ "openmetrics", false, &iob_openmetrics_writer, &report_ops },
	{}
};

/**
 * format_names - all formats, with commas between
 * @buf: the text
 * @size: room in @buf
 */
void format_names(char *buf, size_t size)
{
	size_t at = 0;

	for (const struct format *f = formats; f->name && at < size; f++)
		at += snprintf(buf + at, size - at, "%s%s", at ? ", " : "",
			       f->name);
}

/**
 * format_find - a format by its name
 * @name: the name
 * @err: error text, with a suggestion
 *
 * Return: the format, or NULL.
 */
const struct format *format_find(const char *name, struct iob_err *err)
{
	const char *names[32];
	size_t nr = 0;

	for (const struct format *f = formats; f->name && nr < 32; f++) {
		if (!strcmp(f->name, name))
			return f;
		names[nr++] = f->name;
	}
	iob_unknown(err, "format", name, names, nr, NULL);
	return NULL;
}
