/* SPDX-License-Identifier: GPL-2.0 */
/* What a recorder itself caused while it recorded. */
#ifndef IOBLAME_OWN_H
#define IOBLAME_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "recording.h"
#include "report.h"

/* Who recorded; pid 0: the recording does not say, or it shall not matter. */
struct iob_own {
	uint64_t pid;
	char comm[IOB_COMM_LEN + 1];	/* empty: any */
};

void iob_own_of(struct iob_own *own, const struct iob_recording *rec);
bool iob_own_is(const struct iob_own *own, uint64_t pid, const char *comm);
bool iob_own_io(const struct iob_own *own, struct iob_tables *t,
		const struct iob_event_io *io);
void iob_own_leave_out(const struct iob_own *own, struct iob_report *r);

#endif /* IOBLAME_OWN_H */
