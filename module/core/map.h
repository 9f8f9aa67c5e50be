/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_MAP_H
#define IOB_CORE_MAP_H

#include "array.h"

#define IOB_MAP_SHARDS	256

/**
 * struct iob_map_key - what a value is found by
 */
struct iob_map_key {
	u64 a;
	u64 b;
};

/**
 * struct iob_map - a bounded hash table of values of one size
 * @nodes:      values with their keys; there is memory for those below @fresh
 * @size:       of a value
 * @max:        nodes
 * @fresh:      the first node that was never used
 * @free:       list of nodes that are free again
 * @hand:       where room was last made
 * @free_lock:  protects @fresh and @free; nests inside a shard's lock
 * @spare:      most nodes that a shard keeps for itself
 * @shard:      chains by hash of the key, each shard under its own lock; and some
 *              free nodes, so that most of the time no other lock is taken
 */
struct iob_map {
	struct iob_array nodes;
	u32 size;
	u32 max;
	u32 fresh;
	u32 free;
	u32 hand;
	u32 spare;
	raw_spinlock_t free_lock;
	struct iob_map_shard {
		raw_spinlock_t lock;
		u32 nr;
		u32 free;
		u32 nr_free;
		u32 head[64];
	} *shard;
};

int iob_map_init(struct iob_map *m, u32 max, u32 size);
void iob_map_exit(struct iob_map *m);

bool iob_map_set(struct iob_map *m, const struct iob_map_key *key,
		 const void *value);
bool iob_map_add(struct iob_map *m, const struct iob_map_key *key,
		 const void *value);
bool iob_map_lookup(struct iob_map *m, const struct iob_map_key *key,
		    void *value);
bool iob_map_take(struct iob_map *m, const struct iob_map_key *key,
		  void *value);
bool iob_map_update(struct iob_map *m, const struct iob_map_key *key,
		    void (*fn)(void *value, const void *arg), const void *arg);
bool iob_map_make_room(struct iob_map *m);
u32 iob_map_nr(const struct iob_map *m);

void iob_map_for_each(struct iob_map *m,
		      void (*fn)(void *ctx, const void *value), void *ctx);

#endif /* IOB_CORE_MAP_H */
