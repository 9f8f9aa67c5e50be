/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_DCACHE_H
#define IOB_COMPAT_DCACHE_H

#include <linux/dcache.h>

/* The union around the alias list lost its name after v6.12. */
#ifdef IOB_HAVE_DENTRY_D_U
#define iob_dentry_of_alias(node) \
	hlist_entry(node, struct dentry, d_u.d_alias)
#else
#define iob_dentry_of_alias(node) \
	hlist_entry(node, struct dentry, d_alias)
#endif

#endif /* IOB_COMPAT_DCACHE_H */
