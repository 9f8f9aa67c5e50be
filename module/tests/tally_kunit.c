// SPDX-License-Identifier: GPL-2.0
/* Tallies: what processors add up by themselves is in the rows once it is folded. */
#include "../core/tally.h"
#include "kunit_env.h"

enum { KEYS = 40 };	/* more than there are tallies */

struct tally_test {
	struct iob_totals totals;
	struct iob_tallies tallies[2];
	u64 ios[KEYS], bytes[KEYS];
};

static int tally_init(struct kunit *test)
{
	struct tally_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err;

	test->priv = t;
	if (!t)
		return -ENOMEM;
	err = iob_totals_init(&t->totals, KEYS * 2);
	if (err)
		return err;
	iob_tallies_join(&t->totals, &t->tallies[0]);
	iob_tallies_join(&t->totals, &t->tallies[1]);
	return 0;
}

static void tally_exit(struct kunit *test)
{
	struct tally_test *t = test->priv;

	if (t)
		iob_totals_exit(&t->totals);
}

static void add_bytes(struct iob_total *row, const void *arg)
{
	u32 bytes = *(const u32 *)arg;

	row->ios++;
	row->bytes += bytes;
	iob_hist_add(&row->device, bytes, 1);
}

static struct iob_total_key key_of(u32 n)
{
	return (struct iob_total_key){ .act = 100 + n, .issuer = n, .dev = 8 };
}

/* As charge.c does. */
static void add(struct tally_test *t, u32 which, u32 n, u32 bytes)
{
	struct iob_tallies *tallies = &t->tallies[which];
	const struct iob_total_key key = key_of(n);
	bool holds = iob_tallies_hold(tallies);
	struct iob_tally *tally = holds ? iob_tally_of(tallies, &key) : NULL;
	u32 row;

	t->ios[n]++;
	t->bytes[n] += bytes;
	if (tally && iob_tally_is(tally, &key)) {
		add_bytes(&tally->sum, &bytes);
	} else {
		row = iob_totals_add(&t->totals, &key, IOB_TOTAL_FULL,
				     add_bytes, &bytes);
		if (tally)
			iob_tally_turn(&t->totals, tally, row, &key);
	}
	if (holds)
		iob_tallies_release(tallies);
}

static u64 row_bytes(struct tally_test *t, u32 n)
{
	const struct iob_total_key key = key_of(n);
	struct iob_total row;
	u32 i;

	for (i = 1; i < iob_totals_end(&t->totals); i++) {
		iob_totals_read(&t->totals, i, &row);
		if (iob_total_key_equal(&row.key, &key))
			return row.bytes;
	}
	return 0;
}

static void kept_until_folded(struct kunit *test)
{
	struct tally_test *t = test->priv;

	add(t, 0, 1, 4096);
	KUNIT_EXPECT_EQ(test, row_bytes(t, 1), 4096ull);
	add(t, 0, 1, 512);
	add(t, 1, 1, 1024);
	add(t, 1, 1, 2048);
	KUNIT_EXPECT_EQ(test, row_bytes(t, 1), 4096ull + 1024);
	iob_tallies_fold(&t->totals);
	KUNIT_EXPECT_EQ(test, row_bytes(t, 1), 4096ull + 512 + 1024 + 2048);
	iob_tallies_fold(&t->totals);
	KUNIT_EXPECT_EQ(test, row_bytes(t, 1), t->bytes[1]);
}

/* Who folds them at this moment has them: then the row itself is added to. */
static void busy_ones_are_left_alone(struct kunit *test)
{
	struct tally_test *t = test->priv;

	add(t, 0, 1, 4096);
	KUNIT_ASSERT_TRUE(test, iob_tallies_hold(&t->tallies[0]));
	add(t, 0, 1, 512);
	KUNIT_EXPECT_EQ(test, row_bytes(t, 1), 4096ull + 512);
	iob_tallies_release(&t->tallies[0]);
}

static void nobody_has_tallies(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, iob_tallies_hold(NULL));
}

static void many_rows_share_places(struct kunit *test)
{
	struct tally_test *t = test->priv;
	struct iob_total row;
	u64 seed = 5, counted;
	u32 i, n;

	for (i = 0; i < 20000; i++) {
		n = iob_test_below(&seed, KEYS);
		add(t, iob_test_below(&seed, 2), n,
		    512 * (1 + iob_test_below(&seed, 64)));
		if (iob_test_below(&seed, 3))
			add(t, 0, n, 512);
		if (!iob_test_below(&seed, 1000))
			iob_tallies_fold(&t->totals);
	}
	iob_tallies_fold(&t->totals);
	KUNIT_ASSERT_EQ(test, iob_totals_end(&t->totals), KEYS + 1u);
	for (i = 1; i <= KEYS; i++) {
		iob_totals_read(&t->totals, i, &row);
		n = row.key.issuer;
		KUNIT_EXPECT_EQ(test, row.ios, t->ios[n]);
		KUNIT_EXPECT_EQ(test, row.bytes, t->bytes[n]);
		for (counted = 0, n = 0; n < IOB_HIST_BUCKETS; n++)
			counted += row.device.count[n];
		KUNIT_EXPECT_EQ(test, counted, row.ios);
		KUNIT_EXPECT_GE(test, row.device.max_ns, 512ull);
	}
}

static struct kunit_case tally_cases[] = {
	KUNIT_CASE(kept_until_folded),
	KUNIT_CASE(busy_ones_are_left_alone),
	KUNIT_CASE(nobody_has_tallies),
	KUNIT_CASE(many_rows_share_places),
	{}
};

static struct kunit_suite tally_suite = {
	.name = "ioblame_tally",
	.init = tally_init,
	.exit = tally_exit,
	.test_cases = tally_cases,
};

kunit_test_suites(&tally_suite);
