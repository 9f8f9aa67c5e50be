/* SPDX-License-Identifier: GPL-2.0 */
/* Names with odd bytes, written so that they can be read back. */
#ifndef IOBLAME_ESCAPE_H
#define IOBLAME_ESCAPE_H

#include <stddef.h>

enum iob_escape {
	/* For eyes and lines: also control characters and what hides itself */
	IOB_ESCAPE_PLAIN,
	/* For JSON strings: only what is no UTF-8; JSON does the rest */
	IOB_ESCAPE_JSON,
};

size_t iob_utf8_length(const char *p);
char *iob_escape(const char *name, enum iob_escape how);
char *iob_unescape(const char *name);

#endif /* IOBLAME_ESCAPE_H */
