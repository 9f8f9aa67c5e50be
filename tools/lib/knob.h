/* SPDX-License-Identifier: GPL-2.0 */
/* One small file of the kernel that holds one value. */
#ifndef IOBLAME_KNOB_H
#define IOBLAME_KNOB_H

#include <stddef.h>

#include "errtext.h"

#define IOB_KNOB_MAX 4096

int iob_knob_read(const char *path, char *value, size_t size,
		  struct iob_err *err);
int iob_knob_write(const char *path, const char *value, struct iob_err *err);

#endif /* IOBLAME_KNOB_H */
