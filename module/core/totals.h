/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_TOTALS_H
#define IOB_CORE_TOTALS_H

#include "array.h"
#include "counters.h"
#include "hist.h"

#define IOB_TOTALS_SHARDS	64

/*
 * How much detail a row has. As the table fills, new rows lose it in this
 * order; each level may use somewhat more of the table than the one before, so
 * that there is room left for what is coarser.
 */
enum iob_total_level {
	IOB_TOTAL_FULL,
	IOB_TOTAL_NO_ISSUER,
	IOB_TOTAL_NO_FILE,
	IOB_TOTAL_NO_STACK,
	IOB_TOTAL_NO_PID,
	IOB_TOTAL_FOLDED,
	IOB_NR_TOTAL_LEVELS
};

struct iob_total_key {
	u32 act;
	u32 issuer;		/* role id */
	u32 dev;
	u8 op;
	u8 reason;
	u8 basis;
	u8 zero;
};

/**
 * struct iob_total - what one origin did to one device
 * @key:       the key
 * @ios:       completed IOs in which it has a share
 * @bytes:     bytes that reached the device
 * @cancelled: bytes dropped before being written
 * @read:      bytes read, by their end; all 0 unless that is asked for
 * @age:       dirtying to completion, by pages
 * @queue:     submission to dispatch, by IOs
 * @device:    dispatch to completion, by IOs
 */
struct iob_total {
	struct iob_total_key key;
	u64 ios;
	u64 bytes;
	u64 cancelled;
	u64 read[IOB_NR_READ_ENDS];
	struct iob_hist age;
	struct iob_hist queue;
	struct iob_hist device;
};

/**
 * struct iob_totals - the rows
 * @rows:    @max of them; row 0 is not used, there is memory for those below @nr
 * @next:    chain links, by row; 0 ends a chain
 * @buckets: heads of the chains
 * @nr:      rows in use, grows only; under @grow_lock. A row's key is written
 *           before it counts, and never again
 * @tallies: what processors have still to add; see tally.h
 * @fold_lock: held by who adds it for them
 */
struct iob_totals {
	struct iob_array rows;
	u32 *next;
	u32 *buckets;
	u32 mask;
	u32 max;
	u32 nr;
	raw_spinlock_t grow_lock;
	raw_spinlock_t shard[IOB_TOTALS_SHARDS];
	struct iob_tallies *tallies;
	raw_spinlock_t fold_lock;
};

/**
 * iob_total_key_equal() - Are two keys the same?
 * @a: one
 * @b: the other
 *
 * Return: true or false.
 */
static inline bool iob_total_key_equal(const struct iob_total_key *a,
				       const struct iob_total_key *b)
{
	u64 x[2], y[2];

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return x[0] == y[0] && x[1] == y[1];
}

int iob_totals_init(struct iob_totals *t, u32 max);
void iob_totals_exit(struct iob_totals *t);
bool iob_total_is_empty(const struct iob_total *row);

bool iob_totals_has_room(const struct iob_totals *t,
			 enum iob_total_level level);
u32 iob_totals_add(struct iob_totals *t, const struct iob_total_key *key,
		   enum iob_total_level level,
		   void (*fn)(struct iob_total *row, const void *arg),
		   const void *arg);
void iob_totals_merge(struct iob_totals *t, u32 index,
		      const struct iob_total *sum);
u32 iob_totals_end(const struct iob_totals *t);
void iob_totals_read(struct iob_totals *t, u32 index, struct iob_total *row);
void iob_totals_reset(struct iob_totals *t);
void iob_totals_for_each_key(struct iob_totals *t,
			     void (*fn)(void *ctx,
					const struct iob_total_key *key),
			     void *ctx);

#endif /* IOB_CORE_TOTALS_H */
