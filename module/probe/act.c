// SPDX-License-Identifier: GPL-2.0
/* Acts: role, stack, file and kind under one id. */
#include "../out/events.h"
#include "probe.h"

/* Ids that were lately found on this CPU, by a hash of what the act is made of. */
#define NR_RECENT	64
static DEFINE_PER_CPU(u32 [NR_RECENT], recent);

/**
 * iob_act_of() - Id of an act
 * @role:  role id, 0: not known
 * @stack: stack id, 0: not known
 * @file:  file id, 0: none or not known
 * @kind:  what it is
 *
 * Context: probe.
 * Return: the id, a reserved one if there is no room.
 */
u32 iob_act_of(u32 role, u32 stack, u32 file, enum iob_kind kind)
{
	struct iob_act act = {
		.role = role,
		.stack = stack,
		.file = file,
		.kind = kind,
	};
	u32 *last = this_cpu_ptr(recent) +
		    (stack * 31 + file * 7 + role + kind) % NR_RECENT;
	const struct iob_act *kept;
	bool fresh;
	u32 id = iob_intern_again(&iob_state.objects.acts, READ_ONCE(*last),
				  &act, sizeof(act));

	if (id)
		return id;
	id = iob_objects_act(&iob_state.objects, &act, &fresh);
	WRITE_ONCE(*last, id);
	/* which may tell less than was asked for */
	kept = fresh ? iob_intern_lookup(&iob_state.objects.acts, id) : NULL;
	if (kept)
		iob_event_act(id, kept);
	return id;
}

/**
 * iob_act_look() - Id of an act that is not the one that was asked for last
 * @k:     where to keep it
 * @epoch: of the tables, read before
 * @role:  as for iob_act_of()
 * @stack: likewise
 * @file:  likewise
 * @kind:  likewise
 *
 * Context: probe; by iob_act_by().
 * Return: the id, a reserved one if there is no room.
 */
u32 iob_act_look(struct iob_known_act *k, u32 epoch, u32 role, u32 stack,
		 u32 file, enum iob_kind kind)
{
	k->id = iob_act_of(role, stack, file, kind);
	k->act = (struct iob_act){
		.role = role, .stack = stack, .file = file, .kind = kind,
	};
	/* what found no room is looked for again */
	k->epoch = k->id >= IOB_NR_RESERVED_ACTS ? epoch : 0;
	return k->id;
}
