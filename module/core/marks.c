// SPDX-License-Identifier: GPL-2.0
/* Marks: which of few tasks is in the middle of what (a flusher and why). */
#include "marks.h"

/* How far a task's mark may lie from its hash; all looked at on a miss. */
#define WAYS	8

/* Where the first of them is. */
static u32 first_way(unsigned long task)
{
	return iob_spread(task) >> 32;
}

static struct iob_mark *way(struct iob_marks *m, u32 first, u32 i)
{
	return &m->mark[(first + i) % IOB_NR_MARKS];
}

static struct iob_mark *find(struct iob_marks *m, unsigned long task)
{
	u32 first = first_way(task), i;

	for (i = 0; i < WAYS; i++)
		if (READ_ONCE(way(m, first, i)->task) == task)
			return way(m, first, i);
	return NULL;
}

/**
 * iob_marks_init() - No marks
 * @m:        marks
 * @counters: where losses are counted
 */
void iob_marks_init(struct iob_marks *m, struct iob_counters *counters)
{
	memset(m, 0, sizeof(*m));
	m->counters = counters;
}

/**
 * iob_marks_set() - Note a word at the current task
 * @m:     marks
 * @task:  its address, only compared
 * @value: the word
 *
 * Context: that task.
 */
void iob_marks_set(struct iob_marks *m, unsigned long task, u32 value)
{
	struct iob_mark *mark = find(m, task);
	u32 first = first_way(task), i;

	for (i = 0; !mark && i < WAYS; i++)
		if (!cmpxchg(&way(m, first, i)->task, 0ul, task)) {
			mark = way(m, first, i);
			atomic_inc(&m->nr);
		}
	if (mark)
		WRITE_ONCE(mark->value, value);
	else
		iob_count(m->counters, IOB_CNT_LOST_MARKS, 1);
}

/**
 * iob_marks_find() - The word noted at the current task
 * @m:    marks
 * @task: its address
 *
 * Context: that task; by iob_marks_get().
 * Return: the word, 0 if there is none.
 */
u32 iob_marks_find(struct iob_marks *m, unsigned long task)
{
	struct iob_mark *mark = find(m, task);

	return mark ? READ_ONCE(mark->value) : 0;
}

/**
 * iob_marks_clear() - Take the current task's word away
 * @m:    marks
 * @task: its address
 *
 * Context: that task.
 */
void iob_marks_clear(struct iob_marks *m, unsigned long task)
{
	struct iob_mark *mark = find(m, task);

	if (mark) {
		/* the value is not touched any more once the slot is free */
		smp_store_release(&mark->task, 0ul);
		atomic_dec(&m->nr);
	}
}
