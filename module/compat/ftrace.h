/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_FTRACE_H
#define IOB_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/ptrace.h>

#ifndef ftrace_regs_get_argument
/*
 * Before it was added (v6.2, "ftrace: abstract DYNAMIC_FTRACE_WITH_ARGS
 * accesses"): the argument registers are saved all the same.
 */
#define ftrace_regs_get_argument(fregs, n) \
	regs_get_kernel_argument(&(fregs)->regs, n)
#endif

#endif /* IOB_COMPAT_FTRACE_H */
