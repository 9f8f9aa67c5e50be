/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_BVEC_H
#define IOB_COMPAT_BVEC_H

#include <linux/bvec.h>

/* The offset into the current entry was bi_bvec_done up to v6.12. */
#ifdef IOB_HAVE_BVEC_DONE
#define iob_iter_offset(iter)	((iter)->bi_bvec_done)
#else
#define iob_iter_offset(iter)	((iter)->bi_offset)
#endif

#endif /* IOB_COMPAT_BVEC_H */
