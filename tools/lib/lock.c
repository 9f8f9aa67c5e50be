// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "lock.h"

#define LEFT_MAX (1u << 20)

/**
 * iob_lock_take - become the only ioblame
 * @root: directory that stands for ``/``
 * @fd: the lock
 * @left: what a killed run left to be put back; empty if nothing
 * @err: error text
 *
 * Return: 0, -EBUSY if another one runs, or another negative errno.
 */
int iob_lock_take(const char *root, int *fd, struct iob_blob *left,
		  struct iob_err *err)
{
	char path[PATH_MAX];
	int ret;

	memset(left, 0, sizeof(*left));
	snprintf(path, sizeof(path), "%s/run/ioblame.lock", root);
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NOFOLLOW,
		   0600);
	if (*fd < 0)
		return iob_fail(err, -errno, "cannot open the lock file %s: %s",
				path, strerror(errno));
	iob_blob_read(left, path, LEFT_MAX, NULL);
	if (flock(*fd, LOCK_EX | LOCK_NB)) {
		long pid = left->p && !strncmp(left->p, "pid ", 4) ?
			   strtol(left->p + 4, NULL, 10) : 0;

		close(*fd);
		*fd = -1;
		iob_blob_free(left);
		return iob_fail(err, -EBUSY,
				"another ioblame (pid %ld) is running: wait for it or stop it",
				pid);
	}
	/* Read again: its owner may have ended between reading and locking. */
	iob_blob_free(left);
	ret = iob_blob_read(left, path, LEFT_MAX, err);
	if (ret) {
		close(*fd);
		*fd = -1;
		return ret;
	}
	return 0;
}

/**
 * iob_lock_note - write down what will have to be put back
 * @fd: the lock
 * @fmt: one line
 *
 * Return: 0 or a negative errno.
 */
int iob_lock_note(int fd, const char *fmt, ...)
{
	char line[4096 + 256];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(line))
		return -E2BIG;
	if (write(fd, line, len) != len)
		return errno ? -errno : -EIO;
	return 0;
}

/**
 * iob_lock_drop - everything is put back: let others go on
 * @fd: the lock
 *
 * The file stays: to unlink it would let two runs lock two files.
 */
void iob_lock_drop(int fd)
{
	int ret;

	if (fd < 0)
		return;
	/* Should it fail, the next run puts back once more: no harm. */
	ret = ftruncate(fd, 0);
	(void)ret;
	close(fd);
}
