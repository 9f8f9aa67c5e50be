// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

#define MOUNTINFO_MAX (64u << 20)

/**
 * iob_names_create - a place to ask for names
 * @root: directory that stands for ``/`` (tests); "" for the real one
 *
 * Return: the names, or NULL without memory.
 */
struct iob_names *iob_names_create(const char *root)
{
	struct iob_names *n = calloc(1, sizeof(*n));
	char path[PATH_MAX];

	if (!n)
		return NULL;
	n->root = strdup(root);
	n->strings = iob_strings_create();
	if (!n->root || !n->strings) {
		n->mountinfo_fd = -1;
		iob_names_destroy(n);
		return NULL;
	}
	/* Kept open: poll() on it tells that a mount came or went. */
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	n->mountinfo_fd = open(path, O_RDONLY | O_CLOEXEC);
	return n;
}

/**
 * iob_names_destroy - free
 * @n: the names, or NULL
 */
void iob_names_destroy(struct iob_names *n)
{
	if (!n)
		return;
	if (n->mountinfo_fd >= 0)
		close(n->mountinfo_fd);
	iob_vec_free(&n->mounts);
	iob_strings_destroy(n->strings);
	free(n->root);
	free(n);
}

/* mountinfo writes blanks, newlines and backslashes as \ooo. */
static const char *unescape_octal(struct iob_names *n, struct iob_field f)
{
	char buf[PATH_MAX];
	size_t len = 0;

	for (size_t i = 0; i < f.len && len < sizeof(buf) - 1; i++) {
		const char *p = f.p + i;

		if (*p == '\\' && f.len - i >= 4 && p[1] >= '0' && p[1] <= '3' &&
		    p[2] >= '0' && p[2] <= '7' && p[3] >= '0' && p[3] <= '7') {
			buf[len++] = (p[1] - '0') << 6 | (p[2] - '0') << 3 |
				     (p[3] - '0');
			i += 3;
		} else {
			buf[len++] = *p;
		}
	}
	return iob_strings_intern(n->strings, buf, len);
}

static int add_mount(struct iob_names *n, struct iob_field line)
{
	struct iob_field part;
	struct iob_mount v = {}, *m;

	for (int i = 0; i < 5; i++) {
		if (!iob_split(&line, ' ', &part))
			return 0;
		if (i == 2 && !iob_field_dev(part, &v.dev))
			return 0;
		if (i == 3)
			v.root = unescape_octal(n, part);
		if (i == 4)
			v.point = unescape_octal(n, part);
	}
	if (!v.root || !v.point)
		return -ENOMEM;
	for (size_t i = 0; i < n->mounts.nr; i++) {
		m = &n->mounts.v[i];
		if (m->dev == v.dev && m->root == v.root && m->point == v.point)
			return 0;
	}
	m = iob_vec_add(&n->mounts);
	if (!m)
		return -ENOMEM;
	*m = v;
	return 0;
}

/**
 * iob_names_add_mounts - remember the mounts of a mountinfo file
 * @n: the names
 * @text: the file
 * @len: its length
 *
 * Mounts are never forgotten: a file system may be gone by the time its
 * writes are reported.
 *
 * Return: 0 or -ENOMEM.
 */
int iob_names_add_mounts(struct iob_names *n, const char *text, size_t len)
{
	struct iob_field rest = { text, len }, line;
	int ret = 0;

	while (!ret && iob_split(&rest, '\n', &line))
		ret = add_mount(n, line);
	return ret;
}

/**
 * iob_names_refresh - look at the mounts again
 * @n: the names
 *
 * Return: 0 or a negative errno; without /proc nothing is known, which is 0.
 */
int iob_names_refresh(struct iob_names *n)
{
	char path[PATH_MAX];
	struct iob_blob blob;
	int ret;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", n->root);
	if (iob_blob_read(&blob, path, MOUNTINFO_MAX, NULL))
		return 0;
	ret = iob_names_add_mounts(n, blob.p, blob.len);
	iob_blob_free(&blob);
	return ret;
}

static char *escape_octal(char *to, const char *from)
{
	for (; *from; from++) {
		if (strchr(" \t\n\\", *from))
			to += sprintf(to, "\\%03o", (unsigned char)*from);
		else
			*to++ = *from;
	}
	return to;
}

/**
 * iob_names_mountinfo - all mounts ever seen, for a recording
 * @n: the names
 *
 * Return: a new text that iob_names_add_mounts() reads, or NULL without
 * memory.
 */
char *iob_names_mountinfo(const struct iob_names *n)
{
	size_t size = 1;
	char *text, *to;

	for (size_t i = 0; i < n->mounts.nr; i++)
		size += 64 + 4 * strlen(n->mounts.v[i].root) +
			4 * strlen(n->mounts.v[i].point);
	text = to = malloc(size);
	if (!text)
		return NULL;
	for (size_t i = 0; i < n->mounts.nr; i++) {
		const struct iob_mount *m = &n->mounts.v[i];

		to += sprintf(to, "0 0 %u:%u ", IOB_DEV_MAJOR(m->dev),
			      IOB_DEV_MINOR(m->dev));
		to = escape_octal(to, m->root);
		*to++ = ' ';
		to = escape_octal(to, m->point);
		*to++ = '\n';
	}
	*to = '\0';
	return text;
}

static bool below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (len == 1 && *dir == '/')
		return true;
	return !strncmp(path, dir, len) && (path[len] == '/' || !path[len]);
}

/**
 * iob_names_mount - the mount through which a file is seen
 * @n: the names
 * @dev: s_dev of its file system
 * @path: from the root of its file system
 *
 * Of several, a mount of the whole file system, else of the smallest part.
 *
 * Return: the mount, or NULL.
 */
const struct iob_mount *iob_names_mount(const struct iob_names *n, uint32_t dev,
					const char *path)
{
	const struct iob_mount *best = NULL;

	for (size_t i = 0; i < n->mounts.nr; i++) {
		const struct iob_mount *m = &n->mounts.v[i];

		if (m->dev != dev || !below(path, m->root))
			continue;
		if (!strcmp(m->root, "/"))
			return m;
		if (!best || strlen(m->root) > strlen(best->root))
			best = m;
	}
	return best;
}

/**
 * iob_names_path - a path as users see it
 * @n: the names, or NULL
 * @dev: s_dev of the file system
 * @path: from the root of the file system
 * @buf: the path behind its mount point; @path itself if that is not known
 * @size: room in @buf
 *
 * Return: the mount, or NULL.
 */
const struct iob_mount *iob_names_path(const struct iob_names *n, uint32_t dev,
				       const char *path, char *buf,
				       size_t size)
{
	const struct iob_mount *m = n ? iob_names_mount(n, dev, path) : NULL;

	if (!m) {
		snprintf(buf, size, "%s", path);
		return NULL;
	}
	if (strcmp(m->root, "/"))
		path += strlen(m->root);
	snprintf(buf, size, "%s%s%s", strcmp(m->point, "/") ? m->point : "",
		 *path == '/' || !*path ? "" : "/", path);
	return m;
}

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
 * iob_names_cgroup_id - the id of a cgroup
 * @n: the names
 * @path: its id, its path below the cgroup root, or its directory
 * @id: the id, which is the directory's inode number
 * @err: error text
 *
 * Return: 0 or -ENOENT.
 */
int iob_names_cgroup_id(const struct iob_names *n, const char *path,
			uint64_t *id, struct iob_err *err)
{
	static const char *const roots[] = {
		"/sys/fs/cgroup/unified", "/sys/fs/cgroup", "",
	};
	struct iob_field f = { path, strlen(path) };
	char full[PATH_MAX];
	struct stat st;

	if (iob_field_u64(f, id))
		return 0;
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		snprintf(full, sizeof(full), "%s%s/%s",
			 *roots[i] ? n->root : "", roots[i], path);
		if (*path == '/' && !*roots[i])
			snprintf(full, sizeof(full), "%s", path);
		if (!stat(full, &st) && S_ISDIR(st.st_mode)) {
			*id = st.st_ino;
			return 0;
		}
	}
	return iob_fail(err, -ENOENT, "no cgroup '%s' below /sys/fs/cgroup",
			path);
}
