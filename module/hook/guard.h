/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_HOOK_GUARD_H
#define IOB_HOOK_GUARD_H

#include <linux/preempt.h>

#include "hook.h"

#ifdef CONFIG_PREEMPT_RT
#error "ioblame: probes allocate and lock with preemption off, which PREEMPT_RT does not allow"
#endif

#define IOB_CONTEXT_LEVELS	4	/* task, softirq, hardirq, NMI */

DECLARE_PER_CPU(u8 [IOB_CONTEXT_LEVELS], iob_guard_busy);

/**
 * iob_enter() - Begin of every probe
 * @hook: the hook it was called for
 *
 * Newer kernels call probes with preemption on; everything behind here relies
 * on it being off. A probe inside a probe of the same context level can only
 * come from something our own code called, and is refused and counted. An
 * interrupt's probe inside a task's probe is welcome: a completion must not
 * be missed because a page was being dirtied.
 *
 * With preemption off a probe is an RCU read section from here to iob_exit().
 *
 * Context: any but NMI.
 * Return: the context level, to be given to iob_exit(); negative: return at
 * once.
 */
static __always_inline int iob_enter(struct iob_hook *hook)
{
	int level;
	u8 *busy;

	preempt_disable_notrace();
	/* mostly a task: one look is enough then */
	level = preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET) ?
		interrupt_context_level() : 0;
	busy = this_cpu_ptr(iob_guard_busy);
	if (unlikely(busy[level] || level == IOB_CONTEXT_LEVELS - 1)) {
		this_cpu_inc(hook->stats->nested);
		preempt_enable_notrace();
		return -1;
	}
	busy[level] = 1;
	barrier();
	this_cpu_inc(hook->stats->hits);
	return level;
}

/**
 * iob_exit() - End of every probe that was entered
 * @level: what iob_enter() returned
 */
static __always_inline void iob_exit(int level)
{
	barrier();
	this_cpu_ptr(iob_guard_busy)[level] = 0;
	preempt_enable_notrace();
}

#endif /* IOB_HOOK_GUARD_H */
