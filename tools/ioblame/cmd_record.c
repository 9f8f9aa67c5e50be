// SPDX-License-Identifier: GPL-2.0
/*
 * ioblame record: every IO, with all that names it, into a file, or into one
 * after the other.
 *
 * One thread empties the ring buffers, packs and writes. What could keep it
 * from coming back to them in time, and why that is fine: packing a chunk takes
 * about a millisecond; write() goes to the page cache, and waits only where the
 * disk is too slow for the recording as such; fdatasync() waits elsewhere, see
 * syncer.c; the tables that a file ends with are read in the time that a report
 * needs. Meanwhile there is --buffer, for each CPU, and what it has no room for
 * is counted and told.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "chapter.h"
#include "command.h"
#include "progress.h"
#include "rotation.h"
#include "syncer.h"
#include "tool.h"

#define SECOND_NS 1000000000ull

struct record_data {
	struct chapter chapter;		/* the file that is written to */
	struct chapter_formats formats;
	struct iob_rotation rotation;
	bool rotates, has_progress;
	struct iob_syncer *syncer;
	struct iob_capture *capture;
	struct iob_events *events;
	struct iob_err *err;
	uint64_t nr_events, nr_ios, nr_lost, nr_files;
	uint64_t bytes, plain_bytes;	/* of the files before */
	uint64_t flushed_ns, shown_ns;
};

static int keep_format(void *arg, const char *name, const char *text,
		       size_t len)
{
	struct record_data *d = arg;
	struct chapter_format *f = iob_vec_add(&d->formats);

	if (f)
		f->text = malloc(len + 1);
	if (!f || !f->text)
		return iob_fail(d->err, -ENOMEM, "out of memory");
	memcpy(f->text, text, len);
	f->len = len;
	f->type = strcmp(name, "header_page") ? IOB_CHUNK_FORM : IOB_CHUNK_HEAD;
	return 0;
}

static int keep_event(void *arg, uint64_t ts_ns, uint32_t cpu, const void *data,
		      uint32_t size)
{
	struct record_data *d = arg;

	d->nr_events++;
	d->nr_ios += iob_events_is(d->events, IOB_EVENT_IO, data, size);
	return iob_recorder_event(&d->chapter.recorder, ts_ns, cpu, data, size,
				  d->err);
}

/* A file that is to be FILE once it has begun; without rotation it is at once. */
static int open_file(struct tool *t, struct record_data *d, struct iob_err *err)
{
	const char *path = d->rotates ? d->rotation.next : t->params->output;
	int ret = chapter_open(&d->chapter, t, path, err);

	d->chapter.recorder.syncer = d->syncer;
	return ret;
}

static int begin_file(struct tool *t, struct record_data *d, uint64_t start_ns,
		      const struct iob_snapshot *snap, struct iob_err *err)
{
	struct iob_recorder *w = &d->chapter.recorder;
	int ret = chapter_begin(&d->chapter, start_ns, snap, err);

	if (!ret && d->rotates)
		ret = iob_rotation_shift(&d->rotation, err);
	if (!ret && d->rotates)
		ret = iob_recorder_rename(w, t->params->output, err);
	if (ret)
		return ret;
	iob_syncer_take_dir(d->syncer, t->params->output);
	iob_rotation_begun(&d->rotation, start_ns, w->file_bytes);
	d->nr_files++;
	return 0;
}

/*
 * What was read from the ring buffers is in the one file, what comes is in the
 * other. The tables between them are the end of the one and the start of the
 * other, so that sums of files add up, whatever completes meanwhile; and they
 * have everybody whom later events speak of by number: who is in the totals or
 * has something dirty is not forgotten by the module.
 */
static int rotate(struct tool *t, struct record_data *d, struct iob_err *err)
{
	struct iob_recorder *w = &d->chapter.recorder;
	struct iob_snapshot snap;
	uint64_t lost;
	int ret = iob_session_snapshot(&t->session, &snap, err);

	if (ret)
		return ret;
	lost = iob_capture_lost(d->capture);
	ret = chapter_end(&d->chapter, snap.time_ns, lost, &snap, err);
	d->bytes += w->file_bytes;
	d->plain_bytes += w->plain_bytes;
	if (!ret)
		ret = iob_recorder_close(w, err);
	if (!ret)
		ret = open_file(t, d, err);
	d->chapter.lost_before = lost;
	if (!ret)
		ret = chapter_formats(&d->chapter, &d->formats, err);
	if (!ret)
		ret = begin_file(t, d, snap.time_ns, &snap, err);
	iob_snapshot_free(&snap);
	return ret;
}

static int prepare_rotation(struct tool *t, struct record_data *d,
			    struct iob_err *err)
{
	const struct params *p = t->params;

	d->rotates = p->max_size || p->max_age > 0;
	if (!d->rotates)
		return 0;
	d->rotation.max_bytes = p->max_size;
	d->rotation.max_ns = p->max_age * 1e9;
	d->rotation.keep = p->keep;
	return iob_rotation_init(&d->rotation, p->output, err);
}

static int prepare(struct tool *t, struct iob_err *err)
{
	struct record_data *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return iob_fail(err, -ENOMEM, "out of memory");
	t->data = d;
	d->err = err;
	d->chapter.recorder.fd = -1;
	d->has_progress = !t->params->no_progress && progress_is_wanted();
	d->events = iob_events_create();
	d->syncer = iob_syncer_create();
	if (!d->events || !d->syncer)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = prepare_rotation(t, d, err);
	if (!ret)
		ret = iob_capture_create(&d->capture, &t->session,
					 t->params->buffer_kb, err);
	if (!ret)
		ret = iob_capture_formats(d->capture, d->events, keep_format, d,
					  err);
	/* Last: what was in FILE is not given up for a recording that cannot be. */
	if (!ret)
		ret = open_file(t, d, err);
	return ret ? ret : chapter_formats(&d->chapter, &d->formats, err);
}

static int start(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	struct iob_snapshot snap = {};
	int ret = 0;

	if (iob_names_refresh(t->names))
		ret = iob_fail(err, -ENOMEM, "out of memory");
	/* What somebody else's tracing knows already is not told again. */
	if (!ret && t->session.was_enabled)
		ret = iob_session_snapshot(&t->session, &snap, err);
	if (!ret)
		ret = begin_file(t, d, t->start_ns,
				 t->session.was_enabled ? &snap : NULL, err);
	iob_snapshot_free(&snap);
	return ret;
}

static void show_progress(struct tool *t, struct record_data *d, uint64_t now)
{
	const struct iob_recorder *w = &d->chapter.recorder;
	struct progress p = {
		.elapsed_ns = now - t->start_ns,
		.nr_lost = iob_capture_lost(d->capture),
		.nr_ios = d->nr_ios, .nr_events = d->nr_events,
		.bytes = d->bytes + w->file_bytes,
		.plain_bytes = d->plain_bytes + w->plain_bytes,
		.nr_files = d->nr_files,
	};

	progress_show(&p);
	d->shown_ns = now;
}

static int turn(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	struct iob_recorder *w = &d->chapter.recorder;
	int ret = iob_capture_read(d->capture, keep_event, d, err);
	uint64_t now = iob_boot_ns();

	/*
	 * Should we be killed, or the power go, little is missing; a full disk
	 * is soon known.
	 */
	if (!ret && now - d->flushed_ns > SECOND_NS) {
		d->flushed_ns = now;
		ret = iob_recorder_flush(w, err);
		if (!ret)
			ret = iob_recorder_sync(w, err);
	}
	if (!ret && d->rotates &&
	    iob_rotation_is_due(&d->rotation, now, w->file_bytes))
		ret = rotate(t, d, err);
	if (!ret && d->has_progress && now - d->shown_ns > SECOND_NS)
		show_progress(t, d, now);
	return ret;
}

static int stop(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	struct iob_snapshot snap;
	int ret = iob_capture_read(d->capture, keep_event, d, err);

	if (!ret)
		ret = iob_session_snapshot(&t->session, &snap, err);
	if (ret)
		return ret;
	d->nr_lost = iob_capture_lost(d->capture);
	ret = chapter_end(&d->chapter, t->end_ns, d->nr_lost, &snap, err);
	iob_snapshot_free(&snap);
	return ret;
}

static void close_capture(struct tool *t)
{
	struct record_data *d = t->data;

	progress_clear();
	iob_capture_destroy(d ? d->capture : NULL);
	if (d)
		d->capture = NULL;
}

static int show(struct tool *t, struct iob_err *err)
{
	struct record_data *d = t->data;
	const char *path = t->params->output;
	int ret = iob_recorder_close(&d->chapter.recorder, err), r;

	r = iob_syncer_destroy(d->syncer);
	d->syncer = NULL;
	if (r && !ret)
		ret = iob_recorder_cannot(path, r, err);
	if (ret)
		return ret;
	if (d->nr_lost)
		tool_warn("LOST %" PRIu64 " events: the ring buffer was too small, try --buffer %" PRIu64,
			  d->nr_lost, 4 * t->params->buffer_kb);
	if (d->nr_files > 1)
		tool_warn("%" PRIu64 " events in %" PRIu64 " files, the last of them %s: see ioblame report -i %s",
			  d->nr_events, d->nr_files, path, path);
	else
		tool_warn("%" PRIu64 " events in %s: see ioblame report -i %s",
			  d->nr_events, path, path);
	return 0;
}

/* A file that never began says nothing. */
static void drop_empty(const struct record_data *d)
{
	const struct iob_recorder *w = &d->chapter.recorder;
	struct stat st;

	if (!d->nr_files && w->fd >= 0 && !fstat(w->fd, &st) &&
	    S_ISREG(st.st_mode))
		unlink(w->path);
}

static void free_data(struct tool *t)
{
	struct record_data *d = t->data;

	if (!d)
		return;
	drop_empty(d);
	iob_recorder_close(&d->chapter.recorder, NULL);
	iob_syncer_destroy(d->syncer);
	iob_rotation_deinit(&d->rotation);
	iob_events_destroy(d->events);
	for (size_t i = 0; i < d->formats.nr; i++)
		free(d->formats.v[i].text);
	iob_vec_free(&d->formats);
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
