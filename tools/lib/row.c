// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "row.h"

#define FIELD_IS_TEXT(name, is_text) [IOB_ROW_##name] = is_text,

static const bool field_is_text[IOB_NR_ROW_FIELDS] = {
	IOB_ROW_FIELDS(FIELD_IS_TEXT)
};

#define B(name) IOB_ROW_BIT(name)

/* pid is the process, as users say it, and tgid its other name. */
const struct iob_key iob_keys[] = {
	{ "dev",	B(DEV) },
	{ "op",		B(OP) },
	{ "comm",	B(COMM) | B(UNKNOWN) },
	{ "pid",	B(PID) | B(UNKNOWN) },
	{ "tgid",	B(PID) | B(UNKNOWN) },
	{ "tid",	B(TID) | B(START) | B(UNKNOWN), B(PID) },
	{ "cgroup",	B(CGROUP_ID) | B(UNKNOWN), B(CGROUP) },
	{ "container",	B(CONTAINER) | B(UNKNOWN) },
	{ "file",	B(FILE_DEV) | B(FILE_INO) | B(FILE_GEN) | B(UNKNOWN),
			B(FILE_PATH) | B(FILE_MOUNT) | B(FILE_FLAGS) },
	{ "stack",	B(STACK) | B(UNKNOWN) },
	{ "kind",	B(KIND) | B(UNKNOWN) },
	{ "reason",	B(REASON) },
	{ "basis",	B(BASIS) },
	{ "issuer",	B(ISSUER) },
	{}
};

#undef B

const char *const iob_written_words[IOB_NR_WRITTEN] = {
	IOB_WRITTEN(IOB_ENUM_WORD)
};

/**
 * iob_row_written - what the bytes of a row hold
 * @r: the row, not grouped
 *
 * Return: the class of its kind; other, too, where the kind is not known.
 */
enum iob_written iob_row_written(const struct iob_row *r)
{
	static const struct {
		const char *kind;
		enum iob_written written;
	} table[] = {
		{ "data", IOB_WRITTEN_DATA }, { "direct", IOB_WRITTEN_DATA },
		{ "swap", IOB_WRITTEN_DATA },
		{ "metadata", IOB_WRITTEN_METADATA },
		{ "inode", IOB_WRITTEN_METADATA },
		{ "journal", IOB_WRITTEN_JOURNAL },
	};
	const char *kind = iob_row_text(r, IOB_ROW_KIND);

	for (size_t i = 0; kind && i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(kind, table[i].kind))
			return table[i].written;
	return IOB_WRITTEN_OTHER;
}

/**
 * iob_row_dirtied - how much data was made dirty, as far as that is known
 * @r: the row
 *
 * Return: the data that was written and what was cancelled; what is still in memory
 * is not in it.
 */
uint64_t iob_row_dirtied(const struct iob_row *r)
{
	return r->written[IOB_WRITTEN_DATA] + r->cancelled;
}

/**
 * iob_row_amplification - how much is written for a byte of data
 * @r: the row
 *
 * Return: all that was written by the data in it; 0 where there is no data.
 */
double iob_row_amplification(const struct iob_row *r)
{
	uint64_t data = r->written[IOB_WRITTEN_DATA];

	return data ? (double)r->bytes / data : 0;
}

/**
 * iob_row_field_is_text - whether a field holds an interned string
 * @f: the field
 *
 * Return: true for text, false for a number.
 */
bool iob_row_field_is_text(enum iob_row_field f)
{
	return field_is_text[f];
}

/**
 * iob_row_text - the text of a field
 * @r: the row
 * @f: the field
 *
 * Return: the text, or NULL if it is not known.
 */
const char *iob_row_text(const struct iob_row *r, enum iob_row_field f)
{
	return r->known & 1u << f ? (const char *)(uintptr_t)r->v[f] : NULL;
}

/**
 * iob_row_set - set a number
 * @r: the row
 * @f: the field
 * @value: its value
 */
void iob_row_set(struct iob_row *r, enum iob_row_field f, uint64_t value)
{
	r->known |= 1u << f;
	r->v[f] = value;
}

/**
 * iob_row_set_text - set a text
 * @r: the row
 * @f: the field
 * @text: interned with the report's strings; NULL leaves the field unknown
 */
void iob_row_set_text(struct iob_row *r, enum iob_row_field f, const char *text)
{
	if (text)
		iob_row_set(r, f, (uintptr_t)text);
}

/**
 * iob_row_free - free what a row holds
 * @r: the row
 */
void iob_row_free(struct iob_row *r)
{
	for (int k = 0; k < IOB_NR_TIMES; k++)
		iob_hist_free(&r->hist[k]);
}

/**
 * iob_row_merge - add a row to another of its group
 * @to: the group
 * @from: the row
 *
 * What differs within a group is not said of the group.
 *
 * Return: 0 or -ENOMEM.
 */
int iob_row_merge(struct iob_row *to, const struct iob_row *from)
{
	to->mixed |= from->mixed;
	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++) {
		bool known = to->known & 1u << f;

		if (known == !!(from->known & 1u << f) && to->v[f] == from->v[f])
			continue;
		to->mixed |= 1u << f;
	}
	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (to->mixed & 1u << f)
			to->v[f] = 0;
	to->known &= ~to->mixed;
	to->ios += from->ios;
	to->bytes += from->bytes;
	to->cancelled += from->cancelled;
	for (int k = 0; k < IOB_NR_WRITTEN; k++)
		to->written[k] += from->written[k];
	to->tells_reads |= from->tells_reads;
	for (int k = 0; k < IOB_NR_READ_ENDS; k++)
		to->read[k] += from->read[k];
	for (int k = 0; k < IOB_NR_TIMES; k++) {
		to->sum_ns[k] += from->sum_ns[k];
		if (from->max[k] > to->max[k])
			to->max[k] = from->max[k];
		if (iob_hist_merge(&to->hist[k], &from->hist[k]))
			return -ENOMEM;
	}
	return 0;
}

/**
 * iob_key_find - a key by its name
 * @name: the name
 *
 * Return: the key, or NULL.
 */
const struct iob_key *iob_key_find(const char *name)
{
	for (const struct iob_key *k = iob_keys; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

static size_t distance(const char *a, const char *b)
{
	size_t row[33], na = strlen(a), nb = strlen(b);

	if (na > 32 || nb > 32)
		return 99;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

/**
 * iob_nearest - what somebody may have meant
 * @word: what they wrote
 * @words: what there is
 * @nr: how many of them
 *
 * Return: the word that takes at most two changes, or NULL.
 */
const char *iob_nearest(const char *word, const char *const *words, size_t nr)
{
	const char *best = NULL;
	size_t least = 3;

	for (size_t i = 0; i < nr; i++) {
		size_t d = distance(word, words[i]);

		if (d < least) {
			least = d;
			best = words[i];
		}
	}
	return best;
}

/**
 * iob_unknown - refuse a word, and say what somebody may have meant
 * @err: error text
 * @what: what it should be one of, as ``key``
 * @word: what they wrote
 * @words: what there is
 * @nr: how many of them
 * @advice: for who meant nothing of the kind; NULL: all there is
 *
 * Return: -EINVAL.
 */
int iob_unknown(struct iob_err *err, const char *what, const char *word,
		const char *const *words, size_t nr, const char *advice)
{
	const char *near = iob_nearest(word, words, nr);
	char all[256] = "";
	size_t at = 0;

	if (near)
		return iob_fail(err, -EINVAL,
				"unknown %s '%.40s': did you mean '%s'?", what,
				word, near);
	if (advice)
		return iob_fail(err, -EINVAL, "unknown %s '%.40s': %s", what,
				word, advice);
	for (size_t i = 0; i < nr && at < sizeof(all); i++)
		at += snprintf(all + at, sizeof(all) - at, "%s%s",
			       at ? ", " : "", words[i]);
	return iob_fail(err, -EINVAL, "unknown %s '%.40s': %ss are %s", what,
			word, what, all);
}

static int no_such_key(const char *name, struct iob_err *err)
{
	const char *names[32];
	size_t nr = 0;

	for (const struct iob_key *k = iob_keys; k->name && nr < 32; k++)
		names[nr++] = k->name;
	return iob_unknown(err, "key", name, names, nr, NULL);
}

/**
 * iob_keys_parse - a list of keys
 * @list: names with commas between
 * @fields: the fields that must agree
 * @err: error text, with a suggestion
 *
 * Return: 0 or -EINVAL.
 */
int iob_keys_parse(const char *list, uint32_t *fields, struct iob_err *err)
{
	struct iob_field rest = { list, strlen(list) }, part;

	*fields = 0;
	while (iob_split(&rest, ',', &part)) {
		const struct iob_key *k;
		char name[64];

		snprintf(name, sizeof(name), "%.*s",
			 part.len > 63 ? 63 : (int)part.len, part.p);
		k = iob_key_find(name);
		if (!k)
			return no_such_key(name, err);
		*fields |= k->fields;
	}
	return 0;
}

/**
 * iob_keys_list - the keys of a list, one by one
 * @list: one that iob_keys_parse() accepts
 * @keys: the keys, in the order of the list, each once
 * @max: room in @keys
 *
 * Return: how many there are.
 */
size_t iob_keys_list(const char *list, const struct iob_key **keys, size_t max)
{
	struct iob_field rest = { list, strlen(list) }, part;
	uint32_t seen = 0;
	size_t nr = 0;

	while (nr < max && iob_split(&rest, ',', &part)) {
		for (const struct iob_key *k = iob_keys; k->name; k++) {
			if (!iob_field_is(part, k->name) ||
			    (seen & k->fields) == k->fields)
				continue;
			seen |= k->fields;
			keys[nr++] = k;
			break;
		}
	}
	return nr;
}
