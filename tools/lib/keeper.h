/* SPDX-License-Identifier: GPL-2.0 */
/* The thread that writes to the store: a slow or full disk stalls nobody else. */
#ifndef IOBLAME_KEEPER_H
#define IOBLAME_KEEPER_H

#include <stdbool.h>

#include "store.h"

struct iob_keeper_wish {
	const char *path;
	struct iob_store_limits limits;
	uint32_t push_s;		/* how often profiles are made; 0: never */
	const char *push_name;
};

struct iob_keeper_state {
	bool busy;			/* there is something to be stored still */
	uint64_t nr_stored, nr_failures;
	bool failing;			/* the last try */
	char failure[512];		/* why */
};

struct iob_keeper;

int iob_keeper_create(struct iob_keeper **k, const struct iob_keeper_wish *wish,
		      struct iob_err *err);
void iob_keeper_state(struct iob_keeper *k, struct iob_keeper_state *state);
void iob_keeper_give(struct iob_keeper *k, struct iob_report *r,
		     uint64_t now_s);
int iob_keeper_destroy(struct iob_keeper *k, struct iob_err *err);

#endif /* IOBLAME_KEEPER_H */
