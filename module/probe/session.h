/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_PROBE_SESSION_H
#define IOB_PROBE_SESSION_H

#include <linux/kallsyms.h>
#include <linux/percpu.h>

#include "../core/charge.h"
#include "../hook/guard.h"

/* What all probes work on; valid while hooks are attached. */
extern struct iob_state iob_state;

/**
 * struct iob_scratch - working memory of one probe, too large for its stack
 * @io:     the IO whose origins are gathered
 * @stack:  the call path that is looked up
 * @group:  the cgroup that is being made known
 * @file:   the file that is being made known
 * @role:   the role that is looked up
 * @symbol: one symbol's name
 */
struct iob_scratch {
	struct iob_io io;
	struct iob_stack stack;
	struct iob_group group;
	struct iob_file file;
	struct iob_role role;
	unsigned long frames[IOB_STACK_DEPTH + 16];
	char symbol[KSYM_SYMBOL_LEN];
};

/**
 * iob_scratch() - The working memory of the probe that runs here
 * @level: what iob_enter() returned
 *
 * One per CPU and context level: an interrupt's probe has its own.
 *
 * Return: the memory, to be used until iob_exit().
 */
struct iob_scratch *iob_scratch(int level);

int iob_session_init(void);
void iob_session_exit(void);
int iob_session_enable(const struct iob_limits *limits,
		       const struct iob_filter *filter);
void iob_session_disable(void);

#endif /* IOB_PROBE_SESSION_H */
