// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"
#include "snapshot.h"
#include "text.h"
#include "uapi/ioblame.h"

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
	iob_map_free(&n->mount_at);
	iob_strings_destroy(n->strings);
	free(n->root);
	free(n);
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
