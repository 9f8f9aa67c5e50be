// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "escape.h"
#include "width.h"

/*
 * The columns of the character at @p, and its length in bytes. What the locale
 * has no width for counts one: it is not known to be wider.
 */
static size_t width_at(const char *p, size_t *len)
{
	int width;

	*len = iob_utf8_length(p);
	if (!*len) {
		*len = 1;
		return 1;
	}
	width = wcwidth(iob_utf8_char(p, *len));
	return width < 0 ? 1 : width;
}

/**
 * iob_width - the columns a text takes
 * @text: escaped UTF-8
 *
 * Return: how many; combining characters take none, wide ones two.
 */
size_t iob_width(const char *text)
{
	size_t columns = 0, len;

	for (; *text; text += len)
		columns += width_at(text, &len);
	return columns;
}

/**
 * iob_width_cut - make a text fit
 * @text: cut in place; ".." stands for what is missing
 * @cap: columns it may take
 * @at_start: the end of a path tells more than its start; of a stack it is the
 *            start
 */
void iob_width_cut(char *text, size_t cap, bool at_start)
{
	size_t left = iob_width(text), keep = cap > 2 ? cap - 2 : 1, len, w;
	const char *dots = cap > 2 ? ".." : "";
	char *p = text;

	if (left <= cap)
		return;
	if (at_start) {
		/* Nor keep what combines with a character that goes. */
		while (*p && (left > keep || !width_at(p, &len))) {
			left -= width_at(p, &len);
			p += len;
		}
		memmove(text + strlen(dots), p, strlen(p) + 1);
		memcpy(text, dots, strlen(dots));
		return;
	}
	for (left = 0; *p; p += len, left += w) {
		w = width_at(p, &len);
		if (left + w > keep)
			break;
	}
	/* At least two columns are cut, so at least two bytes are. */
	strcpy(p, dots);
}

/**
 * iob_width_pad - blanks up to a width
 * @text: cut before, if it has to be
 * @size: room in @text
 * @width: columns it shall take
 * @right: the text at the right end
 */
void iob_width_pad(char *text, size_t size, size_t width, bool right)
{
	size_t have = iob_width(text), len = strlen(text);
	size_t more = width > have ? width - have : 0;

	if (len + more + 1 > size)
		more = size - len - 1;
	if (right)
		memmove(text + more, text, len + 1);
	memset(right ? text : text + len, ' ', more);
	text[len + more] = '\0';
}

/**
 * iob_width_ascii - write what is not ASCII as ``\xNN``, as odd bytes are
 * @text: changed in place, for a terminal that knows no UTF-8
 * @size: room in @text; what does not fit is left out
 */
void iob_width_ascii(char *text, size_t size)
{
	char *copy = strdup(text);
	size_t at = 0;

	for (const char *p = copy; p && *p && at + 5 < size; p++)
		at += snprintf(text + at, size - at, *p & 0x80 ? "\\x%02x" : "%c",
			       (unsigned char)*p);
	text[copy ? at : 0] = '\0';
	free(copy);
}
