// SPDX-License-Identifier: GPL-2.0
/* '*' where the rows of a group differ, '-' where nothing is known. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "escape.h"
#include "writer.h"

/**
 * iob_cell_field - the value of one field
 * @buf: the text, escaped
 * @size: room in @buf
 * @row: the row
 * @f: the field
 */
void iob_cell_field(char *buf, size_t size, const struct iob_row *row,
		    enum iob_row_field f)
{
	if (!(row->known & 1u << f)) {
		snprintf(buf, size, "%s", row->mixed & 1u << f ? "*" : "-");
		return;
	}
	if (!iob_row_field_is_text(f)) {
		snprintf(buf, size, "%" PRIu64, row->v[f]);
		return;
	}
	iob_escape_to(buf, size, iob_row_text(row, f));
}

/**
 * iob_cell_dev - the disk of a row by its name, or else by its number
 * @buf: the text
 * @size: room in @buf
 * @r: the report, which knows the names
 * @row: the row
 */
void iob_cell_dev(char *buf, size_t size, const struct iob_report *r,
		  const struct iob_row *row)
{
	iob_cell_field(buf, size, row, IOB_ROW_DEV);
	if (!(row->known & IOB_ROW_BIT(DEV)))
		return;
	iob_format_dev(buf, size, row->v[IOB_ROW_DEV]);
	for (size_t i = 0; i < r->devices.nr; i++)
		if (r->devices.v[i].dev == row->v[IOB_ROW_DEV] &&
		    iob_device_label(&r->devices.v[i]))
			snprintf(buf, size, "%s", iob_device_label(&r->devices.v[i]));
}

/**
 * iob_cell_comm - who; one who is not known is said in words in the place of a name
 * @buf: the text
 * @size: room in @buf
 * @row: the row
 */
void iob_cell_comm(char *buf, size_t size, const struct iob_row *row)
{
	if (row->known & IOB_ROW_BIT(COMM) || row->mixed & IOB_ROW_BIT(COMM) ||
	    !(row->known & IOB_ROW_BIT(UNKNOWN)))
		iob_cell_field(buf, size, row, IOB_ROW_COMM);
	else
		snprintf(buf, size, "[%s]", iob_row_text(row, IOB_ROW_UNKNOWN));
}

/**
 * iob_cell_file - the path of a row's file, or else its inode
 * @buf: the text
 * @size: room in @buf
 * @row: the row
 */
void iob_cell_file(char *buf, size_t size, const struct iob_row *row)
{
	const char *flags = iob_row_text(row, IOB_ROW_FILE_FLAGS);
	size_t len;

	iob_cell_field(buf, size, row, IOB_ROW_FILE_PATH);
	if (!(row->known & IOB_ROW_BIT(FILE_PATH)) &&
	    row->known & IOB_ROW_BIT(FILE_INO) &&
	    !(row->mixed & IOB_ROW_BIT(FILE_PATH)))
		snprintf(buf, size, "inode %" PRIu64, row->v[IOB_ROW_FILE_INO]);
	len = strlen(buf);
	if (flags && strstr(flags, "deleted"))
		snprintf(buf + len, size - len, " (deleted)");
}

/**
 * iob_cell_time - a percentile of one of a row's times
 * @buf: the text
 * @size: room in @buf
 * @row: the row
 * @time: which time
 * @percent: which percentile
 * @exact: in ns, not rounded
 */
void iob_cell_time(char *buf, size_t size, const struct iob_row *row,
		   enum iob_time time, unsigned int percent, bool exact)
{
	if (iob_hist_total(&row->hist[time]))
		iob_format_ns(buf, size,
			      iob_hist_percentile(&row->hist[time], percent,
						  row->max[time]), exact);
	else
		snprintf(buf, size, "-");
}

/**
 * iob_cell_stack - the telling frames of a row's stack
 * @buf: the text
 * @size: room in @buf
 * @r: the report, which has the frames
 * @row: the row
 * @id: with its number before them
 */
void iob_cell_stack(char *buf, size_t size, const struct iob_report *r,
		    const struct iob_row *row, bool id)
{
	const char *frames = NULL;
	size_t at = 0;

	iob_cell_field(buf, size, row, IOB_ROW_STACK);
	if (row->known & IOB_ROW_BIT(STACK))
		frames = iob_report_frames(r, row->v[IOB_ROW_STACK]);
	if (!frames)
		return;
	if (id)
		at = snprintf(buf, size, "#%u ", (uint32_t)row->v[IOB_ROW_STACK]);
	iob_format_telling(buf + at, size - at, frames);
}
