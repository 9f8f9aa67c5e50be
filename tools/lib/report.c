// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define LOSS_WORD(name, word) [IOB_LOSS_##name] = word,

const char *const iob_loss_words[IOB_NR_LOSSES] = { IOB_LOSSES(LOSS_WORD) };
const char *const iob_basis_words[IOB_NR_BASES] = { IOB_BASES(IOB_ENUM_WORD) };
const char *const iob_read_words[IOB_NR_READ_ENDS] = {
	IOB_READ_ENDS(IOB_ENUM_WORD)
};

/**
 * iob_report_create_with - an empty report that shares its texts with others
 * @strings: theirs, which must outlive it
 *
 * Rows of reports that share them compare as those of one do.
 *
 * Return: the report, or NULL without memory.
 */
struct iob_report *iob_report_create_with(struct iob_strings *strings)
{
	struct iob_report *r = calloc(1, sizeof(*r));

	if (r)
		r->strings = strings;
	return r;
}

/**
 * iob_report_create - an empty report
 *
 * Return: the report, or NULL without memory.
 */
struct iob_report *iob_report_create(void)
{
	struct iob_strings *strings = iob_strings_create();
	struct iob_report *r = strings ? iob_report_create_with(strings) : NULL;

	if (r)
		r->owns_strings = true;
	else
		iob_strings_destroy(strings);
	return r;
}

/**
 * iob_report_destroy - free a report
 * @r: the report, or NULL
 */
void iob_report_destroy(struct iob_report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->rows.nr; i++)
		iob_row_free(&r->rows.v[i]);
	for (size_t i = 0; i < r->devices.nr; i++)
		iob_vec_free(&r->devices.v[i].ops);
	iob_vec_free(&r->rows);
	iob_vec_free(&r->devices);
	iob_vec_free(&r->stacks);
	iob_vec_free(&r->hooks);
	iob_vec_free(&r->stats);
	iob_vec_free(&r->notes);
	iob_vec_free(&r->answers);
	if (r->owns_strings)
		iob_strings_destroy(r->strings);
	free(r);
}

/**
 * iob_report_intern - keep a text as long as the report
 * @r: the report
 * @text: the text, or NULL
 *
 * Return: the one copy of it; NULL for NULL.
 */
const char *iob_report_intern(struct iob_report *r, const char *text)
{
	return text ? iob_strings_intern(r->strings, text, strlen(text)) : NULL;
}

/**
 * iob_report_note - say something in the head of the report
 * @r: the report
 * @fmt: one line
 *
 * Return: 0 or -ENOMEM.
 */
int iob_report_note(struct iob_report *r, const char *fmt, ...)
{
	const char **note;
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	note = iob_vec_add(&r->notes);
	if (!note)
		return -ENOMEM;
	*note = iob_report_word(r, buf);
	if (!*note) {
		r->notes.nr--;
		return -ENOMEM;
	}
	return 0;
}

/**
 * iob_report_word - intern a text that is shown as it stands
 * @r: whose strings
 * @text: the text, or NULL
 *
 * Return: the interned text, see iob_strings_word(); NULL for NULL (or without
 * memory).
 */
const char *iob_report_word(struct iob_report *r, const char *text)
{
	return text ? iob_strings_word(r->strings, text, strlen(text)) : NULL;
}

/**
 * iob_report_frames - the frames of a stack
 * @r: the report
 * @id: of the stack
 *
 * Return: frames with ';' between, innermost first, or NULL.
 */
const char *iob_report_frames(const struct iob_report *r, uint32_t id)
{
	size_t lo = 0, hi = r->stacks.nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->stacks.v[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < r->stacks.nr && r->stacks.v[lo].id == id)
		return r->stacks.v[lo].frames;
	return NULL;
}

/**
 * iob_report_device - a device of the report, made if it is new
 * @r: the report
 * @dev: its number
 *
 * Return: the device, or NULL without memory.
 */
struct iob_device *iob_report_device(struct iob_report *r, uint32_t dev)
{
	struct iob_device *d;

	for (size_t i = 0; i < r->devices.nr; i++)
		if (r->devices.v[i].dev == dev)
			return &r->devices.v[i];
	d = iob_vec_add(&r->devices);
	if (d)
		d->dev = dev;
	return d;
}

/**
 * iob_device_op_sum - what a device did of one operation
 * @d: the device
 * @op: the operation, interned with the report's strings
 *
 * Return: the sum, made if it is new, or NULL without memory.
 */
struct iob_sum *iob_device_op_sum(struct iob_device *d, const char *op)
{
	struct iob_op_sum *s;

	for (size_t i = 0; i < d->ops.nr; i++)
		if (d->ops.v[i].op == op)
			return &d->ops.v[i].sum;
	s = iob_vec_add(&d->ops);
	if (!s)
		return NULL;
	s->op = op;
	return &s->sum;
}

/**
 * iob_device_label - what people call a disk
 * @d: the disk
 *
 * Return: the name that device mapper or md has for it, else the kernel's; NULL if
 * neither is known. The file below a loop device is no name.
 */
const char *iob_device_label(const struct iob_device *d)
{
	return d->alias && *d->alias && *d->alias != '/' ? d->alias : d->name;
}

static int by_id(const void *a, const void *b)
{
	const struct iob_report_stack *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_dev(const void *a, const void *b)
{
	const struct iob_device *x = a, *y = b;

	return x->dev < y->dev ? -1 : x->dev > y->dev;
}

/**
 * iob_report_is_stacked - whether what a disk was given reaches another one
 * @r: the report
 * @dev: the disk
 *
 * Return: true if the same bytes are counted below, too.
 */
bool iob_report_is_stacked(const struct iob_report *r, uint64_t dev)
{
	for (size_t i = 0; i < r->devices.nr; i++)
		if (r->devices.v[i].dev == dev)
			return r->devices.v[i].stacked;
	return false;
}

/* What a stacked device was given reaches another one: count it once. */
static bool counts(const struct iob_report *r, const struct iob_row *row)
{
	return !iob_report_is_stacked(r, row->v[IOB_ROW_DEV]);
}

/**
 * iob_report_settle - make a report that was just filled ready for use
 * @r: the report, its rows not yet grouped
 *
 * Sorts what is looked up and adds up what the head of the report says.
 */
void iob_report_settle(struct iob_report *r)
{
	if (r->stacks.nr)
		qsort(r->stacks.v, r->stacks.nr, sizeof(*r->stacks.v), by_id);
	if (r->devices.nr)
		qsort(r->devices.v, r->devices.nr, sizeof(*r->devices.v), by_dev);
	r->unattributed = (struct iob_sum){};
	r->cancelled_bytes = 0;
	memset(r->basis_bytes, 0, sizeof(r->basis_bytes));
	r->tells_reads = false;
	memset(r->read_bytes, 0, sizeof(r->read_bytes));
	for (size_t i = 0; i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		const char *basis = iob_row_text(row, IOB_ROW_BASIS);

		r->cancelled_bytes += row->cancelled;
		r->tells_reads |= row->tells_reads;
		for (int k = 0; counts(r, row) && k < IOB_NR_READ_ENDS; k++)
			r->read_bytes[k] += row->read[k];
		for (int k = 0; basis && k < IOB_NR_BASES; k++)
			if (counts(r, row) && !strcmp(basis, iob_basis_words[k]))
				r->basis_bytes[k] += row->bytes;
		if (!basis || strcmp(basis, iob_basis_words[IOB_BASIS_ISSUER]) ||
		    !counts(r, row))
			continue;
		r->unattributed.bytes += row->bytes;
		r->unattributed.ios += row->ios;
	}
}
