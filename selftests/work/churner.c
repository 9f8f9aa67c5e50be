// SPDX-License-Identifier: GPL-2.0
/*
 * churner DIR COUNT [options]: COUNT times make a small file in DIR, append to
 * it, fsync it and rename it: as mail spools and package managers do.
 */
#include "work.h"

#include <fcntl.h>
#include <stdbool.h>

static const char usage[] =
	"usage: %s DIR COUNT [options]\n"
	"  -s N   the first one's number\n"
	"  -k     say who it was: pid tid start_ns comm bytes\n";

static const char text[3000];

static void churn(const char *dir, long i)
{
	char path[4096], final[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/.%ld.new", dir, i);
	snprintf(final, sizeof(final), "%s/%ld", dir, i);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
	if (fd < 0)
		die(path);
	if (write(fd, text, sizeof(text)) != (ssize_t)sizeof(text) ||
	    write(fd, text, sizeof(text)) != (ssize_t)sizeof(text) ||
	    fsync(fd) || close(fd) || rename(path, final))
		die(path);
}

int main(int argc, char **argv)
{
	bool tell = false, bad = false;
	long i, count;
	long start = 0;
	int c;

	while ((c = getopt(argc, argv, "ks:")) != -1) {
		if (c == 'k')
			tell = true;
		else if (c == 's')
			start = atol(optarg);
		else
			bad = true;
	}
	if (bad || argc - optind != 2) {
		fprintf(stderr, usage, argv[0]);
		return 2;
	}
	count = atol(argv[optind + 1]);
	for (i = start; i < start + count; i++)
		churn(argv[optind], i);
	if (tell)
		print_identity((unsigned long long)count * 2 * sizeof(text));
	return 0;
}
