/* SPDX-License-Identifier: GPL-2.0 */
/* The one table of what export writes. */
#ifndef IOBLAME_FORMATS_H
#define IOBLAME_FORMATS_H

#include <stdbool.h>

#include "errtext.h"

struct iob_writer;
struct tool_ops;

struct format {
	const char *name;
	bool one_metric;		/* --metric chooses; else it has them all */
	const struct iob_writer *writer;	/* of rows; NULL: of single IOs */
	const struct tool_ops *ops;
};

extern const struct format formats[];

const struct format *format_find(const char *name, struct iob_err *err);
void format_names(char *buf, size_t size);

#endif /* IOBLAME_FORMATS_H */
