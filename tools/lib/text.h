/* SPDX-License-Identifier: GPL-2.0 */
/* The module's text tables: lines of fields between TABs, named by line one. */
#ifndef IOBLAME_TEXT_H
#define IOBLAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errtext.h"

#define IOB_TEXT_COLS 32

struct iob_field {
	const char *p;
	size_t len;
};

struct iob_text {
	const char *pos, *end;
	unsigned int nr_want;
	unsigned int nr_cols;
	int col_of[IOB_TEXT_COLS];	/* wanted column -> place in the line, or -1 */
	struct iob_field f[IOB_TEXT_COLS];	/* of this line, in wanted order */
};

int iob_text_open(struct iob_text *t, const char *text, size_t len,
		  const char *const *want, const char *name,
		  struct iob_err *err);
int iob_text_next(struct iob_text *t);
bool iob_field_u64(struct iob_field f, uint64_t *value);
bool iob_field_dev(struct iob_field f, uint32_t *dev);
bool iob_field_is(struct iob_field f, const char *word);
size_t iob_field_unescape(struct iob_field f, char *out, size_t size);
bool iob_split(struct iob_field *rest, char sep, struct iob_field *part);

#endif /* IOBLAME_TEXT_H */
