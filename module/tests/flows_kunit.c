// SPDX-License-Identifier: GPL-2.0
/* Flows: what is known of a bio, until it is taken or the table is full. */
#include "../core/flows.h"
#include "kunit_env.h"

struct flows_test {
	struct iob_flows flows;
	struct iob_counters counters;
};

static int flows_init(struct kunit *test)
{
	struct flows_test *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	test->priv = f;
	return f ? iob_counters_init(&f->counters) : -ENOMEM;
}

static void flows_exit(struct kunit *test)
{
	struct flows_test *f = test->priv;

	if (!f)
		return;
	iob_flows_exit(&f->flows);
	iob_counters_exit(&f->counters);
}

static struct iob_flows *make(struct kunit *test, u32 max)
{
	struct flows_test *f = test->priv;

	KUNIT_ASSERT_EQ(test, iob_flows_init(&f->flows, &f->counters, max), 0);
	return &f->flows;
}

static u64 lost(struct kunit *test)
{
	struct flows_test *f = test->priv;

	return iob_counters_read(&f->counters, IOB_CNT_LOST_FLOWS);
}

/* Addresses of bios: aligned, far apart and close together. */
static u64 bio(u32 n)
{
	return 0xffff888000000000ull + n * 192ull + (n % 7 << 21);
}

static void set(struct iob_flows *f, u32 n, u32 value)
{
	struct iob_flow flow = {
		.issuer = value, .queue_ns = value, .id = value,
	};

	iob_flows_set(f, bio(n), &flow);
}

/* 0: nothing known. */
static u32 lookup(struct iob_flows *f, u32 n)
{
	struct iob_flow flow;

	return iob_flows_lookup(f, bio(n), &flow) ? flow.issuer : 0;
}

static u32 take(struct iob_flows *f, u32 n)
{
	struct iob_flow flow;

	return iob_flows_take(f, bio(n), &flow) ? flow.issuer : 0;
}

static void from_submission_to_completion(struct kunit *test)
{
	struct iob_flows *f = make(test, 8);

	KUNIT_EXPECT_EQ(test, lookup(f, 1), 0u);
	set(f, 1, 17);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), 1u);
	KUNIT_EXPECT_EQ(test, lookup(f, 1), 17u);
	KUNIT_EXPECT_EQ(test, lookup(f, 2), 0u);
	KUNIT_EXPECT_EQ(test, take(f, 1), 17u);
	KUNIT_EXPECT_EQ(test, take(f, 1), 0u);
	KUNIT_EXPECT_EQ(test, lookup(f, 1), 0u);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), 0u);
}

static void whole_flow_is_kept(struct kunit *test)
{
	struct iob_flows *f = make(test, 8);
	struct iob_flow in, out;

	memset(&in, 0x5a, sizeof(in));
	in.queue_ns = ~0ull;
	iob_flows_set(f, bio(1), &in);
	KUNIT_ASSERT_TRUE(test, iob_flows_take(f, bio(1), &out));
	KUNIT_EXPECT_EQ(test, memcmp(&in, &out, sizeof(in)), 0);
}

/* The address was used before, and its completion was not seen. */
static void set_replaces(struct kunit *test)
{
	struct iob_flows *f = make(test, 1);

	set(f, 1, 17);
	set(f, 1, 18);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), 1u);
	KUNIT_EXPECT_EQ(test, lost(test), 0ull);
	KUNIT_EXPECT_EQ(test, take(f, 1), 18u);
	KUNIT_EXPECT_EQ(test, take(f, 1), 0u);
}

static void put(struct iob_flows *f, u64 pfn, u32 nr, u32 at)
{
	struct iob_flow flow = { };

	iob_flows_lookup(f, bio(nr), &flow);
	iob_flows_place_page(f, pfn, (struct iob_place){
		.bio = bio(nr), .id = flow.id, .at = at,
	});
}

/* A bio is found by its page while it is in flight; one page in two tells nothing. */
static void page_tells_its_bio(struct kunit *test)
{
	struct iob_flows *f = make(test, 8);
	struct iob_flow flow;
	u32 at;

	KUNIT_EXPECT_FALSE(test, iob_flows_of_page(f, 100, &flow, &at));
	set(f, 1, 17);
	put(f, 100, 1, 0);
	put(f, 101, 1, 4096);
	KUNIT_ASSERT_TRUE(test, iob_flows_of_page(f, 101, &flow, &at));
	KUNIT_EXPECT_EQ(test, flow.issuer, 17u);
	KUNIT_EXPECT_EQ(test, at, 4096u);
	set(f, 2, 18);
	put(f, 100, 2, 0);
	KUNIT_EXPECT_FALSE(test, iob_flows_of_page(f, 100, &flow, &at));
	KUNIT_EXPECT_TRUE(test, iob_flows_of_page(f, 101, &flow, &at));
	take(f, 1);
	KUNIT_EXPECT_FALSE(test, iob_flows_of_page(f, 101, &flow, &at));
	put(f, 101, 2, 0);
	KUNIT_ASSERT_TRUE(test, iob_flows_of_page(f, 101, &flow, &at));
	KUNIT_EXPECT_EQ(test, flow.issuer, 18u);
	put(f, 100, 2, 0);
	KUNIT_EXPECT_FALSE(test, iob_flows_of_page(f, 100, &flow, &at));
}

/* The address of a bio that is done is soon that of another, with other pages. */
static void address_used_again_is_another_bio(struct kunit *test)
{
	struct iob_flows *f = make(test, 8);
	struct iob_flow flow;
	u32 at;

	set(f, 1, 17);
	put(f, 100, 1, 0);
	take(f, 1);
	set(f, 1, 18);
	KUNIT_EXPECT_FALSE(test, iob_flows_of_page(f, 100, &flow, &at));
	set(f, 2, 19);
	put(f, 100, 2, 512);
	KUNIT_ASSERT_TRUE(test, iob_flows_of_page(f, 100, &flow, &at));
	KUNIT_EXPECT_EQ(test, flow.issuer, 19u);
	KUNIT_EXPECT_EQ(test, at, 512u);
}

static void add_one(void *value, const void *arg)
{
	struct iob_flow *flow = value;

	flow->issuer += *(const u32 *)arg;
}

static void update_changes_the_known(struct kunit *test)
{
	struct iob_flows *f = make(test, 8);
	u32 by = 5;

	set(f, 1, 17);
	set(f, 2, 18);
	KUNIT_EXPECT_TRUE(test, iob_flows_update(f, bio(1), add_one, &by));
	KUNIT_EXPECT_FALSE(test, iob_flows_update(f, bio(3), add_one, &by));
	KUNIT_EXPECT_EQ(test, lookup(f, 1), 22u);
	KUNIT_EXPECT_EQ(test, lookup(f, 2), 18u);
	KUNIT_EXPECT_EQ(test, lookup(f, 3), 0u);
}

struct room {
	const char *name;
	u32 max;
};

static const struct room rooms[] = {
	{ "one bio", 1 },
	{ "two bios", 2 },
	{ "a few", 60 },
};

IOB_TEST_PARAMS(room, rooms)

static void full_table_refuses(struct kunit *test)
{
	const struct room *r = test->param_value;
	struct iob_flows *f = make(test, r->max);
	u32 i;

	for (i = 0; i < r->max + 3; i++)
		set(f, i, i + 1);
	KUNIT_EXPECT_EQ(test, lost(test), 3ull);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), r->max);
	for (i = r->max; i < r->max + 3; i++)
		KUNIT_EXPECT_EQ(test, take(f, i), 0u);
	/* room for exactly as many as leave */
	KUNIT_EXPECT_EQ(test, take(f, 0), 1u);
	set(f, r->max, 99);
	set(f, r->max + 1, 99);
	KUNIT_EXPECT_EQ(test, lost(test), 4ull);
	KUNIT_EXPECT_EQ(test, take(f, r->max), 99u);
	for (i = 1; i < r->max; i++)
		KUNIT_ASSERT_EQ(test, take(f, i), i + 1);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), 0u);
}

/* A quarter of a larger table are berths, of which some may stay free. */
static void full_large_table_refuses(struct kunit *test)
{
	enum { ROOM = 20000 };
	struct iob_flows *f = make(test, ROOM);
	u32 i, held = 0;

	for (i = 0; i < ROOM + 3; i++)
		set(f, i, i + 1);
	KUNIT_EXPECT_LE(test, iob_flows_nr(f), (u32)ROOM);
	KUNIT_EXPECT_GE(test, iob_flows_nr(f), ROOM - ROOM / 4u);
	KUNIT_EXPECT_EQ(test, lost(test) + iob_flows_nr(f), ROOM + 3ull);
	for (i = 0; i < ROOM + 3; i++) {
		if (!lookup(f, i))
			continue;
		held++;
		KUNIT_ASSERT_EQ(test, take(f, i), i + 1);
		KUNIT_ASSERT_EQ(test, lookup(f, i), 0u);
	}
	KUNIT_EXPECT_EQ(test, lost(test) + held, ROOM + 3ull);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), 0u);
}

static void random_use_matches_model(struct kunit *test)
{
	enum { BIOS = 300, ROOM = 100 };
	struct iob_flows *f = make(test, ROOM);
	u32 *known = kunit_kzalloc(test, BIOS * sizeof(*known), GFP_KERNEL);
	u32 i, n, nr = 0, refused = 0;
	u64 seed = 3;

	KUNIT_ASSERT_NOT_NULL(test, known);
	for (i = 1; i < 10000; i++) {
		n = iob_test_below(&seed, BIOS);
		if (iob_test_below(&seed, 2)) {
			set(f, n, i);
			if (!known[n] && !lookup(f, n)) {
				refused++;
				continue;
			}
			nr += !known[n];
			known[n] = i;
		} else {
			KUNIT_ASSERT_EQ(test, take(f, n), known[n]);
			nr -= !!known[n];
			known[n] = 0;
		}
		KUNIT_ASSERT_EQ(test, iob_flows_nr(f), nr);
		KUNIT_ASSERT_LE(test, nr, (u32)ROOM);
	}
	KUNIT_EXPECT_EQ(test, lost(test), (u64)refused);
	for (n = 0; n < BIOS; n++)
		KUNIT_EXPECT_EQ(test, take(f, n), known[n]);
}

/* Written and read where it lies, with nothing known of the bio meanwhile. */
static void in_place(struct kunit *test)
{
	struct iob_flows *f = make(test, 64);
	struct iob_flow spare = { }, *flow, *found;

	set(f, 1, 17);
	flow = iob_flows_open(f, bio(1), &spare);
	KUNIT_EXPECT_PTR_NE(test, flow, &spare);
	KUNIT_EXPECT_EQ(test, lookup(f, 1), 0u);
	KUNIT_EXPECT_EQ(test, take(f, 1), 0u);
	*flow = (struct iob_flow){ .issuer = 18 };
	iob_flows_publish(f, bio(1), flow);
	KUNIT_EXPECT_EQ(test, lookup(f, 1), 18u);
	found = iob_flows_claim(f, bio(1), &spare);
	KUNIT_EXPECT_PTR_EQ(test, found, flow);
	KUNIT_EXPECT_EQ(test, lookup(f, 1), 0u);
	KUNIT_EXPECT_EQ(test, found->issuer, 18u);
	iob_flows_release(f, found);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), 0u);
	KUNIT_EXPECT_NULL(test, iob_flows_claim(f, bio(1), &spare));
}

/* Once there was no berth for a bio, it may be there twice: only the last counts. */
static void crowd_is_left_for_a_berth(struct kunit *test)
{
	enum { ROOM = 64, BIOS = 48 };
	struct iob_flows *f = make(test, ROOM);
	u32 i;

	for (i = 0; i < BIOS; i++)
		set(f, i, 1);
	for (i = 0; i < BIOS / 2; i++)
		KUNIT_ASSERT_EQ(test, take(f, i), 1u);
	for (i = 0; i < BIOS; i++)
		set(f, i, 2);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(f), (u32)BIOS);
	for (i = 0; i < BIOS; i++) {
		KUNIT_ASSERT_EQ(test, take(f, i), 2u);
		KUNIT_ASSERT_EQ(test, take(f, i), 0u);
	}
}

static void note_acts(void *ctx, const void *value)
{
	const struct iob_flow *flow = value;
	u64 *seen = ctx;

	*seen |= 1ull << flow->issuer | 1ull << flow->origin;
}

static void walk_sees_acts_in_flight(struct kunit *test)
{
	struct iob_flows *f = make(test, 8);
	struct iob_flow flow = { };
	u64 seen = 0;
	u32 i;

	for (i = 0; i < 4; i++) {
		flow.issuer = 10 + i;
		flow.origin = 20 + i;
		iob_flows_set(f, bio(i), &flow);
	}
	take(f, 1);
	iob_flows_for_each(f, note_acts, &seen);
	KUNIT_EXPECT_EQ(test, seen, 0xdull << 10 | 0xdull << 20);
}

static void init_refuses_and_survives(struct kunit *test)
{
	struct flows_test *f = test->priv;
	int err = -ENOMEM;
	u32 nth;

	KUNIT_EXPECT_EQ(test, iob_flows_init(&f->flows, &f->counters, 0),
			-EINVAL);
	for (nth = 1; err; nth++) {
		iob_test_faults(test, nth, 0);
		err = iob_flows_init(&f->flows, &f->counters, 64);
		if (err)
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	}
	/* berths, two tables of three allocations each, a second page of flows */
	KUNIT_EXPECT_EQ(test, nth, 10u);
}

static struct kunit_case flows_cases[] = {
	KUNIT_CASE(from_submission_to_completion),
	KUNIT_CASE(whole_flow_is_kept),
	KUNIT_CASE(set_replaces),
	KUNIT_CASE(page_tells_its_bio),
	KUNIT_CASE(address_used_again_is_another_bio),
	KUNIT_CASE(update_changes_the_known),
	KUNIT_CASE_PARAM(full_table_refuses, room_gen_params),
	KUNIT_CASE(full_large_table_refuses),
	KUNIT_CASE(random_use_matches_model),
	KUNIT_CASE(in_place),
	KUNIT_CASE(crowd_is_left_for_a_berth),
	KUNIT_CASE(walk_sees_acts_in_flight),
	KUNIT_CASE(init_refuses_and_survives),
	{}
};

static struct kunit_suite flows_suite = {
	.name = "ioblame_flows",
	.init = flows_init,
	.exit = flows_exit,
	.test_cases = flows_cases,
};

kunit_test_suites(&flows_suite);
