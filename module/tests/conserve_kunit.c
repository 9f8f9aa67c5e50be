// SPDX-License-Identifier: GPL-2.0
/*
 * Rule 15, and with enough room rule 1: whatever pages and bios do, in
 * whatever order, the bytes of all rows and what is folded are the bytes that
 * completed, per disk and operation; and each page is charged to the first of
 * its dirtiers.
 *
 * A small model of the page cache and the block layer does random but legal
 * things, tells the core what the kernel would tell, and keeps books itself.
 */
#include "fixture.h"

enum {
	NR_PAGES = 96, NR_BIOS = 12, NR_ROLES = 5, NR_STACKS = 2, NR_FILES = 4,
	NR_ACTS = NR_ROLES * NR_STACKS * NR_FILES, NR_DISKS = 2,
	NR_SPARE = 8,		/* frames that hold no page */
	FRAMES_AT = IOB_CHUNK_SLOTS - NR_PAGES / 2,	/* in two chunks */
	UNSEEN = NR_ACTS,	/* dirty before tracing began */
};

struct model_page {
	u64 pfn;
	u8 file;
	bool dirty, writeback;
	bool locked;		/* being read */
	u32 read_bytes;		/* of what has not been used */
	u8 read_file;		/* and of which file that is */
	u8 dirtier;		/* of what is dirty */
	u8 written;		/* of what is being written */
};

struct model_bio {
	bool used;
	bool by_page;
	u8 op, disk;
	u8 origin;
	u32 first, nr;		/* pages left, or */
	u32 bytes;		/* bytes left */
};

struct model {
	struct iob_fixture *f;
	struct kunit *test;
	u64 seed, now_ns;
	struct model_page page[NR_PAGES];
	u64 spare[NR_SPARE];
	struct model_bio bio[NR_BIOS];
	struct iob_flow flow;		/* of the bio that was charged last */
	u64 bytes[NR_DISKS][IOB_NR_OPS];
	u64 ios[NR_DISKS][IOB_NR_OPS];
	u64 charged[NR_ACTS + 1];
	u64 ends[IOB_NR_READ_ENDS];
};

static const u32 disks[NR_DISKS] = { IOB_TEST_DISK, IOB_TEST_DISK | 16 };
static const char * const disk_names[NR_DISKS] = { "sda", "sdb" };

static u32 below(struct model *m, u32 end)
{
	return iob_test_below(&m->seed, end);
}

/* Acts of the model are numbered by their parts. */
static u32 act_number(u32 role, u32 stack, u32 file)
{
	return (role * NR_STACKS + stack) * NR_FILES + file;
}

static u32 act_id(struct model *m, u32 number)
{
	if (number == UNSEEN)
		return IOB_ACT_PREEXISTING;
	return iob_test_act(&m->f->s, 1 + number / NR_FILES / NR_STACKS,
			    1 + number / NR_FILES % NR_STACKS,
			    1 + number % NR_FILES);
}

static u64 bio_address(u32 b)
{
	return 0xffff888000001000ull + b * 256;
}

/* Pages from a random one on that @is, at most @max; their number. */
static u32 run_of(struct model *m, bool (*is)(const struct model_page *p),
		  u32 max, u32 *first)
{
	u32 i, nr = 0;

	*first = below(m, NR_PAGES);
	for (i = *first; i < NR_PAGES && nr < max; i++, nr++)
		if (!is(&m->page[i]) || m->page[i].file != m->page[*first].file)
			break;
	return nr;
}

static bool is_clean(const struct model_page *p)
{
	return !p->dirty && !p->locked;
}

static bool is_waiting(const struct model_page *p)
{
	return p->dirty && !p->writeback;
}

static bool is_idle(const struct model_page *p)
{
	return !p->dirty && !p->writeback && !p->locked;
}

/* What was read of a page ends so, if there is anything. */
static void end_read(struct model *m, struct model_page *p,
		     enum iob_read_end end)
{
	m->ends[end] += p->read_bytes;
	p->read_bytes = 0;
}

static void dirty(struct model *m)
{
	u32 first, nr = run_of(m, is_clean, 1 + below(m, 16), &first), i;
	u32 number = act_number(below(m, NR_ROLES), below(m, NR_STACKS),
				m->page[first].file);

	for (i = first; i < first + nr; i++) {
		iob_charge_dirty(&m->f->s, m->page[i].pfn, 1,
				 act_id(m, number), m->now_ns,
				 m->page[i].writeback);
		end_read(m, &m->page[i], IOB_READ_USED);
		m->page[i].dirty = true;
		m->page[i].dirtier = number;
	}
}

/* A page is used, or goes: it counts if it is still the reader's file's. */
static void leave(struct model *m, struct model_page *p, enum iob_read_end end)
{
	struct iob_file_key key;

	iob_test_file_key(1 + p->file, &key);
	iob_charge_read_end(&m->f->s, p->pfn, 1, &key, end);
	if (p->file != p->read_file)
		p->read_bytes = 0;
	end_read(m, p, end);
}

static void drop(struct model *m, struct model_page *p)
{
	leave(m, p, IOB_READ_UNUSED);
}

/* The flusher takes pages and gives them back as dirty as they were. */
static void decline(struct model *m)
{
	u32 first, nr = run_of(m, is_waiting, 1 + below(m, 8), &first), i;
	u32 flusher = act_number(0, 0, m->page[first].file);

	for (i = first; i < first + nr; i++) {
		iob_charge_redirty(&m->f->s, m->page[i].pfn, 1,
				   IOB_ACT_PREEXISTING);
		iob_charge_dirty(&m->f->s, m->page[i].pfn, 1,
				 act_id(m, flusher), m->now_ns, false);
	}
}

static struct model_bio *new_bio(struct model *m)
{
	u32 b;

	for (b = 0; b < NR_BIOS; b++)
		if (!m->bio[b].used)
			return &m->bio[b];
	return NULL;
}

static void submit(struct model *m, struct model_bio *bio, u32 origin)
{
	const struct iob_flow flow = {
		.issuer = act_id(m, below(m, NR_ACTS)),
		.origin = act_id(m, origin),
		.unknown = IOB_ACT_PREEXISTING,
		.basis = bio->by_page && bio->op == IOB_OP_WRITE ?
			 IOB_BASIS_PAGE : IOB_BASIS_DIRECT,
		.by = !bio->by_page ? IOB_BY_SUBMITTER :
		      bio->op == IOB_OP_READ ? IOB_BY_READER : IOB_BY_PAGE,
		.queue_ns = m->now_ns,
	};

	bio->used = true;
	bio->origin = origin;
	iob_flows_set(&m->f->s.flows, bio_address(bio - m->bio), &flow);
}

static void write_back(struct model *m)
{
	u32 first, nr = run_of(m, is_waiting, 1 + below(m, 40), &first), i;
	struct model_bio *bio = new_bio(m);

	if (!nr || !bio)
		return;
	for (i = first; i < first + nr; i++) {
		/* of every other page it is told that its writeback starts */
		if (i % 2)
			iob_pages_writeback(&m->f->s.pages, m->page[i].pfn, 1,
					    IOB_REASON_SYNC, false);
		m->page[i].dirty = false;
		m->page[i].writeback = true;
		m->page[i].written = m->page[i].dirtier;
	}
	*bio = (struct model_bio){
		.by_page = true, .op = IOB_OP_WRITE, .first = first, .nr = nr,
	};
	submit(m, bio, UNSEEN);
}

/* Reads, direct writes, discards, flushes. */
static void submit_direct(struct model *m)
{
	struct model_bio *bio = new_bio(m);

	if (!bio)
		return;
	*bio = (struct model_bio){
		.op = below(m, IOB_NR_OPS), .disk = below(m, NR_DISKS),
	};
	if (bio->op != IOB_OP_FLUSH)
		bio->bytes = 512 * (1 + below(m, 64));
	submit(m, bio, below(m, NR_ACTS));
}

/* Into pages that were not there, or are made room for. */
static void read_ahead(struct model *m)
{
	u32 first, nr = run_of(m, is_idle, 1 + below(m, 40), &first), i;
	struct model_bio *bio = new_bio(m);

	if (!nr || !bio || !m->f->s.filter.readahead)
		return;
	for (i = first; i < first + nr; i++) {
		if (m->page[i].read_bytes)
			drop(m, &m->page[i]);
		m->page[i].locked = true;
	}
	*bio = (struct model_bio){
		.by_page = true, .op = IOB_OP_READ, .first = first, .nr = nr,
		.disk = below(m, NR_DISKS),
	};
	submit(m, bio, act_number(below(m, NR_ROLES), 0, m->page[first].file));
}

/* Somebody reads pages from the page cache; of some it cannot be seen. */
static void use(struct model *m)
{
	u32 first, nr = run_of(m, is_clean, 1 + below(m, 20), &first), i;
	enum iob_read_end end = below(m, 5) ? IOB_READ_USED : IOB_READ_UNSEEN;

	for (i = first; i < first + nr; i++)
		leave(m, &m->page[i], end);
}

/* The front part becomes a bio of its own. */
static void split(struct model *m)
{
	struct model_bio *parent = &m->bio[below(m, NR_BIOS)];
	struct model_bio *front = new_bio(m);
	struct iob_flows *flows = &m->f->s.flows;
	struct iob_flow flow;
	u32 nr;

	if (!front || !parent->used || !parent->by_page || parent->nr < 2)
		return;
	nr = 1 + below(m, parent->nr - 1);
	*front = *parent;
	front->nr = nr;
	parent->first += nr;
	parent->nr -= nr;
	if (iob_flows_lookup(flows, bio_address(parent - m->bio), &flow))
		iob_flows_set(flows, bio_address(front - m->bio), &flow);
}

static void account(struct model *m, u32 act, u32 bytes)
{
	const struct iob_io *io = &m->f->io;
	u32 disk = io->dev == disks[1];

	if (!iob_filter_wants_io(&m->f->s.filter, io->dev, io->op))
		return;
	m->bytes[disk][io->op] += bytes;
	m->charged[act] += bytes;
}

static void begin(struct model *m, u32 disk, u32 op)
{
	iob_charge_begin(&m->f->io, disks[disk], disk_names[disk], op, 0,
			 m->now_ns);
}

static void end(struct model *m, u32 disk, bool is_partial)
{
	struct iob_io *io = &m->f->io;

	if (iob_charge_end(&m->f->s, io,
			   is_partial ? BIT(IOB_IO_BIT_PARTIAL) : 0))
		/* who asks for a flush writes, as disk statistics see it */
		m->ios[disk][io->op == IOB_OP_FLUSH ? IOB_OP_WRITE : io->op] +=
			!is_partial;
}

static void charge_read(struct model *m, const struct model_bio *part,
			u32 origin, bool is_known)
{
	const struct iob_io *io = &m->f->io;
	u32 i, bytes;

	for (i = part->first; i < part->first + part->nr; i++) {
		struct model_page *p = &m->page[i];

		bytes = below(m, 8) ? PAGE_SIZE : 512 * (1 + below(m, 7));
		if (is_known)
			iob_charge_read(&m->f->s, &m->f->io, p->pfn, bytes);
		else
			iob_charge_bytes(&m->f->s, &m->f->io, 0, bytes);
		account(m, origin, bytes);
		p->locked = false;
		if (!iob_filter_wants_io(&m->f->s.filter, io->dev, io->op))
			continue;
		p->read_file = p->file;
		p->read_bytes = bytes;
	}
}

static void charge_pages(struct model *m, const struct model_bio *part)
{
	u32 i, bytes;

	for (i = part->first; i < part->first + part->nr; i++) {
		/* the last page of a file is not whole */
		bytes = below(m, 8) ? PAGE_SIZE : 512 * (1 + below(m, 7));
		iob_test_page(&m->f->s, &m->f->io, 1 + m->page[i].file,
			      m->page[i].pfn, bytes, m->page[i].dirty);
		account(m, m->page[i].written, bytes);
	}
}

/* Take @part off @bio, all of it or the front, and charge it. */
static void charge(struct model *m, struct model_bio *bio, bool in_part,
		   struct model_bio *part)
{
	struct iob_flows *flows = &m->f->s.flows;
	u64 address = bio_address(bio - m->bio);
	struct iob_flow *flow = &m->flow;

	*flow = (struct iob_flow){
		.by = bio->by_page && bio->op == IOB_OP_WRITE ?
		      IOB_BY_PAGE : IOB_BY_SUBMITTER,
		.basis = bio->by_page ? IOB_BASIS_PAGE : IOB_BASIS_ISSUER,
		.unknown = IOB_ACT_PREEXISTING,
		.origin = IOB_ACT_PREEXISTING,
	};
	*part = *bio;
	if (in_part) {
		iob_flows_lookup(flows, address, flow);
		part->nr = bio->nr ? 1 + below(m, bio->nr - 1) : 0;
		part->bytes = bio->bytes ? 512 : 0;
	} else {
		iob_flows_take(flows, address, flow);
		bio->used = false;
	}
	bio->first += part->nr;
	bio->nr -= part->nr;
	bio->bytes -= part->bytes;

	iob_charge_flow(&m->f->s, &m->f->io, flow);
	if (bio->by_page && bio->op == IOB_OP_READ) {
		charge_read(m, part, bio->origin, flow->by == IOB_BY_READER);
	} else if (bio->by_page) {
		charge_pages(m, part);
	} else {
		iob_charge_bytes(&m->f->s, &m->f->io, 0, part->bytes);
		account(m, bio->origin, part->bytes);
		if (bio->op == IOB_OP_READ &&
		    iob_filter_wants_io(&m->f->s.filter, m->f->io.dev, bio->op))
			m->ends[IOB_READ_UNSEEN] += part->bytes;
	}
}

/*
 * A request of some bios completes, the last of them perhaps in part; pages
 * may be written to a second disk, too.
 */
static void finish(struct model *m)
{
	enum { MAX = 3 };
	struct model_bio *bio, part[MAX];
	u32 b, i, nr = 0, max = 1 + below(m, MAX);
	bool in_part = false;

	for (b = below(m, NR_BIOS); b < NR_BIOS && nr < max && !in_part; b++) {
		bio = &m->bio[b];
		if (!bio->used || (nr && (bio->op != part[0].op ||
					  bio->disk != part[0].disk)))
			continue;
		if (!nr)
			begin(m, bio->disk, bio->op);
		in_part = (bio->nr > 1 || bio->bytes > 512) && !below(m, 4);
		charge(m, bio, in_part, &part[nr++]);
	}
	if (!nr)
		return;
	end(m, part[0].disk, in_part);
	if (part[0].op == IOB_OP_WRITE && !below(m, 6)) {
		begin(m, 1, part[0].op);
		for (i = 0; i < nr; i++)
			charge_pages(m, &part[i]);
		end(m, 1, false);
	}
	while (nr--)
		for (i = part[nr].first; i < part[nr].first + part[nr].nr; i++)
			m->page[i].writeback = false;
}

static void cancel(struct model *m)
{
	u32 first, nr = run_of(m, is_waiting, 1 + below(m, 8), &first), i, act;
	struct iob_file_key key;

	iob_test_file_key(1 + m->page[first].file, &key);
	for (i = first; i < first + nr; i++) {
		iob_charge_read_end(&m->f->s, m->page[i].pfn, 1, &key,
				    IOB_READ_UNUSED);
		iob_charge_cancel(&m->f->s, disks[0], m->page[i].pfn, 1, &key,
				  &act);
		m->page[i].dirty = false;
	}
}

/* Compaction: to other frames, which may have held anything. */
static void move(struct model *m)
{
	u32 i = below(m, NR_PAGES), spare = below(m, NR_SPARE);
	u64 from = m->page[i].pfn;

	if (m->page[i].writeback || m->page[i].locked)
		return;
	iob_charge_move(&m->f->s, from, m->spare[spare], 1);
	m->page[i].pfn = m->spare[spare];
	m->spare[spare] = from;
}

/* The frames hold another file now; their leaving the old one is not seen. */
static void reuse(struct model *m)
{
	u32 first, nr = run_of(m, is_idle, 1 + below(m, 32), &first), i;
	u32 file = below(m, NR_FILES);

	for (i = first; i < first + nr; i++)
		m->page[i].file = file;
}

static void check(struct model *m)
{
	struct iob_state *s = &m->f->s;
	const struct iob_device_op *sums;
	u32 disk, op;

	for (disk = 0; disk < NR_DISKS; disk++) {
		for (op = 0; op < IOB_NR_OPS; op++) {
			sums = &iob_devices_get(&s->devices, disks[disk],
						disk_names[disk])->op[op];
			KUNIT_ASSERT_EQ(m->test, m->bytes[disk][op],
					(u64)atomic64_read(&sums->bytes));
			KUNIT_ASSERT_EQ(m->test, m->ios[disk][op],
					(u64)atomic64_read(&sums->ios));
			KUNIT_ASSERT_EQ(m->test, m->bytes[disk][op],
					iob_test_row_bytes(s, disks[disk], op) +
					atomic64_read(&sums->folded_bytes));
		}
	}
}

/* With room for everything, each act has exactly its bytes. */
static void check_acts(struct model *m)
{
	u32 number;

	for (number = 0; number <= NR_ACTS; number++)
		KUNIT_EXPECT_EQ(m->test, m->charged[number],
				iob_test_act_bytes(&m->f->s,
						   act_id(m, number)));
}

/* And of what was read is told what the model knows. */
static void check_reads(struct model *m)
{
	enum iob_read_end end;

	for (end = 0; end < IOB_NR_READ_ENDS; end++)
		KUNIT_EXPECT_EQ(m->test, m->ends[end],
				iob_test_read_end(&m->f->s, end));
}

static void reset(struct model *m)
{
	iob_state_reset(&m->f->s);
	memset(m->bytes, 0, sizeof(m->bytes));
	memset(m->ios, 0, sizeof(m->ios));
	memset(m->charged, 0, sizeof(m->charged));
	memset(m->ends, 0, sizeof(m->ends));
}

static void step(struct model *m)
{
	static void (* const steps[])(struct model *m) = {
		dirty, dirty, dirty, decline, write_back, write_back,
		write_back, submit_direct, submit_direct, split, finish,
		finish, finish, finish, cancel, reuse, move, read_ahead,
		read_ahead, use, use, use,
	};

	m->now_ns += 1 + below(m, 10000000);
	steps[below(m, ARRAY_SIZE(steps))](m);
}

struct world {
	const char *name;
	struct iob_limits limits;
	struct iob_filter filter;
	u32 fault_every;
	bool is_exact;		/* there is room for everything */
};

#define ROOM	{ 64, 256, 64, 4096, 64, 64, 1024 }
#define READS	{ .readahead = true }
#define ACTS(n)	(IOB_NR_RESERVED_ACTS + (n))

static const struct world worlds[] = {
	{ "room for everything", ROOM, READS, 0, true },
	{ "every table tiny", { 2, ACTS(2), 2, 3, 2, 64, 4 }, READS, 0, false },
	{ "one of each", { 2, ACTS(1), 2, 1, 1, 64, 0 }, READS, 0, false },
	{ "few rows", { 64, 256, 64, 7, 64, 64, 1024 }, READS, 0, false },
	{ "few acts", { 64, ACTS(9), 64, 4096, 64, 64, 1024 }, READS, 0, false },
	{ "few bios", { 64, 256, 64, 4096, 1, 64, 1024 }, READS, 0, false },
	{ "no memory for pages", { 64, 256, 64, 4096, 64, 64, 0 }, READS, 0, false },
	{ "allocations fail", ROOM, READS, 2, false },
	{ "allocations fail, tables tiny", { 2, ACTS(2), 2, 3, 2, 64, 8 }, READS, 2,
	  false },
	{ "one disk wanted", ROOM,
	  { .nr_dev = 1, .dev = { IOB_TEST_DISK }, .readahead = true }, 0, true },
	{ "writes wanted", { 64, 256, 64, 9, 64, 64, 1024 },
	  { .ops = BIT(IOB_OP_WRITE), .readahead = true }, 0, false },
	{ "two tasks wanted", { 64, 256, 64, 9, 64, 64, 1024 },
	  { .nr_tgid = 2, .tgid = { 1, 3 } }, 0, false },
};

IOB_TEST_PARAMS(world, worlds)

static void run(struct kunit *test, u64 seed)
{
	const struct world *w = test->param_value;
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	m->seed = seed;
	iob_test_faults(test, 0, 0);
	m->f = iob_fixture_create(test, &w->limits, &w->filter);
	iob_test_faults(test, w->fault_every, w->fault_every);
	for (i = 0; i < NR_PAGES; i++) {
		m->page[i].pfn = FRAMES_AT + i;
		m->page[i].file = i / 16 % NR_FILES;
		m->page[i].dirty = !(i % 5);
		m->page[i].dirtier = UNSEEN;
	}
	for (i = 0; i < NR_SPARE; i++)
		m->spare[i] = FRAMES_AT + NR_PAGES + i;
	for (i = 1; i <= 1500; i++) {
		step(m);
		if (!(i % 100))
			check(m);
		if (!(i % 70))
			iob_test_sweep(&m->f->s);
		if (!(i % 700))
			reset(m);
	}
	check(m);
	if (w->is_exact) {
		check_acts(m);
		check_reads(m);
	}
	iob_fixture_exit(test);
	test->priv = NULL;
}

static void bytes_are_conserved(struct kunit *test)
{
	u64 seed;

	for (seed = 1; seed <= IOB_TEST_SEEDS; seed++)
		run(test, seed);
}

static struct kunit_case conserve_cases[] = {
	KUNIT_CASE_PARAM(bytes_are_conserved, world_gen_params),
	{}
};

static struct kunit_suite conserve_suite = {
	.name = "ioblame_conserve",
	.exit = iob_fixture_exit,
	.test_cases = conserve_cases,
};

kunit_test_suites(&conserve_suite);
