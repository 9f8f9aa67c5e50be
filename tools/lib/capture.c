// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <event-parse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "capture.h"

struct iob_capture {
	struct tracefs_instance *instance;
	char tracefs[PATH_MAX / 2];
	int nr_cpus;
	uint64_t lost_seen;		/* found missing while reading */
};

struct reading {
	struct iob_capture *c;
	iob_capture_fn fn;
	void *arg;
	int ret;
};

static int cannot(struct iob_err *err, const char *what)
{
	int ret = errno ? -errno : -EIO;

	return iob_fail(err, ret, "cannot %s in tracefs: %s", what,
			strerror(-ret));
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
	return 0;
}

/**
 * iob_capture_destroy - remove the instance
 * @c: the capture, or NULL
 */
void iob_capture_destroy(struct iob_capture *c)
{
	if (!c)
		return;
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

static int on_record(struct tep_event *event, struct tep_record *record,
		     int cpu, void *arg)
{
	struct reading *r = arg;

	(void)event;
	/* -1: some, nobody knows how many. */
	if (record->missed_events)
		r->c->lost_seen += record->missed_events > 0 ?
				   record->missed_events : 1;
	if (!r->ret)
		r->ret = r->fn(r->arg, record->ts, cpu, record->data,
			       record->size);
	return 0;
}

/**
 * iob_capture_read - read what there is
 * @c: the capture
 * @e: the events, their formats known
 * @fn: is given each record in the order of time; what it returns ends the
 *      reading once this round is through
 * @arg: for @fn
 * @err: error text
 *
 * Return: 0 or a negative errno, or what @fn returned.
 */
int iob_capture_read(struct iob_capture *c, struct iob_events *e,
		     iob_capture_fn fn, void *arg, struct iob_err *err)
{
	struct reading r = { c, fn, arg, 0 };

	errno = 0;
	if (tracefs_iterate_raw_events(iob_events_tep(e), c->instance, NULL, 0,
				       on_record, &r) < 0 && !r.ret)
		return cannot(err, "read the ring buffer");
	return r.ret;
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
