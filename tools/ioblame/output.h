/* SPDX-License-Identifier: GPL-2.0 */
/* Where a command writes to: stdout, or a file that is there whole or not at all. */
#ifndef IOBLAME_OUTPUT_H
#define IOBLAME_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "errtext.h"

struct output {
	FILE *file;
	char *path;			/* NULL: stdout */
	char *tmp;			/* becomes path in the end; NULL: written in place */
};

int output_open(struct output *o, const char *path, bool whole,
		struct iob_err *err);
int output_close(struct output *o, int ret, struct iob_err *err);

#endif /* IOBLAME_OUTPUT_H */
