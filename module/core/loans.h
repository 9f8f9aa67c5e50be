/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_LOANS_H
#define IOB_CORE_LOANS_H

#include "base.h"

#define IOB_NR_LOANS	64
#define IOB_LOAN_RUNS	64

/**
 * struct iob_loan - whose bytes a task writes to a file on behalf of others
 * @pid: the thread
 * @nr:  runs
 * @pos: where in the file the first byte goes
 * @run: acts, each with the number of bytes that are its own; where there are too
 *       many, the last one is nobody and has the rest
 */
struct iob_loan {
	u32 pid;
	u32 nr;
	u64 pos;
	struct {
		u32 act;
		u32 bytes;
	} run[IOB_LOAN_RUNS];
};

/**
 * struct iob_loans - loans by thread; one place a thread id, the later one stays
 */
struct iob_loans {
	struct {
		raw_spinlock_t lock;
		struct iob_loan loan;
	} place[IOB_NR_LOANS];
};

void iob_loans_init(struct iob_loans *l);
void iob_loan_add(struct iob_loan *loan, u32 act, u32 bytes);
void iob_loans_set(struct iob_loans *l, const struct iob_loan *loan);
u32 iob_loans_act(struct iob_loans *l, u32 pid, u64 pos);

#endif /* IOB_CORE_LOANS_H */
