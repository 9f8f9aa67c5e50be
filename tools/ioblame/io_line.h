/* SPDX-License-Identifier: GPL-2.0 */
/* One IO as a line. */
#ifndef IOBLAME_IO_LINE_H
#define IOBLAME_IO_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "aggregate.h"
#include "event.h"
#include "names.h"
#include "tables.h"

struct io_line {
	uint64_t ts_ns;
	const struct iob_event_io *io;
	struct iob_tables *t;
	const struct iob_names *names;
	FILE *out;
};

bool io_line_matches(const struct iob_filter *f, struct iob_tables *t,
		     const struct iob_event_io *io);
void io_line_text(const struct io_line *l);
void io_line_json(const struct io_line *l);
struct json_object *io_line_object(const struct io_line *l);

#endif /* IOBLAME_IO_LINE_H */
