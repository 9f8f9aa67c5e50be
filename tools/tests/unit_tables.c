// SPDX-License-Identifier: GPL-2.0
/* From the text of the module's files to tables. */
#include <errno.h>
#include <stdlib.h>

#include "decode.h"
#include "unit.h"

#define DIR "tests/root/sys/kernel/debug/ioblame"

static bool decodes(void)
{
	struct iob_tables *t = unit_tables();
	struct iob_role *role = iob_tables_role(t, 2, false);
	struct iob_act *act = iob_tables_act(t, 17, false);
	struct iob_file *file = iob_tables_file(t, 2, false);

	EXPECT(role && role->tgid == 200 && !role->flags);
	EXPECT(!strcmp(role->comm, "odd\tna\\me"));
	EXPECT(act && act->role == 2 && act->file == 2 && !act->reserved);
	EXPECT(!strcmp(file->path, "/dir/b\n\xff.dat"));
	EXPECT(!strcmp(file->flags, "deleted"));
	act = iob_tables_act(t, 3, false);
	EXPECT(act && !strcmp(act->reserved, "preexisting") && !act->kind);
	EXPECT(t->totals.nr == 7 && t->totals.v[0].bytes == 12288);
	EXPECT(iob_hist_total(&t->totals.v[0].hist[IOB_TIME_AGE]) == 3);
	EXPECT(iob_tables_stat(t, "lost_acts") == 2);
	EXPECT(iob_tables_stat(t, "no such") == 0);
	EXPECT(t->nr_bad_lines == 0);
	iob_tables_destroy(t);
	return true;
}

/* Read the fixture, let @spoil have its way, and decode: nothing may crash. */
static bool survives(void (*spoil)(struct iob_blob *b, unsigned int *seed),
		     int rounds)
{
	unsigned int seed = 7;

	for (int i = 0; i < rounds; i++) {
		struct iob_tables *t = iob_tables_create();
		struct iob_snapshot snap;
		struct iob_err err = {};
		int ret;

		EXPECT(!iob_snapshot_read(&snap, DIR, &err));
		spoil(&snap.text[i % IOB_NR_TABLES], &seed);
		ret = iob_decode(t, &snap, &err);
		EXPECT(!ret || ret == -EPROTO || ret == -ENODATA);
		EXPECT(!ret || *err.text);
		iob_snapshot_free(&snap);
		iob_tables_destroy(t);
	}
	return true;
}

static void flip_bytes(struct iob_blob *b, unsigned int *seed)
{
	for (int k = 0; k < 8; k++)
		b->p[unit_random(seed) % b->len] = unit_random(seed);
}

static void cut(struct iob_blob *b, unsigned int *seed)
{
	b->len = unit_random(seed) % (b->len + 1);
}

static void fill_with_garbage(struct iob_blob *b, unsigned int *seed)
{
	char *header_end = memchr(b->p, '\n', b->len);

	for (char *p = header_end + 1; p < b->p + b->len; p++)
		*p = "0123456789\t\n:,-\\x\xff"[unit_random(seed) % 19];
}

static bool survives_flipped_bytes(void)
{
	return survives(flip_bytes, 2000);
}

static bool survives_truncation(void)
{
	return survives(cut, 2000);
}

static bool survives_garbage(void)
{
	return survives(fill_with_garbage, 1000);
}

static bool difference(void)
{
	struct iob_tables *before = unit_tables(), *after = unit_tables();
	struct iob_total *r = &after->totals.v[0];

	r->bytes += 4096;
	r->ios++;
	iob_hist_add(&r->hist[IOB_TIME_DEVICE], 5, 1);
	after->devices.v[1].bytes += 4096;
	iob_tables_subtract(after, before);
	EXPECT(r->bytes == 4096 && r->ios == 1);
	EXPECT(iob_hist_total(&r->hist[IOB_TIME_DEVICE]) == 1);
	/* The longest time was before: what is left is bounded by its bucket. */
	EXPECT(r->max[IOB_TIME_DEVICE] == iob_hist_upper_ns(5));
	EXPECT(after->totals.v[1].bytes == 0);
	EXPECT(after->devices.v[1].bytes == 4096);
	EXPECT(iob_tables_stat(after, "lost_acts") == 0);
	iob_tables_destroy(before);
	iob_tables_destroy(after);
	return true;
}

static bool difference_across_reset(void)
{
	struct iob_tables *before = unit_tables(), *after = unit_tables();

	after->totals.v[0].bytes = 10;
	after->totals.v[0].ios = 1;
	iob_tables_subtract(after, before);
	EXPECT(after->totals.v[0].bytes == 10 && after->totals.v[0].ios == 1);
	iob_tables_destroy(before);
	iob_tables_destroy(after);
	return true;
}

/* Tables with @totals in the place of those of the fixture. */
static struct iob_tables *with_totals(const char *totals)
{
	struct iob_tables *t = iob_tables_create();
	struct iob_snapshot snap;
	struct iob_err err;
	int ret = iob_snapshot_read(&snap, DIR, &err);

	free(snap.text[IOB_TABLE_TOTALS].p);
	snap.text[IOB_TABLE_TOTALS] =
		(struct iob_blob){ strdup(totals), strlen(totals) };
	if (!ret)
		ret = iob_decode(t, &snap, &err);
	iob_snapshot_free(&snap);
	if (!ret)
		return t;
	printf("# %s\n", err.text);
	iob_tables_destroy(t);
	return NULL;
}

#define COLUMNS								\
	"act\tissuer\tdev\top\treason\tbasis\tios\tbytes\tcancelled\t"	\
	"age_max\tqueue_max\tdevice_max\tage\tqueue\tdevice"
#define READ								\
	"16\t3\t254:16\tread\treadahead\tdirect\t2\t16384\t0\t0\t9000\t800000\t-\t3:2\t9:2"

static bool ends_of_reads(void)
{
	struct iob_tables *t;
	struct iob_total *r;

	t = with_totals(COLUMNS "\tused\tunused\tunseen\n"
			READ "\t8192\t4096\t512\n"
			READ "\t-\t-\t-\n"
			READ "\tx\t-\t-\n");
	EXPECT(t && t->totals.nr == 2 && t->nr_bad_lines == 1);
	r = &t->totals.v[0];
	EXPECT(r->tells_reads && r->read[IOB_READ_USED] == 8192);
	EXPECT(r->read[IOB_READ_UNUSED] == 4096);
	EXPECT(r->read[IOB_READ_UNSEEN] == 512);
	EXPECT(!r[1].tells_reads && !r[1].read[IOB_READ_USED]);
	iob_tables_destroy(t);
	return true;
}

/* Recordings from before there were such columns can still be read. */
static bool no_ends_of_reads(void)
{
	struct iob_tables *t = with_totals(COLUMNS "\n" READ "\n");

	EXPECT(t && t->totals.nr == 1 && t->nr_bad_lines == 0);
	EXPECT(t->totals.v[0].bytes == 16384 && !t->totals.v[0].tells_reads);
	iob_tables_destroy(t);
	return true;
}

static bool difference_of_reads(void)
{
	static const char columns[] = COLUMNS "\tused\tunused\tunseen\n";
	struct iob_tables *before, *after;
	char text[1024];

	snprintf(text, sizeof(text), "%s%s\t8192\t0\t0\n", columns, READ);
	before = with_totals(text);
	/* Read before, used in the interval: nothing but that is of it. */
	snprintf(text, sizeof(text), "%s%s\t8192\t4096\t0\n", columns, READ);
	after = with_totals(text);
	EXPECT(before && after);
	iob_tables_subtract(after, before);
	EXPECT(after->totals.v[0].bytes == 0);
	EXPECT(after->totals.v[0].read[IOB_READ_USED] == 0);
	EXPECT(after->totals.v[0].read[IOB_READ_UNUSED] == 4096);
	iob_tables_destroy(before);
	iob_tables_destroy(after);
	return true;
}

const struct unit_case table_cases[] = {
	{ "tables: the fixture is decoded", decodes },
	{ "tables: flipped bytes do no harm", survives_flipped_bytes },
	{ "tables: truncated files do no harm", survives_truncation },
	{ "tables: garbage does no harm", survives_garbage },
	{ "tables: the difference of two snapshots", difference },
	{ "tables: a reset in between", difference_across_reset },
	{ "tables: what becomes of what is read", ends_of_reads },
	{ "tables: of a module that does not tell", no_ends_of_reads },
	{ "tables: what becomes of it later", difference_of_reads },
	{}
};
