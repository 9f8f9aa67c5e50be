/* SPDX-License-Identifier: GPL-2.0 */
/* What a row says in one place of a table, as text for people. */
#ifndef IOBLAME_CELL_H
#define IOBLAME_CELL_H

#include <stddef.h>

#include "report.h"

void iob_cell_field(char *buf, size_t size, const struct iob_row *row,
		    enum iob_row_field f);
void iob_cell_comm(char *buf, size_t size, const struct iob_row *row);
void iob_cell_file(char *buf, size_t size, const struct iob_row *row);
void iob_cell_dev(char *buf, size_t size, const struct iob_report *r,
		  const struct iob_row *row);
void iob_cell_time(char *buf, size_t size, const struct iob_row *row,
		   enum iob_time time, unsigned int percent, bool exact);
void iob_cell_stack(char *buf, size_t size, const struct iob_report *r,
		    const struct iob_row *row, bool id);

#endif /* IOBLAME_CELL_H */
