// SPDX-License-Identifier: GPL-2.0
/* ioblame record: every IO, with all that names it, into a file. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture.h"
#include "command.h"
#include "escape.h"
#include "recording.h"
#include "tool.h"
#include "uapi/ioblame.h"
#include "version.h"

struct record_data {
	struct iob_recorder recorder;
	struct iob_capture *capture;
	struct iob_events *events;
	struct iob_err *err;
	uint64_t nr_events, nr_lost;
	uint64_t flushed_ns;
};

static int add_info(struct record_data *d, enum iob_chunk type, const char *fmt,
		    ...) __attribute__((format(printf, 3, 4)));

static int add_info(struct record_data *d, enum iob_chunk type, const char *fmt,
		    ...)
{
	char text[1024];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return iob_recorder_chunk(&d->recorder, type, text, len, d->err);
}

static int add_description(struct record_data *d)
{
	char name[IOB_COMM_LEN + 1] = "", *comm;
	struct utsname u;
	int ret;

	uname(&u);
	prctl(PR_GET_NAME, name);
	comm = iob_escape(name);
	if (!comm)
		return iob_fail(d->err, -ENOMEM, "out of memory");
	ret = add_info(d, IOB_CHUNK_INFO,
			"version\t%s\nabi\t%d\nkernel\t%s\nmachine\t%s\nhost\t%s\n"
			"clock\tboot\nrecorder_pid\t%ld\nrecorder_comm\t%s\n",
			IOBLAME_VERSION, IOB_ABI, u.release, u.machine,
			u.nodename, (long)getpid(), comm);
	free(comm);
	return ret;
}

/* What the module cannot filter is left out when the file is read. */
static int add_wishes(struct tool *t, struct record_data *d)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < t->filter.comms.nr; i++) {
		char *comm = iob_escape(t->filter.comms.v[i]);

		if (!comm)
			return iob_fail(d->err, -ENOMEM, "out of memory");
		ret = add_info(d, IOB_CHUNK_INFO, "only comm\t%.255s\n", comm);
		free(comm);
	}
	for (size_t i = 0; !ret && i < t->filter.tgids.nr; i++)
		ret = add_info(d, IOB_CHUNK_INFO, "only tgid\t%" PRIu64 "\n",
			       t->filter.tgids.v[i]);
	return ret;
}

static int keep_format(void *arg, const char *name, const char *text,
		       size_t len)
{
	struct record_data *d = arg;

	return iob_recorder_chunk(&d->recorder,
				  strcmp(name, "header_page") ? IOB_CHUNK_FORM :
								IOB_CHUNK_HEAD,
				  text, len, d->err);
}

static int keep_event(void *arg, uint64_t ts_ns, uint32_t cpu, const void *data,
		      uint32_t size)
{
	struct record_data *d = arg;

	d->nr_events++;
	return iob_recorder_event(&d->recorder, ts_ns, cpu, data, size, d->err);
}

/* What only this machine knows of a disk: name, what is above and below. */
static int add_disk(void *arg, uint32_t dev, const char *name)
{
	struct tool *t = arg;
	struct record_data *d = t->data;
	uint32_t above = iob_names_above(t->names, dev);
	int ret = add_info(d, IOB_CHUNK_INFO, "disk %u\t%s\n", dev, name);

	if (!ret && iob_names_stacked(t->names, dev))
		ret = add_info(d, IOB_CHUNK_INFO, "stacked %u\t1\n", dev);
	if (!ret && above)
		ret = add_info(d, IOB_CHUNK_INFO, "above %u\t%u\n", dev, above);
	return ret;
}

static int add_tables(struct tool *t, struct record_data *d, const char *when)
{
	struct iob_snapshot snap;
	int ret = iob_session_snapshot(&t->session, &snap, d->err);

	if (!ret)
		ret = iob_recorder_tables(&d->recorder, when, &snap, d->err);
	iob_snapshot_free(&snap);
	return ret;
}

static int add_mounts(struct tool *t, struct record_data *d)
{
	char *text = iob_names_mountinfo(t->names);
	int ret;

	if (!text)
		return iob_fail(d->err, -ENOMEM, "out of memory");
	ret = iob_recorder_chunk(&d->recorder, IOB_CHUNK_MNTS, text,
				 strlen(text), d->err);
	free(text);
	return ret;
}

static int prepare(struct tool *t, struct iob_err *err)
{
	struct record_data *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return iob_fail(err, -ENOMEM, "out of memory");
	t->data = d;
	d->err = err;
	d->recorder.fd = -1;
	d->events = iob_events_create();
	if (!d->events)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = iob_recorder_open(&d->recorder, t->params->output,
				t->params->pack_level, err);
	if (!ret)
		ret = add_description(d);
	if (!ret)
		ret = add_wishes(t, d);
	if (!ret)
		ret = iob_capture_create(&d->capture, &t->session,
					 t->params->buffer_kb, err);
	if (!ret)
		ret = iob_capture_formats(d->capture, d->events, keep_format, d,
					  err);
	return ret;
}

static int start(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	int ret = add_info(d, IOB_CHUNK_INFO, "start_ns\t%" PRIu64 "\n",
			   t->start_ns);

	if (!ret && iob_names_refresh(t->names))
		ret = iob_fail(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = add_mounts(t, d);
	if (!ret)
		ret = iob_names_each_disk(t->names, add_disk, t);
	/* What somebody else's tracing knows already is not told again. */
	if (!ret && t->session.was_enabled)
		ret = add_tables(t, d, "start");
	return ret;
}

static int turn(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	int ret = iob_capture_read(d->capture, keep_event, d, err);

	/* Should we be killed, little is missing; a full disk is soon known. */
	if (!ret && iob_boot_ns() - d->flushed_ns > 1000000000) {
		d->flushed_ns = iob_boot_ns();
		ret = iob_recorder_flush(&d->recorder, err);
	}
	return ret;
}

static int stop(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	int ret = turn(t, err);

	if (!ret)
		ret = iob_recorder_flush(&d->recorder, err);
	/* Also those that came while we watched. */
	if (!ret)
		ret = add_mounts(t, d);
	if (!ret)
		ret = iob_names_each_disk(t->names, add_disk, t);
	if (!ret)
		ret = add_tables(t, d, "end");
	d->nr_lost = iob_capture_lost(d->capture);
	if (!ret)
		ret = add_info(d, IOB_CHUNK_END,
			       "end_ns\t%" PRIu64 "\nlost_events\t%" PRIu64 "\n",
			       t->end_ns, d->nr_lost);
	return ret;
}

static void close_capture(struct tool *t)
{
	struct record_data *d = t->data;

	iob_capture_destroy(d ? d->capture : NULL);
	if (d)
		d->capture = NULL;
}

static int show(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	int ret = iob_recorder_close(&d->recorder, err);

	if (ret)
		return ret;
	if (d->nr_lost)
		tool_warn("LOST %" PRIu64 " events: the ring buffer was too small, try --buffer %" PRIu64,
			  d->nr_lost, 4 * t->params->buffer_kb);
	fprintf(stderr, "ioblame: %" PRIu64 " events in %s: see ioblame report -i %s\n",
		d->nr_events, t->params->output, t->params->output);
	return 0;
}

static void free_data(struct tool *t)
{
	struct record_data *d = t->data;

	if (!d)
		return;
	iob_recorder_close(&d->recorder, NULL);
	iob_events_destroy(d->events);
	free(d);
}

const struct tool_ops record_ops = {
	.live = tool_is_live,
	.prepare = prepare,
	.start = start,
	.turn = turn,
	.stop = stop,
	.close = close_capture,
	.show = show,
	.free = free_data,
};
