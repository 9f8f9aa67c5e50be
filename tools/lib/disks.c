// SPDX-License-Identifier: GPL-2.0
/* Disks, as sysfs has them. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "names.h"
#include "snapshot.h"
#include "text.h"
#include "uapi/ioblame.h"

/**
 * iob_names_device - the kernel's name of a disk
 * @n: the names
 * @dev: its number
 * @name: its name
 * @size: room in @name
 *
 * Return: whether there is such a disk.
 */
bool iob_names_device(const struct iob_names *n, uint32_t dev, char *name,
		      size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", n->root,
		 IOB_DEV_MAJOR(dev), IOB_DEV_MINOR(dev));
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = '\0';
	base = strrchr(target, '/');
	snprintf(name, size, "%s", base ? base + 1 : target);
	return true;
}

static bool read_dev(const char *path, uint32_t *dev)
{
	struct iob_field f;
	struct iob_blob blob;
	bool found;

	if (iob_blob_read(&blob, path, 4096, NULL))
		return false;
	f.p = blob.p;
	f.len = strcspn(blob.p, "\n");
	found = iob_field_dev(f, dev);
	iob_blob_free(&blob);
	return found;
}

/* IO is counted on whole disks: in sysfs, a partition lies below its disk. */
static bool whole_disk(const struct iob_names *n, uint32_t *dev)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/partition",
		 n->root, IOB_DEV_MAJOR(*dev), IOB_DEV_MINOR(*dev));
	if (access(path, F_OK))
		return true;
	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/../dev", n->root,
		 IOB_DEV_MAJOR(*dev), IOB_DEV_MINOR(*dev));
	return read_dev(path, dev);
}

/**
 * iob_names_find_device - what a user calls a disk
 * @n: the names
 * @what: ``vdb``, ``/dev/vdb`` or ``254:16``
 * @dev: its number; for a partition, that of its disk
 *
 * Return: whether there is such a disk.
 */
bool iob_names_find_device(const struct iob_names *n, const char *what,
			   uint32_t *dev)
{
	struct iob_field f = { what, strlen(what) };
	char path[PATH_MAX];
	struct stat st;

	if (iob_field_dev(f, dev))
		return whole_disk(n, dev);
	if (strchr(what, '/')) {
		if (stat(what, &st) || !S_ISBLK(st.st_mode))
			return false;
		*dev = major(st.st_rdev) << 20 | minor(st.st_rdev);
		return whole_disk(n, dev);
	}
	snprintf(path, sizeof(path), "%s/sys/class/block/%s/dev", n->root, what);
	return read_dev(path, dev) && whole_disk(n, dev);
}

/* The first entry of a directory of links below the disk's. */
static bool first_link(const struct iob_names *n, uint32_t dev, const char *dir,
		       char *name, size_t size)
{
	char path[PATH_MAX];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/%s", n->root,
		 IOB_DEV_MAJOR(dev), IOB_DEV_MINOR(dev), dir);
	d = opendir(path);
	if (!d)
		return false;
	while (!found && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, size, "%s", e->d_name);
		found = true;
	}
	closedir(d);
	return found;
}

/**
 * iob_names_stacked - whether a disk only passes on what it is given
 * @n: the names
 * @dev: its number
 *
 * dm and md have the disks below them in ``slaves``, loop has a file below it.
 *
 * Return: true if the same bytes reach another disk, too.
 */
bool iob_names_stacked(const struct iob_names *n, uint32_t dev)
{
	char buf[NAME_MAX + 1];
	bool loop;

	loop = first_link(n, dev, "loop", buf, sizeof(buf));
	return loop || first_link(n, dev, "slaves", buf, sizeof(buf));
}

/**
 * iob_names_above - the disk whose IO a disk carries out
 * @n: the names
 * @dev: its number
 *
 * Return: the number of the dm or md device above, or 0.
 */
uint32_t iob_names_above(const struct iob_names *n, uint32_t dev)
{
	char buf[NAME_MAX + 1];
	uint32_t above;

	if (!first_link(n, dev, "holders", buf, sizeof(buf)) ||
	    !iob_names_find_device(n, buf, &above))
		return 0;
	return above;
}

/**
 * iob_names_each_disk - go through the disks of this machine
 * @n: the names
 * @fn: is given each; what it returns ends the walk
 * @arg: for @fn
 *
 * Return: 0, or what @fn returned.
 */
int iob_names_each_disk(const struct iob_names *n,
			int (*fn)(void *arg, uint32_t dev, const char *name),
			void *arg)
{
	char path[PATH_MAX];
	struct dirent *e;
	int ret = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/sys/block", n->root);
	d = opendir(path);
	if (!d)
		return 0;
	while (!ret && (e = readdir(d))) {
		uint32_t dev;

		snprintf(path, sizeof(path), "%s/sys/block/%.255s/dev", n->root,
			 e->d_name);
		if (e->d_name[0] != '.' && read_dev(path, &dev))
			ret = fn(arg, dev, e->d_name);
	}
	closedir(d);
	return ret;
}
