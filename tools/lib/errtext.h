/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a failure. The library never prints: it returns 0 or -errno and
 * leaves one line that says what failed and what to do about it.
 */
#ifndef IOBLAME_ERRTEXT_H
#define IOBLAME_ERRTEXT_H

struct iob_err {
	char text[512];
};

int iob_fail(struct iob_err *err, int ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* IOBLAME_ERRTEXT_H */
