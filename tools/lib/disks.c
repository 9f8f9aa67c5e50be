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

/* The first line of a file of a disk in sysfs */
static bool read_line(const struct iob_names *n, uint32_t dev, const char *file,
		      char *line, size_t size)
{
	struct iob_blob blob;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/%s", n->root,
		 IOB_DEV_MAJOR(dev), IOB_DEV_MINOR(dev), file);
	if (iob_blob_read(&blob, path, 2 * PATH_MAX, NULL))
		return false;
	snprintf(line, size, "%.*s", (int)strcspn(blob.p, "\n"), blob.p);
	iob_blob_free(&blob);
	return *line;
}

/* mdadm notes "md127 1.2 UUID /dev/md/NAME" of the arrays it has assembled. */
static bool md_name(const struct iob_names *n, const char *disk, char *alias,
		    size_t size)
{
	static const char dir[] = "/dev/md/";
	const size_t len = sizeof(dir) - 1;
	struct iob_field rest, line;
	struct iob_blob blob;
	char path[PATH_MAX];
	bool found = false;

	snprintf(path, sizeof(path), "%s/run/mdadm/map", n->root);
	if (iob_blob_read(&blob, path, 1u << 20, NULL))
		return false;
	rest = (struct iob_field){ blob.p, blob.len };
	while (!found && iob_split(&rest, '\n', &line)) {
		struct iob_field word[4] = {};
		int nr = 0;

		while (nr < 4 && iob_split(&line, ' ', &word[nr]))
			nr++;
		found = nr == 4 && iob_field_is(word[0], disk) &&
			word[3].len > len && !memcmp(word[3].p, dir, len);
		if (found)
			snprintf(alias, size, "%.*s", (int)(word[3].len - len),
				 word[3].p + len);
	}
	iob_blob_free(&blob);
	return found;
}

/**
 * iob_names_alias - what those who made a disk of others call it
 * @n: the names
 * @dev: its number
 * @alias: the name that device mapper or md has for it, or the path of a loop
 *         device's file
 * @size: room in @alias
 *
 * Return: whether it has such a name.
 */
bool iob_names_alias(const struct iob_names *n, uint32_t dev, char *alias,
		     size_t size)
{
	char disk[NAME_MAX + 1];

	if (read_line(n, dev, "dm/name", alias, size) ||
	    read_line(n, dev, "loop/backing_file", alias, size))
		return true;
	return iob_names_device(n, dev, disk, sizeof(disk)) &&
	       md_name(n, disk, alias, size) && strcmp(alias, disk);
}

struct search {
	const struct iob_names *n;
	const char *alias;
	uint32_t dev;
};

static int has_alias(void *arg, uint32_t dev, const char *name)
{
	struct search *s = arg;
	char alias[PATH_MAX];

	(void)name;
	if (!iob_names_alias(s->n, dev, alias, sizeof(alias)) ||
	    strcmp(alias, s->alias))
		return 0;
	s->dev = dev;
	return 1;
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
 * @what: ``vdb``, ``/dev/vdb``, ``254:16``, or the name of a dm or md device
 * @dev: its number; for a partition, that of its disk
 *
 * Return: whether there is such a disk.
 */
bool iob_names_find_device(const struct iob_names *n, const char *what,
			   uint32_t *dev)
{
	struct search s = { .n = n, .alias = what };
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
	if (read_dev(path, dev))
		return whole_disk(n, dev);
	if (!iob_names_each_disk(n, has_alias, &s))
		return false;
	*dev = s.dev;
	return true;
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
