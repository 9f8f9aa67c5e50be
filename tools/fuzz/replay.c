// SPDX-License-Identifier: GPL-2.0
/*
 * The host tests' side, without libFuzzer: all that is kept in corpus/, and each
 * small input damaged byte by byte and cut, the same way every time. A line of TAP a
 * target. Run from tools/.
 */
#include <dirent.h>
#include <limits.h>
#include <locale.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "snapshot.h"

/* Inputs made of those that are kept, for each target. */
#define MAX_DAMAGED 600
#define SMALL 8192

/* What is run now, to be told by whoever outlives it. */
static struct running {
	char file[PATH_MAX + NAME_MAX + 2];
	size_t at;
	const char *how;
	size_t nr_files, nr_damaged;
} *running;

static void run_copy(const struct fuzz_target *t, const char *p, size_t len)
{
	/* As large as the input: what reads beyond it is seen. */
	uint8_t *copy = malloc(len ? len : 1);

	MUST(copy);
	memcpy(copy, p, len);
	t->run(copy, len);
	free(copy);
}

static void run_damaged(const struct fuzz_target *t, struct iob_blob *b,
			size_t at)
{
	static const struct {
		const char *how;
		char with;
	} ways[] = { { "flipped", 0 }, { "cleared", '\0' }, { "made high", '\xff' },
		     { "made a control", '\x1b' } };
	size_t way = at % 4;
	char was = b->p[at];

	running->at = at;
	running->how = ways[way].how;
	b->p[at] = way ? ways[way].with : was ^ (1 << at % 8);
	run_copy(t, b->p, b->len);
	b->p[at] = was;
	running->how = "cut";
	run_copy(t, b->p, at);
	running->nr_damaged += 2;
}

/* Every file in its turn, so that none takes the whole of what is allowed. */
static void run_file(const struct fuzz_target *t, const char *path,
		     size_t damaged)
{
	struct iob_blob b;
	struct iob_err err;

	snprintf(running->file, sizeof(running->file), "%s", path);
	running->how = "whole";
	if (iob_blob_read(&b, path, 16 << 20, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	run_copy(t, b.p, b.len);
	running->nr_files++;
	if (b.len && b.len <= SMALL) {
		/* Odd, so that all ways and bits take part. */
		size_t step = (b.len / (damaged + 1)) | 1;

		for (size_t at = 0; at < b.len; at += step)
			run_damaged(t, &b, at);
	}
	iob_blob_free(&b);
}

static void run_target(const struct fuzz_target *t, const char *dir)
{
	struct dirent **list;
	char path[PATH_MAX + NAME_MAX + 2];
	int nr = scandir(dir, &list, NULL, alphasort);

	if (nr < 0) {
		fprintf(stderr, "no folder %s\n", dir);
		exit(1);
	}
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		if (*list[i]->d_name != '.')
			run_file(t, path, MAX_DAMAGED / nr);
		free(list[i]);
	}
	free(list);
	exit(running->nr_files ? 0 : 1);
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	int nr = 0, nr_failed = 0;

	setlocale(LC_CTYPE, "C.UTF-8");
	running = mmap(NULL, sizeof(*running), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	MUST(running != MAP_FAILED);
	for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
		char dir[PATH_MAX];
		int status = -1;
		pid_t pid;

		if (only && strcmp(only, t->name))
			continue;
		snprintf(dir, sizeof(dir), "fuzz/corpus/%s", t->name);
		memset(running, 0, sizeof(*running));
		fflush(stdout);
		pid = fork();
		if (!pid)
			run_target(t, dir);
		waitpid(pid, &status, 0);
		nr_failed += !!status;
		if (status)
			printf("# %s, %s at byte %zu\n", running->file,
			       running->how ? running->how : "", running->at);
		printf("%sok %d - hostile: %s (%zu inputs, %zu damaged)\n",
		       status ? "not " : "", ++nr, t->what, running->nr_files,
		       running->nr_damaged);
	}
	printf("1..%d\n", nr);
	return nr_failed ? 1 : 0;
}
