// SPDX-License-Identifier: GPL-2.0
/* Devices: each its own sums, "other" for those beyond the table. */
#include "../core/devices.h"
#include "kunit_env.h"

struct devices_test {
	struct iob_devices devices;
	struct iob_counters counters;
};

static int devices_init(struct kunit *test)
{
	struct devices_test *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	int err;

	test->priv = d;
	if (!d)
		return -ENOMEM;
	err = iob_counters_init(&d->counters);
	return err ?: iob_devices_init(&d->devices, &d->counters);
}

static void devices_exit(struct kunit *test)
{
	struct devices_test *d = test->priv;

	if (!d)
		return;
	iob_devices_exit(&d->devices);
	iob_counters_exit(&d->counters);
}

static u64 lost(struct kunit *test)
{
	struct devices_test *d = test->priv;

	return iob_counters_read(&d->counters, IOB_CNT_LOST_DEVICES);
}

static void same_number_same_sums(struct kunit *test)
{
	struct devices_test *t = test->priv;
	struct iob_devices *d = &t->devices;
	struct iob_device *sda = iob_devices_get(d, 8 << 20, "sda");
	struct iob_device *sdb = iob_devices_get(d, 8 << 20 | 16, "sdb");

	KUNIT_EXPECT_PTR_NE(test, sda, sdb);
	KUNIT_EXPECT_PTR_EQ(test, iob_devices_get(d, 8 << 20, "sdz"), sda);
	KUNIT_EXPECT_STREQ(test, sda->name, "sda");
	KUNIT_EXPECT_EQ(test, sdb->dev, 8u << 20 | 16);
}

static void long_names_are_cut(struct kunit *test)
{
	struct devices_test *t = test->priv;
	struct iob_device *d;

	d = iob_devices_get(&t->devices, 1 << 20,
			    "a-name-of-exactly-32-characters!");
	KUNIT_EXPECT_STREQ(test, d->name, "a-name-of-exactly-32-characters");
}

static void too_many_share_other(struct kunit *test)
{
	struct devices_test *t = test->priv;
	struct iob_devices *d = &t->devices;
	struct iob_device *device;
	u32 i;

	for (i = 1; i < IOB_MAX_DEVICES; i++) {
		device = iob_devices_get(d, 8 << 20 | i, "sd");
		KUNIT_ASSERT_EQ(test, device->dev, 8u << 20 | i);
		atomic64_add(i, &device->op[IOB_OP_WRITE].bytes);
	}
	KUNIT_EXPECT_EQ(test, lost(test), 0ull);
	for (; i < IOB_MAX_DEVICES + 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, iob_devices_get(d, 8 << 20 | i, "sd"),
				    &d->device[0]);
	KUNIT_EXPECT_EQ(test, lost(test), 3ull);
	KUNIT_EXPECT_STREQ(test, d->device[0].name, "other");
	KUNIT_EXPECT_EQ(test, d->device[0].dev, 0u);
	for (i = 1; i < IOB_MAX_DEVICES; i++) {
		device = iob_devices_get(d, 8 << 20 | i, "sd");
		KUNIT_EXPECT_EQ(test, (long long)i,
				atomic64_read(&device->op[IOB_OP_WRITE].bytes));
	}
}

/* 0 says "free" in the table: no slot may be taken for a disk 0:0. */
static void no_number_is_other(struct kunit *test)
{
	struct devices_test *t = test->priv;
	struct iob_devices *d = &t->devices;
	u32 i;

	KUNIT_EXPECT_PTR_EQ(test, iob_devices_get(d, 0, "none"),
			    &d->device[0]);
	KUNIT_EXPECT_STREQ(test, d->device[0].name, "other");
	for (i = 1; i < IOB_MAX_DEVICES; i++) {
		KUNIT_EXPECT_STREQ(test, d->device[i].name, "");
		KUNIT_EXPECT_EQ(test, d->device[i].dev, 0u);
	}
}

static void reset_clears_sums_only(struct kunit *test)
{
	struct devices_test *t = test->priv;
	struct iob_devices *d = &t->devices;
	struct iob_device *sda = iob_devices_get(d, 8 << 20, "sda");
	u32 op;

	for (op = 0; op < IOB_NR_OPS; op++) {
		atomic64_inc(&sda->op[op].ios);
		atomic64_add(512, &sda->op[op].bytes);
		atomic64_inc(&sda->op[op].folded_ios);
		atomic64_add(512, &sda->op[op].folded_bytes);
		atomic64_add(512, &d->device[0].op[op].bytes);
	}
	iob_devices_reset(d);
	for (op = 0; op < IOB_NR_OPS; op++) {
		const struct iob_device_op *o = &sda->op[op];

		KUNIT_EXPECT_EQ(test, atomic64_read(&o->ios), 0ll);
		KUNIT_EXPECT_EQ(test, atomic64_read(&o->bytes), 0ll);
		KUNIT_EXPECT_EQ(test, atomic64_read(&o->folded_ios), 0ll);
		KUNIT_EXPECT_EQ(test, atomic64_read(&o->folded_bytes), 0ll);
		KUNIT_EXPECT_EQ(test, atomic64_read(&d->device[0].op[op].bytes),
				0ll);
	}
	KUNIT_EXPECT_PTR_EQ(test, iob_devices_get(d, 8 << 20, "sda"), sda);
	KUNIT_EXPECT_STREQ(test, sda->name, "sda");
}

static struct kunit_case devices_cases[] = {
	KUNIT_CASE(same_number_same_sums),
	KUNIT_CASE(long_names_are_cut),
	KUNIT_CASE(too_many_share_other),
	KUNIT_CASE(no_number_is_other),
	KUNIT_CASE(reset_clears_sums_only),
	{}
};

static struct kunit_suite devices_suite = {
	.name = "ioblame_devices",
	.init = devices_init,
	.exit = devices_exit,
	.test_cases = devices_cases,
};

kunit_test_suites(&devices_suite);
