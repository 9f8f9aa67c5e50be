/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOBLAME_LOAD_JSON_H
#define IOBLAME_LOAD_JSON_H

#include "report.h"

int iob_report_load(struct iob_report *r, const char *text, size_t len,
		    struct iob_err *err);

#endif /* IOBLAME_LOAD_JSON_H */
