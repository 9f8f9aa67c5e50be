// SPDX-License-Identifier: GPL-2.0
/* A mountinfo file; every mount is also a path to look for. */
#include <limits.h>
#include <string.h>

#include "fuzz.h"
#include "names.h"

static void must_be_kept(const struct iob_names *n)
{
	struct iob_names *again = iob_names_create("/nonexistent");
	char *text = iob_names_mountinfo(n);

	MUST(text && again);
	MUST(!iob_names_add_mounts(again, text, strlen(text)));
	MUST(again->mounts.nr == n->mounts.nr);
	for (size_t i = 0; i < n->mounts.nr; i++) {
		const struct iob_mount *a = &n->mounts.v[i];
		const struct iob_mount *b = &again->mounts.v[i];

		MUST(a->dev == b->dev && !strcmp(a->root, b->root) &&
		     !strcmp(a->point, b->point));
	}
	free(text);
	iob_names_destroy(again);
}

void fuzz_mounts(const uint8_t *data, size_t size)
{
	struct iob_names *n = iob_names_create("/nonexistent");
	char path[2 * PATH_MAX];

	MUST(n);
	MUST(!iob_names_add_mounts(n, (const char *)data, size));
	for (size_t i = 0; i < n->mounts.nr; i++) {
		const struct iob_mount *m = &n->mounts.v[i];

		iob_names_path(n, m->dev, m->root, path, sizeof(path));
		iob_names_path(n, m->dev, m->point, path, sizeof(path));
		iob_names_path(n, m->dev, "", path, 8);
	}
	must_be_kept(n);
	iob_names_destroy(n);
}
