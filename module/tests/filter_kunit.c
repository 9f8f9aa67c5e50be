// SPDX-License-Identifier: GPL-2.0
/* Filters, and the family of wanted processes. */
#include "../core/filter.h"
#include "kunit_env.h"

#define SDA	(8 << 20)
#define SDB	(8 << 20 | 16)
#define SDC	(8 << 20 | 32)

struct wanted {
	const char *name;
	struct iob_filter filter;
	u32 dev;
	u32 op;
	bool wanted;
};

static const struct wanted wanted[] = {
	{ "no filter", { }, SDA, IOB_OP_READ, true },
	{ "the disk", { .nr_dev = 1, .dev = { SDA } }, SDA, IOB_OP_READ, true },
	{ "another disk", { .nr_dev = 1, .dev = { SDA } }, SDB, IOB_OP_READ,
	  false },
	{ "second of two disks", { .nr_dev = 2, .dev = { SDA, SDB } }, SDB,
	  IOB_OP_READ, true },
	{ "none of two disks", { .nr_dev = 2, .dev = { SDA, SDB } }, SDC,
	  IOB_OP_READ, false },
	{ "the operation", { .ops = BIT(IOB_OP_FLUSH) }, SDA, IOB_OP_FLUSH,
	  true },
	{ "another operation", { .ops = BIT(IOB_OP_FLUSH) }, SDA, IOB_OP_READ,
	  false },
	{ "one of two operations",
	  { .ops = BIT(IOB_OP_FLUSH) | BIT(IOB_OP_READ) }, SDA, IOB_OP_READ,
	  true },
	{ "disk but not operation",
	  { .nr_dev = 1, .dev = { SDA }, .ops = BIT(IOB_OP_READ) }, SDA,
	  IOB_OP_WRITE, false },
	{ "operation but not disk",
	  { .nr_dev = 1, .dev = { SDA }, .ops = BIT(IOB_OP_READ) }, SDB,
	  IOB_OP_READ, false },
	{ "tasks do not filter io", { .nr_tgid = 1, .tgid = { 5 } }, SDA,
	  IOB_OP_WRITE, true },
};

IOB_TEST_PARAMS(wanted, wanted)

static void wanted_io(struct kunit *test)
{
	const struct wanted *w = test->param_value;

	KUNIT_EXPECT_EQ(test, iob_filter_wants_io(&w->filter, w->dev, w->op),
			w->wanted);
}

static void wanted_tasks(struct kunit *test)
{
	static const struct iob_filter none, by_tgid = {
		.nr_tgid = 2, .tgid = { 5, 7 },
	}, by_cgroup = {
		.nr_cgroup = 1, .cgroup = { 1ull << 40 | 5 },
	};

	KUNIT_EXPECT_FALSE(test, iob_filter_wants_tasks(&none));
	KUNIT_EXPECT_TRUE(test, iob_filter_wants_tasks(&by_tgid));
	KUNIT_EXPECT_TRUE(test, iob_filter_wants_tasks(&by_cgroup));
	KUNIT_EXPECT_TRUE(test, iob_filter_has_tgid(&by_tgid, 5));
	KUNIT_EXPECT_TRUE(test, iob_filter_has_tgid(&by_tgid, 7));
	KUNIT_EXPECT_FALSE(test, iob_filter_has_tgid(&by_tgid, 6));
	KUNIT_EXPECT_FALSE(test, iob_filter_has_tgid(&by_tgid, 0));
	KUNIT_EXPECT_FALSE(test, iob_filter_has_tgid(&none, 5));
	KUNIT_EXPECT_TRUE(test, iob_filter_has_cgroup(&by_cgroup,
						      1ull << 40 | 5));
	KUNIT_EXPECT_FALSE(test, iob_filter_has_cgroup(&by_cgroup, 5));
	KUNIT_EXPECT_FALSE(test, iob_filter_has_cgroup(&none, 0));
}

static int filter_init(struct kunit *test)
{
	struct iob_family *family = kunit_kzalloc(test, sizeof(*family),
						  GFP_KERNEL);

	test->priv = family;
	if (!family)
		return -ENOMEM;
	iob_family_init(family);
	return 0;
}

static void member_from_add_to_remove(struct kunit *test)
{
	struct iob_family *family = test->priv;

	KUNIT_EXPECT_FALSE(test, iob_family_has(family, 17));
	iob_family_add(family, 17);
	KUNIT_EXPECT_TRUE(test, iob_family_has(family, 17));
	KUNIT_EXPECT_FALSE(test, iob_family_has(family, 18));
	iob_family_remove(family, 18);
	iob_family_remove(family, 17);
	KUNIT_EXPECT_FALSE(test, iob_family_has(family, 17));
	iob_family_remove(family, 17);
	iob_family_add(family, 17);
	KUNIT_EXPECT_TRUE(test, iob_family_has(family, 17));
}

/* Added twice, removed once: gone. */
static void member_is_in_once(struct kunit *test)
{
	struct iob_family *family = test->priv;

	iob_family_add(family, 17);
	iob_family_add(family, 17);
	iob_family_remove(family, 17);
	KUNIT_EXPECT_FALSE(test, iob_family_has(family, 17));
}

/* 0 and 1 say something else in the table than a process. */
static void idle_and_init_never_belong(struct kunit *test)
{
	struct iob_family *family = test->priv;
	u32 tgid;

	for (tgid = 0; tgid <= 1; tgid++) {
		iob_family_add(family, tgid);
		KUNIT_EXPECT_FALSE(test, iob_family_has(family, tgid));
		iob_family_remove(family, tgid);
	}
	iob_family_add(family, 17);
	iob_family_remove(family, 17);	/* leaves a 1 behind */
	KUNIT_EXPECT_FALSE(test, iob_family_has(family, 1));
}

/* Two in one place: the first leaves, the second must stay in and once. */
static void removed_slot_hides_nothing(struct kunit *test)
{
	struct iob_family *family = test->priv;
	u64 key = 100, other;
	u32 home = iob_hash(&key, 1) % IOB_MAX_FAMILY;

	for (other = 101; ; other++)
		if (iob_hash(&other, 1) % IOB_MAX_FAMILY == home)
			break;
	iob_family_add(family, 100);
	iob_family_add(family, other);
	iob_family_remove(family, 100);
	KUNIT_EXPECT_TRUE(test, iob_family_has(family, other));
	iob_family_add(family, other);
	iob_family_remove(family, other);
	KUNIT_EXPECT_FALSE(test, iob_family_has(family, other));
}

/* Each is a member or counted as lost; half of the table loses nobody. */
static void full_family_counts(struct kunit *test)
{
	struct iob_family *family = test->priv;
	u32 i, lost = 0;

	for (i = 0; i < IOB_MAX_FAMILY / 2; i++)
		iob_family_add(family, 100 + i);
	KUNIT_EXPECT_EQ(test, family->nr_lost, 0u);
	for (; i < 2 * IOB_MAX_FAMILY; i++)
		iob_family_add(family, 100 + i);
	for (i = 0; i < 2 * IOB_MAX_FAMILY; i++)
		lost += !iob_family_has(family, 100 + i);
	KUNIT_EXPECT_EQ(test, family->nr_lost, lost);
	KUNIT_EXPECT_LE(test, (u32)IOB_MAX_FAMILY, lost);

	iob_family_add(family, 100);	/* is in already */
	KUNIT_EXPECT_EQ(test, family->nr_lost, lost);
	for (i = 0; i < 2 * IOB_MAX_FAMILY; i++)
		iob_family_remove(family, 100 + i);
	iob_family_add(family, 99);
	KUNIT_EXPECT_TRUE(test, iob_family_has(family, 99));
	KUNIT_EXPECT_EQ(test, family->nr_lost, lost);
}

/* Processes come and go for ever; the table is not used up by them. */
static void room_comes_back(struct kunit *test)
{
	struct iob_family *family = test->priv;
	u32 i;

	for (i = 2; i < 3 * IOB_MAX_FAMILY; i++) {
		iob_family_add(family, i);
		if (i >= 12)
			iob_family_remove(family, i - 10);
	}
	KUNIT_EXPECT_EQ(test, family->nr_lost, 0u);
	for (i = 3 * IOB_MAX_FAMILY - 10; i < 3 * IOB_MAX_FAMILY; i++)
		KUNIT_EXPECT_TRUE(test, iob_family_has(family, i));
	KUNIT_EXPECT_FALSE(test, iob_family_has(family, i - 11));
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE_PARAM(wanted_io, wanted_gen_params),
	KUNIT_CASE(wanted_tasks),
	KUNIT_CASE(member_from_add_to_remove),
	KUNIT_CASE(member_is_in_once),
	KUNIT_CASE(idle_and_init_never_belong),
	KUNIT_CASE(removed_slot_hides_nothing),
	KUNIT_CASE(full_family_counts),
	KUNIT_CASE(room_comes_back),
	{}
};

static struct kunit_suite filter_suite = {
	.name = "ioblame_filter",
	.init = filter_init,
	.test_cases = filter_cases,
};

kunit_test_suites(&filter_suite);
