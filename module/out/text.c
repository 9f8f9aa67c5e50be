// SPDX-License-Identifier: GPL-2.0
/* Text: how numbers, names and words look in debugfs. */
#include <linux/ctype.h>
#include <linux/string.h>

#include "text.h"

#define WORDS(list)	{ list(IOB_ENUM_WORD) }

static const char * const op_words[] = WORDS(IOB_OPS);
static const char * const kind_words[] = WORDS(IOB_KINDS);
static const char * const basis_words[] = WORDS(IOB_BASES);
static const char * const reason_words[] = WORDS(IOB_REASONS);
static const char * const reserved_act_words[] = WORDS(IOB_RESERVED_ACTS);
const char * const iob_role_flag_words[] = WORDS(IOB_ROLE_FLAGS);
const char * const iob_file_flag_words[] = WORDS(IOB_FILE_FLAGS);

/* A number out of range can only be damage; it must not become a crash. */
#define WORD(words, i)	((i) < ARRAY_SIZE(words) ? (words)[i] : "?")

const char *iob_op_word(u32 op)
{
	return WORD(op_words, op);
}

const char *iob_kind_word(u32 kind)
{
	return WORD(kind_words, kind);
}

const char *iob_basis_word(u32 basis)
{
	return WORD(basis_words, basis);
}

const char *iob_reason_word(u32 reason)
{
	return WORD(reason_words, reason);
}

const char *iob_reserved_act_word(u32 act)
{
	return WORD(reserved_act_words, act);
}

/**
 * iob_op_of_word() - Operation of a word
 * @word: what a user wrote
 *
 * Return: enum iob_op or -EINVAL.
 */
int iob_op_of_word(const char *word)
{
	int op = match_string(op_words, IOB_NR_OPS, word);

	return op < 0 ? -EINVAL : op;
}

/**
 * iob_text_name() - Print a name so that it cannot break the line
 * @m:    where
 * @name: the name
 * @size: of the array it is in; it may lack the NUL
 */
void iob_text_name(struct seq_file *m, const char *name, size_t size)
{
	size_t i, len = strnlen(name, size);

	if (!len)
		seq_putc(m, '-');
	else if (len == 1 && name[0] == '-')
		seq_puts(m, "\\x2d");
	else
		for (i = 0; i < len; i++) {
			if (isascii(name[i]) && isprint(name[i]) &&
			    name[i] != '\\')
				seq_putc(m, name[i]);
			else
				seq_printf(m, "\\x%02x", (u8)name[i]);
		}
}

/**
 * iob_text_flags() - Print flags as words
 * @m:     where
 * @flags: bits
 * @words: their words
 * @nr:    how many
 */
void iob_text_flags(struct seq_file *m, u32 flags, const char * const *words,
		    u32 nr)
{
	const char *between = "";
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!(flags & BIT(i)))
			continue;
		seq_printf(m, "%s%s", between, words[i]);
		between = ",";
	}
	if (!*between)
		seq_putc(m, '-');
}

/**
 * iob_text_hist() - Print a histogram
 * @m:    where
 * @hist: the histogram
 */
void iob_text_hist(struct seq_file *m, const struct iob_hist *hist)
{
	const char *between = "";
	u32 i;

	for (i = 0; i < IOB_HIST_BUCKETS; i++) {
		if (!hist->count[i])
			continue;
		seq_printf(m, "%s%u:%u", between, i, hist->count[i]);
		between = ",";
	}
	if (!*between)
		seq_putc(m, '-');
}
