// SPDX-License-Identifier: GPL-2.0
/* Stacks, groups, roles, files and acts: the keys, the sizes, the losses. */
#include "objects.h"

/* Groups are few next to roles; a long-lived host has some hundreds. */
#define IOB_MAX_GROUPS	2048

static_assert(sizeof(struct iob_role_key) % 8 == 0);
static_assert(sizeof(struct iob_file_key) % 8 == 0);
static_assert(sizeof(struct iob_act) % 8 == 0);

/**
 * iob_objects_init() - Make the five tables
 * @o:          tables
 * @counters:   where losses are counted
 * @max_stacks: most stacks
 * @max_acts:   most acts, and most roles
 * @max_files:  most files
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int iob_objects_init(struct iob_objects *o, struct iob_counters *counters,
		     u32 max_stacks, u32 max_acts, u32 max_files)
{
	const struct {
		struct iob_intern *table;
		u32 max, reserved, size;
	} tables[] = {
		{ &o->stacks, max_stacks, 1, sizeof(struct iob_stack) },
		{ &o->groups, IOB_MAX_GROUPS, 1, sizeof(struct iob_group) },
		{ &o->roles, max_acts, 1, sizeof(struct iob_role) },
		{ &o->files, max_files, 1, sizeof(struct iob_file) },
		{ &o->acts, max_acts, IOB_NR_RESERVED_ACTS,
		  sizeof(struct iob_act) },
	};
	int i, err;

	memset(o, 0, sizeof(*o));
	o->counters = counters;
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		err = iob_intern_init(tables[i].table, tables[i].max,
				      tables[i].reserved, tables[i].size);
		if (err) {
			iob_objects_exit(o);
			return err;
		}
	}
	return 0;
}

/**
 * iob_objects_exit() - Free the five tables
 * @o: tables, initialised or zeroed
 */
void iob_objects_exit(struct iob_objects *o)
{
	iob_intern_exit(&o->acts);
	iob_intern_exit(&o->files);
	iob_intern_exit(&o->roles);
	iob_intern_exit(&o->groups);
	iob_intern_exit(&o->stacks);
}

static u32 get(struct iob_objects *o, struct iob_intern *table,
	       const void *object, u32 key_len, u32 len, bool *fresh,
	       enum iob_counter lost)
{
	u32 id = iob_intern_get(table, object, key_len, object, len, fresh);

	if (!id)
		iob_count(o->counters, lost, 1);
	return id;
}

static u32 stack_key_len(const struct iob_stack *stack)
{
	return (1 + stack->nr) * sizeof(u64);
}

/**
 * iob_objects_find_stack() - Id of a call path if it is known
 * @o:     tables
 * @stack: @nr and @ip filled
 *
 * Context: any but NMI.
 * Return: the id; 0 when it is new.
 */
u32 iob_objects_find_stack(struct iob_objects *o,
			   const struct iob_stack *stack)
{
	return iob_intern_find(&o->stacks, stack, stack_key_len(stack));
}

/**
 * iob_objects_stack() - Id of a call path
 * @o:     tables
 * @stack: the path, and what to keep if it is new; @nr at most IOB_STACK_DEPTH
 * @fresh: set to whether it is new
 *
 * Context: any but NMI.
 * Return: the id, 0 when the table is full (counted).
 */
u32 iob_objects_stack(struct iob_objects *o, const struct iob_stack *stack,
		      bool *fresh)
{
	return get(o, &o->stacks, stack, stack_key_len(stack), sizeof(*stack),
		   fresh, IOB_CNT_LOST_STACKS);
}

/**
 * iob_objects_find_group() - Id of a cgroup if it is known
 * @o:         tables
 * @cgroup_id: id in the v2 hierarchy
 *
 * Context: any but NMI.
 * Return: the id; 0 when it is new.
 */
u32 iob_objects_find_group(struct iob_objects *o, u64 cgroup_id)
{
	return iob_intern_find(&o->groups, &cgroup_id, sizeof(cgroup_id));
}

/**
 * iob_objects_group() - Id of a cgroup
 * @o:     tables
 * @group: key, and the path to keep if it is new
 * @fresh: set to whether it is new
 *
 * Context: any but NMI.
 * Return: the id, 0 when the table is full (counted as a lost role).
 */
u32 iob_objects_group(struct iob_objects *o, const struct iob_group *group,
		      bool *fresh)
{
	return get(o, &o->groups, group, sizeof(group->cgroup_id),
		   sizeof(*group), fresh, IOB_CNT_LOST_ROLES);
}

/**
 * iob_objects_role() - Id of a role
 * @o:     tables
 * @role:  key, and what to keep if it is new
 * @fresh: set to whether it is new
 *
 * Context: any but NMI.
 * Return: the id, 0 when the table is full (counted).
 */
u32 iob_objects_role(struct iob_objects *o, const struct iob_role *role,
		     bool *fresh)
{
	return get(o, &o->roles, role, sizeof(role->key), sizeof(*role), fresh,
		   IOB_CNT_LOST_ROLES);
}

/**
 * iob_objects_file() - Id of a file
 * @o:     tables
 * @file:  key, and what to keep if it is new
 * @fresh: set to whether it is new
 *
 * Context: any but NMI.
 * Return: the id, 0 when the table is full (counted).
 */
u32 iob_objects_file(struct iob_objects *o, const struct iob_file *file,
		     bool *fresh)
{
	return get(o, &o->files, file, sizeof(file->key), sizeof(*file), fresh,
		   IOB_CNT_LOST_FILES);
}

/* Is there room for what is told by stack and file? An eighth is kept for what is not. */
static bool has_room_for_detail(const struct iob_intern *acts)
{
	u32 room = acts->max - acts->reserved;

	return iob_intern_nr(acts) < room - room / 8;
}

/**
 * iob_objects_act() - Id of an act
 * @o:     tables
 * @act:   role, stack, file and kind; any of the ids may be 0, "not known"
 * @fresh: set to whether it is new
 *
 * Where the table is nearly full a new one is known without stack and file
 * (counted): who did it is the last that should be lost.
 *
 * Context: any but NMI.
 * Return: the id; IOB_ACT_LOST when the table is full (counted).
 */
u32 iob_objects_act(struct iob_objects *o, const struct iob_act *act,
		    bool *fresh)
{
	struct iob_act coarse = { .role = act->role, .kind = act->kind };
	u32 id;

	*fresh = false;
	if (!has_room_for_detail(&o->acts) && (act->stack || act->file)) {
		id = iob_intern_find(&o->acts, act, sizeof(*act));
		if (id)
			return id;
		iob_count(o->counters, IOB_CNT_FOLDED_ACTS, 1);
		act = &coarse;
	}
	id = get(o, &o->acts, act, sizeof(*act), sizeof(*act), fresh,
		 IOB_CNT_LOST_ACTS);
	return id ?: IOB_ACT_LOST;
}

/**
 * iob_objects_act_is_on() - Is this act about this file?
 * @o:    tables
 * @act:  act id
 * @file: the file a page belongs to now
 *
 * A reserved act, or one whose file found no room, is about any file: it
 * claims nothing that could be wrong.
 *
 * Context: probe.
 * Return: true or false; false for a stale id.
 */
bool iob_objects_act_is_on(struct iob_objects *o, u32 act,
			   const struct iob_file_key *file)
{
	const struct iob_act *a;
	const struct iob_file *f;

	if (act < IOB_NR_RESERVED_ACTS)
		return true;
	a = iob_intern_lookup(&o->acts, act);
	if (!a)
		return false;
	if (!a->file)
		return true;
	f = iob_intern_lookup(&o->files, a->file);
	return f && iob_file_key_equal(&f->key, file);
}

/**
 * iob_objects_role_matches() - Does this role pass the task filters?
 * @o:    tables
 * @role: role id; 0 passes only where nothing is filtered
 *
 * Context: probe.
 * Return: true or false.
 */
bool iob_objects_role_matches(struct iob_objects *o, u32 role)
{
	const struct iob_role *r = iob_intern_lookup(&o->roles, role);

	return r && READ_ONCE(r->matches);
}

/**
 * iob_file_named() - Has a file a name?
 * @file: the file
 *
 * Context: any.
 * Return: what iob_file_set_name() asks for to replace it; 0 if it has none yet,
 * or it is being written.
 */
u32 iob_file_named(const struct iob_file *file)
{
	/* pairs with iob_file_set_name() */
	u32 named = smp_load_acquire(&file->named);

	return named & 1 ? 0 : named;
}

/**
 * iob_file_set_name() - Give a file a name
 * @file:  the file
 * @named: of the file when the caller looked; who comes first writes
 * @path:  from the root of its file system, ended by NUL, IOB_PATH_LEN at most
 * @flags: bits of IOB_FILE_FLAGS
 *
 * Context: any but NMI; the caller is not interrupted for long.
 * Return: false if it has got another meanwhile.
 */
bool iob_file_set_name(struct iob_file *file, u32 named, const char *path,
		       u32 flags)
{
	if (named & 1 || cmpxchg(&file->named, named, named + 1) != named)
		return false;
	/* that it is being written is seen before what is written */
	smp_wmb();
	strscpy(file->path, path, sizeof(file->path));
	WRITE_ONCE(file->flags, flags);
	/* pairs with iob_file_named() */
	smp_store_release(&file->named, named + 2);
	return true;
}

/**
 * iob_file_get_name() - The name of a file
 * @file:  the file
 * @path:  filled; IOB_PATH_LEN bytes, ended by NUL
 * @flags: filled
 *
 * Context: any.
 * Return: false, and nothing in @path, if it has none yet, or it is being written.
 */
bool iob_file_get_name(const struct iob_file *file, char *path, u32 *flags)
{
	u32 named = iob_file_named(file);

	*flags = READ_ONCE(file->flags);
	memcpy(path, file->path, IOB_PATH_LEN);
	/* pairs with the one in iob_file_set_name() */
	smp_rmb();
	if (named && READ_ONCE(file->named) == named)
		return true;
	*path = '\0';
	*flags = 0;
	return false;
}
