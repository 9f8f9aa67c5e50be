/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_PROBE_SESSION_H
#define IOB_PROBE_SESSION_H

#include <linux/kallsyms.h>
#include <linux/percpu.h>

#include "../core/charge.h"
#include "../hook/guard.h"
#include "../hook/path.h"

/* What all probes work on; valid while hooks are attached. */
extern struct iob_state iob_state;

/**
 * struct iob_recent - the task that was last seen here, and what its role is made of
 * @task:     the task, only compared
 * @start_ns: when it began
 * @comm:     its name, as words
 * @cgroup:   the id of its cgroup
 * @flags:    of the current task, those that count
 * @role:     the role's id
 * @epoch:    in which it was found, see iob_objects_epoch()
 */
struct iob_recent {
	const struct task_struct *task;
	u64 start_ns;
	u64 comm[IOB_COMM_LEN / 8];
	u64 cgroup;
	u32 flags;
	u32 role;
	u32 epoch;
};

/**
 * struct iob_dirtying - what a task does as it dirties data of a file
 * @inode:    what was dirtied last, only compared; NULL: nothing is known
 * @epoch:    in which all of it was found, see iob_objects_epoch()
 * @role:     who
 * @stack_id: by which path
 * @kind:     what is dirtied
 * @key:      of which file
 * @stack:    the path, NULL if not known
 * @file_id:  the file's id
 * @file:     the file, NULL if not known
 * @act:      the task's own act
 */
struct iob_dirtying {
	const struct inode *inode;
	u32 epoch;
	u32 role;
	u32 stack_id;
	enum iob_kind kind;
	struct iob_file_key key;
	struct iob_stack *stack;
	struct iob_file *file;
	u32 file_id;
	u32 act;
};

/**
 * struct iob_known_act - an act that was lately asked for
 * @epoch: in which it was found, see iob_objects_epoch()
 * @id:    its id
 * @act:   what it is
 */
struct iob_known_act {
	u32 epoch;
	u32 id;
	struct iob_act act;
};

#define IOB_KNOWN_ACTS	64

/**
 * struct iob_scratch - working memory of one probe, too large for its stack
 * @io:     the IO whose origins are gathered
 * @flow:   what is known of the bio that the probe was called for
 * @link:   what was known of that before it was submitted
 * @stack:  the call path that is looked up
 * @group:  the cgroup that is being made known
 * @file:   the file that is being made known
 * @role:   the role that is looked up
 * @path:   the call path as it was walked
 * @memo:   the call path of the probe before, NULL if it was not known
 * @tick:   of the kernel's clock, when @tick_ns was read
 * @tick_ns: a time
 * @here:   the call path that was asked for last, for who needs it at once
 * @recent: what the probe before has found of its task
 * @dirtying: what a task that dirtied data was found to do, the last time
 * @acts:   what tasks were found to do, by a hash
 * @tallies: sums of IOs, to be added to the rows later
 * @symbol: one symbol's name
 */
struct iob_scratch {
	struct iob_memo *memo;
	unsigned long tick;
	u64 tick_ns;
	struct iob_recent recent;
	struct iob_dirtying dirtying;
	struct iob_known_act acts[IOB_KNOWN_ACTS];
	struct iob_io io;
	struct iob_flow flow;
	struct iob_flow link;
	struct iob_stack stack;
	struct iob_group group;
	struct iob_file file;
	struct iob_role role;
	struct iob_path path;
	struct iob_stack *here;
	struct iob_tallies tallies;
	char symbol[KSYM_SYMBOL_LEN];
};

/* NMI probes are refused by iob_enter(), so they need no memory. */
DECLARE_PER_CPU(struct iob_scratch *[IOB_CONTEXT_LEVELS - 1], iob_scratches);

/**
 * iob_scratch() - The working memory of the probe that runs here
 * @level: what iob_enter() returned
 *
 * One per CPU and context level: an interrupt's probe has its own.
 *
 * Return: the memory, to be used until iob_exit().
 */
static inline struct iob_scratch *iob_scratch(int level)
{
	return this_cpu_read(iob_scratches[level]);
}

int iob_session_init(void);
void iob_session_exit(void);
int iob_session_enable(const struct iob_limits *limits,
		       const struct iob_filter *filter);
void iob_session_disable(void);

#endif /* IOB_PROBE_SESSION_H */
