// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static int cannot_open(const char *path, struct iob_err *err)
{
	int ret = -errno;

	return iob_fail(err, ret, "cannot open %s: %s", path, strerror(-ret));
}

/* As open() would have made it, or as the file that is replaced. */
static mode_t mode_for(const struct stat *old)
{
	mode_t mask;

	if (old)
		return old->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* Beside the file, so that one rename() puts it there. */
static int open_beside(struct output *o, const struct stat *old,
		       struct iob_err *err)
{
	int fd;

	if (asprintf(&o->tmp, "%s.XXXXXX", o->path) < 0) {
		o->tmp = NULL;
		return iob_fail(err, -ENOMEM, "out of memory");
	}
	fd = mkostemp(o->tmp, O_CLOEXEC);
	if (fd < 0) {
		int ret = cannot_open(o->path, err);

		free(o->tmp);
		o->tmp = NULL;
		return ret;
	}
	/* Without the right to keep its owner the data still is the user's. */
	if (old && fchown(fd, old->st_uid, old->st_gid))
		errno = 0;
	if (fchmod(fd, mode_for(old)))
		errno = 0;
	o->file = fdopen(fd, "w");
	if (o->file)
		return 0;
	close(fd);
	return cannot_open(o->path, err);
}

/**
 * output_open - open what a command writes to
 * @o: the output; to be closed also after an error
 * @path: the file; NULL for stdout
 * @whole: a regular file is replaced only when all is written
 * @err: error text
 *
 * What is no regular file (a terminal, a pipe, /dev/full) is written in place;
 * of a symbolic link it is what it points to that is replaced.
 *
 * Return: 0 or a negative errno.
 */
int output_open(struct output *o, const char *path, bool whole,
		struct iob_err *err)
{
	struct stat st;
	bool is_there;

	memset(o, 0, sizeof(*o));
	o->file = stdout;
	if (!path)
		return 0;
	o->file = NULL;
	is_there = !stat(path, &st);
	o->path = is_there && whole ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return cannot_open(path, err);
	/* Nor is what we may not write replaced, although the directory would let us. */
	if (is_there && access(path, W_OK))
		return cannot_open(path, err);
	if (whole && (!is_there || S_ISREG(st.st_mode)))
		return open_beside(o, is_there ? &st : NULL, err);
	o->file = fopen(path, "we");
	return o->file ? 0 : cannot_open(path, err);
}

/* Also when the machine goes down right after: never an empty file by that name. */
static bool put_in_place(struct output *o)
{
	int fd = fileno(o->file);
	bool ok = !fsync(fd) && !fclose(o->file);

	o->file = NULL;
	return ok && !rename(o->tmp, o->path);
}

/*
 * A disk may be full at the very last byte: the last flush tells. What failed before
 * it left no errno, and so is tried once more, for the reason.
 */
static bool finish(struct output *o, int ret)
{
	bool ok = !fflush(o->file);

	if (ok && ferror(o->file)) {
		ok = false;
		errno = 0;
		fputc('\n', o->file);
		fflush(o->file);
	}
	if (o->file == stdout)
		return ok;
	if (o->tmp && ok && !ret)
		return put_in_place(o);
	/* The first failure is the one that explains. */
	if (!ok) {
		int why = errno;

		fclose(o->file);
		errno = why;
		return false;
	}
	return !fclose(o->file);
}

/**
 * output_close - be done with the output
 * @o: the output, also one that could not be opened
 * @ret: how the command went: after a failure no file is left behind
 * @err: error text
 *
 * Return: @ret if that is not 0; else 0 or a negative errno, -EPIPE for a reader
 * that went away.
 */
int output_close(struct output *o, int ret, struct iob_err *err)
{
	bool ok = true;
	int why;

	errno = 0;
	if (o->file)
		ok = finish(o, ret);
	why = errno;
	if (o->tmp && (ret || !ok))
		unlink(o->tmp);
	if (!ret && !ok && why == EPIPE)
		ret = -EPIPE;
	else if (!ret && !ok)
		ret = iob_fail(err, why ? -why : -EIO, "cannot write %s: %s",
			       o->path ? o->path : "stdout",
			       strerror(why ? why : EIO));
	free(o->path);
	free(o->tmp);
	memset(o, 0, sizeof(*o));
	return ret;
}
