// SPDX-License-Identifier: GPL-2.0
/*
 * Swap: memory is written out by who looks for some. Who filled it is not known,
 * but which cgroup it is charged to.
 */
#include <linux/bio.h>
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>

#include "probe.h"
#include "recent.h"

#ifdef CONFIG_MEMCG

/* The cgroup of a page that is being swapped out; NULL if it is in none of v2. */
static struct cgroup *owner_of(struct page *page)
{
	struct mem_cgroup *memcg;
	struct cgroup *cgrp;

	memcg = folio_memcg(page_folio(page));
	cgrp = memcg ? memcg->css.cgroup : NULL;
	return cgrp && cgrp->root == &cgrp_dfl_root ? cgrp : NULL;
}

/* All tasks of a cgroup in one. */
static u32 role_of(struct iob_scratch *scratch, struct cgroup *cgrp)
{
	struct iob_role *role = &scratch->role;

	memset(role, 0, sizeof(*role));
	role->key.group = iob_task_group(scratch, cgrp);
	role->key.flags = BIT(IOB_ROLE_BIT_MERGED);
	/* of which process it is cannot be told */
	role->matches = !iob_state.filter.nr_tgid && iob_task_wants_group(cgrp);
	return iob_task_role_id(role);
}

/**
 * iob_swap_act() - Whose is a page that is swapped out?
 * @scratch:  of this probe
 * @page:     the page, being written
 * @stack_id: by which path
 *
 * Context: probe.
 * Return: the act; IOB_ACT_NONE if it is not known.
 */
u32 iob_swap_act(struct iob_scratch *scratch, struct page *page, u32 stack_id)
{
	struct cgroup *cgrp;
	u32 role;

	/* keeps what the page is charged to */
	rcu_read_lock();
	cgrp = owner_of(page);
	role = cgrp ? role_of(scratch, cgrp) : 0;
	rcu_read_unlock();
	return role ? iob_act_by(scratch, role, stack_id, 0, IOB_KIND_SWAP) :
		      IOB_ACT_NONE;
}

/**
 * iob_swap_flow() - Whose memory is written out?
 * @scratch: of this probe
 * @bio:     being submitted, a write to swap
 * @flow:    what is known of it: who reclaims; changed
 *
 * Context: probe.
 */
void iob_swap_flow(struct iob_scratch *scratch, const struct bio *bio,
		   struct iob_flow *flow)
{
	const struct iob_act *reclaim =
		iob_intern_lookup(&iob_state.objects.acts, flow->issuer);
	u32 act = IOB_ACT_NONE;

	if (bio_has_data((struct bio *)bio))
		act = iob_swap_act(scratch, bio_iter_page(bio, bio->bi_iter),
				   reclaim ? reclaim->stack : 0);
	if (act == IOB_ACT_NONE)
		return;
	flow->origin = act;
	flow->by = IOB_BY_SUBMITTER;
	flow->basis = IOB_BASIS_MEMCG;
}

#else

u32 iob_swap_act(struct iob_scratch *scratch, struct page *page, u32 stack_id)
{
	return IOB_ACT_NONE;
}

void iob_swap_flow(struct iob_scratch *scratch, const struct bio *bio,
		   struct iob_flow *flow)
{
}

#endif /* CONFIG_MEMCG */
