// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "errtext.h"

/**
 * iob_fail - leave the text of a failure
 * @err: where to; may be NULL
 * @ret: what the caller returns, a negative errno
 * @fmt: one line, without the program's name and without a newline
 *
 * Return: @ret, so that a function can end with ``return iob_fail(...)``.
 */
int iob_fail(struct iob_err *err, int ret, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return ret;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return ret;
}
