// SPDX-License-Identifier: GPL-2.0
/*
 * Races of a whole sweep with a probe. The sweep waits for a probe that was
 * running before; what the probe leaves in memory must resolve afterwards.
 */
#include "race.h"
#include "races.h"

#define UNIT	IOB_RACES_UNIT
#define PFN	IOB_RACES_PFN

static struct races *swept;	/* for the callbacks, which have no context */

static void wait_for_probes(void)
{
	while (swept->in_probe[0])
		iob_race_wait();
}

static void relax(void)
{
}

static void sweep(void *ctx)
{
	static const struct iob_sweep_ops ops = {
		.wait = wait_for_probes,
		.relax = relax,
	};
	struct races *r = ctx;

	swept = r;
	iob_sweep(&r->f->s, &ops);
}

static void page_in_writeback(struct races *r)
{
	struct iob_state *s = &r->f->s;

	r->id[0] = iob_test_act(s, 1, 1, 1);
	iob_charge_dirty(s, PFN, 1, r->id[0], UNIT, false);
}

static void probe_dirties_again(void *ctx)
{
	struct races *r = ctx;
	struct iob_state *s = &r->f->s;

	r->in_probe[0] = true;
	iob_charge_dirty(s, PFN, 1, iob_test_act(s, 2, 2, 1), UNIT, true);
	r->in_probe[0] = false;
}

static void both_acts_resolve(struct races *r)
{
	struct iob_state *s = &r->f->s;
	u32 next = iob_pages_dirty_act(&s->pages, PFN);
	const struct iob_act *act;

	KUNIT_EXPECT_EQ(r->test, iob_races_complete(r, true), r->id[0]);
	KUNIT_EXPECT_NOT_NULL(r->test, iob_intern_lookup(&s->objects.acts,
							 r->id[0]));
	act = iob_intern_lookup(&s->objects.acts, next);
	KUNIT_EXPECT_NOT_NULL(r->test, act);
	if (!act)
		return;
	KUNIT_EXPECT_NOT_NULL(r->test, iob_intern_lookup(&s->objects.roles,
							 act->role));
	KUNIT_EXPECT_NOT_NULL(r->test, iob_intern_lookup(&s->objects.stacks,
							 act->stack));
	KUNIT_EXPECT_NOT_NULL(r->test, iob_intern_lookup(&s->objects.files,
							 act->file));
}

static void probe_completes(void *ctx)
{
	struct races *r = ctx;
	struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.unknown = IOB_ACT_PREEXISTING,
	};
	struct iob_fixture *f = r->f;

	r->in_probe[0] = true;
	iob_flows_take(&f->s.flows, 0x1000, &flow);
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0, UNIT);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_test_page(&f->s, &f->io, 1, PFN, PAGE_SIZE, false);
	iob_charge_end(&f->s, &f->io, 0);
	r->in_probe[0] = false;
}

static void bio_in_flight(struct races *r)
{
	struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.unknown = IOB_ACT_PREEXISTING,
	};

	page_in_writeback(r);
	r->id[1] = iob_test_act(&r->f->s, 3, 3, 0);
	flow.issuer = r->id[1];
	iob_flows_set(&r->f->s.flows, 0x1000, &flow);
}

static void row_resolves(struct races *r)
{
	struct iob_state *s = &r->f->s;
	struct iob_total row;
	const struct iob_act *act;

	KUNIT_ASSERT_EQ(r->test, iob_totals_end(&s->totals), 2u);
	iob_totals_read(&s->totals, 1, &row);
	KUNIT_EXPECT_EQ(r->test, row.bytes, (u64)PAGE_SIZE);
	KUNIT_EXPECT_EQ(r->test, row.key.act, r->id[0]);
	KUNIT_EXPECT_NOT_NULL(r->test, iob_intern_lookup(&s->objects.roles,
							 row.key.issuer));
	act = iob_intern_lookup(&s->objects.acts, row.key.act);
	KUNIT_EXPECT_NOT_NULL(r->test, act);
	if (act)
		KUNIT_EXPECT_NOT_NULL(r->test,
				      iob_intern_lookup(&s->objects.roles,
							act->role));
}

/* To a frame that the sweep may have passed already. */
#define FAR_PFN		(3 * IOB_CHUNK_SLOTS)

static void dirty_page_far_off(struct races *r)
{
	r->id[0] = iob_test_act(&r->f->s, 1, 1, 1);
	iob_charge_dirty(&r->f->s, FAR_PFN, 1, r->id[0], UNIT, false);
	iob_charge_dirty(&r->f->s, PFN + 1, 1, IOB_ACT_LOST, UNIT, false);
}

static void probe_moves(void *ctx)
{
	struct races *r = ctx;

	r->in_probe[0] = true;
	iob_charge_move(&r->f->s, FAR_PFN, PFN, 1);
	r->in_probe[0] = false;
}

static void moved_act_resolves(struct races *r)
{
	struct iob_state *s = &r->f->s;

	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(&s->pages, PFN), r->id[0]);
	KUNIT_EXPECT_NOT_NULL(r->test, iob_intern_lookup(&s->objects.acts,
							 r->id[0]));
}

static const struct race races[] = {
	{ "dirtied again, swept", NULL, page_in_writeback, probe_dirties_again,
	  sweep, both_acts_resolve },
	{ "completed, swept", NULL, bio_in_flight, probe_completes, sweep,
	  row_resolves },
	{ "moved, swept", NULL, dirty_page_far_off, probe_moves, sweep,
	  moved_act_resolves },
};

IOB_TEST_PARAMS(race, races)

static void both_ways(struct kunit *test)
{
	iob_races_both_ways(test, test->param_value);
}

static struct kunit_case sweep_races_cases[] = {
	KUNIT_CASE_PARAM(both_ways, race_gen_params),
	{}
};

static struct kunit_suite sweep_races_suite = {
	.name = "ioblame_sweep_races",
	.test_cases = sweep_races_cases,
};

kunit_test_suites(&sweep_races_suite);
