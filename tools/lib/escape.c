// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "text.h"

/**
 * iob_utf8_length - the length of the character at the start of a string
 * @p: the string, NUL-terminated
 *
 * Return: 1 to 4; 0 if it is not valid UTF-8.
 */
size_t iob_utf8_length(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4 || (u[1] & 0xc0) != 0x80)
		return 0;
	if (u[0] < 0xe0)
		return 2;
	/* overlong, surrogates, beyond U+10FFFF */
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
	    (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	if ((u[2] & 0xc0) != 0x80)
		return 0;
	if (u[0] < 0xf0)
		return 3;
	return (u[3] & 0xc0) == 0x80 ? 4 : 0;
}

/**
 * iob_utf8_char - the character at the start of a string
 * @p: the string
 * @len: what iob_utf8_length() says, not 0
 *
 * Return: the code point.
 */
unsigned int iob_utf8_char(const char *p, size_t len)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned int c;

	if (len == 1)
		return u[0];
	c = u[0] & (0xff >> (len + 1));
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (u[i] & 0x3f);
	return c;
}

/* Controls, and characters that reorder or hide the text around them. */
static bool is_odd(unsigned int c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xe0000 && c <= 0xe0fff);
}

static char *put_hex(char *to, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = '\\';
	*to++ = 'x';
	*to++ = digits[c >> 4];
	*to++ = digits[c & 15];
	return to;
}

/**
 * iob_escape - write odd bytes as ``\xNN``
 * @name: the bytes of a name
 *
 * Odd is what is no valid UTF-8, controls, and characters that hide or reorder
 * others: the same in every format, so that a name is found in one as it was
 * seen in another. A backslash is always odd, so iob_unescape() gives the same bytes back.
 *
 * Return: a new string, or NULL without memory.
 */
char *iob_escape(const char *name)
{
	char *out = malloc(4 * strlen(name) + 1), *o = out;

	if (!out)
		return NULL;
	while (*name) {
		size_t len = iob_utf8_length(name);
		bool odd = !len || *name == '\\' ||
			   is_odd(iob_utf8_char(name, len));

		if (!len)
			len = 1;
		for (; len; len--, name++) {
			if (odd)
				o = put_hex(o, *name);
			else
				*o++ = *name;
		}
	}
	*o = '\0';
	return out;
}

/**
 * iob_unescape - the bytes of a name that iob_escape() wrote
 * @name: the text
 *
 * Return: a new string, or NULL without memory.
 */
char *iob_unescape(const char *name)
{
	struct iob_field f = { name, strlen(name) };
	char *out = malloc(f.len + 2);

	if (!out)
		return NULL;
	if (f.len == 1 && *name == '-')
		strcpy(out, "-");
	else
		iob_field_unescape(f, out, f.len + 1);
	return out;
}

/**
 * iob_utf8_trim - drop a character that a cut has left half of
 * @text: changed in place
 */
void iob_utf8_trim(char *text)
{
	size_t len = strlen(text), back = 0;

	while (back < 3 && back < len &&
	       ((unsigned char)text[len - 1 - back] & 0xc0) == 0x80)
		back++;
	if (back < len && !iob_utf8_length(text + len - 1 - back))
		text[len - 1 - back] = '\0';
}

/**
 * iob_escape_to - write odd bytes as ``\xNN``, into room there is
 * @buf: the text, cut if need be, but never within a character
 * @size: room in @buf
 * @name: the bytes of a name
 */
void iob_escape_to(char *buf, size_t size, const char *name)
{
	char *escaped = iob_escape(name);

	snprintf(buf, size, "%s", escaped ? escaped : "?");
	iob_utf8_trim(buf);
	free(escaped);
}
