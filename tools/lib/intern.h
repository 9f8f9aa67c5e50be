/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interned strings: equal text is the same pointer, so that rows of a report
 * compare by comparing numbers.
 */
#ifndef IOBLAME_INTERN_H
#define IOBLAME_INTERN_H

#include <stddef.h>

struct iob_strings;

struct iob_strings *iob_strings_create(void);
void iob_strings_destroy(struct iob_strings *s);
const char *iob_strings_intern(struct iob_strings *s, const char *text,
			       size_t len);
const char *iob_strings_word(struct iob_strings *s, const char *text,
			     size_t len);

#endif /* IOBLAME_INTERN_H */
