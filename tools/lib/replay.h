/* SPDX-License-Identifier: GPL-2.0 */
/* Events, one after the other, make the same tables as the module has. */
#ifndef IOBLAME_REPLAY_H
#define IOBLAME_REPLAY_H

#include "event.h"
#include "map.h"
#include "tables.h"

struct iob_replay {
	struct iob_tables *t;
	struct iob_map totals;		/* hash of the key -> row */
	struct iob_map devices;		/* dev and op -> row */
};

/*
 * The events of a recording that has its totals add only what totals have not: how
 * long IOs took, each.
 */
int iob_replay_index(struct iob_replay *r);
int iob_replay_times(struct iob_replay *r, const struct iob_event_io *io);
int iob_replay_event(struct iob_replay *r, const struct iob_event *ev);
void iob_replay_free(struct iob_replay *r);

#endif /* IOBLAME_REPLAY_H */
