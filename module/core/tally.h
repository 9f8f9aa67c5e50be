/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_TALLY_H
#define IOB_CORE_TALLY_H

#include "totals.h"

/* Rows that one processor adds up by itself, in one context. */
#define IOB_TALLIES	8

/**
 * struct iob_tally - what is still to be added to a row
 * @row: the row, 0: none
 * @sum: its key, and the sums
 */
struct iob_tally {
	u32 row;
	u32 zero;
	struct iob_total sum;
};

/**
 * struct iob_tallies - those of one processor in one context
 * @next: others of the same table
 * @busy: somebody adds to them, or folds them
 * @way:  by hash of the key
 */
struct iob_tallies {
	struct iob_tallies *next;
	u32 busy;
	u32 zero;
	struct iob_tally way[IOB_TALLIES];
};

void iob_tallies_join(struct iob_totals *t, struct iob_tallies *tallies);
void iob_tallies_fold(struct iob_totals *t);
void iob_tally_turn(struct iob_totals *t, struct iob_tally *tally, u32 row,
		    const struct iob_total_key *key);

/**
 * iob_tallies_hold() - Begin to add
 * @t: the tallies, NULL: there are none
 *
 * Context: any but NMI; only on their processor, in their context.
 * Return: false if they cannot be used now: they are being folded.
 */
static inline bool iob_tallies_hold(struct iob_tallies *t)
{
	return t && likely(!xchg(&t->busy, 1));
}

/**
 * iob_tallies_release() - All is added
 * @t: the tallies, held
 */
static inline void iob_tallies_release(struct iob_tallies *t)
{
	/* pairs with the xchg in iob_tallies_fold() */
	smp_store_release(&t->busy, 0);
}

/**
 * iob_tally_of() - Where a key is added up
 * @t:   the tallies, held
 * @key: the key
 *
 * Return: its tally, which may be another's at present.
 */
static inline struct iob_tally *iob_tally_of(struct iob_tallies *t,
					     const struct iob_total_key *key)
{
	u64 words[2];

	memcpy(words, key, sizeof(words));
	return &t->way[iob_spread(words[0] ^ words[1]) >> 61];
}

/**
 * iob_tally_is() - Is a tally this key's?
 * @tally: the tally
 * @key:   the key
 *
 * Return: true or false.
 */
static inline bool iob_tally_is(const struct iob_tally *tally,
				const struct iob_total_key *key)
{
	return tally->row && iob_total_key_equal(&tally->sum.key, key);
}

#endif /* IOB_CORE_TALLY_H */
