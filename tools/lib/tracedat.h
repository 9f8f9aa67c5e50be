/* SPDX-License-Identifier: GPL-2.0 */
/* trace-cmd's trace.dat, where it has the module's events, made into a recording. */
#ifndef IOBLAME_TRACEDAT_H
#define IOBLAME_TRACEDAT_H

#include <stdbool.h>

#include "errtext.h"
#include "snapshot.h"

bool iob_is_tracedat(const struct iob_blob *file);
int iob_tracedat_convert(struct iob_blob *file, struct iob_err *err);

#endif /* IOBLAME_TRACEDAT_H */
