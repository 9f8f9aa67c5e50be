/* SPDX-License-Identifier: GPL-2.0 */
/* Call paths: the return addresses on the current task's stack. */
#ifndef IOB_HOOK_PATH_H
#define IOB_HOOK_PATH_H

#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include "../core/base.h"

/* Frames of ours, and of what called us, before the first of the traced code. */
#define IOB_PATH_OWN		16
#define IOB_PATH_DEPTH		(IOB_STACK_DEPTH + IOB_PATH_OWN)
#define IOB_PATH_LINKS		16

/**
 * struct iob_path - the way from a probe outward
 * @nr:       frames found
 * @nr_links: of @link, those used
 * @is_exact: @at, @is_whole and @link are valid, and complete
 * @is_whole: the last frame is the kernel's entry
 * @base:     where the first return address lies
 * @ip:       return addresses, innermost first
 * @at:       where each lies, in words from where the first one does
 * @link:     a word by which the frame @frame was found: where it is, and how far
 *            it points from the first return address, or from the kernel's entry
 */
struct iob_path {
	u16 nr;
	u16 nr_links;
	bool is_exact;
	bool is_whole;
	const unsigned long *base;
	u16 at[IOB_PATH_DEPTH];
	unsigned long ip[IOB_PATH_DEPTH];
	struct iob_path_link {
		s16 at;
		u8 frame;
		bool from_entry;
		s32 points;
	} link[IOB_PATH_LINKS];
};

/**
 * iob_path_entry() - Where the kernel's entry has put its return address
 *
 * Below the registers of the user, or those a kernel thread begins with, at the
 * end of the stack.
 *
 * Return: the place on the current task's stack.
 */
static inline const unsigned long *iob_path_entry(void)
{
	return (const unsigned long *)task_pt_regs(current) - 1;
}

/**
 * iob_path_is_on_stack() - Is this a place on the current task's stack?
 * @place: the place
 *
 * An exception may have a stack of its own.
 *
 * Return: true if so, up to the kernel's entry.
 */
static inline bool iob_path_is_on_stack(const unsigned long *place)
{
	return (unsigned long)iob_path_entry() - (unsigned long)place < THREAD_SIZE;
}

int iob_path_init(void);
void iob_path_exit(void);
void iob_path_walk(struct iob_path *path, const unsigned long *base);
void iob_path_unwind(struct iob_path *path);

/* Counts up as the kernel's code changes: what was learnt of it before is void. */
extern u32 iob_path_era;

#endif /* IOB_HOOK_PATH_H */
