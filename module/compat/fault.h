/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_FAULT_H
#define IOB_COMPAT_FAULT_H

#include <linux/mm.h>

#include "ftrace.h"

/**
 * struct iob_mapping_in - pages that a fault maps
 * @vmf:  the fault
 * @page: the first of them
 * @nr:   how many
 * @addr: where the first one goes
 */
struct iob_mapping_in {
	const struct vm_fault *vmf;
	struct page *page;
	u32 nr;
	unsigned long addr;
};

/*
 * set_pte_range(vmf, folio, page, nr, addr) since v6.6 ("mm: convert do_set_pte()
 * to set_pte_range()"), one page at a time before.
 */
static inline void iob_mapping_in(struct ftrace_regs *fregs,
				  struct iob_mapping_in *m)
{
	m->vmf = (void *)ftrace_regs_get_argument(fregs, 0);
#ifdef IOB_HAVE_SET_PTE_RANGE
	m->page = (void *)ftrace_regs_get_argument(fregs, 2);
	m->nr = ftrace_regs_get_argument(fregs, 3);
	m->addr = ftrace_regs_get_argument(fregs, 4);
#else
	m->page = (void *)ftrace_regs_get_argument(fregs, 1);
	m->nr = 1;
	m->addr = ftrace_regs_get_argument(fregs, 2);
#endif
}

#ifdef IOB_HAVE_SET_PTE_RANGE
#define IOB_SET_PTE(probe, need, effect)				\
	IOB_FUNCTION(set_pte_range,					\
		     ((struct vm_fault *)NULL, (struct folio *)NULL,	\
		      (struct page *)NULL, 1, 0ul), probe, need, effect)
#else
#define IOB_SET_PTE(probe, need, effect)				\
	IOB_FUNCTION(do_set_pte, ((struct vm_fault *)NULL,		\
				  (struct page *)NULL, 0ul), probe, need, effect)
#endif

#endif /* IOB_COMPAT_FAULT_H */
