/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was found for the probe before. Most of the time the same task does the same
 * to the same file again: that is compared here, and the rest is elsewhere.
 */
#ifndef IOB_PROBE_RECENT_H
#define IOB_PROBE_RECENT_H

#include <linux/cgroup.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "../fs/fs.h"
#include "probe.h"

/* Of a task's flags, those that its role tells. */
#define IOB_ROLE_TASK_FLAGS	(PF_KTHREAD | PF_WQ_WORKER | PF_IO_WORKER)

/*
 * A worker of io_uring, a polling one too, is a thread of the process that owns the
 * ring and acts for it. The leader outlives every other thread of its process.
 */
static inline const struct task_struct *iob_acting_task(void)
{
	return current->flags & PF_IO_WORKER ? current->group_leader : current;
}

static inline u64 iob_cgroup_of_current(void)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(task_dfl_cgroup(current));
#else
	return 0;
#endif
}

/* The name as two words, which it is compared by. */
static __always_inline u64 iob_comm_word(const struct task_struct *task, int i)
{
	u64 word;

	memcpy(&word, task->comm + i * sizeof(word), sizeof(word));
	return word;
}

/*
 * Does the current task, which acts as @task, have the role that was last asked for?
 * When it began tells it from whoever had its memory before, and from what it was
 * before it took its leader's place.
 */
static __always_inline bool iob_is_recent(const struct iob_recent *r,
					  const struct task_struct *task,
					  u32 epoch)
{
	return r->epoch == epoch && r->task == task &&
	       r->start_ns == task->start_boottime &&
	       r->comm[0] == iob_comm_word(task, 0) &&
	       r->comm[1] == iob_comm_word(task, 1) &&
	       r->flags == (current->flags & IOB_ROLE_TASK_FLAGS) &&
	       r->cgroup == iob_cgroup_of_current();
}

/**
 * iob_task_role() - Role of the current task
 * @scratch: of this probe
 *
 * The workers of io_uring have the role of the ring's owner, marked as theirs.
 *
 * Context: probe.
 * Return: the id; 0 in an interrupt, where nobody in particular runs, or when
 * there is no room.
 */
static __always_inline u32 iob_task_role(struct iob_scratch *scratch)
{
	const struct task_struct *task = iob_acting_task();
	struct iob_recent *recent = &scratch->recent;
	u32 epoch = iob_objects_epoch(&iob_state.objects);

	if (!in_task())
		return 0;
	if (likely(iob_is_recent(recent, task, epoch)))
		return recent->role;
	return iob_task_look(scratch, task, epoch);
}

/**
 * iob_act_by() - Id of an act
 * @scratch: of this probe
 * @role:    role id, 0: not known
 * @stack:   stack id, 0: not known
 * @file:    file id, 0: none or not known
 * @kind:    what it is
 *
 * Context: probe.
 * Return: the id, a reserved one if there is no room.
 */
static __always_inline u32 iob_act_by(struct iob_scratch *scratch, u32 role,
				      u32 stack, u32 file, enum iob_kind kind)
{
	u32 epoch = iob_objects_epoch(&iob_state.objects);
	struct iob_known_act *k = &scratch->acts[(stack ^ file * 2 ^ kind * 4) %
						 IOB_KNOWN_ACTS];

	if (likely(k->epoch == epoch && k->act.role == role &&
		   k->act.stack == stack && k->act.file == file &&
		   k->act.kind == kind))
		return k->id;
	return iob_act_look(k, epoch, &(struct iob_act){
		.role = role, .stack = stack, .file = file, .kind = kind,
	});
}

/* The same of a doer. */
static __always_inline u32 iob_doer_act(struct iob_scratch *scratch,
					const struct iob_doer *doer, u32 file,
					enum iob_kind kind)
{
	return iob_act_by(scratch, doer->role, doer->stack_id, file, kind);
}

/**
 * iob_is_dirtied_again() - Is it the file that was dirtied last?
 * @d:     of the probe before
 * @inode: of the file
 *
 * Then its kind is that of then, too.
 *
 * Context: probe.
 * Return: true or false; false for a block device.
 */
static __always_inline bool iob_is_dirtied_again(const struct iob_dirtying *d,
						 const struct inode *inode)
{
	return d->inode == inode && d->key.ino == inode->i_ino &&
	       d->key.gen == inode->i_generation &&
	       d->key.dev == inode->i_sb->s_dev;
}

/**
 * iob_dirtying_of() - The current task dirties data of a file
 * @scratch: of this probe
 * @hook:    that was hit
 * @inode:   the file's
 * @kind:    what is dirtied
 * @again:   of iob_is_dirtied_again()
 *
 * Raw writes share a block device's pages with metadata, which is not told here.
 *
 * Context: probe.
 * Return: what it does, in @scratch; NULL if it is such metadata.
 */
static __always_inline const struct iob_dirtying *
iob_dirtying_of(struct iob_scratch *scratch, struct iob_hook *hook,
		const struct inode *inode, enum iob_kind kind, bool again)
{
	u32 epoch = iob_objects_epoch(&iob_state.objects);
	struct iob_dirtying *d = &scratch->dirtying;
	u32 stack_id = iob_stack_current(scratch, hook, &scratch->here);
	u32 role = iob_task_role(scratch);

	if (likely(again && d->epoch == epoch && d->stack_id == stack_id &&
		   d->role == role && d->kind == kind))
		return d;
	d->stack_id = stack_id;
	d->role = role;
	d->kind = kind;
	d->stack = scratch->here;
	return iob_dirtying_look(scratch, inode, epoch);
}

/**
 * iob_dirtied_ns() - When a page was dirtied
 * @scratch: of this probe
 * @exactly: to be compared with when IO was submitted
 *
 * Else the clock is read once a tick: a page's time is not remembered more exactly.
 *
 * Context: probe.
 * Return: now, or since the last tick; never later than now.
 */
static __always_inline u64 iob_dirtied_ns(struct iob_scratch *scratch, bool exactly)
{
	unsigned long tick = READ_ONCE(jiffies);

	if (unlikely(scratch->tick != tick || !scratch->tick_ns || exactly)) {
		scratch->tick = tick;
		scratch->tick_ns = ktime_get_mono_fast_ns();
	}
	return scratch->tick_ns;
}

#endif /* IOB_PROBE_RECENT_H */
