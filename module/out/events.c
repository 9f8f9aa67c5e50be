// SPDX-License-Identifier: GPL-2.0
/* Events: each object when it is first seen, each IO when it completes. */
#include "events.h"
#include "symbol.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/**
 * iob_event_act() - An act is new
 * @id:  its id
 * @act: the act
 */
void iob_event_act(u32 id, const struct iob_act *act)
{
	trace_ioblame_act(id, act);
}

/**
 * iob_event_role() - A role is new
 * @id:   its id
 * @role: the role
 * @group: its cgroup, NULL if not known
 */
void iob_event_role(u32 id, const struct iob_role_key *role,
		    const struct iob_group *group)
{
	trace_ioblame_role(id, role, group ? group->path : "",
			   group ? group->cgroup_id : 0);
}

/**
 * iob_event_stack() - A stack is new
 * @id:    its id
 * @stack: the stack
 */
void iob_event_stack(u32 id, const struct iob_stack *stack)
{
	trace_ioblame_stack(id, stack);
}

/**
 * iob_event_file() - A file has got its name
 * @id:   its id
 * @file: the file
 */
void iob_event_file(u32 id, const struct iob_file *file)
{
	trace_ioblame_file(id, file);
}

/**
 * iob_event_io() - An IO has completed
 * @io: the IO and its origins
 */
void iob_event_io(const struct iob_io *io)
{
	trace_ioblame_io(io);
}

/**
 * iob_event_cancel() - Dirty pages were dropped unwritten
 * @act:   who had dirtied them
 * @dev:   the disk they would have gone to
 * @bytes: how much
 */
void iob_event_cancel(u32 act, u32 dev, u64 bytes)
{
	trace_ioblame_cancel(act, dev, bytes);
}
