// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "text.h"

/**
 * iob_split - take the next part of a field
 * @rest: what is left, moved on; p is NULL once nothing is
 * @sep: the separator
 * @part: the part found
 *
 * Return: whether there was one.
 */
bool iob_split(struct iob_field *rest, char sep, struct iob_field *part)
{
	const char *p;

	if (!rest->p)
		return false;
	part->p = rest->p;
	p = memchr(rest->p, sep, rest->len);
	if (p) {
		part->len = p - rest->p;
		rest->len -= part->len + 1;
		rest->p = p + 1;
	} else {
		part->len = rest->len;
		rest->p = NULL;
		rest->len = 0;
	}
	return true;
}

/**
 * iob_field_is - compare a field with a word
 * @f: the field
 * @word: the word
 *
 * Return: whether they are equal.
 */
bool iob_field_is(struct iob_field f, const char *word)
{
	return f.len == strlen(word) && !memcmp(f.p, word, f.len);
}

/**
 * iob_field_u64 - a decimal number
 * @f: the field
 * @value: the number
 *
 * Return: false if it is anything else, also if it does not fit.
 */
bool iob_field_u64(struct iob_field f, uint64_t *value)
{
	uint64_t v = 0;

	if (!f.len)
		return false;
	for (size_t i = 0; i < f.len; i++) {
		unsigned int digit = (unsigned char)f.p[i] - '0';

		if (digit > 9 || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*value = v;
	return true;
}

/**
 * iob_field_dev - a device number, ``major:minor``
 * @f: the field
 * @dev: major << 20 | minor
 *
 * Return: false if it is anything else.
 */
bool iob_field_dev(struct iob_field f, uint32_t *dev)
{
	struct iob_field major;
	uint64_t ma, mi;

	if (!iob_split(&f, ':', &major) || !f.p)
		return false;
	if (!iob_field_u64(major, &ma) || !iob_field_u64(f, &mi))
		return false;
	if (ma >= 1u << 12 || mi >= 1u << 20)
		return false;
	*dev = ma << 20 | mi;
	return true;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/**
 * iob_field_unescape - the bytes of a name
 * @f: the field as the module wrote it, odd bytes as ``\xNN``
 * @out: the bytes, NUL-terminated
 * @size: room in @out
 *
 * What is no escape the module writes (also ``\x00``, which no name holds) is
 * kept as it stands. ``-`` is the empty name.
 *
 * Return: how many bytes; cut to @size - 1.
 */
size_t iob_field_unescape(struct iob_field f, char *out, size_t size)
{
	size_t n = 0;

	if (f.len == 1 && *f.p == '-')
		f.len = 0;
	for (size_t i = 0; i < f.len && n + 1 < size; i++) {
		const char *p = f.p + i;

		if (f.len - i >= 4 && p[0] == '\\' && p[1] == 'x' &&
		    hex(p[2]) >= 0 && hex(p[3]) >= 0 &&
		    (p[2] != '0' || p[3] != '0')) {
			out[n++] = hex(p[2]) << 4 | hex(p[3]);
			i += 3;
		} else {
			out[n++] = *p;
		}
	}
	out[n] = '\0';
	return n;
}

static bool next_line(struct iob_text *t, struct iob_field *line)
{
	const char *nl;

	if (t->pos >= t->end)
		return false;
	nl = memchr(t->pos, '\n', t->end - t->pos);
	line->p = t->pos;
	line->len = (nl ? nl : t->end) - t->pos;
	t->pos = nl ? nl + 1 : t->end;
	return true;
}

/**
 * iob_text_open - read the header line of a table
 * @t: the table
 * @text: all of it
 * @len: its length
 * @want: the columns to hand out, in that order; ends with NULL. One with a '?'
 *        before its name need not be there, and reads as "-" then
 * @name: of the table, for the error text
 * @err: error text
 *
 * Columns are found by name: more of them, or another order, do no harm.
 *
 * Return: 0, -ENODATA if it is empty, or -EPROTO if a column is not there.
 */
int iob_text_open(struct iob_text *t, const char *text, size_t len,
		  const char *const *want, const char *name,
		  struct iob_err *err)
{
	struct iob_field line, col;

	memset(t, 0, sizeof(*t));
	t->pos = text;
	/* A recording that was cut may lack it: that is no text, and empty. */
	t->end = len ? text + len : text;
	if (!next_line(t, &line))
		return iob_fail(err, -ENODATA, "%s is empty", name);
	for (; want[t->nr_want]; t->nr_want++)
		t->col_of[t->nr_want] = -1;
	while (t->nr_cols < IOB_TEXT_COLS && iob_split(&line, '\t', &col)) {
		for (unsigned int i = 0; i < t->nr_want; i++)
			if (iob_field_is(col, want[i] + (*want[i] == '?')))
				t->col_of[i] = t->nr_cols;
		t->nr_cols++;
	}
	for (unsigned int i = 0; i < t->nr_want; i++)
		if (t->col_of[i] < 0 && *want[i] != '?')
			return iob_fail(err, -EPROTO,
					"%s has no column '%s': is the module of another version?",
					name, want[i]);
	return 0;
}

/**
 * iob_text_next - read the next line
 * @t: the table; its fields are in @t->f afterwards
 *
 * Return: 1, 0 at the end, or -EPROTO for a line without all its fields.
 */
int iob_text_next(struct iob_text *t)
{
	struct iob_field line, cols[IOB_TEXT_COLS];
	unsigned int nr = 0;

	if (!next_line(t, &line))
		return 0;
	while (nr < IOB_TEXT_COLS && iob_split(&line, '\t', &cols[nr]))
		nr++;
	for (unsigned int i = 0; i < t->nr_want; i++) {
		if (t->col_of[i] >= (int)nr)
			return -EPROTO;
		t->f[i] = t->col_of[i] < 0 ? (struct iob_field){ "-", 1 } :
					     cols[t->col_of[i]];
	}
	return 1;
}
