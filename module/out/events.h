/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events, as probes see them: told by what core/ calls things. Each does
 * nothing unless somebody listens.
 */
#ifndef IOB_OUT_EVENTS_H
#define IOB_OUT_EVENTS_H

#include "../core/charge.h"

void iob_event_act(u32 id, const struct iob_act *act);
void iob_event_role(u32 id, const struct iob_role_key *role,
		    const struct iob_group *group);
void iob_event_stack(u32 id, const struct iob_stack *stack);
void iob_event_file(u32 id, const struct iob_file *file);
void iob_event_io(const struct iob_io *io);
void iob_event_cancel(u32 act, u32 dev, u64 bytes);

#endif /* IOB_OUT_EVENTS_H */
