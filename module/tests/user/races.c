// SPDX-License-Identifier: GPL-2.0
/*
 * What two CPUs do to each other, at every point where they can: see race.h.
 * Each case names two operations; both are interrupted by the other in turn.
 */
#include "../fixture.h"
#include "race.h"

#define UNIT		(1ull << IOB_PAGE_TIME_SHIFT)
#define PFN		5

/**
 * struct races - the world of a race
 * @f:        the session, made anew for every point
 * @test:     the case
 * @id:       ids that the operations are about
 * @got:      what they returned
 * @row:      likewise
 * @in_probe: per side: a sweep has to wait for it
 */
struct races {
	struct iob_fixture *f;
	struct kunit *test;
	u32 id[4];
	u32 got[4];
	struct iob_total row;
	bool in_probe[2];
};

/**
 * struct race - two operations, and what must hold after them
 * @limits: of the session, NULL: enough
 * @setup:  what has happened before
 */
struct race {
	const char *name;
	const struct iob_limits *limits;
	void (*setup)(struct races *r);
	void (*a)(void *ctx);
	void (*b)(void *ctx);
	void (*check)(struct races *r);
};

static u32 complete(struct races *r, bool still_dirty)
{
	struct iob_page page;

	if (!iob_pages_complete(&r->f->s.pages, PFN, 9 * UNIT, still_dirty,
				&page))
		return IOB_ACT_NONE;
	return page.act;
}

/* A page is dirtied again while its write completes. */

static void under_writeback(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	iob_pages_dirty(p, PFN, 10, UNIT, false);
	iob_pages_writeback(p, PFN, 0, false, IOB_ACT_PREEXISTING);
}

static void dirty_again(void *ctx)
{
	struct races *r = ctx;

	iob_pages_dirty(&r->f->s.pages, PFN, 11, UNIT, true);
}

static void complete_again(void *ctx)
{
	struct races *r = ctx;

	r->got[0] = complete(r, true);
}

static void each_write_has_its_dirtier(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	KUNIT_EXPECT_EQ(r->test, r->got[0], 10u);
	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(p, PFN), 11u);
	iob_pages_writeback(p, PFN, 0, true, IOB_ACT_PREEXISTING);
	KUNIT_EXPECT_EQ(r->test, complete(r, true), 11u);
}

/* The last part of a folio completes while the page is dirtied anew. */

static void part_under_writeback(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	iob_pages_dirty(p, PFN, 10, UNIT, false);
	iob_pages_writeback(p, PFN, 0, true, IOB_ACT_PREEXISTING);
}

static void dirty_anew(void *ctx)
{
	struct races *r = ctx;

	r->got[1] = iob_pages_dirty_act(&r->f->s.pages, PFN);
	iob_pages_dirty(&r->f->s.pages, PFN, 11, UNIT, true);
}

static void complete_last(void *ctx)
{
	struct races *r = ctx;

	r->got[0] = complete(r, false);
}

static void first_dirtier_or_second(struct races *r)
{
	/* the second only if its dirtying came first */
	KUNIT_EXPECT_TRUE(r->test, r->got[0] == 10 || r->got[1] == 10);
	KUNIT_EXPECT_TRUE(r->test, r->got[0] == 10 || r->got[0] == 11);
}

/* Two CPUs need the same chunk, and there may be memory for one only. */

static const struct iob_limits one_chunk = {
	.stacks = 8, .acts = 16, .files = 8, .totals = 8, .flows = 8,
	.memory_kb = PAGE_SIZE / 1024,
};

static const struct iob_limits two_chunks = {
	.stacks = 8, .acts = 16, .files = 8, .totals = 8, .flows = 8,
	.memory_kb = 2 * PAGE_SIZE / 1024,
};

static void clean(struct races *r)
{
}

static void dirty_one(void *ctx)
{
	struct races *r = ctx;

	iob_pages_dirty(&r->f->s.pages, PFN, 10, UNIT, false);
}

static void dirty_next(void *ctx)
{
	struct races *r = ctx;

	iob_pages_dirty(&r->f->s.pages, PFN + 1, 11, UNIT, false);
}

static void both_are_remembered(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;

	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(p, PFN), 10u);
	KUNIT_EXPECT_EQ(r->test, iob_pages_dirty_act(p, PFN + 1), 11u);
	KUNIT_EXPECT_EQ(r->test, atomic_read(&p->nr_used), 1);
	KUNIT_EXPECT_FALSE(r->test, p->lossy);
}

static void one_is_remembered(struct races *r)
{
	struct iob_pages *p = &r->f->s.pages;
	u32 nr = !!iob_pages_dirty_act(p, PFN) +
		 !!iob_pages_dirty_act(p, PFN + 1);

	KUNIT_EXPECT_LE(r->test, 1u, nr);
	KUNIT_EXPECT_EQ(r->test, atomic_read(&p->nr_used), 1);
	KUNIT_EXPECT_EQ(r->test, p->lossy, nr == 1);
	KUNIT_EXPECT_EQ(r->test, iob_counters_read(&r->f->s.counters,
						   IOB_CNT_LOST_PAGES),
			2ull - nr);
}

/* An object is looked up while it is being swept. */

static void one_old_act(struct races *r)
{
	struct iob_state *s = &r->f->s;

	r->id[0] = iob_test_act(s, 1, 1, 1);
	iob_intern_advance(&s->objects.acts);
}

static void look_up(void *ctx)
{
	struct races *r = ctx;

	r->got[0] = !!iob_intern_lookup(&r->f->s.objects.acts, r->id[0]);
}

static void get_again(void *ctx)
{
	struct races *r = ctx;

	r->got[0] = iob_test_act(&r->f->s, 1, 1, 1) == r->id[0];
}

static void unlink_unmarked(void *ctx)
{
	struct races *r = ctx;

	iob_intern_unlink_unmarked(&r->f->s.objects.acts);
}

/* Handed out in the new epoch: kept. Not handed out: gone, or kept. */
static void handed_out_is_kept(struct races *r)
{
	struct iob_intern *t = &r->f->s.objects.acts;
	u32 nr = iob_intern_nr(t);

	if (r->got[0])
		KUNIT_EXPECT_NOT_NULL(r->test,
				      iob_intern_lookup(t, r->id[0]));
	iob_intern_recycle(t);
	KUNIT_EXPECT_EQ(r->test, nr - iob_intern_nr(t),
			(u32)!iob_intern_lookup(t, r->id[0]));
}

/* Two CPUs make the same object known. */

static void get_new(void *ctx)
{
	struct races *r = ctx;

	r->got[0] = iob_test_act(&r->f->s, 7, 0, 0);
}

static void get_new_too(void *ctx)
{
	struct races *r = ctx;

	r->got[1] = iob_test_act(&r->f->s, 7, 0, 0);
}

static void both_got_one(struct races *r)
{
	KUNIT_EXPECT_LE(r->test, (u32)IOB_NR_RESERVED_ACTS, r->got[0]);
	KUNIT_EXPECT_EQ(r->test, r->got[0], r->got[1]);
	KUNIT_EXPECT_EQ(r->test, iob_intern_nr(&r->f->s.objects.acts), 1u);
}

/* A row is read, reset or walked over while it is being made. */

static const struct iob_total_key new_key = {
	.act = 77, .issuer = 3, .dev = IOB_TEST_DISK, .op = IOB_OP_WRITE,
};

static void add_to_row(struct iob_total *row, const void *arg)
{
	row->ios++;
	row->bytes += 4096;
}

static void add_row(void *ctx)
{
	struct races *r = ctx;

	iob_totals_add(&r->f->s.totals, &new_key, add_to_row, NULL);
}

static void read_row(void *ctx)
{
	struct races *r = ctx;
	struct iob_totals *t = &r->f->s.totals;

	memset(&r->row, 0, sizeof(r->row));
	if (iob_totals_end(t) > 1)
		iob_totals_read(t, 1, &r->row);
}

static void row_is_whole(struct races *r)
{
	const struct iob_total *row = &r->row;

	KUNIT_EXPECT_EQ(r->test, row->bytes, row->ios * 4096);
	if (row->ios)
		KUNIT_EXPECT_EQ(r->test, memcmp(&row->key, &new_key,
						sizeof(new_key)), 0);
	KUNIT_EXPECT_EQ(r->test, iob_test_act_bytes(&r->f->s, 77), 4096ull);
}

static void reset_rows(void *ctx)
{
	struct races *r = ctx;

	iob_totals_reset(&r->f->s.totals);
}

static void row_is_whole_or_empty(struct races *r)
{
	read_row(r);
	KUNIT_EXPECT_EQ(r->test, r->row.bytes, r->row.ios * 4096);
}

static void note_key(void *ctx, const struct iob_total_key *key)
{
	struct races *r = ctx;

	r->got[0] = 1;
	r->got[1] |= key->act != 77;
}

static void walk_keys(void *ctx)
{
	struct races *r = ctx;

	iob_totals_for_each_key(&r->f->s.totals, note_key, r);
}

static void walk_saw_whole_keys(struct races *r)
{
	KUNIT_EXPECT_EQ(r->test, r->got[1], 0u);
	r->got[0] = 0;
	walk_keys(r);
	KUNIT_EXPECT_EQ(r->test, r->got[0], 1u);
}

/* Two CPUs meet one disk for the first time; or two disks. */

static void count_on_sda(void *ctx)
{
	struct races *r = ctx;

	atomic64_inc(&iob_devices_get(&r->f->s.devices, IOB_TEST_DISK,
				      "sda")->op[0].ios);
}

static void count_on_sda_too(void *ctx)
{
	count_on_sda(ctx);
}

static void one_disk_counts_two(struct races *r)
{
	struct iob_device *d = iob_devices_get(&r->f->s.devices, IOB_TEST_DISK,
					       "sda");

	KUNIT_EXPECT_EQ(r->test, atomic64_read(&d->op[0].ios), 2ll);
	KUNIT_EXPECT_STREQ(r->test, d->name, "sda");
}

/* A process is looked for while another one joins or leaves. */

static void family_of_one(struct races *r)
{
	iob_family_add(&r->f->s.family, 100);
}

static void add_101(void *ctx)
{
	struct races *r = ctx;

	iob_family_add(&r->f->s.family, 101);
}

static void remove_and_add_100(void *ctx)
{
	struct races *r = ctx;

	iob_family_remove(&r->f->s.family, 100);
	iob_family_add(&r->f->s.family, 100);
}

static void both_belong(struct races *r)
{
	KUNIT_EXPECT_TRUE(r->test, iob_family_has(&r->f->s.family, 100));
	KUNIT_EXPECT_TRUE(r->test, iob_family_has(&r->f->s.family, 101));
}

/* Two tasks want the same free mark. */

static void mark_one(void *ctx)
{
	struct races *r = ctx;

	iob_marks_set(&r->f->s.marks, 0x1000, 5);
	r->got[0] = iob_marks_get(&r->f->s.marks, 0x1000);
}

static void mark_other(void *ctx)
{
	struct races *r = ctx;

	iob_marks_set(&r->f->s.marks, r->id[0], 6);
	r->got[1] = iob_marks_get(&r->f->s.marks, r->id[0]);
	iob_marks_clear(&r->f->s.marks, r->id[0]);
}

static void find_rival(struct races *r)
{
	u64 key = 0x1000, other = key;
	u32 home = iob_hash(&key, 1) % IOB_NR_MARKS;

	do
		other += 0x40;
	while (iob_hash(&other, 1) % IOB_NR_MARKS != home);
	r->id[0] = other;
}

static void each_has_its_mark(struct races *r)
{
	KUNIT_EXPECT_EQ(r->test, r->got[0], 5u);
	KUNIT_EXPECT_EQ(r->test, r->got[1], 6u);
	KUNIT_EXPECT_EQ(r->test, iob_marks_get(&r->f->s.marks, 0x1000), 5u);
	KUNIT_EXPECT_EQ(r->test, iob_marks_get(&r->f->s.marks, r->id[0]), 0u);
}

/*
 * A whole sweep beside a probe. The sweep waits for a probe that was running
 * before; what the probe leaves in memory must resolve afterwards.
 */

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
	iob_test_writeback(s, PFN, 1, 1, false);
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

	KUNIT_EXPECT_EQ(r->test, complete(r, true), r->id[0]);
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
		.by_page = 1,
		.unknown = IOB_ACT_PREEXISTING,
	};
	struct iob_fixture *f = r->f;

	r->in_probe[0] = true;
	iob_flows_take(&f->s.flows, 0x1000, &flow);
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0, UNIT);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_page(&f->s, &f->io, PFN, PAGE_SIZE, false);
	iob_charge_end(&f->s, &f->io, 0);
	r->in_probe[0] = false;
}

static void bio_in_flight(struct races *r)
{
	struct iob_flow flow = {
		.by_page = 1,
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

static const struct race races[] = {
	{ "dirtied again, completed", NULL, under_writeback, dirty_again,
	  complete_again, each_write_has_its_dirtier },
	{ "dirtied anew, last part completed", NULL, part_under_writeback,
	  dirty_anew, complete_last, first_dirtier_or_second },
	{ "one chunk wanted twice", NULL, clean, dirty_one, dirty_next,
	  both_are_remembered },
	{ "one chunk wanted twice, memory for two", &two_chunks, clean,
	  dirty_one, dirty_next, both_are_remembered },
	{ "one chunk wanted twice, memory for one", &one_chunk, clean,
	  dirty_one, dirty_next, one_is_remembered },
	{ "looked up, unlinked", NULL, one_old_act, look_up, unlink_unmarked,
	  handed_out_is_kept },
	{ "interned, unlinked", NULL, one_old_act, get_again, unlink_unmarked,
	  handed_out_is_kept },
	{ "made known twice", NULL, clean, get_new, get_new_too, both_got_one },
	{ "row made, read", NULL, clean, add_row, read_row, row_is_whole },
	{ "row made, reset", NULL, clean, add_row, reset_rows,
	  row_is_whole_or_empty },
	{ "row made, walked over", NULL, clean, add_row, walk_keys,
	  walk_saw_whole_keys },
	{ "disk met twice", NULL, clean, count_on_sda, count_on_sda_too,
	  one_disk_counts_two },
	{ "process joins, another leaves and joins", NULL, family_of_one,
	  add_101, remove_and_add_100, both_belong },
	{ "mark wanted twice", NULL, find_rival, mark_one, mark_other,
	  each_has_its_mark },
	{ "dirtied again, swept", NULL, page_in_writeback, probe_dirties_again,
	  sweep, both_acts_resolve },
	{ "completed, swept", NULL, bio_in_flight, probe_completes, sweep,
	  row_resolves },
};

IOB_TEST_PARAMS(race, races)

/* Every point of @a; returns how many there were. */
static u32 try_all(struct kunit *test, const struct race *race,
		   void (*a)(void *ctx), void (*b)(void *ctx))
{
	bool was_failed = test->failed, more;
	u32 nth = 0;

	do {
		struct races r = {
			.f = iob_fixture_create(test, race->limits ?:
						&iob_test_limits, NULL),
			.test = test,
		};

		race->setup(&r);
		more = iob_race(nth, a, b, &r);
		race->check(&r);
		iob_state_exit(&r.f->s);
		if (test->failed && !was_failed) {
			kunit_report(test, __FILE__, __LINE__,
				     "first at point %u of %s", nth,
				     a == race->a ? "the first" : "the second");
			break;
		}
		nth++;
	} while (more);
	return nth;
}

static void both_ways(struct kunit *test)
{
	const struct race *race = test->param_value;

	KUNIT_EXPECT_LT(test, 1u, try_all(test, race, race->a, race->b));
	KUNIT_EXPECT_LT(test, 1u, try_all(test, race, race->b, race->a));
}

static struct kunit_case races_cases[] = {
	KUNIT_CASE_PARAM(both_ways, race_gen_params),
	{}
};

static struct kunit_suite races_suite = {
	.name = "ioblame_races",
	.test_cases = races_cases,
};

kunit_test_suites(&races_suite);
