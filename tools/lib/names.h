/* SPDX-License-Identifier: GPL-2.0 */
/* What the machine calls things: disks, and where file systems are mounted. */
#ifndef IOBLAME_NAMES_H
#define IOBLAME_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "intern.h"
#include "map.h"
#include "vec.h"

struct iob_mount {
	uint32_t dev;
	const char *root;		/* part of the file system mounted */
	const char *point;
};

struct iob_names {
	char *root;			/* of /sys and /proc; "" for the real ones */
	int mountinfo_fd;
	struct iob_strings *strings;
	IOB_VEC(struct iob_mount) mounts;
	struct iob_map mount_at;	/* hash of what a mount is -> its place */
};

struct iob_names *iob_names_create(const char *root);
void iob_names_destroy(struct iob_names *n);
int iob_names_refresh(struct iob_names *n);
int iob_names_add_mounts(struct iob_names *n, const char *text, size_t len);
char *iob_names_mountinfo(const struct iob_names *n);
const struct iob_mount *iob_names_mount(const struct iob_names *n, uint32_t dev,
					const char *path);
const struct iob_mount *iob_names_path(const struct iob_names *n, uint32_t dev,
				       const char *path, char *buf,
				       size_t size);
bool iob_names_device(const struct iob_names *n, uint32_t dev, char *name,
		      size_t size);
bool iob_names_alias(const struct iob_names *n, uint32_t dev, char *alias,
		     size_t size);
int iob_names_look_around(struct iob_names *n);
bool iob_names_find_device(const struct iob_names *n, const char *what,
			   uint32_t *dev);
bool iob_names_stacked(const struct iob_names *n, uint32_t dev);
uint32_t iob_names_above(const struct iob_names *n, uint32_t dev);
int iob_names_each_disk(const struct iob_names *n,
			int (*fn)(void *arg, uint32_t dev, const char *name),
			void *arg);
int iob_names_cgroup_id(const struct iob_names *n, const char *path,
			uint64_t *id, struct iob_err *err);

#endif /* IOBLAME_NAMES_H */
