// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "knob.h"
#include "snapshot.h"

/**
 * iob_knob_read - the value of a knob
 * @path: the file
 * @value: its value, without the newline
 * @size: room in @value
 * @err: error text
 *
 * Return: 0 or a negative errno; -E2BIG if it does not fit.
 */
int iob_knob_read(const char *path, char *value, size_t size,
		  struct iob_err *err)
{
	struct iob_blob blob;
	int ret = iob_blob_read(&blob, path, IOB_KNOB_MAX, err);

	if (ret)
		return ret;
	while (blob.len && blob.p[blob.len - 1] == '\n')
		blob.len--;
	if (blob.len >= size)
		ret = iob_fail(err, -E2BIG, "%s holds too much", path);
	else
		snprintf(value, size, "%.*s", (int)blob.len, blob.p);
	iob_blob_free(&blob);
	return ret;
}

/**
 * iob_knob_write - set a knob
 * @path: the file
 * @value: its value; a newline is added, so that an empty one is written, too
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_knob_write(const char *path, const char *value, struct iob_err *err)
{
	char line[IOB_KNOB_MAX + 2];
	int fd, len, ret = 0;

	len = snprintf(line, sizeof(line), "%s\n", value);
	if (len >= (int)sizeof(line))
		return iob_fail(err, -E2BIG, "too long for %s", path);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return iob_fail(err, -errno, "cannot open %s: %s", path,
				strerror(errno));
	if (write(fd, line, len) != len)
		ret = iob_fail(err, errno ? -errno : -EIO,
			       "cannot write '%.60s' to %s: %s", value, path,
			       strerror(errno));
	if (close(fd) && !ret)
		ret = iob_fail(err, -errno, "cannot write %s: %s", path,
			       strerror(errno));
	return ret;
}
