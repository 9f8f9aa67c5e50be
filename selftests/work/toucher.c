// SPDX-License-Identifier: GPL-2.0
/*
 * toucher DIR COUNT [options]: make COUNT empty files in DIR: metadata, and
 * not one byte of data.
 */
#include "work.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

static const char usage[] =
	"usage: %s DIR COUNT [options]\n"
	"  -a  the files exist: change their times only\n"
	"  -u  the files exist: remove them\n"
	"  -k  say who it was: pid tid start_ns comm 0\n";

enum verb { MAKE, CHANGE_TIMES, REMOVE };

static int touch(const char *path, enum verb verb)
{
	int fd;

	switch (verb) {
	case MAKE:
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
		return fd < 0 ? -1 : close(fd);
	case CHANGE_TIMES:
		return utimensat(AT_FDCWD, path, NULL, 0);
	case REMOVE:
		return unlink(path);
	}
	return -1;
}

int main(int argc, char **argv)
{
	enum verb verb = MAKE;
	bool tell = false, bad = false;
	char path[4096];
	long i, count;
	int c;

	while ((c = getopt(argc, argv, "auk")) != -1) {
		if (c == 'a')
			verb = CHANGE_TIMES;
		else if (c == 'u')
			verb = REMOVE;
		else if (c == 'k')
			tell = true;
		else
			bad = true;
	}
	if (bad || argc - optind != 2) {
		fprintf(stderr, usage, argv[0]);
		return 2;
	}
	count = atol(argv[optind + 1]);
	if (tell)
		print_identity(0);
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%ld", argv[optind], i);
		if (touch(path, verb))
			die(path);
	}
	return 0;
}
