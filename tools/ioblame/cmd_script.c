// SPDX-License-Identifier: GPL-2.0
/*
 * ioblame script and what else shows each IO: one line for each, or a trace of all,
 * live or from a recording.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "command.h"
#include "decode.h"
#include "formats.h"
#include "io_line.h"
#include "io_trace.h"
#include "own.h"
#include "replay.h"
#include "source.h"
#include "tool.h"
#include "writer.h"

struct script_data {
	struct tool *t;
	struct iob_err *err;
	struct iob_tables *tables;
	struct iob_events *events;
	struct iob_capture *capture;
	struct io_trace *trace;		/* of export; NULL: lines */
	struct iob_replay replay;
	struct iob_recording rec;
	struct iob_own own;
	struct iob_sum left_out;	/* what the recorder itself caused */
	uint64_t nr_lost;
};

static bool wanted(struct script_data *d, const struct iob_event_io *io)
{
	return io_line_matches(&d->t->filter, d->tables, io);
}

static int print(struct script_data *d, uint64_t ts_ns,
		 const struct iob_event_io *io)
{
	struct io_line line = {
		.ts_ns = ts_ns, .io = io, .t = d->tables, .names = d->t->names,
		.out = d->t->out,
	};

	if (!wanted(d, io))
		return 0;
	if (iob_own_io(&d->own, d->tables, io)) {
		d->left_out.ios++;
		d->left_out.bytes += io->bytes;
		return 0;
	}
	if (d->trace)
		return io_trace_add(d->trace, &line);
	if (d->t->params->writer)
		io_line_json(&line);
	else
		io_line_text(&line);
	/* A reader that went away, or a full disk: no use to go on. */
	return ferror(d->t->out) ? -errno : 0;
}

static int on_event(void *arg, uint64_t ts_ns, uint32_t cpu, const void *data,
		    uint32_t size)
{
	struct script_data *d = arg;
	struct iob_event ev;
	int ret;

	(void)cpu;
	if (iob_events_decode(d->events, data, size, &ev))
		return 0;
	if (ev.type == IOB_EVENT_IO)
		ret = print(d, ts_ns, &ev.io);
	else if (ev.type == IOB_EVENT_CANCEL)
		ret = 0;
	else
		ret = iob_replay_event(&d->replay, &ev);
	if (ret == -ENOMEM)
		iob_fail(d->err, ret, "out of memory");
	else if (ret)
		iob_fail(d->err, ret, "cannot write: %s", strerror(-ret));
	return ret;
}

static int create(struct tool *t, struct iob_err *err)
{
	struct script_data *d = calloc(1, sizeof(*d));

	if (!d)
		return iob_fail(err, -ENOMEM, "out of memory");
	t->data = d;
	d->t = t;
	d->err = err;
	d->events = iob_events_create();
	d->tables = iob_tables_create();
	d->replay.t = d->tables;
	if (!d->events || !d->tables)
		return iob_fail(err, -ENOMEM, "out of memory");
	if (!t->params->format)
		return 0;
	d->trace = io_trace_create();
	return d->trace ? 0 : iob_fail(err, -ENOMEM, "out of memory");
}

static int prepare(struct tool *t, struct iob_err *err)
{
	int ret = create(t, err);
	struct script_data *d = t->data;

	if (!ret)
		ret = iob_capture_create(&d->capture, &t->session,
					 t->params->buffer_kb, err);
	if (!ret)
		ret = iob_capture_formats(d->capture, d->events, NULL, NULL, err);
	return ret;
}

/* What somebody else's tracing knows already is not told again. */
static int start(struct tool *t, struct iob_err *err)
{
	struct script_data *d = t->data;
	struct iob_snapshot snap;
	int ret;

	if (!t->session.was_enabled)
		return 0;
	ret = iob_session_snapshot(&t->session, &snap, err);
	if (!ret)
		ret = iob_decode(d->tables, &snap, err);
	iob_snapshot_free(&snap);
	return ret;
}

static int turn(struct tool *t, struct iob_err *err)
{
	struct script_data *d = t->data;
	int ret = iob_capture_read(d->capture, on_event, d, err);

	if (!ret && fflush(t->out))
		ret = iob_fail(err, -errno, "cannot write: %s", strerror(errno));
	return ret;
}

static int stop(struct tool *t, struct iob_err *err)
{
	struct script_data *d = t->data;
	int ret = turn(t, err);

	d->nr_lost = iob_capture_lost(d->capture);
	return ret;
}

static void close_capture(struct tool *t)
{
	struct script_data *d = t->data;

	iob_capture_destroy(d ? d->capture : NULL);
	if (d)
		d->capture = NULL;
}

static int show_recording(struct tool *t, struct iob_err *err)
{
	int ret = create(t, err);
	struct script_data *d = t->data;

	if (!ret)
		ret = iob_source_recording(&d->rec, d->events, t->params->input,
					   err);
	/* What is no recording may be a report, which export takes elsewhere. */
	if (ret == -EINVAL && d->trace && !d->rec.good_bytes)
		ret = iob_fail(err, ret,
			       "%s is no recording: %s shows single IOs in time, which totals do not have; take one with ioblame record",
			       t->params->input, t->params->format->name);
	if (!ret)
		ret = iob_source_objects(&d->rec, d->events, d->tables, err);
	if (!ret && (iob_source_mounts(&d->rec, t->names) ||
		     iob_source_wishes(&d->rec, t->strings, &t->filter)))
		ret = iob_fail(err, -ENOMEM, "out of memory");
	if (!ret && !t->params->self)
		iob_own_of(&d->own, &d->rec);
	for (size_t i = 0; !ret && i < d->rec.records.nr; i++) {
		const struct iob_record *r = &d->rec.records.v[i];

		ret = on_event(d, r->ts_ns, r->cpu, r->data, r->size);
	}
	if (!ret && !d->rec.complete)
		tool_warn("%s is good for %zu of %zu bytes: what came after is missing",
			  t->params->input, d->rec.good_bytes, d->rec.file.len);
	if (!ret && d->left_out.ios)
		tool_warn("%" PRIu64 " IOs of %" PRIu64 " bytes are the recorder's own and left out: --self shows them",
			  d->left_out.ios, d->left_out.bytes);
	if (!ret && d->rec.nr_unknown)
		tool_warn("%zu parts of %s are of a kind this program does not know: it is older than what recorded",
			  d->rec.nr_unknown, t->params->input);
	d->nr_lost = iob_recording_number(&d->rec, "lost_events");
	return ret;
}

static int show(struct tool *t, struct iob_err *err)
{
	struct script_data *d;
	int ret = t->params->input ? show_recording(t, err) : 0;

	d = t->data;
	if (!ret && d->trace && io_trace_write(d->trace, t->out))
		ret = iob_fail(err, -ENOMEM, "out of memory");
	if (!ret && d->nr_lost)
		tool_warn("LOST %" PRIu64 " events: the ring buffer was too small, see --buffer",
			  d->nr_lost);
	return ret;
}

static void free_data(struct tool *t)
{
	struct script_data *d = t->data;

	if (!d)
		return;
	iob_replay_free(&d->replay);
	iob_recording_free(&d->rec);
	io_trace_destroy(d->trace);
	iob_tables_destroy(d->tables);
	iob_events_destroy(d->events);
	free(d);
}

const struct tool_ops script_ops = {
	.live = tool_is_live,
	.prepare = prepare,
	.start = start,
	.turn = turn,
	.stop = stop,
	.close = close_capture,
	.show = show,
	.free = free_data,
};
