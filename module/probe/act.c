// SPDX-License-Identifier: GPL-2.0
/* Acts: role, stack, file and kind under one id. */
#include "../out/events.h"
#include "probe.h"

/**
 * iob_act_look() - Id of an act that is not the one that was asked for last
 * @k:     where to keep it
 * @epoch: of the tables, read before
 * @act:   the act
 *
 * Context: probe; by iob_act_by().
 * Return: the id, a reserved one if there is no room.
 */
u32 iob_act_look(struct iob_known_act *k, u32 epoch, const struct iob_act *act)
{
	const struct iob_act *kept;
	bool fresh;

	k->id = iob_objects_act(&iob_state.objects, act, &fresh);
	k->act = *act;
	/* what found no room is looked for again */
	k->epoch = k->id >= IOB_NR_RESERVED_ACTS ? epoch : 0;
	/* which may tell less than was asked for */
	kept = fresh ? iob_intern_lookup(&iob_state.objects.acts, k->id) : NULL;
	if (kept)
		iob_event_act(k->id, kept);
	return k->id;
}
