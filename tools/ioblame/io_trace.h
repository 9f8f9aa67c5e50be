/* SPDX-License-Identifier: GPL-2.0 */
/* IOs as slices of time, for viewers of traces. */
#ifndef IOBLAME_IO_TRACE_H
#define IOBLAME_IO_TRACE_H

#include "io_line.h"

struct io_trace;

struct io_trace *io_trace_create(void);
void io_trace_destroy(struct io_trace *t);
int io_trace_add(struct io_trace *t, const struct io_line *l);
int io_trace_write(struct io_trace *t, FILE *out);

#endif /* IOBLAME_IO_TRACE_H */
