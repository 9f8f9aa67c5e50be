/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One ioblame at a time. The lock file also holds what has to be put back, so
 * that the next run can do it for one that was killed: each change is written
 * here before it is made.
 */
#ifndef IOBLAME_LOCK_H
#define IOBLAME_LOCK_H

#include "errtext.h"
#include "snapshot.h"

int iob_lock_take(const char *root, int *fd, struct iob_blob *left,
		  struct iob_err *err);
int iob_lock_note(int fd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void iob_lock_drop(int fd);

#endif /* IOBLAME_LOCK_H */
