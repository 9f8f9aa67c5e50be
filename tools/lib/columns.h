/* SPDX-License-Identifier: GPL-2.0 */
/* The one table of the columns that tables for people have. */
#ifndef IOBLAME_COLUMNS_H
#define IOBLAME_COLUMNS_H

#include <limits.h>

#include "grid.h"
#include "writer.h"

#define IOB_MAX_COLUMNS 32

struct iob_cell {
	const struct iob_report *r;
	const struct iob_write_options *o;
	char text[8 * PATH_MAX + 32];	/* a path behind a mount point, escaped */
};

struct iob_column {
	struct iob_grid_column grid;
	void (*cell)(struct iob_cell *t, const struct iob_row *row);
	uint32_t need;		/* shown if the rows have one of these fields */
	bool (*tells)(const struct iob_report *r);	/* NULL: always something */
};

extern const struct iob_column iob_columns[];

#endif /* IOBLAME_COLUMNS_H */
