/* SPDX-License-Identifier: GPL-2.0 */
/* Where a report comes from, if not from the live module. */
#ifndef IOBLAME_SOURCE_H
#define IOBLAME_SOURCE_H

#include "names.h"
#include "report.h"

int iob_source_load(struct iob_report *r, const char *path,
		    struct iob_names *names, struct iob_err *err);

#endif /* IOBLAME_SOURCE_H */
