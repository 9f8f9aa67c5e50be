// SPDX-License-Identifier: GPL-2.0
/* The sweep: what is referred to stays, what is not goes, ids go stale. */
#include "fixture.h"

#define MS	1000000ull

static struct iob_fixture *make(struct kunit *test)
{
	return iob_fixture_create(test, &iob_test_limits, NULL);
}

/* An act with parts of its own, and their ids. */
struct family {
	u32 act, role, stack, file;
};

static struct family family_of(struct iob_state *s, u32 number)
{
	return (struct family){
		.act = iob_test_act(s, number, number, number),
		.role = iob_test_role(s, number),
		.stack = iob_test_stack(s, number),
		.file = iob_test_file(s, number),
	};
}

static bool is_live(struct iob_intern *t, u32 id)
{
	u32 there;

	/* not a lookup: that counts as a use */
	return iob_intern_at(t, IOB_ID_INDEX(id), &there) && there == id;
}

static void expect_family(struct kunit *test, struct iob_state *s,
			  const struct family *family, bool lives)
{
	struct iob_objects *o = &s->objects;

	KUNIT_EXPECT_EQ(test, is_live(&o->acts, family->act), lives);
	KUNIT_EXPECT_EQ(test, is_live(&o->roles, family->role), lives);
	KUNIT_EXPECT_EQ(test, is_live(&o->stacks, family->stack), lives);
	KUNIT_EXPECT_EQ(test, is_live(&o->files, family->file), lives);
}

/* Where an act can be remembered: each alone keeps it and its parts. */

static void in_nothing(struct iob_fixture *f, u32 act)
{
}

static void in_dirty_page(struct iob_fixture *f, u32 act)
{
	iob_charge_dirty(&f->s, 1, 1, act, MS, false);
}

static void in_declined_page(struct iob_fixture *f, u32 act)
{
	in_dirty_page(f, act);
	iob_charge_redirty(&f->s, 1, 1, IOB_ACT_PREEXISTING);
}

static void in_written_page(struct iob_fixture *f, u32 act)
{
	in_dirty_page(f, act);
	iob_pages_writeback(&f->s.pages, 1, 1, IOB_REASON_SYNC, false);
}

static void in_moved_page(struct iob_fixture *f, u32 act)
{
	in_dirty_page(f, act);
	iob_charge_move(&f->s, 1, 2 * IOB_CHUNK_SLOTS, 1);
}

static void aside(struct iob_fixture *f, u32 act)
{
	in_written_page(f, act);
	iob_charge_dirty(&f->s, 1, 1, IOB_ACT_LOST, MS, true);
}

static void in_cancelled_page(struct iob_fixture *f, u32 act)
{
	in_dirty_page(f, act);
	iob_pages_cancel(&f->s.pages, 1);	/* makes no row */
}

static void as_issuer(struct iob_fixture *f, u32 act)
{
	const struct iob_flow flow = { .issuer = act };

	iob_flows_set(&f->s.flows, 0x1000, &flow);
}

static void as_origin(struct iob_fixture *f, u32 act)
{
	const struct iob_flow flow = { .origin = act };

	iob_flows_set(&f->s.flows, 0x1000, &flow);
}

static void as_finished_bio(struct iob_fixture *f, u32 act)
{
	struct iob_flow flow;

	as_issuer(f, act);
	iob_flows_take(&f->s.flows, 0x1000, &flow);
}

static void in_row(struct iob_fixture *f, u32 act)
{
	in_written_page(f, act);
	iob_test_complete(f, 2, 1, 1, false, 2 * MS);
}

static void in_cancelled_row(struct iob_fixture *f, u32 act)
{
	struct iob_file_key key;

	in_dirty_page(f, act);
	iob_test_file_key(2, &key);
	iob_charge_cancel(&f->s, IOB_TEST_DISK, 1, 1, &key, &act);
}

struct place {
	const char *name;
	void (*put)(struct iob_fixture *f, u32 act);
	bool keeps;
};

static const struct place places[] = {
	{ "nowhere", in_nothing, false },
	{ "a dirty page", in_dirty_page, true },
	{ "a declined page", in_declined_page, true },
	{ "a page being written", in_written_page, true },
	{ "a page that was moved", in_moved_page, true },
	{ "aside", aside, true },
	{ "a page that is gone", in_cancelled_page, false },
	{ "issuer of a bio", as_issuer, true },
	{ "origin of a bio", as_origin, true },
	{ "issuer of a finished bio", as_finished_bio, false },
	{ "a row", in_row, true },
	{ "a row of cancelled bytes", in_cancelled_row, true },
};

IOB_TEST_PARAMS(place, places)

static void referred_to_is_kept(struct kunit *test)
{
	const struct place *p = test->param_value;
	struct iob_fixture *f = make(test);
	struct family other = family_of(&f->s, 7);
	struct family family = family_of(&f->s, 2);
	u32 round;

	p->put(f, family.act);
	for (round = 0; round < 3; round++) {
		iob_test_sweep(&f->s);
		expect_family(test, &f->s, &family, p->keeps);
		expect_family(test, &f->s, &other, false);
	}
	KUNIT_EXPECT_EQ(test, family_of(&f->s, 2).act == family.act, p->keeps);
}

static void add_nothing(struct iob_total *row, const void *arg)
{
}

/* The issuer of a row is a role without an act. */
static void issuer_of_a_row_is_kept(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_total_key key = { .act = IOB_ACT_LOST };
	u32 role = iob_test_role(&f->s, 5);

	key.issuer = role;
	KUNIT_ASSERT_TRUE(test, iob_totals_add(&f->s.totals, &key,
					       IOB_TOTAL_FULL, add_nothing,
					       NULL));
	iob_test_sweep(&f->s);
	KUNIT_EXPECT_TRUE(test, is_live(&f->s.objects.roles, role));
}

/* A group is kept by its roles. */
static void group_of_a_role_is_kept(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_objects *o = &f->s.objects;
	struct iob_group group = { .cgroup_id = 5 };
	struct iob_role role = { .key = { .pid = 1 } };
	struct iob_act act = { .kind = IOB_KIND_DATA };
	u32 kept, gone, id;
	bool fresh;

	kept = iob_objects_group(o, &group, &fresh);
	group.cgroup_id = 6;
	gone = iob_objects_group(o, &group, &fresh);
	role.key.group = kept;
	act.role = iob_objects_role(o, &role, &fresh);
	id = iob_objects_act(o, &act, &fresh);
	iob_charge_dirty(&f->s, 1, 1, id, MS, false);
	iob_test_sweep(&f->s);
	KUNIT_EXPECT_TRUE(test, is_live(&o->groups, kept));
	KUNIT_EXPECT_FALSE(test, is_live(&o->groups, gone));

	/* all of it goes in one sweep */
	iob_pages_cancel(&f->s.pages, 1);
	iob_test_sweep(&f->s);
	KUNIT_EXPECT_FALSE(test, is_live(&o->acts, id));
	KUNIT_EXPECT_FALSE(test, is_live(&o->roles, act.role));
	KUNIT_EXPECT_FALSE(test, is_live(&o->groups, kept));
}

/* Parts are shared: they live as long as one of their acts does. */
static void shared_parts_are_kept(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_objects *o = &f->s.objects;
	u32 kept = iob_test_act(&f->s, 1, 2, 3);
	u32 gone = iob_test_act(&f->s, 1, 2, 4);

	iob_charge_dirty(&f->s, 1, 1, kept, MS, false);
	iob_test_sweep(&f->s);
	KUNIT_EXPECT_TRUE(test, is_live(&o->acts, kept));
	KUNIT_EXPECT_FALSE(test, is_live(&o->acts, gone));
	KUNIT_EXPECT_EQ(test, iob_intern_nr(&o->roles), 1u);
	KUNIT_EXPECT_EQ(test, iob_intern_nr(&o->stacks), 1u);
	KUNIT_EXPECT_EQ(test, iob_intern_nr(&o->files), 1u);
}

/* A page is charged by name after its act's memory went to another. */
static void recycled_act_is_stale_not_a_stranger(struct kunit *test)
{
	struct iob_limits limits = iob_test_limits;
	struct iob_fixture *f;
	u32 old, new;
	struct iob_file_key key;

	limits.acts = IOB_NR_RESERVED_ACTS + 1;
	f = iob_fixture_create(test, &limits, NULL);
	old = iob_test_act(&f->s, 1, 1, 1);
	iob_test_sweep(&f->s);
	new = iob_test_act(&f->s, 2, 2, 2);
	KUNIT_EXPECT_EQ(test, IOB_ID_INDEX(old), IOB_ID_INDEX(new));
	iob_test_file_key(2, &key);
	KUNIT_EXPECT_FALSE(test, iob_objects_act_is_on(&f->s.objects, old,
						       &key));

	/* an id that was kept where no sweep looks */
	iob_charge_dirty(&f->s, 1, 1, old, MS, false);
	iob_test_complete(f, 1, 1, 1, false, 2 * MS);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, new), 0ull);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, IOB_ACT_STALE),
			4096ull);
}

static u32 fill_acts(struct iob_state *s, u32 number)
{
	struct iob_act act = { .kind = number };
	bool fresh;

	return iob_objects_act(&s->objects, &act, &fresh);
}

/* A table that was full has room again for as many as went. */
static void room_comes_back(struct kunit *test)
{
	struct iob_limits limits = iob_test_limits;
	struct iob_fixture *f;
	u32 round, i, id;

	limits.acts = IOB_NR_RESERVED_ACTS + 10;
	f = iob_fixture_create(test, &limits, NULL);
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 10; i++) {
			id = fill_acts(&f->s, 1 + 20 * round + i);
			KUNIT_EXPECT_NE(test, id, (u32)IOB_ACT_LOST);
			if (i < 2)
				iob_charge_dirty(&f->s, 2 + i, 1, id, MS,
						 false);
		}
		KUNIT_EXPECT_EQ(test, fill_acts(&f->s, 999),
				(u32)IOB_ACT_LOST);
		KUNIT_EXPECT_TRUE(test, iob_sweep_is_due(&f->s));
		iob_test_sweep(&f->s);
		KUNIT_EXPECT_EQ(test, iob_intern_nr(&f->s.objects.acts), 2u);
		KUNIT_EXPECT_FALSE(test, iob_sweep_is_due(&f->s));
		/* for the next round */
		iob_pages_cancel(&f->s.pages, 2);
		iob_pages_cancel(&f->s.pages, 3);
		iob_test_sweep(&f->s);
	}
}

struct filling {
	const char *name;
	u32 (*make)(struct iob_state *s, u32 number);
	u32 max;
};

/* Room for 100 but for the reserved: acts and roles share a limit. */
#define MAX_ACTS	(IOB_NR_RESERVED_ACTS + 100)

static const struct filling fillings[] = {
	{ "acts", fill_acts, 100 },
	{ "roles", iob_test_role, MAX_ACTS - 1 },
	{ "stacks", iob_test_stack, 100 },
	{ "files", iob_test_file, 100 },
};

IOB_TEST_PARAMS(filling, fillings)

static void due_when_any_table_fills(struct kunit *test)
{
	const struct filling *c = test->param_value;
	const struct iob_limits limits = { 101, MAX_ACTS, 101, 8, 8, 8, 0 };
	struct iob_fixture *f = iob_fixture_create(test, &limits, NULL);
	u32 i;

	for (i = 1; i <= c->max / 4 * 3; i++) {
		KUNIT_EXPECT_FALSE(test, iob_sweep_is_due(&f->s));
		c->make(&f->s, i);
	}
	c->make(&f->s, i);
	KUNIT_EXPECT_TRUE(test, iob_sweep_is_due(&f->s));
}

/* What is in use elsewhere does not keep a small table from being swept. */
static void due_for_a_small_table_beside_large_ones(struct kunit *test)
{
	const struct iob_limits limits = { 101, 4096, 101, 8, 8, 8, 64 };
	struct iob_fixture *f = iob_fixture_create(test, &limits, NULL);
	u32 i;

	for (i = 0; i < 3500; i++)
		iob_charge_dirty(&f->s, i, 1, fill_acts(&f->s, i), MS, false);
	iob_test_sweep(&f->s);
	KUNIT_EXPECT_FALSE(test, iob_sweep_is_due(&f->s));
	for (i = 1; i <= 76; i++)
		iob_test_file(&f->s, i);
	KUNIT_EXPECT_TRUE(test, iob_sweep_is_due(&f->s));
}

/* A table that is full of what is in use is not swept again and again. */
static void not_due_while_all_is_in_use(struct kunit *test)
{
	const struct iob_limits limits = { 101, MAX_ACTS, 101, 8, 8, 8, 64 };
	struct iob_fixture *f = iob_fixture_create(test, &limits, NULL);
	u32 i;

	for (i = 0; i < 90; i++)
		iob_charge_dirty(&f->s, i, 1, fill_acts(&f->s, i), MS, false);
	KUNIT_EXPECT_TRUE(test, iob_sweep_is_due(&f->s));
	KUNIT_EXPECT_EQ(test, iob_test_sweep(&f->s), 0u);
	KUNIT_EXPECT_FALSE(test, iob_sweep_is_due(&f->s));
	/* until half of the room that was left is used up */
	for (; i < 96; i++)
		fill_acts(&f->s, i);
	KUNIT_EXPECT_TRUE(test, iob_sweep_is_due(&f->s));
	KUNIT_EXPECT_EQ(test, iob_test_sweep(&f->s), 6u);
	KUNIT_EXPECT_FALSE(test, iob_sweep_is_due(&f->s));
	for (i = 0; i < 90; i++)
		iob_pages_cancel(&f->s.pages, i);
	for (i = 200; i < 206; i++)
		fill_acts(&f->s, i);
	KUNIT_EXPECT_TRUE(test, iob_sweep_is_due(&f->s));
	KUNIT_EXPECT_EQ(test, iob_test_sweep(&f->s), 96u);
}

/*
 * What the sweep does between its two waits: memory of what is gone is not
 * given away before the second one ends.
 */
static struct {
	struct iob_fixture *f;
	u32 nr_waits;
	u32 nr_live[3];
	u32 made[3];
} waiting;

static void wait_and_look(void)
{
	struct iob_state *s = &waiting.f->s;
	u32 n = waiting.nr_waits++;

	if (n >= ARRAY_SIZE(waiting.made))
		return;
	waiting.nr_live[n] = iob_intern_nr(&s->objects.acts);
	waiting.made[n] = iob_test_act(s, 9, 0, 0);
}

static void relax(void)
{
}

static void memory_is_given_away_after_two_waits(struct kunit *test)
{
	static const struct iob_sweep_ops ops = {
		.wait = wait_and_look,
		.relax = relax,
	};
	struct iob_limits limits = iob_test_limits;
	u32 i;

	limits.acts = IOB_NR_RESERVED_ACTS + 4;
	memset(&waiting, 0, sizeof(waiting));
	waiting.f = iob_fixture_create(test, &limits, NULL);
	for (i = 1; i <= 4; i++)
		iob_test_act(&waiting.f->s, i, 0, 0);
	iob_sweep(&waiting.f->s, &ops);
	KUNIT_EXPECT_EQ(test, waiting.nr_waits, 2u);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, waiting.nr_live[i], 4u);
		KUNIT_EXPECT_EQ(test, waiting.made[i], (u32)IOB_ACT_LOST);
	}
	KUNIT_EXPECT_NE(test, iob_test_act(&waiting.f->s, 9, 0, 0),
			(u32)IOB_ACT_LOST);
}

static void sweeps_are_counted(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 nr;

	family_of(&f->s, 2);
	nr = iob_test_sweep(&f->s);
	KUNIT_EXPECT_EQ(test, nr, 4u);
	KUNIT_EXPECT_EQ(test, iob_test_sweep(&f->s), 0u);
	KUNIT_EXPECT_EQ(test, iob_counters_read(&f->s.counters,
						IOB_CNT_SWEEPS), 2ull);
	KUNIT_EXPECT_EQ(test, iob_counters_read(&f->s.counters, IOB_CNT_SWEPT),
			4ull);
}

static struct kunit_case sweep_cases[] = {
	KUNIT_CASE_PARAM(referred_to_is_kept, place_gen_params),
	KUNIT_CASE(issuer_of_a_row_is_kept),
	KUNIT_CASE(group_of_a_role_is_kept),
	KUNIT_CASE(shared_parts_are_kept),
	KUNIT_CASE(recycled_act_is_stale_not_a_stranger),
	KUNIT_CASE(room_comes_back),
	KUNIT_CASE_PARAM(due_when_any_table_fills, filling_gen_params),
	KUNIT_CASE(due_for_a_small_table_beside_large_ones),
	KUNIT_CASE(not_due_while_all_is_in_use),
	KUNIT_CASE(memory_is_given_away_after_two_waits),
	KUNIT_CASE(sweeps_are_counted),
	{}
};

static struct kunit_suite sweep_suite = {
	.name = "ioblame_sweep",
	.exit = iob_fixture_exit,
	.test_cases = sweep_cases,
};

kunit_test_suites(&sweep_suite);
