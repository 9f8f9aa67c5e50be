// SPDX-License-Identifier: GPL-2.0
/* Races of tables: objects, rows, disks, members, marks. */
#include "races.h"

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

	iob_totals_add(&r->f->s.totals, &new_key, IOB_TOTAL_FULL, add_to_row,
		       NULL);
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

static const struct race races[] = {
	{ "looked up, unlinked", NULL, one_old_act, look_up, unlink_unmarked,
	  handed_out_is_kept },
	{ "interned, unlinked", NULL, one_old_act, get_again, unlink_unmarked,
	  handed_out_is_kept },
	{ "made known twice", NULL, NULL, get_new, get_new_too,
	  both_got_one },
	{ "row made, read", NULL, NULL, add_row, read_row,
	  row_is_whole },
	{ "row made, reset", NULL, NULL, add_row, reset_rows,
	  row_is_whole_or_empty },
	{ "row made, walked over", NULL, NULL, add_row, walk_keys,
	  walk_saw_whole_keys },
	{ "disk met twice", NULL, NULL, count_on_sda, count_on_sda_too,
	  one_disk_counts_two },
	{ "process joins, another leaves and joins", NULL, family_of_one,
	  add_101, remove_and_add_100, both_belong },
	{ "mark wanted twice", NULL, find_rival, mark_one, mark_other,
	  each_has_its_mark },
};

IOB_TEST_PARAMS(race, races)

static void both_ways(struct kunit *test)
{
	iob_races_both_ways(test, test->param_value);
}

static struct kunit_case table_races_cases[] = {
	KUNIT_CASE_PARAM(both_ways, race_gen_params),
	{}
};

static struct kunit_suite table_races_suite = {
	.name = "ioblame_table_races",
	.test_cases = table_races_cases,
};

kunit_test_suites(&table_races_suite);
