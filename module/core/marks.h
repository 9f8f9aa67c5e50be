/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_MARKS_H
#define IOB_CORE_MARKS_H

#include "counters.h"

#define IOB_NR_MARKS	256

/**
 * struct iob_marks - a small word noted at a task, between two probes of it
 * @mark: the task's address (0: free) and the word; open addressing
 *
 * Only the task itself sets, reads and clears its mark, so a slot it owns is
 * stable; tasks compete for free slots by compare-and-exchange.
 */
struct iob_marks {
	struct iob_counters *counters;
	struct iob_mark {
		unsigned long task;
		u32 value;
	} mark[IOB_NR_MARKS];
};

void iob_marks_init(struct iob_marks *m, struct iob_counters *counters);
void iob_marks_set(struct iob_marks *m, unsigned long task, u32 value);
u32 iob_marks_get(struct iob_marks *m, unsigned long task);
void iob_marks_clear(struct iob_marks *m, unsigned long task);

#endif /* IOB_CORE_MARKS_H */
