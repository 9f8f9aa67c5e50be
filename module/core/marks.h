/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_MARKS_H
#define IOB_CORE_MARKS_H

#include "counters.h"

#define IOB_NR_MARKS	256

/**
 * struct iob_marks - a small word noted at a task, between two probes of it
 * @counters: where losses are counted
 * @nr:   tasks that have one; most of the time nobody, and nobody looks
 * @mark: the task's address (0: free) and the word; open addressing
 *
 * Only the task itself sets, reads and clears its mark, so a slot it owns is
 * stable; tasks compete for free slots by compare-and-exchange.
 */
struct iob_marks {
	struct iob_counters *counters;
	atomic_t nr;
	struct iob_mark {
		unsigned long task;
		u32 value;
	} mark[IOB_NR_MARKS];
};

void iob_marks_init(struct iob_marks *m, struct iob_counters *counters);
void iob_marks_set(struct iob_marks *m, unsigned long task, u32 value);
u32 iob_marks_find(struct iob_marks *m, unsigned long task);
void iob_marks_clear(struct iob_marks *m, unsigned long task);

/**
 * iob_marks_get() - The word noted at the current task
 * @m:    marks
 * @task: its address
 *
 * Context: that task.
 * Return: the word, 0 if there is none.
 */
static inline u32 iob_marks_get(struct iob_marks *m, unsigned long task)
{
	/* the task's own is counted before it gets here */
	return atomic_read(&m->nr) ? iob_marks_find(m, task) : 0;
}

#endif /* IOB_CORE_MARKS_H */
