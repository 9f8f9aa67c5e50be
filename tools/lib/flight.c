// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flight.h"
#include "pack.h"
#include "recording.h"

#define PIECE_MAX	(128u << 10)
#define PIECE_NS	500000000ull	/* what is older goes by such pieces */

/**
 * iob_flight_init - begin
 * @f: the flight recorder; to be deinited also after an error
 * @keep_ns: how long an event is kept
 * @max_bytes: how much memory packed events may take
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_flight_init(struct iob_flight *f, uint64_t keep_ns, size_t max_bytes,
		    struct iob_err *err)
{
	memset(f, 0, sizeof(*f));
	f->keep_ns = keep_ns;
	f->max_bytes = max_bytes;
	f->packer = iob_packer_create(1);
	f->events = malloc(PIECE_MAX);
	if (!f->packer || !f->events)
		return iob_fail(err, -ENOMEM, "out of memory");
	return 0;
}

/**
 * iob_flight_deinit - forget everything
 * @f: the flight recorder
 */
void iob_flight_deinit(struct iob_flight *f)
{
	for (size_t i = 0; i < f->pieces.nr; i++)
		free(f->pieces.v[i].p);
	iob_vec_free(&f->pieces);
	iob_packer_destroy(f->packer);
	free(f->events);
	memset(f, 0, sizeof(*f));
}

static void drop(struct iob_flight *f, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		f->bytes -= f->pieces.v[i].len ? f->pieces.v[i].len :
						 f->pieces.v[i].plain;
		free(f->pieces.v[i].p);
	}
	f->pieces.nr -= nr;
	memmove(f->pieces.v, f->pieces.v + nr, f->pieces.nr * sizeof(*f->pieces.v));
}

static void make_room(struct iob_flight *f, uint64_t now_ns)
{
	size_t old = 0, early;
	size_t bytes = f->bytes;

	while (old < f->pieces.nr &&
	       f->pieces.v[old].last_ns + f->keep_ns < now_ns) {
		bytes -= f->pieces.v[old].len ? f->pieces.v[old].len :
						f->pieces.v[old].plain;
		old++;
	}
	for (early = old; early < f->pieces.nr && bytes > f->max_bytes; early++)
		bytes -= f->pieces.v[early].len ? f->pieces.v[early].len :
						  f->pieces.v[early].plain;
	f->nr_early += early - old;
	if (early)
		drop(f, early);
}

static int seal(struct iob_flight *f, struct iob_err *err)
{
	struct iob_flight_piece *piece;
	const void *packed = f->events;
	size_t len;

	if (!f->nr_bytes)
		return 0;
	len = iob_packer_pack(f->packer, IOB_CHUNK_EVTS, f->events, f->nr_bytes,
			      &packed);
	piece = iob_vec_add(&f->pieces);
	if (piece)
		piece->p = malloc(len ? len : f->nr_bytes);
	if (!piece || !piece->p) {
		f->pieces.nr -= !!piece;
		return iob_fail(err, -ENOMEM, "out of memory");
	}
	memcpy(piece->p, packed, len ? len : f->nr_bytes);
	piece->len = len;
	piece->plain = f->nr_bytes;
	piece->first_ns = f->first_ns;
	piece->last_ns = f->last_ns;
	f->bytes += len ? len : f->nr_bytes;
	f->nr_bytes = 0;
	return 0;
}

/**
 * iob_flight_event - remember an event
 * @f: the flight recorder
 * @ts_ns: its time
 * @cpu: where it happened
 * @p: its raw bytes
 * @size: how many
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_flight_event(struct iob_flight *f, uint64_t ts_ns, uint32_t cpu,
		     const void *p, uint32_t size, struct iob_err *err)
{
	struct iob_record_head head = { ts_ns, cpu, size };
	size_t need = sizeof(head) + IOB_PADDED(size);
	char *to;
	int ret = 0;

	if (need > PIECE_MAX)
		return iob_fail(err, -EMSGSIZE, "an event of %u bytes", size);
	if (f->nr_bytes && (f->nr_bytes + need > PIECE_MAX ||
			    ts_ns - f->first_ns > PIECE_NS)) {
		ret = seal(f, err);
		make_room(f, ts_ns);
	}
	if (ret)
		return ret;
	if (!f->nr_bytes)
		f->first_ns = ts_ns;
	f->last_ns = ts_ns;
	to = f->events + f->nr_bytes;
	memset(to, 0, need);
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), p, size);
	f->nr_bytes += need;
	return 0;
}

/**
 * iob_flight_tick - forget what is too old, also if nothing happens
 * @f: the flight recorder
 * @now_ns: the time, of the clock that events have
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_flight_tick(struct iob_flight *f, uint64_t now_ns, struct iob_err *err)
{
	int ret = 0;

	if (f->nr_bytes && f->first_ns + PIECE_NS < now_ns)
		ret = seal(f, err);
	make_room(f, now_ns);
	return ret;
}

/**
 * iob_flight_start - the time of the oldest event
 * @f: the flight recorder
 *
 * Return: its time; 0 if there is none.
 */
uint64_t iob_flight_start(const struct iob_flight *f)
{
	if (f->pieces.nr)
		return f->pieces.v[0].first_ns;
	return f->nr_bytes ? f->first_ns : 0;
}

/**
 * iob_flight_write - write what is remembered to a recording
 * @f: the flight recorder; it goes on remembering
 * @to: the recording, which packs
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_flight_write(struct iob_flight *f, struct iob_recorder *to,
		     struct iob_err *err)
{
	int ret = seal(f, err);

	for (size_t i = 0; !ret && i < f->pieces.nr; i++) {
		const struct iob_flight_piece *piece = &f->pieces.v[i];

		if (piece->len)
			ret = iob_recorder_packed(to, piece->p, piece->len,
						  piece->plain, err);
		else
			ret = iob_recorder_chunk(to, IOB_CHUNK_EVTS, piece->p,
						 piece->plain, err);
	}
	return ret;
}
