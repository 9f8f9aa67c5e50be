// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "snapshot.h"

/* How often to read totals again because IO completed meanwhile. */
#define STEADY_TRIES 8

const char *const iob_table_names[IOB_NR_TABLES] = {
	[IOB_TABLE_DEVICES] = "devices",
	[IOB_TABLE_TOTALS] = "totals",
	[IOB_TABLE_ACTS] = "acts",
	[IOB_TABLE_ROLES] = "roles",
	[IOB_TABLE_FILES] = "files",
	[IOB_TABLE_STACKS] = "stacks",
	[IOB_TABLE_HOOKS] = "hooks",
	[IOB_TABLE_STATS] = "stats",
};

/**
 * iob_boot_ns - the time now
 *
 * Return: CLOCK_BOOTTIME, as the module's start times and event times are.
 */
uint64_t iob_boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/**
 * iob_blob_free - free what iob_blob_read() read
 * @blob: empty afterwards
 */
void iob_blob_free(struct iob_blob *blob)
{
	free(blob->p);
	memset(blob, 0, sizeof(*blob));
}

static int read_fd(struct iob_blob *blob, int fd, size_t max,
		   size_t (*max_of)(const struct iob_blob *begin))
{
	size_t room = 0;

	for (;;) {
		ssize_t n;

		if (room - blob->len < 2) {
			size_t more = room ? room * 2 : 16384;
			char *p = realloc(blob->p, more);

			if (!p)
				return -ENOMEM;
			blob->p = p;
			room = more;
		}
		n = read(fd, blob->p + blob->len, room - blob->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		blob->len += n;
		blob->p[blob->len] = '\0';
		if (max_of && blob->len >= IOB_BLOB_BEGIN) {
			max = max_of(blob);
			max_of = NULL;
			if (!max)
				return -EINVAL;
		}
		if (blob->len > max)
			return -EFBIG;
	}
	blob->p[blob->len] = '\0';
	return 0;
}

static int read_path(struct iob_blob *blob, const char *path, size_t max,
		     size_t (*max_of)(const struct iob_blob *begin),
		     struct iob_err *err)
{
	int fd, ret;

	memset(blob, 0, sizeof(*blob));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return iob_fail(err, -errno, "cannot open %s: %s", path,
				strerror(errno));
	ret = read_fd(blob, fd, max, max_of);
	close(fd);
	if (ret) {
		iob_blob_free(blob);
		return iob_fail(err, ret, "cannot read %s: %s", path,
				strerror(-ret));
	}
	return 0;
}

/**
 * iob_blob_read - read a whole file
 * @blob: what was read; NUL-terminated beyond its length
 * @path: the file
 * @max: more than this is refused
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_blob_read(struct iob_blob *blob, const char *path, size_t max,
		  struct iob_err *err)
{
	return read_path(blob, path, max, NULL, err);
}

/**
 * iob_blob_read_kind - read a whole file, as far as what it begins as may be long
 * @blob: what was read; NUL-terminated beyond its length
 * @path: the file; may be a pipe
 * @max_of: is asked once, when there are IOB_BLOB_BEGIN bytes; 0 refuses the file
 * @err: error text
 *
 * Return: 0 or a negative errno; -EINVAL for a file that was refused.
 */
int iob_blob_read_kind(struct iob_blob *blob, const char *path,
		       size_t (*max_of)(const struct iob_blob *begin),
		       struct iob_err *err)
{
	return read_path(blob, path, IOB_BLOB_BEGIN, max_of, err);
}

static int read_table(struct iob_snapshot *snap, const char *dir,
		      enum iob_table t, struct iob_err *err)
{
	char path[PATH_MAX];

	iob_blob_free(&snap->text[t]);
	snprintf(path, sizeof(path), "%s/%s", dir, iob_table_names[t]);
	return iob_blob_read(&snap->text[t], path, IOB_TABLE_MAX, err);
}

/*
 * totals and devices are two files, and IO may complete between reading the
 * one and the other. Their sums must agree to the byte, so read until devices
 * did not change around totals. On a disk that never rests the last try
 * stands; the report then takes the sums of totals.
 */
static int read_steady(struct iob_snapshot *snap, const char *dir,
		       struct iob_err *err)
{
	struct iob_blob *devices = &snap->text[IOB_TABLE_DEVICES];

	for (int i = 0; i < STEADY_TRIES; i++) {
		struct iob_blob before;
		bool same;
		int ret = read_table(snap, dir, IOB_TABLE_DEVICES, err);

		if (ret)
			return ret;
		before = *devices;
		memset(devices, 0, sizeof(*devices));
		snap->time_ns = iob_boot_ns();
		ret = read_table(snap, dir, IOB_TABLE_TOTALS, err);
		if (!ret)
			ret = read_table(snap, dir, IOB_TABLE_DEVICES, err);
		same = !ret && before.len == devices->len &&
		       !memcmp(before.p, devices->p, before.len);
		iob_blob_free(&before);
		if (ret || same)
			return ret;
	}
	return 0;
}

/**
 * iob_snapshot_read - read all tables
 * @snap: the tables
 * @dir: the module's debugfs directory
 * @err: error text
 *
 * totals before acts before roles, files and stacks: what a row names was
 * there before the row.
 *
 * Return: 0 or a negative errno.
 */
int iob_snapshot_read(struct iob_snapshot *snap, const char *dir,
		      struct iob_err *err)
{
	int ret;

	memset(snap, 0, sizeof(*snap));
	ret = read_steady(snap, dir, err);
	for (int t = IOB_TABLE_ACTS; !ret && t < IOB_NR_TABLES; t++)
		ret = read_table(snap, dir, t, err);
	if (ret)
		iob_snapshot_free(snap);
	return ret;
}

/**
 * iob_snapshot_free - free the tables
 * @snap: empty afterwards
 */
void iob_snapshot_free(struct iob_snapshot *snap)
{
	for (int t = 0; t < IOB_NR_TABLES; t++)
		iob_blob_free(&snap->text[t]);
	memset(snap, 0, sizeof(*snap));
}
