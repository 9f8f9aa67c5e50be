/* SPDX-License-Identifier: GPL-2.0 */
/* The thread that sends profiles to a Pyroscope server. */
#ifndef IOBLAME_PUSH_H
#define IOBLAME_PUSH_H

#include <stdbool.h>

#include "store.h"

struct iob_push_state {
	uint64_t nr_sent, nr_failures, nr_refused;
	bool failing;			/* the last try */
	char failure[512];		/* why */
};

struct iob_push;

int iob_push_create(struct iob_push **p, const char *url, const char *store,
		    const struct iob_store_limits *limits, struct iob_err *err);
void iob_push_state(struct iob_push *p, struct iob_push_state *state);
void iob_push_destroy(struct iob_push *p);

#endif /* IOBLAME_PUSH_H */
