// SPDX-License-Identifier: GPL-2.0
/*
 * reader FILE [options]: read FILE to its end, in order.
 */
#include "work.h"

#include <fcntl.h>
#include <stdbool.h>

static const char usage[] =
	"usage: %s FILE [options]\n"
	"  -b BYTES  per read (65536)\n"
	"  -d        O_DIRECT\n"
	"  -k        say who read: pid tid start_ns comm bytes\n";

int main(int argc, char **argv)
{
	unsigned long long block_bytes = 65536, bytes = 0;
	bool direct = false, tell = false;
	ssize_t len;
	char *data;
	int c, fd;

	while ((c = getopt(argc, argv, "b:dk")) != -1) {
		switch (c) {
		case 'b':
			block_bytes = parse_bytes(optarg);
			break;
		case 'd':
			direct = true;
			break;
		case 'k':
			tell = true;
			break;
		default:
			block_bytes = 0;
		}
	}
	if (argc - optind != 1 || !block_bytes) {
		fprintf(stderr, usage, argv[0]);
		return 2;
	}
	fd = open(argv[optind], O_RDONLY | (direct ? O_DIRECT : 0));
	if (fd < 0)
		die(argv[optind]);
	if (posix_memalign((void **)&data, BLOCK_BYTES, block_bytes))
		die("memory");
	/* btrfs may read through the page cache into memory that is not there yet */
	memset(data, 1, block_bytes);
	while ((len = read(fd, data, block_bytes)) > 0)
		bytes += (unsigned long long)len;
	if (len < 0)
		die(argv[optind]);
	if (tell)
		print_identity(bytes);
	return 0;
}
