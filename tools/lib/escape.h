/* SPDX-License-Identifier: GPL-2.0 */
/* Names with odd bytes, written so that they can be read back. */
#ifndef IOBLAME_ESCAPE_H
#define IOBLAME_ESCAPE_H

#include <stddef.h>

size_t iob_utf8_length(const char *p);
unsigned int iob_utf8_char(const char *p, size_t len);
char *iob_escape(const char *name);
char *iob_unescape(const char *name);
void iob_escape_to(char *buf, size_t size, const char *name);
void iob_utf8_trim(char *text);

#endif /* IOBLAME_ESCAPE_H */
