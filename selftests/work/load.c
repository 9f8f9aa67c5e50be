// SPDX-License-Identifier: GPL-2.0
/*
 * load NAME PATH COUNT [ACTS]: one of the loads of the benchmark, in a few phases; how
 * many instructions all tasks have executed in each (meter.h), and what it has moved.
 *
 * What comes before the first phase (files removed, pages dropped) is not counted. After
 * the last one the machine is left alone for a while: whoever reads a trace now and then
 * has read it before the count ends.
 */
#include "meter.h"

#include <liburing.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#define MIB		(1ULL << 20)
#define SPIN_TURNS	1000000		/* a unit of the load "spin": twice as many instructions */
#define NAP_NS		2000000		/* between units of the load "nap" */
#define SETTLE_NS	250000000
#define CALM_NS		999000000	/* what was begun before, such as XFS's log, has ended */
#define RING_DEPTH	16
#define READ_BYTES	65536

struct job {
	const char *path;
	unsigned long count;
	unsigned long acts;		/* names it goes by, one for each */
	struct meter meter;
	int fd;
	int stat_fd;			/* statistics of the disk below, or -1 */
	unsigned long long blocks;	/* of a disk */
	char *map;
	struct io_uring ring;
};

struct phase {
	const char *name;
	void (*run)(struct job *job);
	bool by_acts;			/* one for each of ACTS, not of COUNT */
};

struct load {
	const char *name;
	void (*prepare)(struct job *job);
	void (*clean_up)(struct job *job);
	struct phase phases[2];
	unsigned long long unit_bytes;	/* moved by one of COUNT */
};

static char *data;

static void open_it(struct job *job, int flags)
{
	job->fd = open(job->path, flags, 0644);
	if (job->fd < 0)
		die(job->path);
}

static void sync_all(struct job *job)
{
	if (syncfs(job->fd))
		die("syncfs");
}

static void rest(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

/* --- calibration: so many instructions, known beforehand */

static void spin_one(void)
{
	unsigned long turns = SPIN_TURNS;

	asm volatile("1: dec %0; jnz 1b" : "+r"(turns) : : "cc");
}

static void spin(struct job *job)
{
	for (unsigned long i = 0; i < job->count; i++)
		spin_one();
}

static void spin_and_nap(struct job *job)
{
	for (unsigned long i = 0; i < job->count; i++) {
		spin_one();
		rest(NAP_NS);
	}
}

static void read_by(struct job *job, size_t bytes)
{
	for (unsigned long i = 0; i < job->count; i++)
		if (pread(job->fd, data, bytes, 0) != (ssize_t)bytes)
			die(job->path);
}

static void peek(struct job *job)
{
	read_by(job, 1);
}

static void copy(struct job *job)
{
	read_by(job, BLOCK_BYTES);
}

/* One page that stays in the cache. */
static void make_one_page(struct job *job)
{
	open_it(job, O_RDWR | O_CREAT);
	if (pwrite(job->fd, data, BLOCK_BYTES, 0) != BLOCK_BYTES)
		die(job->path);
	sync_all(job);
}

/* --- buffered writes to an empty file, then write-back by the kernel's own threads */

/* Not removed: a worker would give its blocks back some time later. */
static void make_empty(struct job *job)
{
	if (ftruncate(job->fd, 0))
		die(job->path);
	sync_all(job);
}

static void make_empty_file(struct job *job)
{
	open_it(job, O_RDWR | O_CREAT);
	make_empty(job);
}

static void write_by(struct job *job, size_t bytes)
{
	for (unsigned long i = 0; i < job->count; i++)
		if (write(job->fd, data, bytes) != (ssize_t)bytes)
			die(job->path);
}

static void write_pages(struct job *job)
{
	write_by(job, BLOCK_BYTES);
}

static void write_mib(struct job *job)
{
	write_by(job, MIB);
}

/* --- a file that is there */

static void read_all(struct job *job)
{
	ssize_t n;

	if (lseek(job->fd, 0, SEEK_SET))
		die(job->path);
	while ((n = read(job->fd, data, READ_BYTES)) > 0)
		;
	if (n < 0)
		die(job->path);
}

static void find_file(struct job *job)
{
	struct stat st;

	open_it(job, O_RDWR | O_CREAT);
	if (fstat(job->fd, &st))
		die(job->path);
	if ((unsigned long long)st.st_size != job->count * BLOCK_BYTES) {
		if (ftruncate(job->fd, 0))
			die(job->path);
		write_pages(job);
	}
	sync_all(job);
}

static void make_cold(struct job *job)
{
	find_file(job);
	if (posix_fadvise(job->fd, 0, 0, POSIX_FADV_DONTNEED))
		die("posix_fadvise");
}

static void make_warm(struct job *job)
{
	find_file(job);
	read_all(job);
}

/* --- pages dirtied through a mapping of a file that is in the cache */

static void map_file(struct job *job)
{
	size_t len = job->count * BLOCK_BYTES;

	make_warm(job);
	job->map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, job->fd,
			0);
	if (job->map == MAP_FAILED)
		die("mmap");
}

static void touch_pages(struct job *job)
{
	for (unsigned long i = 0; i < job->count; i++)
		((volatile char *)job->map)[i * BLOCK_BYTES]++;
}

/* --- small files, each made safe before the next */

static void small_path(char *path, const struct job *job, unsigned long i)
{
	snprintf(path, 4096, "%s.%lu", job->path, i);
}

/*
 * ext4 leaves an inode alone for some minutes after it was deleted, and an allocation
 * that steps over such ones takes longer: let that time pass.
 */
static void let_minutes_pass(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		die("clock");
	now.tv_sec += 600;
	if (clock_settime(CLOCK_REALTIME, &now))
		die("clock");
}

static void remove_files(struct job *job)
{
	char path[4096];

	for (unsigned long i = 0; i < job->count; i++) {
		small_path(path, job, i);
		if (unlink(path) && errno != ENOENT)
			die(path);
	}
	open_it(job, O_RDWR | O_CREAT);
	sync_all(job);
	let_minutes_pass();
}

static void make_files(struct job *job)
{
	char path[4096];
	int fd;

	for (unsigned long i = 0; i < job->count; i++) {
		small_path(path, job, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
		if (fd < 0 || write(fd, data, BLOCK_BYTES) != BLOCK_BYTES ||
		    fsync(fd) || close(fd))
			die(path);
	}
}

/* --- pages dirtied by many, one after the other: a thread by another name is another */

static void take_name(unsigned long nr)
{
	char name[16] = "act-00000000";
	int i;

	for (i = 11; nr; i--, nr >>= 4)
		name[i] = "0123456789abcdef"[nr & 15];
	prctl(PR_SET_NAME, name);
}

static void dirty_page(struct job *job, unsigned long page)
{
	if (pwrite(job->fd, data, 8, (off_t)(page * BLOCK_BYTES)) != 8)
		die(job->path);
}

/* Each for the first time. A page must be clean to be dirtied. */
static void act_anew(struct job *job)
{
	unsigned long i;

	for (i = 0; i < job->acts; i++) {
		if (i && i % job->count == 0)
			sync_all(job);
		take_name(i);
		dirty_page(job, i % job->count);
	}
	sync_all(job);
}

/* Once more, COUNT of them, from all over. */
static void act_again(struct job *job)
{
	unsigned long i;

	for (i = 0; i < job->count; i++) {
		take_name(i * 7919 % job->acts);
		dirty_page(job, i);
	}
}

/* --- direct IO at random places, the same ones each time */

static void open_disk(struct job *job)
{
	off_t size;

	open_it(job, O_RDWR | O_DIRECT);
	size = lseek(job->fd, 0, SEEK_END);
	if (size <= 0)
		die(job->path);
	job->blocks = (unsigned long long)size / BLOCK_BYTES;
	errno = -io_uring_queue_init(RING_DEPTH, &job->ring, 0);
	if (errno)
		die("io_uring");
}

static off_t random_place(const struct job *job, unsigned long i)
{
	uint64_t word = (i + 1) * 0x9e3779b97f4a7c15ULL;

	return (off_t)((word >> 20) % job->blocks * BLOCK_BYTES);
}

static void read_direct(struct job *job)
{
	for (unsigned long i = 0; i < job->count; i++)
		if (pread(job->fd, data, BLOCK_BYTES, random_place(job, i)) !=
		    BLOCK_BYTES)
			die(job->path);
}

static void write_direct(struct job *job)
{
	for (unsigned long i = 0; i < job->count; i++)
		if (pwrite(job->fd, data, BLOCK_BYTES, random_place(job, i)) !=
		    BLOCK_BYTES)
			die(job->path);
}

static void reap(struct job *job, unsigned int nr)
{
	struct io_uring_cqe *cqe;

	for (; nr; nr--) {
		errno = -io_uring_wait_cqe(&job->ring, &cqe);
		if (errno)
			die("io_uring");
		if (cqe->res != BLOCK_BYTES) {
			errno = -cqe->res;
			die(job->path);
		}
		io_uring_cqe_seen(&job->ring, cqe);
	}
}

/* RING_DEPTH at once, then all of them are waited for. */
static void by_ring(struct job *job, bool is_write, bool in_order)
{
	struct io_uring_sqe *sqe;
	unsigned long i = 0;
	unsigned int k;
	off_t place;

	while (i < job->count) {
		for (k = 0; k < RING_DEPTH && i < job->count; k++, i++) {
			sqe = io_uring_get_sqe(&job->ring);
			place = in_order ? (off_t)(i * BLOCK_BYTES) :
					   random_place(job, i);
			if (is_write)
				io_uring_prep_write(sqe, job->fd, data + k * BLOCK_BYTES,
						    BLOCK_BYTES, (__u64)place);
			else
				io_uring_prep_read(sqe, job->fd, data + k * BLOCK_BYTES,
						   BLOCK_BYTES, (__u64)place);
		}
		if (io_uring_submit(&job->ring) != (int)k)
			die("io_uring");
		reap(job, k);
	}
}

static void read_by_ring(struct job *job)
{
	by_ring(job, false, false);
}

static void write_by_ring(struct job *job)
{
	by_ring(job, true, false);
}

/* Neighbours become one request: many bios an IO. */
static void read_merged(struct job *job)
{
	by_ring(job, false, true);
}

static const struct load loads[] = {
	{ "spin", NULL, NULL, { { "spin", spin, false } }, 0 },
	{ "nap", NULL, NULL, { { "spin", spin_and_nap, false } }, 0 },
	{ "peek", make_one_page, NULL, { { "peek", peek, false } }, 0 },
	{ "copy", make_one_page, NULL, { { "copy", copy, false } }, 0 },
	{ "write4k", make_empty_file, make_empty,
	  { { "write", write_pages, false }, { "sync", sync_all, false } }, BLOCK_BYTES },
	{ "write1m", make_empty_file, make_empty,
	  { { "write", write_mib, false }, { "sync", sync_all, false } }, MIB },
	{ "mmap", map_file, NULL,
	  { { "write", touch_pages, false }, { "sync", sync_all, false } }, BLOCK_BYTES },
	{ "files", remove_files, NULL, { { "fsync", make_files, false } }, BLOCK_BYTES },
	{ "acts", make_warm, NULL,
	  { { "new", act_anew, true }, { "again", act_again, false } }, BLOCK_BYTES },
	{ "read", make_cold, NULL, { { "read", read_all, false } }, BLOCK_BYTES },
	{ "pread", open_disk, NULL, { { "io", read_direct, false } }, BLOCK_BYTES },
	{ "pwrite", open_disk, NULL, { { "io", write_direct, false } }, BLOCK_BYTES },
	{ "uring-read", open_disk, NULL, { { "io", read_by_ring, false } }, BLOCK_BYTES },
	{ "uring-write", open_disk, NULL, { { "io", write_by_ring, false } }, BLOCK_BYTES },
	{ "uring-merge", open_disk, NULL, { { "io", read_merged, false } }, BLOCK_BYTES },
};

static const struct load *find_load(const char *name)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		if (!strcmp(name, loads[i].name))
			return &loads[i];
	return NULL;
}

/* Requests that the disk below has completed, and bios that joined another's. */
struct disk {
	unsigned long long ios, merges;
};

static struct disk look_at_disk(struct job *job)
{
	unsigned long long f[6] = { 0 };
	char text[512];
	struct disk d = { 0, 0 };
	ssize_t n;

	if (job->stat_fd < 0)
		return d;
	n = pread(job->stat_fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		die("disk statistics");
	text[n] = '\0';
	if (sscanf(text, "%llu %llu %llu %llu %llu %llu", f, f + 1, f + 2,
		   f + 3, f + 4, f + 5) != 6)
		die("disk statistics");
	d.ios = f[0] + f[4];
	d.merges = f[1] + f[5];
	return d;
}

static void find_disk(struct job *job)
{
	char path[64];
	struct stat st;
	dev_t dev;

	job->stat_fd = -1;
	if (job->fd < 0 || fstat(job->fd, &st))
		return;
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(dev),
		 minor(dev));
	job->stat_fd = open(path, O_RDONLY);
}

static void settle(struct job *job)
{
	(void)job;
	rest(SETTLE_NS);
}

/* phase, instructions, pages moved, requests completed, bios */
static void run_phase(struct job *job, const struct phase *phase,
		      unsigned long long bytes)
{
	struct disk before = look_at_disk(job), after;
	unsigned long long ios;
	uint64_t count;

	meter_start(&job->meter);
	phase->run(job);
	count = meter_stop(&job->meter);
	after = look_at_disk(job);
	ios = after.ios - before.ios;
	printf("%s\t%llu\t%llu\t%llu\t%llu\n", phase->name,
	       (unsigned long long)count, bytes / BLOCK_BYTES, ios,
	       ios + after.merges - before.merges);
}

int main(int argc, char **argv)
{
	const struct phase last = { "settle", settle, false };
	const struct load *load = argc == 4 || argc == 5 ? find_load(argv[1]) :
							   NULL;
	struct job job = { .fd = -1 };
	size_t i;

	if (!load) {
		fprintf(stderr, "usage: %s NAME PATH COUNT [ACTS]\nNAME is one of:", argv[0]);
		for (i = 0; i < sizeof(loads) / sizeof(*loads); i++)
			fprintf(stderr, " %s", loads[i].name);
		fprintf(stderr, "\n");
		return 2;
	}
	job.path = argv[2];
	job.count = strtoul(argv[3], NULL, 10);
	job.acts = argc == 5 ? strtoul(argv[4], NULL, 10) : 1;
	if (!job.count || !job.acts) {
		fprintf(stderr, "%s: COUNT and ACTS begin at 1\n", argv[0]);
		return 2;
	}
	if (posix_memalign((void **)&data, BLOCK_BYTES, MIB))
		die("memory");
	memset(data, 0x5a, MIB);
	if (load->prepare)
		load->prepare(&job);
	find_disk(&job);
	rest(CALM_NS);
	meter_init(&job.meter);
	for (i = 0; i < 2 && load->phases[i].run; i++)
		run_phase(&job, &load->phases[i], load->unit_bytes *
			  (load->phases[i].by_acts ? job.acts : job.count));
	run_phase(&job, &last, 0);
	/* So that the next one finds the same room. */
	if (load->clean_up)
		load->clean_up(&job);
	fflush(stdout);
	return 0;
}
