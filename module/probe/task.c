// SPDX-License-Identifier: GPL-2.0
/* Tasks: who runs, under which name and in which cgroup, at this moment. */
#include <linux/cgroup.h>
#include <linux/kernfs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>

#include "../out/events.h"
#include "probe.h"
#include "recent.h"

/* How far up the process tree an ancestor is looked for. */
#define IOB_MAX_ANCESTORS	64

#ifdef CONFIG_CGROUPS

/**
 * iob_task_group() - Id of a cgroup
 * @scratch: of this probe
 * @cgrp:    the cgroup, of the v2 hierarchy; the caller keeps it
 *
 * Context: probe.
 * Return: the id, 0 if there is no room.
 */
u32 iob_task_group(struct iob_scratch *scratch, struct cgroup *cgrp)
{
	struct iob_group *group = &scratch->group;
	u64 id_of_cgroup = cgroup_id(cgrp);
	/* not needed for symbols here */
	char *path = scratch->symbol;
	size_t size = sizeof(scratch->symbol), len;
	bool fresh;
	u32 id;

	id = iob_objects_find_group(&iob_state.objects, id_of_cgroup);
	if (id)
		return id;
	memset(group, 0, sizeof(*group));
	group->cgroup_id = id_of_cgroup;
	/* takes only a lock of its own, with interrupts off */
	if (kernfs_path_from_node(cgrp->kn, NULL, path, size) < 0)
		path[0] = '\0';
	/* the end of a path tells more than its beginning */
	len = strnlen(path, size);
	if (len >= sizeof(group->path)) {
		path += len - sizeof(group->path) + 1;
		memcpy(path, "...", 3);
	}
	strscpy(group->path, path, sizeof(group->path));
	return iob_objects_group(&iob_state.objects, group, &fresh);
}

/**
 * iob_task_wants_group() - Does a cgroup pass the filter of cgroups?
 * @cgrp: the cgroup; the caller keeps it
 *
 * Context: probe.
 * Return: true if it or one above is asked for, or no filter is set.
 */
bool iob_task_wants_group(struct cgroup *cgrp)
{
	const struct iob_filter *filter = &iob_state.filter;

	for (; filter->nr_cgroup && cgrp; cgrp = cgroup_parent(cgrp))
		if (iob_filter_has_cgroup(filter, cgroup_id(cgrp)))
			return true;
	return !filter->nr_cgroup;
}

static u32 group_of_current(struct iob_scratch *scratch)
{
	return iob_task_group(scratch, task_dfl_cgroup(current));
}

static bool is_in_wanted_cgroup(void)
{
	return iob_task_wants_group(task_dfl_cgroup(current));
}

#else

static u32 group_of_current(struct iob_scratch *scratch)
{
	return 0;
}

static bool is_in_wanted_cgroup(void)
{
	return !iob_state.filter.nr_cgroup;
}

#endif /* CONFIG_CGROUPS */

static bool is_in_wanted_family(void)
{
	const struct iob_filter *filter = &iob_state.filter;
	struct task_struct *task = current;
	int i;

	for (i = 0; i < IOB_MAX_ANCESTORS && task->tgid > 1; i++) {
		if (iob_filter_has_tgid(filter, task->tgid) ||
		    iob_family_has(&iob_state.family, task->tgid))
			return true;
		task = rcu_dereference_sched(task->real_parent);
	}
	return false;
}

/* Both filters must agree; one that is not set agrees with everything. */
static bool current_matches(void)
{
	const struct iob_filter *filter = &iob_state.filter;

	return (!filter->nr_tgid || is_in_wanted_family()) &&
	       is_in_wanted_cgroup();
}

static u32 flags_of_current(void)
{
	u32 flags = 0;

	if (current->flags & PF_KTHREAD)
		flags |= BIT(IOB_ROLE_BIT_KTHREAD);
	if (current->flags & PF_WQ_WORKER)
		flags |= BIT(IOB_ROLE_BIT_WORKER);
	if (current->flags & PF_IO_WORKER)
		flags |= BIT(IOB_ROLE_BIT_IO_WORKER);
	return flags;
}

/**
 * iob_task_role_id() - Id of a role, which is told of if it is new
 * @role: the role
 *
 * Context: probe.
 * Return: the id, 0 when there is no room.
 */
u32 iob_task_role_id(const struct iob_role *role)
{
	bool fresh;
	u32 id = iob_objects_role(&iob_state.objects, role, &fresh);

	if (fresh)
		iob_event_role(id, &role->key,
			       iob_intern_lookup(&iob_state.objects.groups,
						 role->key.group));
	return id;
}

/* Role of the current task, which acts as @task, made known if it is new. */
static u32 find_role(struct iob_scratch *scratch, const struct task_struct *task)
{
	struct iob_role *role = &scratch->role;
	u32 id;

	memset(role, 0, sizeof(*role));
	role->key.pid = task->pid;
	role->key.tgid = task->tgid;
	role->key.start_ns = task->start_boottime;
	/* zero what follows the NUL: it may be an older name, and is the key */
	strscpy_pad(role->key.comm, task->comm, IOB_COMM_LEN);
	role->key.group = group_of_current(scratch);
	role->key.flags = flags_of_current();
	id = iob_intern_find(&iob_state.objects.roles, &role->key,
			     sizeof(role->key));
	if (id)
		return id;
	role->matches = current_matches();
	return iob_task_role_id(role);
}

/**
 * iob_task_look() - Role of the current task, which is not the last that was asked for
 * @scratch: of this probe
 * @task:    as whom it acts
 * @epoch:   of the tables, read before
 *
 * Context: probe, in a task; by iob_task_role().
 * Return: the id, 0 when there is no room.
 */
u32 iob_task_look(struct iob_scratch *scratch, const struct task_struct *task,
		  u32 epoch)
{
	struct iob_recent *r = &scratch->recent;
	u32 role = find_role(scratch, task);

	/* a role that found no room is looked for again */
	r->epoch = role ? epoch : 0;
	r->task = task;
	r->start_ns = task->start_boottime;
	r->comm[0] = iob_comm_word(task, 0);
	r->comm[1] = iob_comm_word(task, 1);
	r->flags = current->flags & IOB_ROLE_TASK_FLAGS;
	r->cgroup = iob_cgroup_of_current();
	r->role = role;
	return role;
}

static void on_fork(void *hook, struct task_struct *parent,
		    struct task_struct *child)
{
	int level;

	if (!iob_state.filter.nr_tgid || parent->tgid == child->tgid)
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	if (iob_filter_has_tgid(&iob_state.filter, parent->tgid) ||
	    iob_family_has(&iob_state.family, parent->tgid))
		iob_family_add(&iob_state.family, child->tgid);
	iob_exit(level);
}

static void on_free(void *hook, struct task_struct *task)
{
	int level;

	if (!iob_state.filter.nr_tgid || !thread_group_leader(task))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	iob_family_remove(&iob_state.family, task->tgid);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_TRACEPOINT(sched_process_fork, on_fork, IOB_OPTIONAL,
		       "children of filtered processes whose parents exited"),
	IOB_TRACEPOINT(sched_process_free, on_free, IOB_OPTIONAL,
		       "that a filtered process number is used again"),
};

const struct iob_hook_table iob_task_hooks = IOB_HOOK_TABLE(hooks);
