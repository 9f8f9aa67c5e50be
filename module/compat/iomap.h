/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_IOMAP_H
#define IOB_COMPAT_IOMAP_H

#include <linux/iomap.h>

#include "ftrace.h"

/**
 * struct iob_iomap_write_end - arguments of iomap_write_end()
 * @folio:  what was written to
 * @pos:    where in the file
 * @copied: bytes
 */
struct iob_iomap_write_end {
	struct folio *folio;
	loff_t pos;
	size_t copied;
};

/*
 * Private to fs/iomap/buffered-io.c: (iter, pos, len, copied, folio) up to
 * v6.13, without @pos since iomap_iter_advance() moves iter->pos itself.
 */
static inline void iob_iomap_write_end(struct ftrace_regs *fregs,
				       struct iob_iomap_write_end *w)
{
#ifdef IOB_HAVE_IOMAP_ITER_ADVANCE
	const struct iomap_iter *iter =
		(void *)ftrace_regs_get_argument(fregs, 0);

	w->pos = iter->pos;
	w->copied = ftrace_regs_get_argument(fregs, 2);
	w->folio = (void *)ftrace_regs_get_argument(fregs, 3);
#else
	w->pos = ftrace_regs_get_argument(fregs, 1);
	w->copied = ftrace_regs_get_argument(fregs, 3);
	w->folio = (void *)ftrace_regs_get_argument(fregs, 4);
#endif
}

#endif /* IOB_COMPAT_IOMAP_H */
