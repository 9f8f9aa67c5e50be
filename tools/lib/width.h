/* SPDX-License-Identifier: GPL-2.0 */
/* How many columns of a terminal a text takes, and texts cut to them. */
#ifndef IOBLAME_WIDTH_H
#define IOBLAME_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

size_t iob_width(const char *text);
void iob_width_cut(char *text, size_t cap, bool at_start);
void iob_width_pad(char *text, size_t size, size_t width, bool right);
void iob_width_ascii(char *text, size_t size);

#endif /* IOBLAME_WIDTH_H */
