// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "text.h"

/* Sizes and offsets within a page of the ring buffer, ids: all are small. */
#define NUMBER_MAX 65535

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_number(struct iob_field f)
{
	uint64_t v;

	return f.len < 8 && iob_field_u64(f, &v) && v <= NUMBER_MAX;
}

/* "key:value" */
static bool is_pair(struct iob_field f, const char *key, struct iob_field *value)
{
	struct iob_field name;

	if (!iob_split(&f, ':', &name) || !f.p || !iob_field_is(name, key))
		return false;
	*value = f;
	return true;
}

/* "unsigned short name", "char name[16]", "void *name" */
static bool is_declaration(struct iob_field f)
{
	struct iob_field nr;
	size_t nr_words = 0, i = 0;
	bool was_word = false;

	for (; i < f.len && f.p[i] != '['; i++) {
		bool word = is_word_char(f.p[i]);

		if (!word && f.p[i] != ' ' && f.p[i] != '*')
			return false;
		nr_words += word && !was_word;
		was_word = word;
	}
	if (nr_words < 2 || !was_word)
		return false;
	if (i == f.len)
		return true;
	nr = (struct iob_field){ f.p + i + 1, f.len - i - 1 };
	if (nr.len < 2 || nr.p[--nr.len] != ']')
		return false;
	return *nr.p != '0' && is_number(nr);
}

/* "field:DECLARATION;<TAB>offset:N;<TAB>size:N;<TAB>signed:N;" */
static bool is_field_line(struct iob_field line)
{
	static const char *const keys[] = { "field", "offset", "size", "signed" };
	struct iob_field part, value;

	for (size_t i = 0; i < 4; i++) {
		if (!iob_split(&line, ';', &part) || !line.p)
			return i == 3 && !part.len;	/* older kernels: without signed */
		if (!part.len || *part.p != '\t')
			return false;
		part.p++;
		part.len--;
		if (!is_pair(part, keys[i], &value) ||
		    !(i ? is_number(value) : is_declaration(value)))
			return false;
	}
	return !line.len;
}

static bool is_name(struct iob_field f)
{
	for (size_t i = 0; i < f.len; i++)
		if (!is_word_char(f.p[i]))
			return false;
	return f.len && f.len <= IOB_EVENT_NAME_LEN;
}

static struct iob_field without_blank(struct iob_field f)
{
	if (f.len && *f.p == ' ') {
		f.p++;
		f.len--;
	}
	return f;
}

/* Copies lines that fields may be in, up to the end or the line that says how to print. */
static bool copy_fields(FILE *out, struct iob_field *rest)
{
	struct iob_field line;
	size_t nr = 0;

	while (iob_split(rest, '\n', &line)) {
		if (line.len >= 10 && !memcmp(line.p, "print fmt:", 10))
			break;
		if (line.len && (!is_field_line(line) ||
				 ++nr > IOB_EVENT_MAX_FIELDS))
			return false;
		if (line.len || rest->p)
			fprintf(out, "%.*s\n", (int)line.len, line.p);
	}
	return nr;
}

static bool copy_head(FILE *out, struct iob_field *rest, char *name)
{
	struct iob_field line, value, id;

	if (!iob_split(rest, '\n', &line) || !is_pair(line, "name", &value) ||
	    !is_name(value = without_blank(value)) ||
	    !iob_split(rest, '\n', &line) || !is_pair(line, "ID", &id) ||
	    !is_number(id = without_blank(id)) ||
	    !iob_split(rest, '\n', &line) || !iob_field_is(line, "format:"))
		return false;
	snprintf(name, IOB_EVENT_NAME_LEN + 1, "%.*s", (int)value.len, value.p);
	fprintf(out, "name: %s\nID: %.*s\nformat:\n", name, (int)id.len, id.p);
	return true;
}

/* What was written, if all of it is good. */
static char *finish(FILE *out, char **text, bool good)
{
	if (!fclose(out) && good)
		return *text;
	free(*text);
	return NULL;
}

/**
 * iob_event_text - the text of a format file, if it is one
 * @text: all of it
 * @len: its length
 * @name: takes the name of the event; room for IOB_EVENT_NAME_LEN + 1
 *
 * Only what says where fields lie is kept: nothing is printed by "print fmt", whose
 * grammar is that of C.
 *
 * Return: a new text, or NULL for what is no format file (or without memory).
 */
char *iob_event_text(const char *text, size_t len, char *name)
{
	struct iob_field rest = { text, len };
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);
	bool good;

	*name = '\0';
	if (!out)
		return NULL;
	good = copy_head(out, &rest, name) && copy_fields(out, &rest);
	fputs("\nprint fmt: \"\"\n", out);
	return finish(out, &copy, good);
}

/**
 * iob_event_fields - the text of events/header_page, if it is one
 * @text: all of it
 * @len: its length
 *
 * Return: a new text, or NULL for what is none (or without memory).
 */
char *iob_event_fields(const char *text, size_t len)
{
	struct iob_field rest = { text, len };
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);

	return out ? finish(out, &copy, copy_fields(out, &rest)) : NULL;
}
