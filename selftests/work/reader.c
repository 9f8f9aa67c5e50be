// SPDX-License-Identifier: GPL-2.0
/*
 * reader FILE [options]: read FILE, all of it or parts, in order.
 */
#include "work.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const char usage[] =
	"usage: %s FILE [options]\n"
	"  -b BYTES  per read (65536)\n"
	"  -g BYTES  left out after each\n"
	"  -n BYTES  to the last of which it reads (all)\n"
	"  -w        tell the kernel before that all of FILE will be needed\n"
	"  -d        O_DIRECT\n"
	"  -m        through a mapping: one byte a page\n"
	"  -s        by splice(2), into a pipe\n"
	"  -k        say who read: pid tid start_ns comm bytes\n";

/* Not more at once than the kernel takes at once. */
#define ADVICE_BYTES	65536

struct job {
	int fd;
	char *data;		/* a buffer, or FILE mapped */
	int pipe[2];
	ssize_t (*read)(struct job *job, size_t bytes, off_t at);
};

static ssize_t by_read(struct job *job, size_t bytes, off_t at)
{
	return pread(job->fd, job->data, bytes, at);
}

static ssize_t by_mapping(struct job *job, size_t bytes, off_t at)
{
	volatile const char *map = job->data + at;
	size_t i;

	for (i = 0; i < bytes; i += BLOCK_BYTES)
		(void)map[i];
	return (ssize_t)bytes;
}

static ssize_t by_splice(struct job *job, size_t bytes, off_t at)
{
	ssize_t len = splice(job->fd, &at, job->pipe[1], NULL, bytes, 0);
	ssize_t left = len, out;
	char scrap[4096];

	for (; left > 0; left -= out) {
		out = read(job->pipe[0], scrap, sizeof(scrap));
		if (out <= 0)
			return -1;
	}
	return len;
}

static void advise(int fd, off_t size)
{
	off_t at;

	for (at = 0; at < size; at += ADVICE_BYTES)
		if (posix_fadvise(fd, at, ADVICE_BYTES, POSIX_FADV_WILLNEED))
			die("posix_fadvise");
}

int main(int argc, char **argv)
{
	unsigned long long block = 65536, gap = 0, end = 0, bytes = 0, at, size;
	bool direct = false, tell = false, need = false, bad = false;
	struct job job = { .read = by_read };
	struct stat st;
	ssize_t len;
	int c;

	while ((c = getopt(argc, argv, "b:g:n:wdmsk")) != -1) {
		switch (c) {
		case 'b':
			block = parse_bytes(optarg);
			break;
		case 'g':
			gap = parse_bytes(optarg);
			break;
		case 'n':
			end = parse_bytes(optarg);
			break;
		case 'w':
			need = true;
			break;
		case 'd':
			direct = true;
			break;
		case 'm':
			job.read = by_mapping;
			break;
		case 's':
			job.read = by_splice;
			break;
		case 'k':
			tell = true;
			break;
		default:
			bad = true;
		}
	}
	if (bad || argc - optind != 1 || !block) {
		fprintf(stderr, usage, argv[0]);
		return 2;
	}
	job.fd = open(argv[optind], O_RDONLY | (direct ? O_DIRECT : 0));
	if (job.fd < 0 || fstat(job.fd, &st) || pipe(job.pipe))
		die(argv[optind]);
	size = (unsigned long long)st.st_size;
	if (!end || end > size)
		end = size;
	if (need)
		advise(job.fd, st.st_size);
	if (job.read == by_mapping) {
		job.data = mmap(NULL, size, PROT_READ, MAP_SHARED, job.fd, 0);
		if (job.data == MAP_FAILED)
			die("mmap");
	} else {
		if (posix_memalign((void **)&job.data, BLOCK_BYTES, block))
			die("memory");
		/* btrfs may read through the page cache into memory that is not there yet */
		memset(job.data, 1, block);
	}
	for (at = 0; at < end; at += block + gap) {
		/* direct IO takes whole blocks, also behind the end */
		len = job.read(&job, direct || end - at > block ? block : end - at,
			       (off_t)at);
		if (len < 0)
			die(argv[optind]);
		bytes += (unsigned long long)len;
	}
	if (tell)
		print_identity(bytes);
	return 0;
}
