/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_FLOWS_H
#define IOB_CORE_FLOWS_H

#include "counters.h"

#define IOB_FLOW_SHARDS		256

/**
 * struct iob_flow - one bio between submission and completion
 * @issuer:    act of the task that submitted it
 * @origin:    act to charge where pages do not tell
 * @basis:     what that is based on
 * @reason:    why the issuer writes, if its context tells
 * @by_page:   its pages are page cache under writeback: ask their slots
 * @queue_ns:  submitted
 * @issue_ns:  dispatched to the driver; of the first bio of a request only
 * @sector, @size, @idx, @offset: its iterator as submitted, for drivers that
 *             complete bios without requests and may have advanced it
 *
 * Page slots tell who is charged, so a flow is small and of fixed size, and
 * splitting or merging bios never splits or merges lists of origins.
 */
struct iob_flow {
	u32 issuer;
	u32 origin;
	u32 unknown;
	u8 basis;
	u8 reason;
	u8 by_page;
	u64 queue_ns;
	u64 issue_ns;
	u64 sector;
	u32 size;
	u32 idx;
	u32 offset;
};

/**
 * struct iob_flows - flows by bio
 * @nodes:  the memory of all of them
 * @max:    how many
 * @shard:  chains by hash of the bio's address, each under its own lock
 */
struct iob_flows {
	struct iob_flow_node *nodes;
	u32 max;
	u32 fresh;
	u32 free;
	u32 nr;
	raw_spinlock_t free_lock;
	struct iob_counters *counters;
	struct iob_flow_shard {
		raw_spinlock_t lock;
		u32 head[64];
	} *shard;
};

int iob_flows_init(struct iob_flows *f, struct iob_counters *counters,
		   u32 max);
void iob_flows_exit(struct iob_flows *f);

void iob_flows_set(struct iob_flows *f, u64 bio, const struct iob_flow *flow);
bool iob_flows_lookup(struct iob_flows *f, u64 bio, struct iob_flow *flow);
bool iob_flows_take(struct iob_flows *f, u64 bio, struct iob_flow *flow);
bool iob_flows_update(struct iob_flows *f, u64 bio,
		      void (*fn)(struct iob_flow *flow, const void *arg),
		      const void *arg);
u32 iob_flows_nr(const struct iob_flows *f);

void iob_flows_for_each_act(struct iob_flows *f,
			    void (*fn)(void *ctx, u32 act), void *ctx);

#endif /* IOB_CORE_FLOWS_H */
