// SPDX-License-Identifier: GPL-2.0
/*
 * Batches: a worker that compresses puts the pages of a piece of a file under
 * writeback, and then submits what it made of them, from which no way leads
 * back. So it is remembered whose pages they were.
 */
#include <linux/pagemap.h>
#include <linux/sched.h>

#include "probe.h"

/* A name no file system's transactions have. */
#define BATCH_DEV	U32_MAX

/* Number of a batch: which worker, and how many it has submitted before. */
static u64 number_of(u32 serial)
{
	return (u64)current->pid << 32 | (serial | 1);
}

/**
 * iob_batch_add() - A folio of a file is put under writeback
 * @scratch: of this probe
 * @hook:    that was hit
 * @folio:   the folio, its dirtiers still remembered
 *
 * Context: probe, iob_batch_may_be() of its file.
 */
void iob_batch_add(struct iob_scratch *scratch, struct iob_hook *hook,
		   struct folio *folio)
{
	u64 pfn = folio_pfn(folio), number;
	struct iob_stack *stack;
	u32 i, act;

	iob_stack_current(scratch, hook, &stack);
	if (!iob_stack_has(stack, IOB_TRAIT_COMPRESS))
		return;
	number = number_of(iob_hints_get(&iob_state.batches, current->pid));
	for (i = 0; i < folio_nr_pages(folio); i++) {
		act = iob_pages_dirty_act(&iob_state.pages, pfn + i);
		if (act != IOB_ACT_NONE)
			iob_charge_join(&iob_state, BATCH_DEV, number, act,
					pfn + i, 1);
	}
}

/**
 * iob_batch_take() - The current worker submits what it made of its batch
 * @stack: by which path
 *
 * Context: probe, in a task.
 * Return: id of those whose pages they were; 0 if this is nothing of that kind.
 */
u32 iob_batch_take(const struct iob_stack *stack)
{
	u32 serial, id;

	if (!(current->flags & PF_WQ_WORKER) ||
	    !iob_stack_has(stack, IOB_TRAIT_COMPRESS))
		return 0;
	serial = iob_hints_get(&iob_state.batches, current->pid);
	id = iob_joins_find(&iob_state.joins, BATCH_DEV, number_of(serial));
	if (id)
		iob_hints_set(&iob_state.batches, current->pid, serial + 2);
	return id;
}
