/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flight recorder: the events of the last seconds, packed, in a bounded
 * part of memory, for when it turns out that they were worth recording.
 */
#ifndef IOBLAME_FLIGHT_H
#define IOBLAME_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "errtext.h"
#include "vec.h"

struct iob_packer;
struct iob_recorder;

struct iob_flight_piece {
	uint64_t first_ns, last_ns;
	size_t len, plain;		/* len 0: it could not be made smaller */
	char *p;
};

struct iob_flight {
	uint64_t keep_ns;
	size_t max_bytes;		/* of memory for pieces */
	struct iob_packer *packer;
	char *events;			/* the piece that is being filled */
	size_t nr_bytes;
	uint64_t first_ns, last_ns;
	IOB_VEC(struct iob_flight_piece) pieces;	/* oldest first */
	size_t bytes;			/* of all pieces */
	uint64_t nr_early;		/* pieces that went for want of room */
};

int iob_flight_init(struct iob_flight *f, uint64_t keep_ns, size_t max_bytes,
		    struct iob_err *err);
void iob_flight_deinit(struct iob_flight *f);
int iob_flight_event(struct iob_flight *f, uint64_t ts_ns, uint32_t cpu,
		     const void *p, uint32_t size, struct iob_err *err);
int iob_flight_tick(struct iob_flight *f, uint64_t now_ns, struct iob_err *err);
uint64_t iob_flight_start(const struct iob_flight *f);
int iob_flight_write(struct iob_flight *f, struct iob_recorder *to,
		     struct iob_err *err);

#endif /* IOBLAME_FLIGHT_H */
