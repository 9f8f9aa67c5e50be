// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rotation.h"

/**
 * iob_rotation_init - rotate a file
 * @r: the rotation, its limits set
 * @path: the file
 * @err: error text
 *
 * A device, or a link to somewhere, is nothing to give another name to.
 *
 * Return: 0 or a negative errno.
 */
int iob_rotation_init(struct iob_rotation *r, const char *path,
		      struct iob_err *err)
{
	struct stat st;

	r->path = path;
	if (strlen(path) + 32 > PATH_MAX)
		return iob_fail(err, -ENAMETOOLONG, "%.60s...: too long a name",
				path);
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return iob_fail(err, -EINVAL,
				"%s is no regular file: --max-size and --max-age need one",
				path);
	if (asprintf(&r->next, "%s.new", path) < 0) {
		r->next = NULL;
		return iob_fail(err, -ENOMEM, "out of memory");
	}
	return 0;
}

/**
 * iob_rotation_deinit - free, and remove a file that never became FILE
 * @r: the rotation
 */
void iob_rotation_deinit(struct iob_rotation *r)
{
	if (r->next)
		unlink(r->next);
	free(r->next);
	r->next = NULL;
}

/**
 * iob_rotation_begun - another file is written to
 * @r: the rotation
 * @now_ns: the time
 * @bytes: what it has at its beginning
 */
void iob_rotation_begun(struct iob_rotation *r, uint64_t now_ns, uint64_t bytes)
{
	r->begun_ns = now_ns;
	r->begun_bytes = bytes;
}

/**
 * iob_rotation_is_due - whether it is time for the next file
 * @r: the rotation
 * @now_ns: the time
 * @bytes: how much the file has now
 *
 * Tables at the beginning may be most of a small file: at least a quarter of
 * what was asked for is then events, or there would be nothing but tables.
 *
 * Return: true if it is.
 */
bool iob_rotation_is_due(const struct iob_rotation *r, uint64_t now_ns,
			 uint64_t bytes)
{
	if (r->max_ns && now_ns - r->begun_ns >= r->max_ns)
		return true;
	return r->max_bytes && bytes >= r->max_bytes && bytes > r->begun_bytes &&
	       bytes - r->begun_bytes >= r->max_bytes / 4;
}

static void name_of(const struct iob_rotation *r, uint64_t nr, char *name)
{
	snprintf(name, PATH_MAX, "%s.%" PRIu64, r->path, nr);
}

static int cannot(const char *from, const char *to, struct iob_err *err)
{
	int ret = -errno;

	return iob_fail(err, ret, "cannot rename %s to %s: %s", from, to,
			strerror(-ret));
}

/* The oldest goes by being renamed over. */
static int shift_older(const struct iob_rotation *r, struct iob_err *err)
{
	char from[PATH_MAX], to[PATH_MAX];
	uint64_t last = 1;

	for (; last < r->keep - 1; last++) {
		name_of(r, last, from);
		if (access(from, F_OK))
			break;
	}
	while (--last) {
		name_of(r, last, from);
		name_of(r, last + 1, to);
		if (rename(from, to))
			return cannot(from, to, err);
	}
	return 0;
}

/**
 * iob_rotation_shift - FILE becomes FILE.1, and FILE.new becomes FILE
 * @r: the rotation
 * @err: error text
 *
 * Each step is one rename, and FILE is there all the time where the file
 * system has links: who opens it finds the old or the new one, whole. A crash
 * between two steps leaves a gap in the numbers or a file under two names.
 *
 * Return: 0 or a negative errno.
 */
int iob_rotation_shift(const struct iob_rotation *r, struct iob_err *err)
{
	char first[PATH_MAX];
	int ret = 0;

	name_of(r, 1, first);
	if (r->keep > 1 && !access(r->path, F_OK)) {
		ret = shift_older(r, err);
		/* The last of them may be in the way of a link. */
		if (!ret && unlink(first) && errno != ENOENT)
			ret = cannot(r->path, first, err);
		if (!ret && link(r->path, first) && rename(r->path, first))
			ret = cannot(r->path, first, err);
	}
	if (!ret && rename(r->next, r->path))
		ret = cannot(r->next, r->path, err);
	return ret;
}
