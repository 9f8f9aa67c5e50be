// SPDX-License-Identifier: GPL-2.0
/*
 * Totals: exact sums per origin, issuer, device, operation, reason and basis.
 *
 * Rows are never given back while tracing is enabled. A full table refuses new
 * rows and the caller asks again with a coarser key (see charge.c).
 */
#include "totals.h"

static_assert(sizeof(struct iob_total_key) == 2 * sizeof(u64));

static struct iob_total *row_at(const struct iob_totals *t, u32 index)
{
	return iob_array_at(&t->rows, index);
}

static raw_spinlock_t *shard_of(struct iob_totals *t, u32 hash)
{
	return &t->shard[hash & t->mask & (IOB_TOTALS_SHARDS - 1)];
}

static __always_inline u32 hash_of(const struct iob_total_key *key)
{
	u64 words[2];

	memcpy(words, key, sizeof(words));
	return iob_hash(words, 2);
}

/**
 * iob_totals_init() - Make an empty table
 * @t:   table
 * @max: most rows
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int iob_totals_init(struct iob_totals *t, u32 max)
{
	u32 nr_buckets = IOB_TOTALS_SHARDS;
	int i, err;

	memset(t, 0, sizeof(*t));
	if (!max || max >= IOB_ARRAY_MAX)
		return -EINVAL;
	while (nr_buckets < max)
		nr_buckets *= 2;
	t->max = max + 1;
	t->nr = 1;
	t->mask = nr_buckets - 1;
	raw_spin_lock_init(&t->grow_lock);
	raw_spin_lock_init(&t->fold_lock);
	for (i = 0; i < IOB_TOTALS_SHARDS; i++)
		raw_spin_lock_init(&t->shard[i]);
	err = iob_array_init(&t->rows, t->max, sizeof(struct iob_total));
	if (err)
		return err;
	t->next = iob_table_alloc(t->max, sizeof(*t->next));
	t->buckets = iob_table_alloc(nr_buckets, sizeof(*t->buckets));
	if (!t->next || !t->buckets) {
		iob_totals_exit(t);
		return -ENOMEM;
	}
	return 0;
}

/**
 * iob_totals_exit() - Free the table
 * @t: table, initialised or zeroed; no probe may be using it
 */
void iob_totals_exit(struct iob_totals *t)
{
	iob_array_exit(&t->rows);
	iob_table_free(t->next);
	iob_table_free(t->buckets);
	memset(t, 0, sizeof(*t));
}

/**
 * iob_totals_has_room() - Could a new row of this level be made?
 * @t:     table
 * @level: how much detail it has
 *
 * Return: true if so, at this moment.
 */
bool iob_totals_has_room(const struct iob_totals *t, enum iob_total_level level)
{
	/*
	 * Sixteenths of the table. Rows without a stack are the last that tell
	 * which process it was, those without a pid, by what name: most of what
	 * is kept back is theirs.
	 */
	static const u8 share[IOB_NR_TOTAL_LEVELS] = {
		[IOB_TOTAL_FULL] = 8,
		[IOB_TOTAL_NO_ISSUER] = 9,
		[IOB_TOTAL_NO_FILE] = 10,
		[IOB_TOTAL_NO_STACK] = 12,
		[IOB_TOTAL_NO_PID] = 15,
		[IOB_TOTAL_FOLDED] = 16,
	};
	u64 max_rows = (u64)(t->max - 1) * share[level] / 16;

	return READ_ONCE(t->nr) <= max_rows;
}

/* A row for a new key, 0 if there is none left. Context: shard lock held. */
static u32 grow(struct iob_totals *t, const struct iob_total_key *key,
		enum iob_total_level level)
{
	u32 index = 0;

	raw_spin_lock(&t->grow_lock);
	if (iob_totals_has_room(t, level) && row_at(t, t->nr)) {
		index = t->nr;
		row_at(t, index)->key = *key;
		/* pairs with iob_totals_end(): a row that counts has its key */
		smp_store_release(&t->nr, index + 1);
	}
	raw_spin_unlock(&t->grow_lock);
	return index;
}

/**
 * iob_totals_add() - Add to a row, making it if there is room
 * @t:   table
 * @key: its key
 * @level: how much detail the key has
 * @fn:  adds; called under the row's lock with interrupts off
 * @arg: for @fn
 *
 * Context: any but NMI.
 * Return: the row; 0 if it is new and the table too full for a new row of this
 * level: nothing was added.
 */
u32 iob_totals_add(struct iob_totals *t, const struct iob_total_key *key,
		   enum iob_total_level level,
		   void (*fn)(struct iob_total *row, const void *arg),
		   const void *arg)
{
	u32 hash = hash_of(key), *head = &t->buckets[hash & t->mask], index;
	raw_spinlock_t *lock = shard_of(t, hash);
	u32 nr = READ_ONCE(t->nr);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	for (index = *head; index; index = t->next[index])
		if (iob_total_key_equal(&row_at(t, index)->key, key))
			break;
	if (!index) {
		index = grow(t, key, level);
		if (index) {
			t->next[index] = *head;
			*head = index;
		}
	}
	if (index)
		fn(row_at(t, index), arg);
	raw_spin_unlock_irqrestore(lock, flags);
	if (unlikely(!index || READ_ONCE(t->nr) != nr))
		iob_array_ahead(&t->rows, READ_ONCE(t->nr));
	return index;
}

/**
 * iob_totals_merge() - Add sums to a row
 * @t:     table
 * @index: the row, as iob_totals_add() gave it
 * @sum:   the sums
 *
 * Context: any but NMI.
 */
void iob_totals_merge(struct iob_totals *t, u32 index,
		      const struct iob_total *sum)
{
	struct iob_total *row = row_at(t, index);
	raw_spinlock_t *lock = shard_of(t, hash_of(&row->key));
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(lock, flags);
	row->ios += sum->ios;
	row->bytes += sum->bytes;
	row->cancelled += sum->cancelled;
	for (i = 0; i < IOB_NR_READ_ENDS; i++)
		row->read[i] += sum->read[i];
	iob_hist_merge(&row->age, &sum->age);
	iob_hist_merge(&row->queue, &sum->queue);
	iob_hist_merge(&row->device, &sum->device);
	raw_spin_unlock_irqrestore(lock, flags);
}

/**
 * iob_total_is_empty() - Is there nothing in a row but its key?
 * @row: the row, as iob_totals_read() gave it
 *
 * Return: true or false.
 */
bool iob_total_is_empty(const struct iob_total *row)
{
	u64 sum = row->ios | row->cancelled;
	u32 i;

	for (i = 0; i < IOB_NR_READ_ENDS; i++)
		sum |= row->read[i];
	return !sum;
}

/**
 * iob_totals_end() - One past the last row
 * @t: table
 *
 * Rows are numbered from 1.
 *
 * Return: the bound for iob_totals_read().
 */
u32 iob_totals_end(const struct iob_totals *t)
{
	/* pairs with the release in grow() */
	return smp_load_acquire(&t->nr);
}

/**
 * iob_totals_read() - A consistent copy of a row
 * @t:     table
 * @index: from 1 up to iob_totals_end()
 * @row:   filled
 *
 * A row that is being made right now, or that a reset emptied, has its key and is
 * empty else. What processors have still to add is not in it: iob_tallies_fold().
 *
 * Context: any but NMI.
 */
void iob_totals_read(struct iob_totals *t, u32 index, struct iob_total *row)
{
	raw_spinlock_t *lock = shard_of(t, hash_of(&row_at(t, index)->key));
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	*row = *row_at(t, index);
	raw_spin_unlock_irqrestore(lock, flags);
}

/**
 * iob_totals_reset() - Every sum back to zero, keys stay
 * @t: table
 *
 * Context: any but NMI.
 */
void iob_totals_reset(struct iob_totals *t)
{
	u32 index, end = iob_totals_end(t);

	for (index = 1; index < end; index++) {
		struct iob_total *row = row_at(t, index);
		raw_spinlock_t *lock = shard_of(t, hash_of(&row->key));
		unsigned long flags;

		raw_spin_lock_irqsave(lock, flags);
		memset((void *)row + sizeof(row->key), 0,
		       sizeof(*row) - sizeof(row->key));
		raw_spin_unlock_irqrestore(lock, flags);
	}
}

/**
 * iob_totals_for_each_key() - Call a function for every row's key
 * @t:   table
 * @fn:  called with @ctx and the key
 * @ctx: for @fn
 *
 * Context: the sweeper.
 */
void iob_totals_for_each_key(struct iob_totals *t,
			     void (*fn)(void *ctx,
					const struct iob_total_key *key),
			     void *ctx)
{
	u32 index, end = iob_totals_end(t);

	for (index = 1; index < end; index++)
		fn(ctx, &row_at(t, index)->key);
}
