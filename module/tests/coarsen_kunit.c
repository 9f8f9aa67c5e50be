// SPDX-License-Identifier: GPL-2.0
/*
 * A full table of totals gives up detail, never bytes: first the issuer, then
 * the file, the stack, the role, and at last the row itself.
 */
#include "fixture.h"

#define MS	1000000ull

static struct iob_fixture *make(struct kunit *test, u32 max_totals,
				u32 max_acts)
{
	struct iob_limits limits = iob_test_limits;

	limits.totals = max_totals;
	limits.acts = max_acts;
	return iob_fixture_create(test, &limits, NULL);
}

/* One IO by an act, submitted by the act @issuer. */
static void one_io(struct iob_fixture *f, u32 act, u32 issuer, u32 bytes)
{
	const struct iob_flow flow = {
		.issuer = issuer,
		.origin = act,
		.basis = IOB_BASIS_DIRECT,
	};

	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0,
			 200 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 0, bytes);
	iob_charge_end(&f->s, &f->io, 0);
}

static const struct iob_device_op *sums(struct iob_fixture *f)
{
	return &iob_devices_get(&f->s.devices, IOB_TEST_DISK,
				"sda")->op[IOB_OP_WRITE];
}

/* What a row can be made of, from fine to coarse. */
enum level {
	EXACT, NO_ISSUER, NO_FILE, NO_STACK, NO_PID, FOLDED, NO_ROW, NR_LEVELS
};

struct level_case {
	const char *name;
	u32 there;		/* bits of the rows that exist already */
	enum level expected;	/* the row that takes the bytes */
};

static const struct level_case level_cases[] = {
	{ "the exact row", 0x3f, EXACT },
	{ "no issuer", 0x3e, NO_ISSUER },
	{ "no file", 0x3c, NO_FILE },
	{ "no stack", 0x38, NO_STACK },
	{ "no pid", 0x30, NO_PID },
	{ "no role", 0x20, FOLDED },
	{ "no row at all", 0x00, NO_ROW },
	{ "over a gap", 0x12, NO_ISSUER },
	{ "over a wide gap", 0x21, EXACT },
	{ "the last before none", 0x10, NO_PID },
};

IOB_TEST_PARAMS(level, level_cases)

static void add_nothing(struct iob_total *row, const void *arg)
{
}

/* What all who have that role's name are charged under. */
static u32 merged_act(struct iob_state *s, u32 number)
{
	const struct iob_role *one = iob_intern_lookup(&s->objects.roles,
						       iob_test_role(s, number));
	struct iob_act act = { .kind = IOB_KIND_DATA };
	struct iob_role role = *one;
	bool fresh;

	role.key.pid = 0;
	role.key.tgid = 0;
	role.key.start_ns = 0;
	role.key.flags = BIT(IOB_ROLE_BIT_MERGED);
	act.role = iob_objects_role(&s->objects, &role, &fresh);
	return iob_objects_act(&s->objects, &act, &fresh);
}

static void finest_row_there_is(struct kunit *test)
{
	const struct level_case *c = test->param_value;
	struct iob_fixture *f = make(test, 8, 1024);
	struct iob_state *s = &f->s;
	struct iob_total_key key[NR_LEVELS] = { };
	struct iob_total row;
	u32 act = iob_test_act(s, 1, 2, 3), i, nr;

	for (i = 0; i < NR_LEVELS; i++) {
		key[i].dev = IOB_TEST_DISK;
		key[i].op = IOB_OP_WRITE;
		key[i].basis = IOB_BASIS_DIRECT;
	}
	key[EXACT].act = act;
	key[EXACT].issuer = iob_test_role(s, 9);
	key[NO_ISSUER].act = act;
	key[NO_FILE].act = iob_test_act(s, 1, 2, 0);
	key[NO_STACK].act = iob_test_act(s, 1, 0, 0);
	key[NO_PID].act = merged_act(s, 1);
	key[FOLDED].act = IOB_ACT_FOLDED;
	for (i = 0; i < NO_ROW; i++)
		if (c->there & BIT(i))
			iob_totals_add(&s->totals, &key[i], IOB_TOTAL_FOLDED,
				       add_nothing, NULL);
	/* others take the rest of the table */
	for (nr = iob_totals_end(&s->totals); nr < 9; nr++) {
		key[NO_ROW].act = 1000 + nr;
		KUNIT_ASSERT_TRUE(test, iob_totals_add(&s->totals, &key[NO_ROW],
						       IOB_TOTAL_FOLDED,
						       add_nothing, NULL));
	}

	one_io(f, act, iob_test_act(s, 9, 9, 0), 512);
	KUNIT_EXPECT_EQ(test, iob_test_row_bytes(s, IOB_TEST_DISK,
						 IOB_OP_WRITE),
			c->expected == NO_ROW ? 0ull : 512ull);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sums(f)->folded_bytes),
			c->expected == NO_ROW ? 512ll : 0ll);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sums(f)->folded_ios),
			(long long)(c->expected == NO_ROW));
	KUNIT_EXPECT_EQ(test, iob_counters_read(&s->counters, IOB_CNT_FOLDS),
			(u64)(c->expected != EXACT));
	if (c->expected == NO_ROW)
		return;
	KUNIT_ASSERT_TRUE(test,
			  iob_test_find_row(s, key[c->expected].act,
					    key[c->expected].issuer, &row));
	KUNIT_EXPECT_EQ(test, row.bytes, 512ull);
}

/*
 * The device, operation and basis of the coarsest row are the IO's own, there
 * is no reason: rows of anything else do not take the bytes.
 */
static void folded_row_keeps_the_rest_of_its_key(struct kunit *test)
{
	struct iob_fixture *f = make(test, 2, 1024);
	struct iob_state *s = &f->s;
	u32 act = iob_test_act(s, 1, 2, 3);
	struct iob_total_key key = {
		.act = IOB_ACT_FOLDED, .dev = IOB_TEST_DISK,
		.op = IOB_OP_WRITE, .basis = IOB_BASIS_DIRECT,
	};
	struct iob_total row;

	key.reason = IOB_REASON_SYNC;
	iob_totals_add(&s->totals, &key, IOB_TOTAL_FOLDED, add_nothing, NULL);
	key.reason = IOB_REASON_NONE;
	key.op = IOB_OP_READ;
	iob_totals_add(&s->totals, &key, IOB_TOTAL_FOLDED, add_nothing, NULL);
	one_io(f, act, act, 512);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sums(f)->folded_bytes), 512ll);
	iob_totals_read(&s->totals, 1, &row);
	KUNIT_EXPECT_EQ(test, row.bytes, 0ull);
}

/* Without room for a coarse act, the next step is to fold. */
static void no_room_for_coarse_acts(struct kunit *test)
{
	struct iob_fixture *f = make(test, 2, IOB_NR_RESERVED_ACTS + 1);
	struct iob_state *s = &f->s;
	const struct iob_total_key key = {
		.act = IOB_ACT_FOLDED, .dev = IOB_TEST_DISK,
		.op = IOB_OP_WRITE, .basis = IOB_BASIS_DIRECT,
	}, other = { .act = 1000 };

	iob_totals_add(&s->totals, &key, IOB_TOTAL_FOLDED, add_nothing, NULL);
	iob_totals_add(&s->totals, &other, IOB_TOTAL_FOLDED, add_nothing,
		       NULL);
	one_io(f, iob_test_act(s, 1, 2, 3), 0, 512);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(s, IOB_ACT_FOLDED), 512ull);
}

/* More processes than rows: those that come late share one, under their name. */
static void late_ones_are_known_by_name(struct kunit *test)
{
	struct iob_fixture *f = make(test, 16, 1024);
	struct iob_state *s = &f->s;
	struct iob_total row;
	u32 i;

	for (i = 1; i <= 40; i++)
		one_io(f, iob_test_act(s, i, 2, 3), 0, 512);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(s, IOB_ACT_FOLDED), 0ull);
	KUNIT_ASSERT_TRUE(test, iob_test_find_row(s, merged_act(s, 1), 0, &row));
	KUNIT_EXPECT_EQ(test, row.bytes, 512ull * (40 - 12));
}

struct size {
	const char *name;
	u32 max_totals;
};

static const struct size sizes[] = {
	{ "1 row", 1 }, { "2 rows", 2 }, { "3 rows", 3 }, { "4 rows", 4 },
	{ "5 rows", 5 }, { "6 rows", 6 }, { "7 rows", 7 }, { "8 rows", 8 },
	{ "16 rows", 16 }, { "32 rows", 32 }, { "64 rows", 64 },
	{ "128 rows", 128 }, { "1000 rows", 1000 },
};

IOB_TEST_PARAMS(size, sizes)

/* Sums are exact at every size, whether there is room for acts or not. */
static void sums_are_exact_at_every_size(struct kunit *test)
{
	const struct size *c = test->param_value;
	static const u32 max_acts[] = {
		IOB_NR_RESERVED_ACTS + 1, IOB_NR_RESERVED_ACTS + 5, 64, 1024,
	};
	u64 seed = c->max_totals, bytes, sum;
	struct iob_fixture *f;
	u32 i, n, act;

	for (i = 0; i < ARRAY_SIZE(max_acts); i++) {
		f = make(test, c->max_totals, max_acts[i]);
		for (n = 0, sum = 0; n < 400; n++) {
			act = iob_test_act(&f->s, iob_test_below(&seed, 4),
					   iob_test_below(&seed, 4),
					   iob_test_below(&seed, 8));
			bytes = 512 * iob_test_below(&seed, 100);
			one_io(f, act, iob_test_act(&f->s,
						    iob_test_below(&seed, 4),
						    0, 0), bytes);
			sum += bytes;
		}
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&sums(f)->bytes), sum);
		KUNIT_EXPECT_EQ(test, atomic64_read(&sums(f)->ios), 400ll);
		KUNIT_EXPECT_EQ(test, sum,
				iob_test_row_bytes(&f->s, IOB_TEST_DISK,
						   IOB_OP_WRITE) +
				atomic64_read(&sums(f)->folded_bytes));
		KUNIT_EXPECT_LE(test, iob_totals_end(&f->s.totals),
				c->max_totals + 1);
		iob_fixture_exit(test);
		test->priv = NULL;
	}
}

/* Rows made before the table was full stay exact. */
static void early_rows_stay_exact(struct kunit *test)
{
	struct iob_fixture *f = make(test, 16, 1024);
	u32 i, round, act;

	for (round = 0; round < 3; round++) {
		for (i = 1; i <= 30; i++) {
			act = iob_test_act(&f->s, i, 1, 1);
			one_io(f, act, 0, 1024);
		}
	}
	for (i = 1; i <= 8; i++)
		KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s,
				iob_test_act(&f->s, i, 1, 1)), 3 * 1024ull);
}

/* Many files, few tasks: the table fills, and still says which task it was. */
static void tasks_are_told_when_files_are_not(struct kunit *test)
{
	struct iob_fixture *f = make(test, 64, 1024);
	u64 bytes[3] = { };
	u32 i, role, file;

	for (i = 0; i < 600; i++) {
		role = 1 + i % 2;
		file = 1 + i % 200;
		one_io(f, iob_test_act(&f->s, role, 1, file), 0, 1024);
		bytes[role] += 1024;
	}
	KUNIT_EXPECT_LT(test, 0ull, iob_counters_read(&f->s.counters,
						      IOB_CNT_FOLDS));
	for (role = 1; role <= 2; role++) {
		bytes[role] -= iob_test_act_bytes(&f->s,
				iob_test_act(&f->s, role, 1, 0));
		for (file = 1; file <= 200; file++)
			bytes[role] -= iob_test_act_bytes(&f->s,
					iob_test_act(&f->s, role, 1, file));
		KUNIT_EXPECT_EQ(test, bytes[role], 0ull);
	}
}

/* What never had stack and file has the room that is kept for such rows. */
static void coarse_acts_find_room(struct kunit *test)
{
	struct iob_fixture *f = make(test, 64, 1024);
	u32 i, act;

	for (i = 1; i <= 100; i++)
		one_io(f, iob_test_act(&f->s, 1, 1, i), 0, 1024);
	act = iob_test_bare_act(&f->s, 2);
	one_io(f, act, 0, 1024);
	KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s, act), 1024ull);
}

static struct kunit_case coarsen_cases[] = {
	KUNIT_CASE(late_ones_are_known_by_name),
	KUNIT_CASE_PARAM(finest_row_there_is, level_gen_params),
	KUNIT_CASE(folded_row_keeps_the_rest_of_its_key),
	KUNIT_CASE(no_room_for_coarse_acts),
	KUNIT_CASE_PARAM(sums_are_exact_at_every_size, size_gen_params),
	KUNIT_CASE(early_rows_stay_exact),
	KUNIT_CASE(tasks_are_told_when_files_are_not),
	KUNIT_CASE(coarse_acts_find_room),
	{}
};

static struct kunit_suite coarsen_suite = {
	.name = "ioblame_coarsen",
	.exit = iob_fixture_exit,
	.test_cases = coarsen_cases,
};

kunit_test_suites(&coarsen_suite);
