// SPDX-License-Identifier: GPL-2.0
/* Loans: a worker writes a file with the pages of others (loop). */
#include "loans.h"

/**
 * iob_loans_init() - No loans
 * @l: table
 */
void iob_loans_init(struct iob_loans *l)
{
	int i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < IOB_NR_LOANS; i++)
		raw_spin_lock_init(&l->place[i].lock);
}

/**
 * iob_loan_add() - The next bytes are somebody's
 * @loan:  the loan
 * @act:   whose
 * @bytes: how many
 */
void iob_loan_add(struct iob_loan *loan, u32 act, u32 bytes)
{
	u32 last = loan->nr - 1;

	if (loan->nr && (loan->run[last].act == act ||
			 loan->nr == IOB_LOAN_RUNS)) {
		loan->run[last].bytes += bytes;
		return;
	}
	/* the last place is for the rest */
	if (loan->nr == IOB_LOAN_RUNS - 1)
		act = IOB_ACT_NONE;
	loan->run[loan->nr].act = act;
	loan->run[loan->nr++].bytes = bytes;
}

/**
 * iob_loans_set() - A task begins to write on behalf of others, or of nobody
 * @l:    table
 * @loan: whose bytes; copied
 *
 * Context: any but NMI.
 */
void iob_loans_set(struct iob_loans *l, const struct iob_loan *loan)
{
	u32 i = loan->pid % IOB_NR_LOANS;
	unsigned long flags;

	raw_spin_lock_irqsave(&l->place[i].lock, flags);
	l->place[i].loan = *loan;
	raw_spin_unlock_irqrestore(&l->place[i].lock, flags);
}

/**
 * iob_loans_act() - Whose bytes a task writes at a place of the file
 * @l:   table
 * @pid: the thread
 * @pos: the place, where a page begins
 *
 * Context: that task, inside the call that gave the loan.
 * Return: the act; IOB_ACT_NONE if it is not known, or the place was not lent.
 */
u32 iob_loans_act(struct iob_loans *l, u32 pid, u64 pos)
{
	u32 k = pid % IOB_NR_LOANS, i, act = IOB_ACT_NONE;
	const struct iob_loan *loan = &l->place[k].loan;
	unsigned long flags;
	u64 upto;

	raw_spin_lock_irqsave(&l->place[k].lock, flags);
	upto = loan->pos;
	/* a page of which only a later part was lent */
	if (pos < upto && pos + PAGE_SIZE > upto)
		pos = upto;
	for (i = 0; loan->pid == pid && pos >= loan->pos && i < loan->nr; i++) {
		upto += loan->run[i].bytes;
		if (pos < upto) {
			act = loan->run[i].act;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&l->place[k].lock, flags);
	return act;
}
