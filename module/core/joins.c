// SPDX-License-Identifier: GPL-2.0
/*
 * Joins: who changed something in a transaction of a file system, and how many
 * blocks of it. What the transaction writes on behalf of all of them (journal,
 * log, tree blocks) is split in that proportion.
 *
 * A joiner's weight counts blocks, not calls: a task that changes one block a
 * thousand times has dirtied one. What was counted is remembered in a small
 * hashed bit set; a false hit costs one unit of weight, and when half of the
 * bits are set they are all cleared, so that a long transaction goes on
 * counting.
 */
#include "joins.h"

/* Where a transaction may lie: a few places from its hash on. */
#define PROBES	8

/**
 * iob_joins_init() - Make an empty table
 * @j:        table
 * @counters: where losses are counted
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int iob_joins_init(struct iob_joins *j, struct iob_counters *counters)
{
	int i;

	memset(j, 0, sizeof(*j));
	j->counters = counters;
	j->tx = iob_table_alloc(IOB_NR_JOINS, sizeof(*j->tx));
	if (!j->tx)
		return -ENOMEM;
	for (i = 0; i < IOB_NR_JOINS; i++)
		raw_spin_lock_init(&j->tx[i].lock);
	return 0;
}

/**
 * iob_joins_exit() - Free the table
 * @j: table, initialised or zeroed; no probe may be using it
 */
void iob_joins_exit(struct iob_joins *j)
{
	iob_table_free(j->tx);
	memset(j, 0, sizeof(*j));
}

/* Transactions of one device follow each other, so they get different places. */
static u32 place_of(u32 dev, u64 tid, u32 probe)
{
	const u64 words[] = { dev, tid >> 32 };

	return (iob_hash(words, 2) + (u32)tid + probe) % IOB_NR_JOINS;
}

/*
 * Locks here are taken and given back by different functions. To sparse, which
 * looks at one function at a time, they are made to seem balanced.
 */
static void tx_lock(struct iob_join *tx, unsigned long *flags)
{
	raw_spin_lock_irqsave(&tx->lock, *flags);
	__release(&tx->lock);
}

static void tx_unlock(struct iob_join *tx, unsigned long flags)
{
	__acquire(&tx->lock);
	raw_spin_unlock_irqrestore(&tx->lock, flags);
}

static bool is_it(const struct iob_join *tx, u32 dev, u64 tid)
{
	return READ_ONCE(tx->tid) == tid && READ_ONCE(tx->dev) == dev;
}

/* The transaction, locked; NULL if it is not known. */
static struct iob_join *find_locked(struct iob_joins *j, u32 dev, u64 tid,
				    unsigned long *flags)
{
	struct iob_join *tx;
	u32 i;

	for (i = 0; i < PROBES; i++) {
		tx = &j->tx[place_of(dev, tid, i)];
		if (!is_it(tx, dev, tid))
			continue;
		tx_lock(tx, flags);
		if (is_it(tx, dev, tid))
			return tx;
		tx_unlock(tx, *flags);
	}
	return NULL;
}

/* The place of a transaction that is new, locked: the one unused longest. */
static struct iob_join *make_locked(struct iob_joins *j, u32 dev, u64 tid,
				    unsigned long *flags)
{
	struct iob_join *tx, *best = NULL;
	u32 i, now = atomic_read(&j->clock);

	for (i = 0; i < PROBES; i++) {
		tx = &j->tx[place_of(dev, tid, i)];
		if (!best || !READ_ONCE(tx->tid) ||
		    now - READ_ONCE(tx->used) > now - READ_ONCE(best->used))
			best = tx;
		if (!READ_ONCE(best->tid))
			break;
	}
	tx_lock(best, flags);
	if (is_it(best, dev, tid))	/* another CPU was faster */
		return best;
	if (best->tid && now - best->used < IOB_NR_JOINS / 2)
		iob_count(j->counters, IOB_CNT_LOST_JOINS, 1);
	WRITE_ONCE(best->dev, dev);
	WRITE_ONCE(best->tid, tid);
	WRITE_ONCE(best->used, atomic_inc_return(&j->clock));
	best->gen++;
	best->last = 0;
	best->nr_seen = 0;
	best->reason = 0;
	best->split.nr = 0;
	best->split.total = 0;
	memset(best->seen, 0, sizeof(best->seen));
	return best;
}

static struct iob_join *get_locked(struct iob_joins *j, u32 dev, u64 tid,
				   unsigned long *flags)
{
	return find_locked(j, dev, tid, flags) ?:
	       make_locked(j, dev, tid, flags);
}

/* Has @role been counted for @item? If not, it has now. */
static bool was_seen(struct iob_join *tx, u32 role, u64 item)
{
	const u64 words[] = { role, item };
	u32 bit = iob_hash(words, 2) % IOB_JOIN_SEEN_BITS;
	u64 *word = &tx->seen[bit / 64], mask = 1ull << bit % 64;

	if (*word & mask)
		return true;
	if (++tx->nr_seen > IOB_JOIN_SEEN_BITS / 2) {
		memset(tx->seen, 0, sizeof(tx->seen));
		tx->nr_seen = 1;
	}
	*word |= mask;
	return false;
}

/* Add to the share of @act. False: there is no room for one. */
static bool add(struct iob_join *tx, u32 act, u32 weight, u32 room)
{
	struct iob_split *s = &tx->split;
	u32 i = tx->last;

	if (i >= s->nr || s->share[i].act != act) {
		for (i = 0; i < s->nr; i++)
			if (s->share[i].act == act)
				break;
		if (i == s->nr) {
			if (s->nr >= room)
				return false;
			s->share[s->nr++] = (struct iob_share){ .act = act };
		}
		tx->last = i;
	}
	if (s->total + weight >= s->total) {
		s->share[i].weight += weight;
		s->total += weight;
	}
	return true;
}

/* Places up to which a new joiner of a level may go: coarser ones find room later. */
static const u32 room[IOB_NR_JOIN_LEVELS] = {
	[IOB_JOIN_FULL] = IOB_JOIN_SHARES * 3 / 4,
	[IOB_JOIN_NO_STACK] = IOB_JOIN_SHARES * 7 / 8,
	[IOB_JOIN_NO_PID] = IOB_JOIN_SHARES - 1,
	[IOB_JOIN_FOLDED] = IOB_JOIN_SHARES,
};

/**
 * iob_joins_add() - A task has changed something in a transaction
 * @j:      table
 * @dev:    the file system's disk
 * @tid:    the transaction, not 0
 * @act:    who
 * @role:   the same task under all its acts
 * @item:   what it changed: counted once for each role
 * @weight: how much that is
 *
 * Context: any but NMI.
 * Return: false if the transaction has no room for another joiner, and nothing
 * was added: see iob_joins_add_rest().
 */
bool iob_joins_add(struct iob_joins *j, u32 dev, u64 tid, u32 act, u32 role,
		   u64 item, u32 weight)
{
	unsigned long flags;
	struct iob_join *tx = get_locked(j, dev, tid, &flags);
	bool added;

	added = was_seen(tx, role, item) ||
		add(tx, act, weight, room[IOB_JOIN_FULL]);
	tx_unlock(tx, flags);
	return added;
}

/**
 * iob_joins_add_rest() - Add what found no room of its own
 * @j:      table
 * @dev:    the file system's disk
 * @tid:    the transaction, not 0
 * @act:    a coarser act
 * @weight: how much
 * @level:  how coarse it is
 *
 * Context: any but NMI.
 * Return: false if there is no room for that either; never for IOB_ACT_FOLDED at
 * the last level.
 */
bool iob_joins_add_rest(struct iob_joins *j, u32 dev, u64 tid, u32 act,
			u32 weight, enum iob_join_level level)
{
	unsigned long flags;
	struct iob_join *tx = get_locked(j, dev, tid, &flags);
	bool added = add(tx, act, weight, room[level]);

	tx_unlock(tx, flags);
	return added;
}

/**
 * iob_joins_find() - Id of a transaction
 * @j:   table
 * @dev: the file system's disk
 * @tid: the transaction
 *
 * Context: any but NMI.
 * Return: the id; 0 if nobody that was seen has joined it.
 */
u32 iob_joins_find(struct iob_joins *j, u32 dev, u64 tid)
{
	unsigned long flags;
	struct iob_join *tx = find_locked(j, dev, tid, &flags);
	u32 id = 0;

	if (!tx)
		return 0;
	if (tx->split.total)
		id = tx->gen * IOB_NR_JOINS + (u32)(tx - j->tx);
	WRITE_ONCE(tx->used, atomic_inc_return(&j->clock));
	tx_unlock(tx, flags);
	return id;
}

/**
 * iob_joins_set_reason() - Somebody wants a transaction to be written out
 * @j:      table
 * @dev:    the file system's disk
 * @tid:    the transaction
 * @reason: enum iob_reason; the first one stays
 *
 * Context: any but NMI.
 */
void iob_joins_set_reason(struct iob_joins *j, u32 dev, u64 tid, u8 reason)
{
	unsigned long flags;
	struct iob_join *tx = find_locked(j, dev, tid, &flags);

	if (!tx)
		return;
	if (!tx->reason)
		tx->reason = reason;
	tx_unlock(tx, flags);
}

/**
 * iob_joins_reason() - Why a transaction is written out
 * @j:  table
 * @id: of iob_joins_find(), just found
 *
 * Context: any.
 * Return: enum iob_reason; that of another transaction if this one's place has
 * been taken meanwhile.
 */
u8 iob_joins_reason(struct iob_joins *j, u32 id)
{
	return READ_ONCE(j->tx[id % IOB_NR_JOINS].reason);
}

/**
 * iob_split_add() - Add to somebody's share
 * @split:  shares, begun with @nr and @total 0
 * @act:    whose
 * @weight: how much; all of them must fit into 32 bits
 *
 * When there are too many who share, the last has what the others add.
 *
 * Context: any.
 */
void iob_split_add(struct iob_split *split, u32 act, u32 weight)
{
	u32 i;

	for (i = 0; i < split->nr && split->share[i].act != act; i++)
		if (i == IOB_JOIN_SHARES - 1)
			break;
	if (i == split->nr)
		split->share[split->nr++] = (struct iob_share){ .act = act };
	split->share[i].weight += weight;
	split->total += weight;
}

/**
 * iob_split_pick() - One of those who share
 * @split:  the shares
 * @number: of what is to be one's alone, counted up
 *
 * As many of some numbers in a row name each as it has weight: multiples of the
 * golden ratio are spread evenly, however few there are (Knuth, The Art of
 * Computer Programming, vol. 3, 6.4).
 *
 * Context: any.
 * Return: the act; IOB_ACT_NONE if nobody has a share.
 */
u32 iob_split_pick(const struct iob_split *split, u32 number)
{
	u32 i, nth = (u64)(number * 2654435769u) * split->total >> 32;

	if (!split->total)
		return IOB_ACT_NONE;
	for (i = 0; nth >= split->share[i].weight; i++)
		nth -= split->share[i].weight;
	return split->share[i].act;
}

/* Lock what @id names; NULL, and not locked, if it is not remembered any more. */
static struct iob_join *lock_known(struct iob_joins *j, u32 id,
				   unsigned long *flags)
{
	struct iob_join *tx = &j->tx[id % IOB_NR_JOINS];

	tx_lock(tx, flags);
	if (tx->tid && tx->gen * IOB_NR_JOINS + id % IOB_NR_JOINS == id)
		return tx;
	tx_unlock(tx, *flags);
	return NULL;
}

/**
 * iob_joins_pick() - One of the joiners of a transaction
 * @j:      table
 * @id:     of iob_joins_find()
 * @number: as for iob_split_pick()
 *
 * Context: any but NMI.
 * Return: the act; IOB_ACT_NONE if nobody has joined or that is forgotten.
 */
u32 iob_joins_pick(struct iob_joins *j, u32 id, u32 number)
{
	unsigned long flags;
	struct iob_join *tx = lock_known(j, id, &flags);
	u32 act;

	if (!tx)
		return IOB_ACT_NONE;
	act = iob_split_pick(&tx->split, number);
	tx_unlock(tx, flags);
	return act;
}

/**
 * iob_joins_split() - The shares of a transaction
 * @j:     table
 * @id:    of iob_joins_find()
 * @split: filled
 *
 * Context: any but NMI.
 * Return: false if the transaction is not remembered any more.
 */
bool iob_joins_split(struct iob_joins *j, u32 id, struct iob_split *split)
{
	unsigned long flags;
	struct iob_join *tx = lock_known(j, id, &flags);

	if (!tx)
		return false;
	split->nr = tx->split.nr;
	split->total = tx->split.total;
	memcpy(split->share, tx->split.share,
	       split->nr * sizeof(split->share[0]));
	tx_unlock(tx, flags);
	return true;
}

static u32 epoch_place(u32 dev)
{
	u64 word = dev;

	return iob_hash(&word, 1) % IOB_NR_EPOCHS;
}

/**
 * iob_joins_epoch() - Number of the epoch a device is in
 * @j:   table
 * @dev: the file system's device
 *
 * Context: any.
 * Return: the number; never 0, and neither is the one before.
 */
u64 iob_joins_epoch(const struct iob_joins *j, u32 dev)
{
	return 2ull + (u32)atomic_read(&j->epoch[epoch_place(dev)]);
}

/**
 * iob_joins_advance() - A device's next epoch begins
 * @j:   table
 * @dev: the file system's device
 *
 * Context: any.
 */
void iob_joins_advance(struct iob_joins *j, u32 dev)
{
	atomic_inc_return(&j->epoch[epoch_place(dev)]);
}

/**
 * iob_joins_end() - All that a transaction writes on behalf of all is written
 * @j:   table
 * @dev: the file system's disk
 * @tid: the transaction
 *
 * Its place is the first to go to another. It may still be asked until then.
 *
 * Context: any but NMI.
 */
void iob_joins_end(struct iob_joins *j, u32 dev, u64 tid)
{
	unsigned long flags;
	struct iob_join *tx = find_locked(j, dev, tid, &flags);

	if (!tx)
		return;
	/* as if it had not been used for long */
	WRITE_ONCE(tx->used, atomic_read(&j->clock) - IOB_NR_JOINS);
	tx_unlock(tx, flags);
}

/**
 * iob_joins_merge() - Transactions that are written out together as one
 * @j:     table
 * @dev:   the file system's disk
 * @into:  id of the whole, not that of a transaction
 * @first: the first of them
 * @last:  the last of them
 * @split: working memory
 *
 * Context: any but NMI.
 * Return: the id of what all of them have joined, as iob_joins_find(); 0 if
 * nobody that was seen has.
 */
u32 iob_joins_merge(struct iob_joins *j, u32 dev, u64 into, u64 first,
		    u64 last, struct iob_split *split)
{
	u64 tid;
	u32 i;

	if (first == last)
		return iob_joins_find(j, dev, first);
	/* those before have been forgotten */
	if (last - first >= IOB_NR_JOINS / 2)
		first = last - IOB_NR_JOINS / 2;
	for (tid = first; tid <= last; tid++) {
		if (!iob_joins_split(j, iob_joins_find(j, dev, tid), split))
			continue;
		for (i = 0; i < split->nr; i++)
			if (!iob_joins_add_rest(j, dev, into,
						split->share[i].act,
						split->share[i].weight,
						IOB_JOIN_NO_PID))
				iob_joins_add_rest(j, dev, into, IOB_ACT_FOLDED,
						   split->share[i].weight,
						   IOB_JOIN_FOLDED);
	}
	return iob_joins_find(j, dev, into);
}

/**
 * iob_joins_for_each_act() - Call a function for every joiner
 * @j:   table
 * @fn:  called with @ctx and an act id
 * @ctx: for @fn
 *
 * Context: the sweeper; @fn runs under a lock.
 */
void iob_joins_for_each_act(struct iob_joins *j,
			    void (*fn)(void *ctx, u32 act), void *ctx)
{
	u32 i, k;

	for (i = 0; i < IOB_NR_JOINS; i++) {
		struct iob_join *tx = &j->tx[i];
		unsigned long flags;

		tx_lock(tx, &flags);
		for (k = 0; tx->tid && k < tx->split.nr; k++)
			fn(ctx, tx->split.share[k].act);
		tx_unlock(tx, flags);
	}
}
