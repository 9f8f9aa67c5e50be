// SPDX-License-Identifier: GPL-2.0
/*
 * writer FILE BYTES [options]: write BYTES of data to FILE, in order.
 *
 * Does that one thing and nothing beside it, so that a test knows to the byte
 * what this process owes. Works under any name: the name is the ground truth.
 */
#include "work.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct {
	const char *path;
	unsigned long long bytes;
	unsigned long long block_bytes;
	unsigned long long offset;
	unsigned long long gap;
	const char *new_name;
	bool keep_content;
	bool sync_at_end;
	bool in_child;
	bool in_thread;
	bool leave_at_once;
	bool wait_for_stdin;
	bool direct;
	bool sync_each;
	bool map;
	bool tell;
} opt = {
	.block_bytes = 65536,
};

static const char usage[] =
	"usage: %s FILE BYTES [options]\n"
	"  -b BYTES  per write (65536)\n"
	"  -o BYTES  start there, and do not truncate the file\n"
	"  -g BYTES  left out after each write\n"
	"  -f        fsync (with -m: msync) at the end\n"
	"  -r NAME   take another name when half is written\n"
	"  -F        let a forked child write, and wait for it\n"
	"  -t        let a second thread write\n"
	"  -x        leave after the last write, without closing anything\n"
	"  -w        stay until stdin ends\n"
	"  -d        O_DIRECT\n"
	"  -s        O_SYNC\n"
	"  -m        through a shared mapping\n"
	"  -k        say who writes: pid tid start_ns comm bytes\n"
	"Sizes take a k or m behind them.\n";

/* Never all zeros, and no two blocks alike: nothing below may drop or merge them. */
static void fill(char *data, unsigned long long len, unsigned long long pos)
{
	unsigned long long i, word;

	for (i = 0; i < len; i += sizeof(word)) {
		word = (pos + i + 1) * 0x9e3779b97f4a7c15ULL ^
		       (unsigned long long)getpid();
		memcpy(data + i, &word, len - i < sizeof(word) ?
		       len - i : sizeof(word));
	}
}

static void put(int fd, char *map, char *data, unsigned long long pos,
		unsigned long long len)
{
	ssize_t done;

	fill(data, len, pos);
	pos += pos / opt.block_bytes * opt.gap;
	if (map) {
		memcpy(map + pos, data, len);
		return;
	}
	while (len) {
		done = pwrite(fd, data, len, (off_t)(opt.offset + pos));
		if (done <= 0)
			die(opt.path);
		data += done;
		pos += (unsigned long long)done;
		len -= (unsigned long long)done;
	}
}

static void put_range(int fd, char *map, char *data, unsigned long long from,
		      unsigned long long to)
{
	unsigned long long len;

	if (opt.tell)
		print_identity(to - from);
	for (; from < to; from += len) {
		len = to - from < opt.block_bytes ? to - from : opt.block_bytes;
		put(fd, map, data, from, len);
	}
}

static char *map_file(int fd)
{
	unsigned long long len = opt.bytes +
				 opt.bytes / opt.block_bytes * opt.gap;
	struct stat st;
	char *map;

	if (fstat(fd, &st))
		die(opt.path);
	if ((unsigned long long)st.st_size < opt.offset + len &&
	    ftruncate(fd, (off_t)(opt.offset + len)))
		die(opt.path);
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   (off_t)opt.offset);
	if (map == MAP_FAILED)
		die("mmap");
	return map;
}

static int write_file(void)
{
	int flags = O_CREAT | (opt.map ? O_RDWR : O_WRONLY) |
		    (opt.keep_content ? 0 : O_TRUNC) |
		    (opt.direct ? O_DIRECT : 0) | (opt.sync_each ? O_SYNC : 0);
	unsigned long long half = 0;
	char *data, *map = NULL;
	int fd;

	fd = open(opt.path, flags, 0644);
	if (fd < 0)
		die(opt.path);
	if (posix_memalign((void **)&data, BLOCK_BYTES, opt.block_bytes))
		die("memory");
	if (opt.map)
		map = map_file(fd);

	if (opt.new_name) {
		half = ALIGN_DOWN(opt.bytes / 2, BLOCK_BYTES);
		put_range(fd, map, data, 0, half);
		prctl(PR_SET_NAME, opt.new_name);
	}
	put_range(fd, map, data, half, opt.bytes);

	if (opt.sync_at_end &&
	    (map ? msync(map, opt.bytes, MS_SYNC) : fsync(fd)))
		die("sync");
	if (opt.leave_at_once)
		_exit(0);
	if (opt.wait_for_stdin)
		while (read(0, data, 1) > 0)
			;
	return close(fd);
}

static void *write_file_thread(void *unused)
{
	(void)unused;
	if (write_file())
		die(opt.path);
	return NULL;
}

static int write_in_thread(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, write_file_thread, NULL);
	if (!errno)
		errno = pthread_join(thread, NULL);
	if (errno)
		die("thread");
	return 0;
}

static int write_in_child(void)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (!child)
		return write_file();
	if (waitpid(child, &status, 0) != child)
		die("wait");
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

static bool parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "b:g:o:r:fFtxwdsmk")) != -1) {
		switch (c) {
		case 'b':
			opt.block_bytes = parse_bytes(optarg);
			break;
		case 'g':
			opt.gap = parse_bytes(optarg);
			break;
		case 'o':
			opt.offset = parse_bytes(optarg);
			opt.keep_content = true;
			if (!opt.offset && strcmp(optarg, "0"))
				return false;
			break;
		case 'r':
			opt.new_name = optarg;
			break;
		case 'f':
			opt.sync_at_end = true;
			break;
		case 'F':
			opt.in_child = true;
			break;
		case 't':
			opt.in_thread = true;
			break;
		case 'x':
			opt.leave_at_once = true;
			break;
		case 'w':
			opt.wait_for_stdin = true;
			break;
		case 'd':
			opt.direct = true;
			break;
		case 's':
			opt.sync_each = true;
			break;
		case 'm':
			opt.map = true;
			break;
		case 'k':
			opt.tell = true;
			break;
		default:
			return false;
		}
	}
	if (argc - optind != 2)
		return false;
	opt.path = argv[optind];
	opt.bytes = parse_bytes(argv[optind + 1]);
	return opt.bytes && opt.block_bytes;
}

int main(int argc, char **argv)
{
	if (!parse(argc, argv)) {
		fprintf(stderr, usage, argv[0]);
		return 2;
	}
	if (opt.in_child)
		return write_in_child();
	if (opt.in_thread)
		return write_in_thread();
	return write_file();
}
