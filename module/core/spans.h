/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_SPANS_H
#define IOB_CORE_SPANS_H

#include "base.h"

#define IOB_NR_SPANS	4096

/**
 * struct iob_span - pages of a file that a task is about to use
 * @pid:   the thread
 * @file:  address of what the pages belong to
 * @first: number of the first page
 * @end:   one past the last
 */
struct iob_span {
	u32 pid;
	u64 file;
	u64 first;
	u64 end;
};

/**
 * struct iob_spans - spans by thread; one place a thread id, the later one stays
 */
struct iob_spans {
	struct iob_span_place {
		raw_spinlock_t lock;
		struct iob_span span;
	} *place;
};

int iob_spans_init(struct iob_spans *s);
void iob_spans_exit(struct iob_spans *s);
void iob_spans_set(struct iob_spans *s, const struct iob_span *span);
bool iob_spans_cut(struct iob_spans *s, struct iob_span *span);

#endif /* IOB_CORE_SPANS_H */
