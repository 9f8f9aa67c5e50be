// SPDX-License-Identifier: GPL-2.0
/* Mounts: from a file system's own paths to those that users see. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "map.h"
#include "names.h"
#include "snapshot.h"
#include "text.h"
#include "uapi/ioblame.h"

#define MOUNTINFO_MAX (64u << 20)

/* mountinfo writes blanks, newlines and backslashes as \ooo; no path has a NUL. */
static const char *unescape_octal(struct iob_names *n, struct iob_field f)
{
	char buf[PATH_MAX];
	size_t len = 0;

	for (size_t i = 0; i < f.len && len < sizeof(buf) - 1; i++) {
		const char *p = f.p + i;

		if (*p == '\\' && f.len - i >= 4 && p[1] >= '0' && p[1] <= '3' &&
		    p[2] >= '0' && p[2] <= '7' && p[3] >= '0' && p[3] <= '7' &&
		    memcmp(p + 1, "000", 3)) {
			buf[len++] = (p[1] - '0') << 6 | (p[2] - '0') << 3 |
				     (p[3] - '0');
			i += 3;
		} else {
			buf[len++] = *p;
		}
	}
	buf[len] = '\0';
	return iob_strings_intern(n->strings, buf, strlen(buf));
}

/* Where a mount is or, if it is new (false), is to be put. Its texts are interned. */
static bool find_mount(const struct iob_names *n, const struct iob_mount *v,
		       uint64_t *key)
{
	uint32_t at;

	*key = iob_mix(iob_mix(v->dev, (uintptr_t)v->root), (uintptr_t)v->point);
	for (; iob_map_get(&n->mount_at, *key, &at); ++*key) {
		const struct iob_mount *m = &n->mounts.v[at];

		if (m->dev == v->dev && m->root == v->root &&
		    m->point == v->point)
			return true;
	}
	return false;
}

/* Whether somebody sees this part of the file system, or all of it, already */
static bool is_mounted(const struct iob_names *n, uint32_t dev, const char *root)
{
	for (size_t i = 0; i < n->mounts.nr; i++) {
		const struct iob_mount *m = &n->mounts.v[i];

		if (m->dev == dev && (m->root == root || !strcmp(m->root, "/")))
			return true;
	}
	return false;
}

static int add_mount(struct iob_names *n, struct iob_field line,
		     const char *space)
{
	struct iob_field part;
	struct iob_mount v = {}, *m;
	uint64_t key;

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
	if (v.point && space) {
		char there[PATH_MAX + 64];
		int len = snprintf(there, sizeof(there), "%s%s", space,
				   strcmp(v.point, "/") ? v.point : "");

		if (len >= (int)sizeof(there) || is_mounted(n, v.dev, v.root))
			return 0;
		v.point = iob_strings_intern(n->strings, there, len);
	}
	if (!v.root || !v.point)
		return -ENOMEM;
	if (find_mount(n, &v, &key))
		return 0;
	m = iob_vec_add(&n->mounts);
	if (!m)
		return -ENOMEM;
	*m = v;
	if (!iob_map_set(&n->mount_at, key, n->mounts.nr - 1))
		return 0;
	n->mounts.nr--;
	return -ENOMEM;
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
		ret = add_mount(n, line, NULL);
	return ret;
}

/* @space: what is written before the points of another namespace; NULL: nothing */
static int read_mounts(struct iob_names *n, const char *pid, const char *space)
{
	struct iob_field rest, line;
	struct iob_blob blob;
	char path[PATH_MAX];
	int ret = 0;

	snprintf(path, sizeof(path), "%s/proc/%.32s/mountinfo", n->root, pid);
	if (iob_blob_read(&blob, path, MOUNTINFO_MAX, NULL))
		return 0;
	rest = (struct iob_field){ blob.p, blob.len };
	while (!ret && iob_split(&rest, '\n', &line))
		ret = add_mount(n, line, space);
	iob_blob_free(&blob);
	return ret;
}

static uint64_t name_hash(const char *s)
{
	uint64_t h = 0;

	while (*s)
		h = iob_mix(h, (unsigned char)*s++);
	return h;
}

/**
 * iob_names_refresh - look at the mounts again
 * @n: the names
 *
 * Those of the first process come first: theirs are the paths that users know.
 *
 * Return: 0 or a negative errno; without /proc nothing is known, which is 0.
 */
int iob_names_refresh(struct iob_names *n)
{
	int ret = read_mounts(n, "1", NULL);

	return ret ? ret : read_mounts(n, "self", NULL);
}

/* Which mounts a process sees; an empty text if that cannot be told. */
static void namespace_of(const struct iob_names *n, const char *pid, char *space,
			 size_t size)
{
	char path[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/proc/%.32s/ns/mnt", n->root, pid);
	len = readlink(path, space, size - 1);
	space[len > 0 ? len : 0] = '\0';
}

/**
 * iob_names_look_around - also remember what is mounted in other namespaces alone
 * @n: the names
 *
 * One process of each is asked. A mount point there is written behind the name of
 * the namespace, "mnt:[4026532211]/data", as the path means nothing elsewhere.
 *
 * Return: 0 or -ENOMEM.
 */
int iob_names_look_around(struct iob_names *n)
{
	struct iob_map seen = {};
	struct dirent *e;
	char path[PATH_MAX], space[64];
	int ret = 0;
	uint32_t at;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc", n->root);
	d = opendir(path);
	if (!d)
		return 0;
	namespace_of(n, "1", space, sizeof(space));
	if (*space)
		ret = iob_map_set(&seen, name_hash(space), 0);
	namespace_of(n, "self", space, sizeof(space));
	if (!ret && *space)
		ret = iob_map_set(&seen, name_hash(space), 0);
	while (!ret && (e = readdir(d))) {
		if (*e->d_name < '1' || *e->d_name > '9')
			continue;
		namespace_of(n, e->d_name, space, sizeof(space));
		if (!*space || iob_map_get(&seen, name_hash(space), &at))
			continue;
		ret = iob_map_set(&seen, name_hash(space), 0);
		if (!ret)
			ret = read_mounts(n, e->d_name, space);
	}
	closedir(d);
	iob_map_free(&seen);
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

/*
 * A path that is seen here beats one that is seen elsewhere; then one from the root
 * of the file system, then the smallest part; then what was mounted first.
 */
static bool is_better(const struct iob_mount *a, const struct iob_mount *b)
{
	bool a_here = *a->point == '/', b_here = *b->point == '/';
	bool a_all = !strcmp(a->root, "/"), b_all = !strcmp(b->root, "/");

	if (a_here != b_here)
		return a_here;
	if (a_all != b_all)
		return a_all;
	return strlen(a->root) > strlen(b->root);
}

/**
 * iob_names_mount - the mount through which a file is seen
 * @n: the names
 * @dev: s_dev of its file system
 * @path: from the root of its file system
 *
 * Of several, one that can be seen from here, of the whole file system, else of
 * the smallest part.
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
		if (!best || is_better(m, best))
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
