/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_JOINS_H
#define IOB_CORE_JOINS_H

#include "counters.h"

#define IOB_NR_JOINS		256	/* transactions remembered at once */
#define IOB_JOIN_SHARES		64	/* joiners told apart in one */
#define IOB_JOIN_SEEN_BITS	4096
#define IOB_NR_EPOCHS		64

/**
 * struct iob_tx - a transaction's name
 * @dev: the file system's device, or what else tells file systems apart
 * @tid: its number, 0: not known
 */
struct iob_tx {
	u32 dev;
	u64 tid;
};

/* How much is told of who joined; as a transaction fills, new ones lose it in this order. */
enum iob_join_level {
	IOB_JOIN_FULL,
	IOB_JOIN_NO_STACK,
	IOB_JOIN_NO_PID,
	IOB_JOIN_FOLDED,
	IOB_NR_JOIN_LEVELS
};

/**
 * struct iob_share - what one joiner has in a transaction
 * @act:    who
 * @weight: of its changes
 */
struct iob_share {
	u32 act;
	u32 weight;
};

/**
 * struct iob_split - the shares of a transaction at one moment
 * @nr:    shares
 * @total: sum of their weights; what would overflow it is not added
 * @share: the shares
 */
struct iob_split {
	u32 nr;
	u32 total;
	struct iob_share share[IOB_JOIN_SHARES];
};

/**
 * struct iob_joins - who joined which transaction, and by how much
 * @counters: where losses are counted
 * @clock:    counts uses, to tell which transaction was used longest ago
 * @epoch:    counters by hash of the device, for file systems whose
 *            transactions have no number that can be seen; two devices that
 *            share one only advance it more often
 * @tx:       the transactions, each under its own lock
 */
struct iob_joins {
	struct iob_counters *counters;
	atomic_t clock;
	atomic_t epoch[IOB_NR_EPOCHS];
	struct iob_join {
		raw_spinlock_t lock;
		u32 dev;
		u32 gen;
		u64 tid;		/* 0: this place is free */
		u32 used;		/* of @clock */
		u32 last;		/* index of the share added to last */
		u32 nr_seen;
		u8 reason;		/* why it is written out, if known */
		struct iob_split split;
		u64 seen[IOB_JOIN_SEEN_BITS / 64];
	} *tx;
};

int iob_joins_init(struct iob_joins *j, struct iob_counters *counters);
void iob_joins_exit(struct iob_joins *j);

bool iob_joins_add(struct iob_joins *j, u32 dev, u64 tid, u32 act, u32 role,
		   u64 item, u32 weight);
bool iob_joins_add_rest(struct iob_joins *j, u32 dev, u64 tid, u32 act,
			u32 weight, enum iob_join_level level);
u32 iob_joins_find(struct iob_joins *j, u32 dev, u64 tid);
u32 iob_joins_merge(struct iob_joins *j, u32 dev, u64 into, u64 first,
		    u64 last, struct iob_split *split);
void iob_joins_set_reason(struct iob_joins *j, u32 dev, u64 tid, u8 reason);
u8 iob_joins_reason(struct iob_joins *j, u32 id);
void iob_split_add(struct iob_split *split, u32 act, u32 weight);
u32 iob_split_pick(const struct iob_split *split, u32 number);
u32 iob_joins_pick(struct iob_joins *j, u32 id, u32 number);
bool iob_joins_split(struct iob_joins *j, u32 id, struct iob_split *split);

u64 iob_joins_epoch(const struct iob_joins *j, u32 dev);
void iob_joins_advance(struct iob_joins *j, u32 dev);

void iob_joins_end(struct iob_joins *j, u32 dev, u64 tid);
void iob_joins_for_each_act(struct iob_joins *j,
			    void (*fn)(void *ctx, u32 act), void *ctx);

#endif /* IOB_CORE_JOINS_H */
