// SPDX-License-Identifier: GPL-2.0
/* Rotation, bringing files to the disk, and the line that tells of it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "../ioblame/progress.h"
#include "rotation.h"
#include "syncer.h"
#include "unit.h"

#define NR 6

static char path[PATH_MAX / 2];

/* FILE for 0, else FILE.nr */
static const char *name_of(int nr)
{
	static char name[PATH_MAX];

	if (nr)
		snprintf(name, sizeof(name), "%s.%d", path, nr);
	else
		snprintf(name, sizeof(name), "%s", path);
	return name;
}

static void put(const char *name, char c)
{
	FILE *f = fopen(name, "w");

	putc(c, f);
	fclose(f);
}

/* What the files say, the newest first, '-' for one that is not there. */
static const char *all(void)
{
	static char text[NR + 1];

	for (int i = 0; i < NR; i++) {
		FILE *f = fopen(name_of(i), "r");

		text[i] = f ? getc(f) : '-';
		if (f)
			fclose(f);
	}
	return text;
}

static bool shifts(void)
{
	static const struct {
		uint64_t keep;
		const char *after;
	} cases[] = {
		{ 1, "d-----" }, { 2, "dc----" }, { 3, "dcb---" },
		{ 4, "dcba--" }, { 100, "dcba--" },
	};
	struct iob_err err;

	snprintf(path, sizeof(path), "%s/rotated", unit_dir());
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct iob_rotation r = { .keep = cases[i].keep };

		EXPECT(!iob_rotation_init(&r, path, &err));
		for (const char *c = "abcd"; *c; c++) {
			put(r.next, *c);
			EXPECT(!iob_rotation_shift(&r, &err));
		}
		if (strcmp(all(), cases[i].after))
			printf("# case %zu: %s\n", i, all());
		EXPECT(!strcmp(all(), cases[i].after));
		/* What never became FILE goes. */
		put(r.next, 'x');
		iob_rotation_deinit(&r);
		strcat(path, ".new");
		EXPECT(access(path, F_OK));
		path[strlen(path) - 4] = '\0';
		for (int k = 0; k < NR; k++)
			unlink(name_of(k));
	}
	return true;
}

/* Numbers behind a gap are somebody's, and are left alone. */
static bool gaps(void)
{
	struct iob_rotation r = { .keep = 9 };
	struct iob_err err;

	snprintf(path, sizeof(path), "%s/gaps", unit_dir());
	EXPECT(!iob_rotation_init(&r, path, &err));
	EXPECT(iob_rotation_shift(&r, &err) == -ENOENT);
	put(name_of(0), 'a');
	put(name_of(1), 'b');
	put(name_of(3), 'd');
	put(r.next, 'n');
	EXPECT(!iob_rotation_shift(&r, &err));
	EXPECT(!strcmp(all(), "nabd--"));
	iob_rotation_deinit(&r);
	return true;
}

static bool refuses(void)
{
	struct iob_rotation r = { .keep = 2 };
	struct iob_err err;

	EXPECT(iob_rotation_init(&r, "/dev/null", &err) == -EINVAL);
	EXPECT(strstr(err.text, "no regular file"));
	iob_rotation_deinit(&r);
	EXPECT(iob_rotation_init(&r, unit_dir(), &err) == -EINVAL);
	iob_rotation_deinit(&r);
	return true;
}

static bool due(void)
{
	static const struct {
		uint64_t max_bytes, max_ns, begun_bytes, now_ns, bytes;
		bool due;
	} cases[] = {
		{ 0, 0, 0, 1ull << 60, 1ull << 60, false },
		{ 1000, 0, 100, 150, 999, false },
		{ 1000, 0, 100, 150, 1000, true },
		{ 0, 100, 100, 100 + 99, 5000, false },
		{ 0, 100, 100, 100 + 100, 100, true },
		/* Tables alone are not worth a file. */
		{ 1000, 0, 2000, 500, 2000, false },
		{ 1000, 0, 2000, 500, 2249, false },
		{ 1000, 0, 2000, 500, 2250, true },
		{ 1, 0, 2000, 500, 2000, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct iob_rotation r = { .max_bytes = cases[i].max_bytes,
					  .max_ns = cases[i].max_ns };
		bool is;

		iob_rotation_begun(&r, 100, cases[i].begun_bytes);
		is = iob_rotation_is_due(&r, cases[i].now_ns, cases[i].bytes);
		if (is != cases[i].due)
			printf("# case %zu\n", i);
		EXPECT(is == cases[i].due);
	}
	return true;
}

static bool syncs(void)
{
	struct iob_syncer *s = iob_syncer_create();
	int fd, p[2];

	EXPECT(s);
	snprintf(path, sizeof(path), "%s/synced", unit_dir());
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	EXPECT(fd >= 0 && write(fd, "x", 1) == 1);
	for (int i = 0; i < 100; i++)
		EXPECT(!iob_syncer_ask(s, fd));
	/* Of these fdatasync() knows nothing, and that is no failure. */
	EXPECT(!pipe(p));
	for (int i = 0; i < 40; i++)
		iob_syncer_take(s, dup(p[1]));
	iob_syncer_take_dir(s, path);
	iob_syncer_take_dir(s, "/nonexistent/x");
	iob_syncer_take(s, fd);
	EXPECT(!iob_syncer_destroy(s));
	EXPECT(fcntl(fd, F_GETFD) < 0);
	close(p[0]);
	close(p[1]);
	/* What goes wrong is told. */
	s = iob_syncer_create();
	iob_syncer_take(s, fd);
	EXPECT(iob_syncer_destroy(s) == -EBADF);
	return true;
}

static bool tells_progress(void)
{
	struct progress p = { .elapsed_ns = 3723ull * 1000000000,
			      .nr_ios = 5, .nr_events = 12, .bytes = 2048,
			      .plain_bytes = 8192, .nr_files = 1 };
	char text[256];

	progress_text(&p, text, sizeof(text));
	EXPECT(!strcmp(text, "1:02:03 5 IOs, 12 events, 2.0 KiB written (of 8.0 KiB, 4.0x)"));
	p.nr_lost = 3;
	p.nr_files = 4;
	p.plain_bytes = p.bytes;
	progress_text(&p, text, sizeof(text));
	EXPECT(!strcmp(text, "LOST 3 events, 1:02:03 5 IOs, 12 events, 2.0 KiB written, file 4"));
	return true;
}

const struct unit_case rotation_cases[] = {
	{ "rotation: FILE becomes FILE.1, as many are kept as asked for", shifts },
	{ "rotation: gaps in the numbers", gaps },
	{ "rotation: what has no other name", refuses },
	{ "rotation: when it is due", due },
	{ "syncer: brings files to the disk, and tells what goes wrong", syncs },
	{ "progress: what the line says", tells_progress },
	{}
};
