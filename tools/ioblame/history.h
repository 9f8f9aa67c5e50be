/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of the past. */
#ifndef IOBLAME_HISTORY_H
#define IOBLAME_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "report.h"

struct tool;

bool history_time(const char *text, uint64_t now, uint64_t *t);
int history_fill(struct tool *t, struct iob_report *r, struct iob_err *err);

#endif /* IOBLAME_HISTORY_H */
