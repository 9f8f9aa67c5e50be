// SPDX-License-Identifier: GPL-2.0
/*
 * Sweep: free the objects nothing refers to. intern.c says why the steps are
 * in this order; here is where references can be: page slots, block slots,
 * what devices keep, transactions, flows, totals, and acts themselves.
 */
#include "sweep.h"

/**
 * iob_sweep_is_due() - Is a table filling up?
 * @s: state
 *
 * Return: true if one is; a table that is full of what is in use is left alone.
 */
bool iob_sweep_is_due(const struct iob_state *s)
{
	const struct iob_objects *o = &s->objects;

	return iob_intern_is_filling(&o->acts) ||
	       iob_intern_is_filling(&o->roles) ||
	       iob_intern_is_filling(&o->files) ||
	       iob_intern_is_filling(&o->stacks) ||
	       iob_intern_is_filling(&o->groups);
}

static void mark_act(void *ctx, u32 act)
{
	struct iob_objects *o = ctx;

	iob_intern_mark(&o->acts, act);
}

static void mark_block(void *ctx, const void *value)
{
	const struct iob_block *block = value;

	mark_act(ctx, block->act);
}

static void mark_keep(void *ctx, const void *value)
{
	const struct iob_keep *keep = value;

	mark_act(ctx, keep->act);
}

static void mark_flow(void *ctx, const void *value)
{
	const struct iob_flow *flow = value;

	mark_act(ctx, flow->issuer);
	mark_act(ctx, flow->origin);
}

static void mark_row(void *ctx, const struct iob_total_key *key)
{
	struct iob_objects *o = ctx;

	iob_intern_mark(&o->acts, key->act);
	iob_intern_mark(&o->roles, key->issuer);
}

/* What the acts that are left refer to, and what roles refer to. */
static void mark_parts(struct iob_objects *o)
{
	u32 index, id, end = iob_intern_end(&o->acts);

	for (index = o->acts.reserved; index < end; index++) {
		const struct iob_act *a = iob_intern_at(&o->acts, index, &id);

		if (!a)
			continue;
		iob_intern_mark(&o->roles, a->role);
		iob_intern_mark(&o->stacks, a->stack);
		iob_intern_mark(&o->files, a->file);
	}
}

static void mark_groups(struct iob_objects *o)
{
	u32 index, id, end = iob_intern_end(&o->roles);

	for (index = o->roles.reserved; index < end; index++) {
		const struct iob_role *r = iob_intern_at(&o->roles, index, &id);

		if (r)
			iob_intern_mark(&o->groups, r->key.group);
	}
}

/**
 * iob_sweep() - Free what nothing refers to
 * @s:   state
 * @ops: surroundings
 *
 * Context: may sleep; one sweep at a time.
 * Return: how many objects were freed.
 */
u32 iob_sweep(struct iob_state *s, const struct iob_sweep_ops *ops)
{
	struct iob_objects *o = &s->objects;
	struct iob_intern * const tables[] = {
		&o->roles, &o->files, &o->stacks, &o->groups,
		/* the last, see iob_objects_epoch() */
		&o->acts,
	};
	u32 i, nr;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		iob_intern_advance(tables[i]);
	ops->wait();

	iob_pages_for_each_act(&s->pages, mark_act, o, ops->relax);
	iob_blocks_for_each(&s->blocks, mark_block, o);
	iob_keeps_for_each(&s->keeps, mark_keep, o);
	iob_joins_for_each_act(&s->joins, mark_act, o);
	iob_flows_for_each(&s->flows, mark_flow, o);
	iob_totals_for_each_key(&s->totals, mark_row, o);

	nr = iob_intern_unlink_unmarked(&o->acts);
	mark_parts(o);
	nr += iob_intern_unlink_unmarked(&o->files);
	nr += iob_intern_unlink_unmarked(&o->stacks);
	nr += iob_intern_unlink_unmarked(&o->roles);
	mark_groups(o);
	nr += iob_intern_unlink_unmarked(&o->groups);

	ops->wait();
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		iob_intern_recycle(tables[i]);
	iob_count(&s->counters, IOB_CNT_SWEEPS, 1);
	iob_count(&s->counters, IOB_CNT_SWEPT, nr);
	return nr;
}
