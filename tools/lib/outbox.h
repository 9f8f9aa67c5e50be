/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles that wait to be sent. They are made in the transaction that takes
 * what they tell from what is unsent, and wait in the store: neither a server
 * that is away nor an end of ours loses one or makes one twice.
 */
#ifndef IOBLAME_OUTBOX_H
#define IOBLAME_OUTBOX_H

#include "store.h"

struct iob_profile {
	int64_t id;
	char *name;			/* with its labels */
	uint64_t since_s, until_s;
	uint64_t bytes;			/* that it tells of */
	void *body;
	size_t len;
};

int iob_outbox_fill(struct iob_store *s, uint64_t now_s, uint32_t every_s,
		    const char *name, struct iob_err *err);
int iob_outbox_next(struct iob_store *s, struct iob_profile *p,
		    struct iob_err *err);
int iob_outbox_done(struct iob_store *s, const struct iob_profile *p,
		    bool refused, struct iob_err *err);
void iob_profile_free(struct iob_profile *p);

#endif /* IOBLAME_OUTBOX_H */
