// SPDX-License-Identifier: GPL-2.0
/* Flows: what is known of a bio between its submission and its completion. */
#include "flows.h"

struct iob_flow_node {
	u64 bio;
	u32 next;
	struct iob_flow flow;
};

/**
 * iob_flows_init() - Make an empty table
 * @f:        table
 * @counters: where losses are counted
 * @max:      most bios in flight
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int iob_flows_init(struct iob_flows *f, struct iob_counters *counters,
		   u32 max)
{
	int i;

	memset(f, 0, sizeof(*f));
	if (!max)
		return -EINVAL;
	f->counters = counters;
	f->max = max + 1;	/* index 0 ends a chain */
	f->fresh = 1;
	raw_spin_lock_init(&f->free_lock);
	f->nodes = iob_table_alloc(f->max, sizeof(*f->nodes));
	f->shard = iob_table_alloc(IOB_FLOW_SHARDS, sizeof(*f->shard));
	if (!f->nodes || !f->shard) {
		iob_flows_exit(f);
		return -ENOMEM;
	}
	for (i = 0; i < IOB_FLOW_SHARDS; i++)
		raw_spin_lock_init(&f->shard[i].lock);
	return 0;
}

/**
 * iob_flows_exit() - Free the table
 * @f: table, initialised or zeroed; no probe may be using it
 */
void iob_flows_exit(struct iob_flows *f)
{
	iob_table_free(f->nodes);
	iob_table_free(f->shard);
	memset(f, 0, sizeof(*f));
}

static u32 *head_of(struct iob_flows *f, u64 bio, struct iob_flow_shard **shard)
{
	u32 hash = iob_hash(&bio, 1);

	*shard = &f->shard[hash % IOB_FLOW_SHARDS];
	return &(*shard)->head[hash / IOB_FLOW_SHARDS %
			       ARRAY_SIZE((*shard)->head)];
}

/* Context: shard lock held. Returns the link that points at the node, or 0. */
static u32 *find(struct iob_flows *f, u32 *link, u64 bio)
{
	for (; *link; link = &f->nodes[*link].next)
		if (f->nodes[*link].bio == bio)
			return link;
	return NULL;
}

static u32 node_get(struct iob_flows *f)
{
	u32 index = 0;

	raw_spin_lock(&f->free_lock);
	if (f->free) {
		index = f->free;
		f->free = f->nodes[index].next;
	} else if (f->fresh < f->max) {
		index = f->fresh++;
	}
	if (index)
		WRITE_ONCE(f->nr, f->nr + 1);
	raw_spin_unlock(&f->free_lock);
	return index;
}

static void node_put(struct iob_flows *f, u32 index)
{
	raw_spin_lock(&f->free_lock);
	f->nodes[index].next = f->free;
	f->free = index;
	WRITE_ONCE(f->nr, f->nr - 1);
	raw_spin_unlock(&f->free_lock);
}

/**
 * iob_flows_set() - A bio is submitted
 * @f:    table
 * @bio:  its address, the key
 * @flow: what to remember; replaces what an earlier use of the address left
 *
 * Context: any but NMI.
 */
void iob_flows_set(struct iob_flows *f, u64 bio, const struct iob_flow *flow)
{
	struct iob_flow_shard *shard;
	u32 *head = head_of(f, bio, &shard), *link, index;
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(f, head, bio);
	if (link) {
		f->nodes[*link].flow = *flow;
		raw_spin_unlock_irqrestore(&shard->lock, flags);
		return;
	}
	index = node_get(f);
	if (index) {
		f->nodes[index].bio = bio;
		f->nodes[index].flow = *flow;
		f->nodes[index].next = *head;
		*head = index;
	}
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	if (!index)
		iob_count(f->counters, IOB_CNT_LOST_FLOWS, 1);
}

/**
 * iob_flows_lookup() - What is known of a bio that goes on
 * @f:    table
 * @bio:  its address
 * @flow: filled
 *
 * Context: any but NMI.
 * Return: false if nothing is known.
 */
bool iob_flows_lookup(struct iob_flows *f, u64 bio, struct iob_flow *flow)
{
	struct iob_flow_shard *shard;
	u32 *link = head_of(f, bio, &shard);
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(f, link, bio);
	if (link)
		*flow = f->nodes[*link].flow;
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	return link;
}

/**
 * iob_flows_take() - What is known of a bio that is complete
 * @f:    table
 * @bio:  its address
 * @flow: filled
 *
 * Context: any but NMI.
 * Return: false if nothing is known.
 */
bool iob_flows_take(struct iob_flows *f, u64 bio, struct iob_flow *flow)
{
	struct iob_flow_shard *shard;
	u32 *link = head_of(f, bio, &shard), index;
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(f, link, bio);
	if (link) {
		index = *link;
		*flow = f->nodes[index].flow;
		*link = f->nodes[index].next;
		node_put(f, index);
	}
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	return link;
}

/**
 * iob_flows_update() - Change what is known of a bio
 * @f:   table
 * @bio: its address
 * @fn:  changes the flow; called under the shard's lock
 * @arg: for @fn
 *
 * Context: any but NMI.
 * Return: false if nothing is known of it.
 */
bool iob_flows_update(struct iob_flows *f, u64 bio,
		      void (*fn)(struct iob_flow *flow, const void *arg),
		      const void *arg)
{
	struct iob_flow_shard *shard;
	u32 *link = head_of(f, bio, &shard);
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(f, link, bio);
	if (link)
		fn(&f->nodes[*link].flow, arg);
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	return link;
}

/**
 * iob_flows_nr() - Bios in flight
 * @f: table
 *
 * Return: the number.
 */
u32 iob_flows_nr(const struct iob_flows *f)
{
	return READ_ONCE(f->nr);
}

/**
 * iob_flows_for_each_act() - Call a function for every act in flight
 * @f:   table
 * @fn:  called with @ctx and an act id
 * @ctx: for @fn
 *
 * Context: the sweeper; @fn runs under the shards' locks. An act that comes
 * meanwhile is handed out in the new epoch, which keeps it alive.
 */
void iob_flows_for_each_act(struct iob_flows *f,
			    void (*fn)(void *ctx, u32 act), void *ctx)
{
	u32 i, j, index;

	for (i = 0; i < IOB_FLOW_SHARDS; i++) {
		struct iob_flow_shard *shard = &f->shard[i];
		unsigned long flags;

		raw_spin_lock_irqsave(&shard->lock, flags);
		for (j = 0; j < ARRAY_SIZE(shard->head); j++) {
			for (index = shard->head[j]; index;
			     index = f->nodes[index].next) {
				fn(ctx, f->nodes[index].flow.issuer);
				fn(ctx, f->nodes[index].flow.origin);
			}
		}
		raw_spin_unlock_irqrestore(&shard->lock, flags);
	}
}
