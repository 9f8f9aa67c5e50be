/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rotation: FILE is the newest, FILE.1 the one before it, and so on; the next
 * is made as FILE.new and becomes FILE once it can be read by itself.
 */
#ifndef IOBLAME_ROTATION_H
#define IOBLAME_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"

struct iob_rotation {
	const char *path;
	char *next;			/* FILE.new */
	uint64_t max_bytes, max_ns;	/* 0: no limit */
	uint64_t keep;			/* how many, FILE included */
	uint64_t begun_ns, begun_bytes;	/* of the file that is written to */
};

int iob_rotation_init(struct iob_rotation *r, const char *path,
		      struct iob_err *err);
void iob_rotation_deinit(struct iob_rotation *r);
void iob_rotation_begun(struct iob_rotation *r, uint64_t now_ns,
			uint64_t bytes);
bool iob_rotation_is_due(const struct iob_rotation *r, uint64_t now_ns,
			 uint64_t bytes);
int iob_rotation_shift(const struct iob_rotation *r, struct iob_err *err);

#endif /* IOBLAME_ROTATION_H */
