// SPDX-License-Identifier: GPL-2.0
/* Charging a completed IO: its bios, parts, origins and disk. */
#include "fixture.h"

#define MS	1000000ull
#define FILE_1	1

static struct iob_fixture *make(struct kunit *test)
{
	return iob_fixture_create(test, &iob_test_limits, NULL);
}

static void dirty(struct iob_fixture *f, u64 pfn, u32 nr_pages, u32 act)
{
	iob_charge_dirty(&f->s, pfn, nr_pages, act, 100 * MS, false);
}

/* More origins than an IO gathers at once: all are added up. */
static void many_origins_in_one_io(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	enum { N = 5 * IOB_IO_ORIGINS / 2 };
	u32 i;

	for (i = 0; i < N; i++)
		dirty(f, i, 1, iob_test_act(&f->s, 1 + i, 1, FILE_1));
	iob_test_complete(f, FILE_1, 0, N, false, 200 * MS);
	KUNIT_EXPECT_EQ(test, iob_totals_end(&f->s.totals), N + 1u);
	for (i = 0; i < N; i++)
		KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&f->s,
				iob_test_act(&f->s, 1 + i, 1, FILE_1)),
				4096ull);
	KUNIT_EXPECT_EQ(test, f->io.bytes, N * 4096u);
	iob_test_conserved(test, f);
}

/* Rule 8 and 13: the bio's own origin; a flush has no bytes and is counted. */
static void bytes_of_the_bios_origin(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, 0);
	const struct iob_flow flow = {
		.issuer = act,
		.origin = act,
		.basis = IOB_BASIS_DIRECT,
		.reason = IOB_REASON_DIRECT,
	};
	struct iob_total row;
	u32 op;

	for (op = 0; op < IOB_NR_OPS; op++) {
		iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", op, 8, 200 * MS);
		iob_charge_flow(&f->s, &f->io, &flow);
		iob_charge_bytes(&f->s, &f->io, 0,
				 op == IOB_OP_FLUSH ? 0 : 512 << op);
		KUNIT_EXPECT_TRUE(test, iob_charge_end(&f->s, &f->io, 0));
	}
	KUNIT_EXPECT_EQ(test, iob_totals_end(&f->s.totals), IOB_NR_OPS + 1u);
	for (op = 0; op < IOB_NR_OPS; op++) {
		iob_totals_read(&f->s.totals, 1 + op, &row);
		KUNIT_EXPECT_EQ(test, row.key.op, (u8)op);
		KUNIT_EXPECT_EQ(test, row.key.act, act);
		KUNIT_EXPECT_EQ(test, row.key.basis, (u8)IOB_BASIS_DIRECT);
		KUNIT_EXPECT_EQ(test, row.key.issuer,
				iob_test_role(&f->s, 1));
		KUNIT_EXPECT_EQ(test, row.ios, 1ull);
		KUNIT_EXPECT_EQ(test, row.bytes,
				op == IOB_OP_FLUSH ? 0ull : 512ull << op);
	}
	iob_test_conserved(test, f);
}

/* A flush counts where the kernel counts it: asked for, and carried out. */
static void flushes_count_as_the_kernel_does(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	struct iob_flow flow = {
		.issuer = iob_test_act(&f->s, 1, 1, 0),
		.basis = IOB_BASIS_DIRECT,
	};
	struct iob_device *disk;

	flow.origin = flow.issuer;
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_FLUSH, 0, MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 0, 0);
	KUNIT_EXPECT_TRUE(test, iob_charge_end(&f->s, &f->io, 0));
	iob_charge_flush_command(&f->s, IOB_TEST_DISK, "sda");
	iob_charge_flush_command(&f->s, IOB_TEST_DISK, "sda");

	disk = iob_devices_get(&f->s.devices, IOB_TEST_DISK, "sda");
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&disk->op[IOB_OP_WRITE].ios),
			1ull);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&disk->op[IOB_OP_FLUSH].ios),
			2ull);
}

/* The bios of one request have their issuers each; the first one's is told. */
static void merged_bios_keep_their_issuers(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act[2] = {
		iob_test_act(&f->s, 1, 1, 0), iob_test_act(&f->s, 2, 1, 0),
	};
	struct iob_flow flow = { .basis = IOB_BASIS_DIRECT };
	struct iob_total row;
	u32 i;

	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 8,
			 200 * MS);
	for (i = 0; i < 4; i++) {
		flow.issuer = act[i / 2];
		flow.origin = act[i / 2];
		flow.queue_ns = 100 * MS + i;
		flow.issue_ns = i ? 0 : 150 * MS;
		iob_charge_flow(&f->s, &f->io, &flow);
		iob_charge_bytes(&f->s, &f->io, 0, 1024);
	}
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_EXPECT_EQ(test, f->io.issuer, act[0]);
	KUNIT_EXPECT_EQ(test, f->io.queue_ns, 100 * MS);
	KUNIT_EXPECT_EQ(test, f->io.issue_ns, 150 * MS);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_TRUE(test,
				  iob_test_find_row(&f->s, act[i],
						    iob_test_role(&f->s, 1 + i),
						    &row));
		KUNIT_EXPECT_EQ(test, row.bytes, 2048ull);
		KUNIT_EXPECT_EQ(test, row.ios, 1ull);
	}
	iob_test_conserved(test, f);
}

/* Who submitted and why are part of a row, as is each IO. */
static void issuers_and_reasons_have_rows(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, 0), i, nr;
	struct iob_flow flow = { .origin = act, .basis = IOB_BASIS_DIRECT };
	struct iob_total row;

	for (nr = 0; nr < 2; nr++) {
		iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 8,
				 200 * MS);
		for (i = 0; i < 8; i++) {
			flow.issuer = iob_test_act(&f->s, 2 + i % 2, 1, 0);
			flow.reason = i / 2 % 2 ? IOB_REASON_SYNC :
						  IOB_REASON_FSYNC;
			iob_charge_flow(&f->s, &f->io, &flow);
			iob_charge_bytes(&f->s, &f->io, 0, 512);
		}
		iob_charge_end(&f->s, &f->io, 0);
	}
	KUNIT_EXPECT_EQ(test, iob_totals_end(&f->s.totals), 5u);
	for (i = 1; i < 5; i++) {
		iob_totals_read(&f->s.totals, i, &row);
		KUNIT_EXPECT_EQ(test, row.key.act, act);
		KUNIT_EXPECT_EQ(test, row.ios, 2ull);
		KUNIT_EXPECT_EQ(test, row.bytes, 4 * 512ull);
	}
	iob_test_conserved(test, f);
}

/* Why a page is written is told by its writeback, or else by the bio. */
static void reason_of_the_writeback_comes_first(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	u32 act = iob_test_act(&f->s, 1, 1, FILE_1), i;
	const struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.reason = IOB_REASON_FSYNC,
	};
	const u8 told[] = { IOB_REASON_PERIODIC, IOB_REASON_NONE };
	const u8 expected[] = { IOB_REASON_PERIODIC, IOB_REASON_FSYNC };
	struct iob_total row;

	for (i = 0; i < ARRAY_SIZE(told); i++) {
		dirty(f, 1, 1, act);
		iob_pages_writeback(&f->s.pages, 1, 1, told[i], false);
		iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0,
				 200 * MS);
		iob_charge_flow(&f->s, &f->io, &flow);
		iob_test_page(&f->s, &f->io, FILE_1, 1, 4096, false);
		iob_charge_end(&f->s, &f->io, 0);
		iob_totals_read(&f->s.totals, 1 + i, &row);
		KUNIT_EXPECT_EQ(test, row.key.reason, expected[i]);
		KUNIT_EXPECT_EQ(test, row.key.basis, (u8)IOB_BASIS_PAGE);
	}
}

/* A request that completes in parts is one IO of its disk. */
static void parts_are_one_io(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	const struct iob_flow flow = { .basis = IOB_BASIS_DIRECT };
	struct iob_device *d;
	u32 i;

	for (i = 0; i < 3; i++) {
		iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE,
				 8 + i, 200 * MS);
		iob_charge_flow(&f->s, &f->io, &flow);
		iob_charge_bytes(&f->s, &f->io, 0, 512);
		iob_charge_end(&f->s, &f->io,
			       i < 2 ? BIT(IOB_IO_BIT_PARTIAL) : 0);
	}
	d = iob_devices_get(&f->s.devices, IOB_TEST_DISK, "sda");
	KUNIT_EXPECT_EQ(test, atomic64_read(&d->op[IOB_OP_WRITE].ios), 1ll);
	KUNIT_EXPECT_EQ(test, atomic64_read(&d->op[IOB_OP_WRITE].bytes),
			1536ll);
	iob_test_conserved(test, f);
}

/* Beyond the table's disks: rows and sums are both under "other". */
static void too_many_disks_are_conserved(struct kunit *test)
{
	struct iob_fixture *f = make(test);
	const struct iob_flow flow = { .basis = IOB_BASIS_DIRECT };
	u32 i;

	for (i = 1; i < IOB_MAX_DEVICES; i++)
		iob_devices_get(&f->s.devices, 9 << 20 | i, "sdx");
	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 8,
			 200 * MS);
	iob_charge_flow(&f->s, &f->io, &flow);
	iob_charge_bytes(&f->s, &f->io, 0, 512);
	iob_charge_end(&f->s, &f->io, 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->s.devices.device[0]
					    .op[IOB_OP_WRITE].bytes), 512ll);
	KUNIT_EXPECT_EQ(test, iob_test_row_bytes(&f->s, 0, IOB_OP_WRITE),
			512ull);
	KUNIT_EXPECT_EQ(test, iob_test_row_bytes(&f->s, IOB_TEST_DISK,
						 IOB_OP_WRITE), 0ull);
}

static struct kunit_case io_cases[] = {
	KUNIT_CASE(many_origins_in_one_io),
	KUNIT_CASE(bytes_of_the_bios_origin),
	KUNIT_CASE(flushes_count_as_the_kernel_does),
	KUNIT_CASE(merged_bios_keep_their_issuers),
	KUNIT_CASE(issuers_and_reasons_have_rows),
	KUNIT_CASE(reason_of_the_writeback_comes_first),
	KUNIT_CASE(parts_are_one_io),
	KUNIT_CASE(too_many_disks_are_conserved),
	{}
};

static struct kunit_suite io_suite = {
	.name = "ioblame_io",
	.exit = iob_fixture_exit,
	.test_cases = io_cases,
};

kunit_test_suites(&io_suite);
