// SPDX-License-Identifier: GPL-2.0
/*
 * Real threads on everything at once: some dirty, write back and submit, each
 * completes what another one submitted, one sweeps and reads all the time.
 * Built under TSan, too; with room for everything the bytes of each act must
 * be exact at the end.
 */
#include <pthread.h>
#include <sched.h>

#include "../fixture.h"

enum {
	NR_WORKERS = IOB_SHIM_CPUS - 1, PAGES = 64, BIOS = 8, STEPS = 10000,
	NR_ACTS = 24,
};

struct stress_page {
	bool dirty, writeback;
	u8 dirtier;		/* of its owner; handed on with the bio */
	u8 written;
};

struct stress_bio {
	u32 in_flight;		/* hands pages from owner to completer */
	u32 first, nr;
};

/**
 * struct worker - one CPU
 * @probe:   odd while in a probe: what RCU is in the kernel
 * @page:    the frames it dirties and writes back, from @pfn on
 * @bio:     what it submits; completed by the next worker
 * @charged: bytes by act of what it completed
 */
struct worker {
	struct stress *stress;
	u32 number;
	u32 probe;
	u64 seed;
	u64 pfn;
	struct stress_page page[PAGES];
	struct stress_bio bio[BIOS];
	u64 charged[NR_ACTS];
	struct iob_io io;
	struct iob_tallies tallies;
};

struct stress {
	struct iob_fixture *f;
	struct kunit *test;
	struct worker worker[NR_WORKERS];
	u32 running;
};

static struct stress *stress;	/* for the sweep's callbacks */

#define LOAD(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELEASE)

/* One clock for all, that never says the same twice. */
static u64 now(void)
{
	static u64 clock = 1 << 30;

	return __atomic_add_fetch(&clock, 250000, __ATOMIC_SEQ_CST);
}

static void enter(struct worker *w)
{
	__atomic_fetch_add(&w->probe, 1, __ATOMIC_SEQ_CST);
}

static void leave(struct worker *w)
{
	__atomic_fetch_add(&w->probe, 1, __ATOMIC_SEQ_CST);
}

static void wait_for_probes(void)
{
	struct worker *w;
	u32 seen;

	for (w = stress->worker; w < stress->worker + NR_WORKERS; w++) {
		seen = __atomic_fetch_add(&w->probe, 0, __ATOMIC_SEQ_CST);
		while (seen & 1 && LOAD(w->probe) == seen)
			sched_yield();
	}
}

static void relax(void)
{
	sched_yield();
}

static u32 act_id(struct iob_state *s, u32 number)
{
	return iob_test_act(s, 1 + number % 6, 1 + number / 6 % 2,
			    1 + number / 12);
}

static u64 bio_address(struct worker *w, u32 b)
{
	return 0xffff888000000000ull + (w->number << 16) + b * 256;
}

static void dirty(struct worker *w)
{
	struct iob_state *s = &w->stress->f->s;
	u32 i = iob_test_below(&w->seed, PAGES), nr;
	u32 number = iob_test_below(&w->seed, NR_ACTS / 2);

	/* the file of a page is told by its half */
	number += i < PAGES / 2 ? 0 : NR_ACTS / 2;
	for (nr = 1 + iob_test_below(&w->seed, 8); nr && i < PAGES; nr--, i++) {
		if (w->page[i].dirty ||
		    (i == PAGES / 2 && number < NR_ACTS / 2))
			return;
		/* first the folio, then we are told */
		STORE(w->page[i].dirty, true);
		enter(w);
		iob_charge_dirty(s, w->pfn + i, 1, act_id(s, number), now(),
				 LOAD(w->page[i].writeback));
		leave(w);
		w->page[i].dirtier = number;
	}
}

static void write_back(struct worker *w)
{
	struct iob_state *s = &w->stress->f->s;
	u32 first = iob_test_below(&w->seed, PAGES), nr, b, i;
	struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.unknown = IOB_ACT_PREEXISTING,
	};

	for (b = 0; b < BIOS && LOAD(w->bio[b].in_flight); b++)
		;
	if (b == BIOS)
		return;
	for (nr = 0; nr < 16 && first + nr < PAGES; nr++) {
		struct stress_page *page = &w->page[first + nr];

		if (!page->dirty || LOAD(page->writeback) ||
		    (nr && first + nr == PAGES / 2))
			break;
		STORE(page->dirty, false);
		page->written = page->dirtier;
		STORE(page->writeback, true);
	}
	if (!nr)
		return;
	/* of one file it is told that its writeback starts */
	if (first < PAGES / 2) {
		enter(w);
		iob_pages_writeback(&s->pages, w->pfn + first, nr,
				    IOB_REASON_SYNC, false);
		leave(w);
	}
	enter(w);
	flow.issuer = act_id(s, iob_test_below(&w->seed, NR_ACTS));
	flow.queue_ns = now();
	iob_flows_set(&s->flows, bio_address(w, b), &flow);
	leave(w);
	w->bio[b].first = first;
	w->bio[b].nr = nr;
	STORE(w->bio[b].in_flight, 1);
	for (i = 0; i < nr % 3; i++)
		sched_yield();
}

/* Complete a bio of @from, in @w's interrupt. */
static bool complete(struct worker *w, struct worker *from, u32 b)
{
	struct iob_state *s = &w->stress->f->s;
	struct stress_bio *bio = &from->bio[b];
	struct iob_flow flow = {
		.by = IOB_BY_PAGE, .basis = IOB_BASIS_PAGE,
		.unknown = IOB_ACT_PREEXISTING,
	};
	struct iob_written written = { .bytes = PAGE_SIZE };
	struct iob_file_key key;
	u32 i;

	if (!LOAD(bio->in_flight))
		return false;
	enter(w);
	iob_flows_take(&s->flows, bio_address(from, b), &flow);
	iob_charge_begin(&w->io, IOB_TEST_DISK, "sda", IOB_OP_WRITE, 0,
			 now());
	iob_charge_flow(s, &w->io, &flow);
	w->io.submitted_ns = flow.queue_ns;
	iob_test_file_key(bio->first < PAGES / 2 ? 1 : 2, &key);
	iob_charge_owner(s, &w->io, NULL, &key);
	for (i = bio->first; i < bio->first + bio->nr; i++) {
		written.pfn = from->pfn + i;
		written.peek = iob_pages_peek(&s->pages, written.pfn);
		written.still_dirty = LOAD(from->page[i].dirty);
		iob_charge_page(s, &w->io, &written);
		w->charged[from->page[i].written] += PAGE_SIZE;
	}
	iob_charge_run(s, &w->io);
	iob_charge_end(s, &w->io, 0);
	leave(w);
	for (i = bio->first; i < bio->first + bio->nr; i++)
		STORE(from->page[i].writeback, false);
	STORE(bio->in_flight, 0);
	return true;
}

static void *work(void *arg)
{
	struct worker *w = arg, *from;
	u32 i, b;

	iob_shim_cpu = w->number;
	from = &w->stress->worker[(w->number + 1) % NR_WORKERS];
	for (i = 0; i < STEPS; i++) {
		dirty(w);
		write_back(w);
		complete(w, from, iob_test_below(&w->seed, BIOS));
		iob_marks_set(&w->stress->f->s.marks, 0x1000 * (1 + w->number),
			      i);
		iob_marks_clear(&w->stress->f->s.marks,
				0x1000 * (1 + w->number));
		iob_family_add(&w->stress->f->s.family, 2 + i % 64);
		iob_family_remove(&w->stress->f->s.family, 2 + (i + 32) % 64);
	}
	/* until everybody has stopped submitting */
	__atomic_fetch_sub(&w->stress->running, 1, __ATOMIC_SEQ_CST);
	while (LOAD(w->stress->running))
		sched_yield();
	for (b = 0; b < BIOS; b++)
		complete(w, from, b);
	return NULL;
}

/* What a reader of debugfs may see at any time. */
static void read_rows(struct stress *t)
{
	struct iob_totals *totals = &t->f->s.totals;
	struct iob_total row;
	u64 pages, counted;
	u32 i, n;

	iob_tallies_fold(totals);
	for (i = 1; i < iob_totals_end(totals); i++) {
		iob_totals_read(totals, i, &row);
		pages = row.bytes / PAGE_SIZE;
		for (counted = 0, n = 0; n < IOB_HIST_BUCKETS; n++)
			counted += row.age.count[n];
		KUNIT_ASSERT_EQ(t->test, row.key.dev, (u32)IOB_TEST_DISK);
		KUNIT_ASSERT_EQ(t->test, row.bytes % PAGE_SIZE, 0ull);
		KUNIT_ASSERT_LE(t->test, row.ios, pages);
		if (row.key.basis == IOB_BASIS_PAGE)
			KUNIT_ASSERT_EQ(t->test, counted, pages);
	}
}

static void read_objects(struct stress *t)
{
	struct iob_intern *acts = &t->f->s.objects.acts;
	u32 i, id;

	for (i = acts->reserved; i < iob_intern_end(acts); i++) {
		const struct iob_act *act = iob_intern_at(acts, i, &id);

		if (act)
			KUNIT_ASSERT_EQ(t->test, act->kind,
					(u32)IOB_KIND_DATA);
	}
}

static const struct iob_sweep_ops sweep_ops = {
	.wait = wait_for_probes,
	.relax = relax,
};

static struct stress *run(struct kunit *test, const struct iob_limits *limits)
{
	struct stress *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	pthread_t thread[NR_WORKERS];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	stress = t;
	t->test = test;
	t->f = iob_fixture_create(test, limits, NULL);
	t->running = NR_WORKERS;
	for (i = 0; i < NR_WORKERS; i++) {
		t->worker[i].stress = t;
		t->worker[i].number = i;
		t->worker[i].seed = i + 1;
		t->worker[i].pfn = IOB_CHUNK_SLOTS - 10 + i * PAGES;
		t->worker[i].io.tallies = &t->worker[i].tallies;
		iob_tallies_join(&t->f->s.totals, &t->worker[i].tallies);
	}
	for (i = 0; i < NR_WORKERS; i++)
		KUNIT_ASSERT_EQ(test, pthread_create(&thread[i], NULL, work,
						     &t->worker[i]), 0);
	iob_shim_cpu = NR_WORKERS;
	while (LOAD(t->running)) {
		iob_sweep(&t->f->s, &sweep_ops);
		read_rows(t);
		read_objects(t);
	}
	for (i = 0; i < NR_WORKERS; i++)
		pthread_join(thread[i], NULL);
	iob_shim_cpu = 0;
	return t;
}

static void expect_conserved(struct stress *t)
{
	struct iob_state *s = &t->f->s;
	const struct iob_device_op *sums;
	u64 charged = 0;
	u32 i, n;

	for (i = 0; i < NR_WORKERS; i++)
		for (n = 0; n < NR_ACTS; n++)
			charged += t->worker[i].charged[n];
	sums = &iob_devices_get(&s->devices, IOB_TEST_DISK,
				"sda")->op[IOB_OP_WRITE];
	KUNIT_EXPECT_LT(t->test, 0ull, charged);
	KUNIT_EXPECT_EQ(t->test, (u64)atomic64_read(&sums->bytes), charged);
	KUNIT_EXPECT_EQ(t->test, iob_test_row_bytes(s, IOB_TEST_DISK,
						    IOB_OP_WRITE) +
			atomic64_read(&sums->folded_bytes), charged);
	KUNIT_EXPECT_EQ(t->test, iob_flows_nr(&s->flows), 0u);
}

static void room_for_everything(struct kunit *test)
{
	struct stress *t = run(test, &iob_test_limits);
	u64 charged;
	u32 i, n;

	expect_conserved(t);
	for (n = 0; n < NR_ACTS; n++) {
		for (charged = 0, i = 0; i < NR_WORKERS; i++)
			charged += t->worker[i].charged[n];
		KUNIT_EXPECT_EQ(test, iob_test_act_bytes(&t->f->s,
						act_id(&t->f->s, n)), charged);
	}
	for (n = IOB_CNT_LOST_STACKS; n <= IOB_CNT_FOLDS; n++)
		KUNIT_EXPECT_EQ(test, iob_counters_read(&t->f->s.counters, n),
				0ull);
}

static void no_room_for_anything(struct kunit *test)
{
	const struct iob_limits limits = {
		.stacks = 2,
		.acts = IOB_NR_RESERVED_ACTS + 3,
		.files = 2,
		.totals = 5,
		.flows = 2,
		.blocks = 2,
		.memory_kb = 4,
	};

	expect_conserved(run(test, &limits));
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE(room_for_everything),
	KUNIT_CASE(no_room_for_anything),
	{}
};

static struct kunit_suite stress_suite = {
	.name = "ioblame_stress",
	.exit = iob_fixture_exit,
	.test_cases = stress_cases,
};

kunit_test_suites(&stress_suite);
