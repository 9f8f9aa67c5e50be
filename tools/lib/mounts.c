// SPDX-License-Identifier: GPL-2.0
/* Mounts: from a file system's own paths to those that users see. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

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

static int add_mount(struct iob_names *n, struct iob_field line)
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
