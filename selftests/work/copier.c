// SPDX-License-Identifier: GPL-2.0
/*
 * copier HOW FROM TO: copy FROM to TO without a single write(2) of data:
 * sendfile, splice or copy_file_range.
 */
#include "work.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/sendfile.h>

#define CHUNK_BYTES	65536

static const char usage[] =
	"usage: %s sendfile|splice|range FROM TO [-k]\n"
	"  -k  say who copied: pid tid start_ns comm bytes\n";

static ssize_t by_sendfile(int in, int out)
{
	return sendfile(out, in, NULL, CHUNK_BYTES);
}

static ssize_t by_range(int in, int out)
{
	return copy_file_range(in, NULL, out, NULL, CHUNK_BYTES, 0);
}

static ssize_t by_splice(int in, int out)
{
	static int tube[2];
	ssize_t len, left, done;

	if (!tube[1] && pipe(tube))
		return -1;
	len = splice(in, NULL, tube[1], NULL, CHUNK_BYTES, 0);
	for (left = len; left > 0; left -= done) {
		done = splice(tube[0], NULL, out, NULL, (size_t)left, 0);
		if (done <= 0)
			return -1;
	}
	return len;
}

static const struct {
	const char *name;
	ssize_t (*copy)(int in, int out);
} ways[] = {
	{ "sendfile", by_sendfile },
	{ "splice", by_splice },
	{ "range", by_range },
};

int main(int argc, char **argv)
{
	bool tell = argc == 5 && !strcmp(argv[4], "-k");
	unsigned long long bytes = 0;
	ssize_t len = -1;
	int in, out;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (argc > 1 && !strcmp(argv[1], ways[i].name))
			break;
	if (i == sizeof(ways) / sizeof(ways[0]) || argc != (tell ? 5 : 4)) {
		fprintf(stderr, usage, argv[0]);
		return 2;
	}
	in = open(argv[2], O_RDONLY);
	out = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (in < 0 || out < 0)
		die("open");
	while ((len = ways[i].copy(in, out)) > 0)
		bytes += (unsigned long long)len;
	if (len < 0)
		die(argv[1]);
	if (tell)
		print_identity(bytes);
	return 0;
}
