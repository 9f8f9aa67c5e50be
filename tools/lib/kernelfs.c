// SPDX-License-Identifier: GPL-2.0
/* Where debugfs and tracefs are. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "session.h"

static bool is_fs(const char *root, const char *dir, unsigned long magic)
{
	struct statfs st;

	/* Below a root of our own there are plain directories. */
	if (*root)
		return !access(dir, F_OK);
	return !statfs(dir, &st) && (unsigned long)st.f_type == magic;
}

/**
 * iob_find_debugfs - the directory of debugfs
 * @root: directory that stands for ``/``
 * @dir: the directory
 * @size: room in @dir
 * @mounted: whether it had to be mounted
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_find_debugfs(const char *root, char *dir, size_t size, bool *mounted,
		     struct iob_err *err)
{
	*mounted = false;
	snprintf(dir, size, "%s/sys/kernel/debug", root);
	if (is_fs(root, dir, DEBUGFS_MAGIC))
		return 0;
	if (!*root && !mount("debugfs", dir, "debugfs", MS_NOSUID | MS_NODEV |
			     MS_NOEXEC, "mode=0700")) {
		*mounted = true;
		return 0;
	}
	return iob_fail(err, -ENODEV,
			"debugfs is not mounted and cannot be (%s): mount -t debugfs debugfs %s; boot without debugfs=off",
			*root ? "not there" : strerror(errno), dir);
}

/**
 * iob_find_tracefs - the directory of tracefs
 * @root: directory that stands for ``/``
 * @dir: the directory; empty if there is none
 * @size: room in @dir
 *
 * Return: 0 or -ENODEV.
 */
int iob_find_tracefs(const char *root, char *dir, size_t size)
{
	static const char *const places[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};

	for (int i = 0; i < 2; i++) {
		snprintf(dir, size, "%s%s", root, places[i]);
		if (is_fs(root, dir, TRACEFS_MAGIC))
			return 0;
	}
	snprintf(dir, size, "%s%s", root, places[0]);
	if (!*root && !mount("tracefs", dir, "tracefs", MS_NOSUID | MS_NODEV |
			     MS_NOEXEC, NULL))
		return 0;
	*dir = '\0';
	return -ENODEV;
}
