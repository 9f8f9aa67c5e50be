// SPDX-License-Identifier: GPL-2.0
/*
 * Tallies: sums that each processor keeps to itself for a while.
 *
 * What one task does goes to the same few rows again and again. A processor adds it
 * up without a lock, in each context by itself, and to the row when another row wants
 * the place, or when somebody reads. There is a row before there is a tally of it, so
 * that a full table never matters here.
 */
#include "tally.h"

static_assert(IOB_TALLIES == 1 << (64 - 61));

/**
 * iob_tallies_join() - Tallies that will be used
 * @t:       the table they are of
 * @tallies: zeroed; not to be freed before @t is left by all who use it
 *
 * Context: before the first probe.
 */
void iob_tallies_join(struct iob_totals *t, struct iob_tallies *tallies)
{
	tallies->next = t->tallies;
	t->tallies = tallies;
}

/* Add to the row what there is. Context: held. */
static void flush(struct iob_totals *t, struct iob_tally *tally)
{
	struct iob_total *sum = &tally->sum;

	if (!sum->ios)
		return;
	iob_totals_merge(t, tally->row, sum);
	memset((char *)sum + sizeof(sum->key), 0,
	       sizeof(*sum) - sizeof(sum->key));
}

/**
 * iob_tally_turn() - A tally is another row's from now on
 * @t:     the table
 * @tally: the tally, held
 * @row:   the row, as iob_totals_add() gave it
 * @key:   its key
 *
 * Context: any but NMI.
 */
void iob_tally_turn(struct iob_totals *t, struct iob_tally *tally, u32 row,
		    const struct iob_total_key *key)
{
	flush(t, tally);
	tally->row = row;
	tally->sum.key = *key;
}

/**
 * iob_tallies_fold() - Add to the rows what processors have kept to themselves
 * @t: the table
 *
 * What is added before this is called is in the rows afterwards.
 *
 * Context: any but NMI; not while tallies are held here.
 */
void iob_tallies_fold(struct iob_totals *t)
{
	struct iob_tallies *tallies;
	unsigned long flags;
	u32 i;

	for (tallies = t->tallies; tallies; tallies = tallies->next) {
		/* so that no probe on this processor finds them busy for long */
		raw_spin_lock_irqsave(&t->fold_lock, flags);
		while (xchg(&tallies->busy, 1))
			cpu_relax();
		for (i = 0; i < IOB_TALLIES; i++)
			flush(t, &tallies->way[i]);
		iob_tallies_release(tallies);
		raw_spin_unlock_irqrestore(&t->fold_lock, flags);
	}
}
