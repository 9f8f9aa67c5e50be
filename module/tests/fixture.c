// SPDX-License-Identifier: GPL-2.0
/* A tracing session for the suites, and what is done to it in every case. */
#include "fixture.h"

const struct iob_limits iob_test_limits = {
	.stacks = 256,
	.acts = 1024,
	.files = 256,
	.totals = 1024,
	.flows = 256,
	.blocks = 256,
	.memory_kb = 1024,
};

struct iob_fixture *iob_fixture_create(struct kunit *test,
				       const struct iob_limits *limits,
				       const struct iob_filter *filter)
{
	static const struct iob_filter everything;
	struct iob_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	KUNIT_ASSERT_EQ(test, iob_state_init(&f->s, limits,
					     filter ?: &everything,
					     IOB_TEST_PFNS), 0);
	return f;
}

void iob_fixture_exit(struct kunit *test)
{
	struct iob_fixture *f = test->priv;

	if (f)
		iob_state_exit(&f->s);
}

int iob_pages_test_init(struct kunit *test)
{
	struct iob_pages_test *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	test->priv = p;
	return p ? iob_counters_init(&p->counters) : -ENOMEM;
}

void iob_pages_test_exit(struct kunit *test)
{
	struct iob_pages_test *p = test->priv;

	if (!p)
		return;
	iob_pages_exit(&p->pages);
	iob_counters_exit(&p->counters);
}

struct iob_pages *iob_pages_test_make(struct kunit *test, u64 end_pfn,
				      u32 nr_chunks)
{
	struct iob_pages_test *p = test->priv;

	KUNIT_ASSERT_EQ(test, iob_pages_init(&p->pages, &p->counters, end_pfn,
					     nr_chunks * PAGE_SIZE), 0);
	return &p->pages;
}

u64 iob_pages_test_count(struct kunit *test, enum iob_counter which)
{
	struct iob_pages_test *p = test->priv;

	return iob_counters_read(&p->counters, which);
}

bool iob_pages_test_complete(struct iob_pages *p, u64 pfn, u64 now_ns,
			     bool still_dirty, struct iob_page *page)
{
	u64 word = iob_pages_complete(p, pfn, iob_pages_peek(p, pfn),
				      still_dirty, false, 0, now_ns);

	page->act = iob_slot_act(word);
	page->reason = iob_slot_reason(word);
	page->dirtied_ns = iob_slot_dirtied_ns(word, now_ns);
	return word;
}

u32 iob_test_role(struct iob_state *s, u32 number)
{
	struct iob_role role;
	bool fresh;

	if (!number)
		return 0;
	memset(&role, 0, sizeof(role));
	role.key.pid = number;
	role.key.tgid = number;
	role.key.start_ns = 1000 + number;
	strscpy(role.key.comm, "task", sizeof(role.key.comm));
	role.matches = iob_filter_has_tgid(&s->filter, number);
	return iob_objects_role(&s->objects, &role, &fresh);
}

u32 iob_test_stack(struct iob_state *s, u32 number)
{
	struct iob_stack stack;
	bool fresh;

	if (!number)
		return 0;
	memset(&stack, 0, sizeof(stack));
	stack.nr = 2;
	stack.ip[0] = 0xffffffff81000000ull + number;
	stack.ip[1] = 0xffffffff82000000ull;
	return iob_objects_stack(&s->objects, &stack, &fresh);
}

void iob_test_file_key(u32 number, struct iob_file_key *key)
{
	key->dev = IOB_TEST_FS;
	key->gen = 1;
	key->ino = number;
}

u32 iob_test_file(struct iob_state *s, u32 number)
{
	struct iob_file file;
	bool fresh;

	if (!number)
		return 0;
	memset(&file, 0, sizeof(file));
	iob_test_file_key(number, &file.key);
	return iob_objects_file(&s->objects, &file, &fresh);
}

u32 iob_test_act(struct iob_state *s, u32 role, u32 stack, u32 file)
{
	struct iob_act act = {
		.role = iob_test_role(s, role),
		.stack = iob_test_stack(s, stack),
		.file = iob_test_file(s, file),
		.kind = IOB_KIND_DATA,
	};
	bool fresh;

	return iob_objects_act(&s->objects, &act, &fresh);
}

u32 iob_test_bare_act(struct iob_state *s, u32 role)
{
	struct iob_act act = {
		.role = iob_test_role(s, role),
		.kind = IOB_KIND_DATA,
	};
	bool fresh;

	return iob_objects_act(&s->objects, &act, &fresh);
}

void iob_test_page(struct iob_state *s, struct iob_io *io, u32 file, u64 pfn,
		   u32 bytes, bool still_dirty)
{
	const struct iob_written w = {
		.pfn = pfn,
		.peek = iob_pages_peek(&s->pages, pfn),
		.still_dirty = still_dirty,
		.bytes = bytes,
	};
	struct iob_file_key key;

	iob_test_file_key(file, &key);
	iob_charge_owner(s, io, NULL, &key);
	iob_charge_page(s, io, &w);
	iob_charge_run(s, io);
}

void iob_test_complete(struct iob_fixture *f, u32 file, u64 pfn, u32 nr_pages,
		       bool still_dirty, u64 now_ns)
{
	const struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.unknown = IOB_ACT_PREEXISTING,
	};
	u32 i;

	iob_charge_begin(&f->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0,
			 now_ns);
	iob_charge_flow(&f->s, &f->io, &flow);
	for (i = 0; i < nr_pages; i++)
		iob_test_page(&f->s, &f->io, file, pfn + i, PAGE_SIZE,
			      still_dirty);
	iob_charge_end(&f->s, &f->io, 0);
}

u64 iob_test_row_bytes(struct iob_state *s, u32 dev, u32 op)
{
	struct iob_total row;
	u64 sum = 0;
	u32 i;

	iob_tallies_fold(&s->totals);
	for (i = 1; i < iob_totals_end(&s->totals); i++) {
		iob_totals_read(&s->totals, i, &row);
		if (row.key.dev == dev && row.key.op == op)
			sum += row.bytes;
	}
	return sum;
}

u64 iob_test_act_bytes(struct iob_state *s, u32 act)
{
	struct iob_total row;
	u64 sum = 0;
	u32 i;

	iob_tallies_fold(&s->totals);
	for (i = 1; i < iob_totals_end(&s->totals); i++) {
		iob_totals_read(&s->totals, i, &row);
		if (row.key.act == act)
			sum += row.bytes;
	}
	return sum;
}

u64 iob_test_read_end(struct iob_state *s, enum iob_read_end end)
{
	struct iob_total row;
	u64 sum = 0;
	u32 i;

	iob_tallies_fold(&s->totals);
	for (i = 1; i < iob_totals_end(&s->totals); i++) {
		iob_totals_read(&s->totals, i, &row);
		sum += row.read[end];
	}
	return sum;
}

bool iob_test_find_row(struct iob_state *s, u32 act, u32 issuer,
		       struct iob_total *row)
{
	u32 i;

	iob_tallies_fold(&s->totals);
	for (i = 1; i < iob_totals_end(&s->totals); i++) {
		iob_totals_read(&s->totals, i, row);
		if (row->key.act == act && row->key.issuer == issuer)
			return true;
	}
	return false;
}

void iob_test_conserved(struct kunit *test, struct iob_fixture *f)
{
	struct iob_device *d = iob_devices_get(&f->s.devices, IOB_TEST_DISK,
					       "sda");
	u32 op;

	for (op = 0; op < IOB_NR_OPS; op++)
		KUNIT_EXPECT_EQ(test,
				iob_test_row_bytes(&f->s, IOB_TEST_DISK, op) +
				atomic64_read(&d->op[op].folded_bytes),
				(u64)atomic64_read(&d->op[op].bytes));
}

static void nothing(void)
{
}

u32 iob_test_sweep(struct iob_state *s)
{
	static const struct iob_sweep_ops ops = {
		.wait = nothing,
		.relax = nothing,
	};

	return iob_sweep(s, &ops);
}
