// SPDX-License-Identifier: GPL-2.0
/* Spans: which pages of a file a task uses, between two probes of it. */
#include "spans.h"

/**
 * iob_spans_init() - No spans
 * @s: table
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int iob_spans_init(struct iob_spans *s)
{
	u32 i;

	s->place = iob_table_alloc(IOB_NR_SPANS, sizeof(*s->place));
	for (i = 0; s->place && i < IOB_NR_SPANS; i++)
		raw_spin_lock_init(&s->place[i].lock);
	return s->place ? 0 : -ENOMEM;
}

/**
 * iob_spans_exit() - Free the table
 * @s: table, initialised or zeroed; no probe may be using it
 */
void iob_spans_exit(struct iob_spans *s)
{
	iob_table_free(s->place);
	s->place = NULL;
}

/**
 * iob_spans_set() - A task begins to use pages of a file
 * @s:    table
 * @span: which; copied
 *
 * Context: that task.
 */
void iob_spans_set(struct iob_spans *s, const struct iob_span *span)
{
	struct iob_span_place *p = &s->place[span->pid % IOB_NR_SPANS];
	unsigned long flags;

	raw_spin_lock_irqsave(&p->lock, flags);
	p->span = *span;
	raw_spin_unlock_irqrestore(&p->lock, flags);
}

/**
 * iob_spans_cut() - Which of some pages a task uses
 * @s:    table
 * @span: the thread and the pages; cut to what it uses of them
 *
 * Context: that task, inside the call in which it has begun.
 * Return: false if it uses none of them.
 */
bool iob_spans_cut(struct iob_spans *s, struct iob_span *span)
{
	struct iob_span_place *p = &s->place[span->pid % IOB_NR_SPANS];
	unsigned long flags;
	bool is_its;

	raw_spin_lock_irqsave(&p->lock, flags);
	is_its = p->span.pid == span->pid && p->span.file == span->file;
	span->first = max_t(u64, span->first, p->span.first);
	span->end = min_t(u64, span->end, p->span.end);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return is_its && span->first < span->end;
}
