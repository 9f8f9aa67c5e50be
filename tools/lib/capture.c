// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <kbuffer.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "capture.h"

/* The ring buffer of one CPU, a piece of which has been read. */
struct ring {
	struct tracefs_cpu *cpu;	/* NULL: it is not there, or not yet */
	struct kbuffer *piece;
	void *memory;
	void *event;			/* the next one in it, NULL: none */
	unsigned long long ts;
};

struct iob_capture {
	struct tracefs_instance *instance;
	char tracefs[PATH_MAX / 2];
	int nr_cpus;
	struct ring *rings;
	uint64_t lost_seen;		/* found missing while reading */
};

static int cannot(struct iob_err *err, const char *what)
{
	int ret = errno ? -errno : -EIO;

	return iob_fail(err, ret, "cannot %s in tracefs: %s", what,
			strerror(-ret));
}

/* False: there is no such CPU now. They stay open: to read takes less than to open. */
static bool open_ring(struct iob_capture *c, int cpu)
{
	struct ring *r = &c->rings[cpu];

	if (!r->cpu)
		r->cpu = tracefs_cpu_open(c->instance, cpu, true);
	if (!r->cpu)
		return false;
	if (!r->memory)
		r->memory = malloc(tracefs_cpu_read_size(r->cpu));
	if (!r->piece)
		r->piece = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
					 KBUFFER_ENDIAN_SAME_AS_HOST);
	return r->memory && r->piece;
}

static int open_rings(struct iob_capture *c, struct iob_err *err)
{
	int nr_open = 0;

	c->rings = calloc(c->nr_cpus, sizeof(*c->rings));
	if (!c->rings)
		return iob_fail(err, -ENOMEM, "out of memory");
	for (int cpu = 0; cpu < c->nr_cpus; cpu++)
		nr_open += open_ring(c, cpu);
	return nr_open ? 0 : cannot(err, "open the ring buffer");
}

static void close_rings(struct iob_capture *c)
{
	for (int cpu = 0; c->rings && cpu < c->nr_cpus; cpu++) {
		struct ring *r = &c->rings[cpu];

		if (r->cpu)
			tracefs_cpu_close(r->cpu);
		if (r->piece)
			kbuffer_free(r->piece);
		free(r->memory);
	}
	free(c->rings);
}

/**
 * iob_capture_create - make our tracefs instance, and the events go into it
 * @cp: the capture
 * @s: the session; removes the instance when it closes, should we not
 * @buffer_kb: ring buffer per CPU
 * @err: error text
 *
 * Events are enabled before tracing is, so that each act is told once.
 *
 * Return: 0 or a negative errno.
 */
int iob_capture_create(struct iob_capture **cp, struct iob_session *s,
		       uint64_t buffer_kb, struct iob_err *err)
{
	struct iob_capture *c;
	char name[32];
	int ret;

	*cp = NULL;
	snprintf(name, sizeof(name), "ioblame-%ld", (long)getpid());
	ret = iob_session_instance(s, name, err);
	if (ret)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c)
		return iob_fail(err, -ENOMEM, "out of memory");
	*cp = c;
	snprintf(c->tracefs, sizeof(c->tracefs), "%s", s->tracefs);
	c->nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	tracefs_set_tracing_dir(c->tracefs);
	errno = 0;
	c->instance = tracefs_instance_create(name);
	if (!c->instance)
		return cannot(err, "make an instance");
	/* All times are of one clock: tables, events, processes. */
	if (tracefs_instance_file_write(c->instance, "trace_clock", "boot") < 0)
		return cannot(err, "set the clock");
	if (tracefs_instance_set_buffer_size(c->instance, buffer_kb, -1) < 0)
		return cannot(err, "set the size of the buffer (--buffer)");
	if (tracefs_event_enable(c->instance, "ioblame", NULL))
		return cannot(err, "enable the module's events");
	return open_rings(c, err);
}

/**
 * iob_capture_destroy - remove the instance
 * @c: the capture, or NULL
 */
void iob_capture_destroy(struct iob_capture *c)
{
	if (!c)
		return;
	close_rings(c);
	if (c->instance) {
		tracefs_event_disable(c->instance, "ioblame", NULL);
		tracefs_instance_destroy(c->instance);
		tracefs_instance_free(c->instance);
	}
	free(c);
}

/**
 * iob_capture_formats - learn the events' formats
 * @c: the capture
 * @e: the events
 * @keep: is given each text, with "header_page" or the event's name
 * @arg: for @keep
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_capture_formats(struct iob_capture *c, struct iob_events *e,
			int (*keep)(void *arg, const char *name,
				    const char *text, size_t len),
			void *arg, struct iob_err *err)
{
	char path[PATH_MAX];
	struct iob_blob blob;
	int ret;

	snprintf(path, sizeof(path), "%s/events/header_page", c->tracefs);
	ret = iob_blob_read(&blob, path, 1 << 20, err);
	if (!ret)
		ret = iob_events_header_page(e, blob.p, blob.len, err);
	if (!ret && keep)
		ret = keep(arg, "header_page", blob.p, blob.len);
	iob_blob_free(&blob);
	for (int i = 0; !ret && i < IOB_NR_EVENTS; i++) {
		snprintf(path, sizeof(path), "%s/events/ioblame/%s/format",
			 c->tracefs, iob_event_names[i]);
		ret = iob_blob_read(&blob, path, 1 << 20, err);
		if (!ret)
			ret = iob_events_format(e, blob.p, blob.len, err);
		if (!ret && keep)
			ret = keep(arg, iob_event_names[i], blob.p, blob.len);
		iob_blob_free(&blob);
	}
	return ret ? ret : iob_events_ready(e, err);
}

/* Read the next piece. Negative: an error; the ring has no event if there is none. */
static int refill(struct iob_capture *c, struct ring *r)
{
	int n, missed;

	r->event = NULL;
	errno = 0;
	n = tracefs_cpu_read(r->cpu, r->memory, true);
	if (n < 0 && errno && errno != EAGAIN && errno != EINTR)
		return -errno;
	if (n <= 0)
		return 0;
	if (kbuffer_load_subbuffer(r->piece, r->memory))
		return -EPROTO;
	r->event = kbuffer_read_event(r->piece, &r->ts);
	/* -1: some, nobody knows how many. */
	missed = kbuffer_missed_events(r->piece);
	if (missed)
		c->lost_seen += missed > 0 ? missed : 1;
	return 0;
}

static int next_event(struct iob_capture *c, struct ring *r)
{
	r->event = kbuffer_next_event(r->piece, &r->ts);
	return r->event ? 0 : refill(c, r);
}

/* Of the CPUs' next events, the earliest; negative: there is none. */
static int earliest(const struct iob_capture *c)
{
	int best = -1;

	for (int cpu = 0; cpu < c->nr_cpus; cpu++)
		if (c->rings[cpu].event &&
		    (best < 0 || c->rings[cpu].ts < c->rings[best].ts))
			best = cpu;
	return best;
}

/**
 * iob_capture_read - read what there is
 * @c: the capture
 * @fn: is given each record in the order of time; what it returns ends the reading
 * @arg: for @fn
 * @err: error text
 *
 * Return: 0 or a negative errno, or what @fn returned.
 */
int iob_capture_read(struct iob_capture *c, iob_capture_fn fn, void *arg,
		     struct iob_err *err)
{
	int ret = 0, cpu;

	for (cpu = 0; !ret && cpu < c->nr_cpus; cpu++)
		if (open_ring(c, cpu) && !c->rings[cpu].event)
			ret = refill(c, &c->rings[cpu]);
	while (!ret && (cpu = earliest(c)) >= 0) {
		struct ring *r = &c->rings[cpu];
		int told = fn(arg, r->ts, cpu, r->event,
			      kbuffer_event_size(r->piece));

		ret = next_event(c, r);
		if (told)
			return told;
	}
	errno = -ret;
	return ret ? cannot(err, "read the ring buffer") : 0;
}

/* "overrun: N" (and "dropped events: N") of one CPU. */
static uint64_t overrun(const char *stats)
{
	static const char *const names[] = { "\noverrun:", "\ndropped events:" };
	uint64_t sum = 0;

	for (int i = 0; i < 2; i++) {
		const char *p = strstr(stats, names[i]);

		if (p)
			sum += strtoull(p + strlen(names[i]), NULL, 10);
	}
	return sum;
}

/**
 * iob_capture_lost - how many events the ring buffer had no room for
 * @c: the capture
 *
 * Return: the number so far, over all CPUs.
 */
uint64_t iob_capture_lost(struct iob_capture *c)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < c->nr_cpus; cpu++) {
		char name[64], *stats;
		int size;

		snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
		stats = tracefs_instance_file_read(c->instance, name, &size);
		if (stats)
			sum += overrun(stats);
		free(stats);
	}
	return sum > c->lost_seen ? sum : c->lost_seen;
}
