// SPDX-License-Identifier: GPL-2.0
/*
 * ioblame watch: always on. Two ways, as everywhere: the module's totals go to
 * the store, to the server and to the port, and nothing of them can be lost;
 * its events are remembered for a while, and saved when something happens.
 *
 * One thread reads both. What may have to wait for a disk or for the network
 * is done by others (keeper.c, push.c, serve.c): while the store waits, no
 * reading is taken, and the next one tells of all that happened meanwhile.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "capture.h"
#include "command.h"
#include "keeper.h"
#include "metric.h"
#include "push.h"
#include "replay.h"
#include "save.h"
#include "serve.h"
#include "tool.h"
#include "top_reader.h"
#include "trigger.h"
#include "version.h"
#include "writer.h"

#define SECOND_NS 1000000000ull
#define IOS_MAX 65536	/* between two readings; of more no times are told */
#define TELL_NS (60 * SECOND_NS)	/* between complaints */

struct watch_data {
	struct iob_top_reader reader;
	uint64_t next_ns;		/* when the next reading is due */
	struct iob_keeper *keeper;
	struct iob_push *push;
	struct iob_serve *serve;
	struct iob_capture *capture;	/* NULL: no flight recorder */
	struct iob_events *events;
	struct iob_flight flight;
	struct iob_triggers triggers;
	IOB_VEC(struct iob_event_io) ios;	/* since the last reading */
	bool misses_ios;
	uint64_t lost;			/* events, at the last reading */
	bool looks_at_ios;
	const char *fired;		/* in this turn */
	struct saves saves;
	struct iob_err *err;
	uint64_t told_ns;
	uint64_t nr_readings, nr_skipped;
};

static bool is_live(const struct params *p)
{
	(void)p;
	return true;
}

/* /var/lib/ioblame, most likely */
static int make_dir_of(const char *path, struct iob_err *err)
{
	char dir[4096];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return 0;
	*slash = '\0';
	if (mkdir(dir, 0700) && errno != EEXIST)
		return iob_fail(err, -errno, "cannot make %s: %s", dir,
				strerror(errno));
	return 0;
}

static void store_limits(const struct params *p, struct iob_store_limits *l)
{
	*l = (struct iob_store_limits){
		.max_bytes = p->store_size, .keep_s = { 900, 6 * 3600 },
		.pushes = p->push_url,
	};
}

static int prepare_store(struct tool *t, struct watch_data *d,
			 struct iob_err *err)
{
	const struct params *p = t->params;
	struct iob_keeper_wish wish = {
		.path = p->store, .push_s = p->push_url ? p->push_every : 0,
		.push_name = "ioblame",
	};
	int ret = make_dir_of(p->store, err);

	store_limits(p, &wish.limits);
	if (!ret)
		ret = iob_keeper_create(&d->keeper, &wish, err);
	if (!ret && p->push_url)
		ret = iob_push_create(&d->push, p->push_url, p->store,
				      &wish.limits, err);
	if (!ret && p->listen)
		ret = iob_serve_create(&d->serve, p->listen, err);
	return ret;
}

static int prepare_flight(struct tool *t, struct watch_data *d,
			  struct iob_err *err)
{
	const struct params *p = t->params;
	int ret;

	if (p->no_flight)
		return 0;
	d->saves.dir = p->saves;
	d->saves.chapter.recorder.fd = -1;
	d->saves.t = t;
	d->events = iob_events_create();
	if (!d->events)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = make_dir_of(p->saves, err);
	if (!ret)
		ret = saves_check(p->saves, err);
	if (!ret)
		ret = iob_flight_init(&d->flight, p->flight * 1e9,
				      p->flight_size, err);
	if (!ret)
		ret = iob_capture_create(&d->capture, &t->session, p->buffer_kb,
					 err);
	return ret ? ret : iob_capture_formats(d->capture, d->events,
					       saves_format, &d->saves, err);
}

static int prepare(struct tool *t, struct iob_err *err)
{
	const struct params *p = t->params;
	struct watch_data *d = calloc(1, sizeof(*d));
	int ret = 0;

	if (!d)
		return iob_fail(err, -ENOMEM, "out of memory");
	t->data = d;
	d->err = err;
	for (size_t i = 0; !ret && i < p->triggers.nr; i++)
		ret = iob_triggers_add(&d->triggers, p->triggers.v[i], err);
	if (!ret)
		ret = iob_triggers_open(&d->triggers, t->root, err);
	d->looks_at_ios = iob_triggers_want_ios(&d->triggers);
	if (!ret)
		ret = prepare_store(t, d, err);
	return ret ? ret : prepare_flight(t, d, err);
}

static void take_io(struct watch_data *d, const void *data, uint32_t size)
{
	const struct iob_trigger *trigger = NULL;
	struct iob_event_io *io;
	struct iob_event ev;

	if (iob_events_decode(d->events, data, size, &ev)) {
		d->misses_ios = true;
		return;
	}
	if (d->looks_at_ios && !d->fired)
		trigger = iob_triggers_io(&d->triggers, &ev.io);
	if (trigger)
		d->fired = trigger->text;
	io = d->ios.nr < IOS_MAX ? iob_vec_add(&d->ios) : NULL;
	if (io)
		*io = ev.io;
	else
		d->misses_ios = true;
}

/*
 * How long IOs took is told by their events alone. One that completed right
 * after the totals were read has its time now and its bytes in the next reading.
 */
static int add_times(void *arg, struct iob_tables *now, struct iob_err *err)
{
	struct watch_data *d = arg;
	struct iob_replay r = { .t = now };
	uint64_t lost;
	int ret = 0;

	if (!d->capture)
		return 0;
	lost = iob_capture_lost(d->capture);
	if (!d->misses_ios && lost == d->lost)
		ret = iob_replay_index(&r);
	for (size_t i = 0; !ret && now->tells_times && i < d->ios.nr; i++)
		ret = iob_replay_times(&r, &d->ios.v[i]);
	iob_replay_free(&r);
	d->ios.nr = 0;
	d->misses_ios = false;
	d->lost = lost;
	return ret ? iob_fail(err, ret, "out of memory") : 0;
}

static int start(struct tool *t, struct iob_err *err)
{
	struct watch_data *d = t->data;
	struct iob_snapshot snap;
	int ret = iob_session_snapshot(&t->session, &snap, err);

	if (ret)
		return ret;
	/* Enabled by us, all of its totals are of now. */
	if (t->session.was_enabled)
		ret = iob_top_reader_start(&d->reader, &snap, true, err);
	d->reader.start_ns = t->start_ns;
	d->reader.amend = add_times;
	d->reader.arg = d;
	d->next_ns = snap.time_ns + t->params->interval * 1e9;
	iob_snapshot_free(&snap);
	return ret;
}

static int take_event(void *arg, uint64_t ts_ns, uint32_t cpu, const void *data,
		      uint32_t size)
{
	struct watch_data *d = arg;

	saves_event(&d->saves, ts_ns, cpu, data, size);
	if (iob_events_is(d->events, IOB_EVENT_IO, data, size))
		take_io(d, data, size);
	return iob_flight_event(&d->flight, ts_ns, cpu, data, size, d->err);
}

static void describe(struct iob_report *r)
{
	struct utsname u;

	uname(&u);
	r->version = iob_report_intern(r, IOBLAME_VERSION);
	r->kernel = iob_report_intern(r, u.release);
	r->host = iob_report_intern(r, u.nodename);
}

/* How watching itself goes */
static void put_own(struct watch_data *d, FILE *out)
{
	struct iob_keeper_state keeper;
	struct iob_push_state push = {};
	const struct {
		const char *name, *help;
		uint64_t value;
	} own[] = {
		{ "watch_readings", "Readings of the totals.", d->nr_readings },
		{ "watch_skipped", "Readings not taken because the store had to wait; the next one had all.",
		  d->nr_skipped },
		{ "watch_store_failures", "Failed tries to write to the store.",
		  0 },
		{ "watch_push_sent", "Profiles the server took.", 0 },
		{ "watch_push_failures", "Failed tries to send a profile.", 0 },
		{ "watch_push_refused", "Profiles the server refused.", 0 },
		{ "watch_saves", "Saves of the flight recorder.",
		  d->saves.nr_saved },
		{ "watch_saves_failed", "Saves that failed.",
		  d->saves.nr_failed },
		{ "watch_saves_held_off", "Triggers so soon after another that nothing was saved.",
		  d->saves.nr_held_off },
	};
	uint64_t values[sizeof(own) / sizeof(*own)];

	iob_keeper_state(d->keeper, &keeper);
	if (d->push)
		iob_push_state(d->push, &push);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		values[i] = own[i].value;
	values[2] = keeper.nr_failures;
	values[3] = push.nr_sent;
	values[4] = push.nr_failures;
	values[5] = push.nr_refused;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		fprintf(out, "# TYPE ioblame_%s counter\n# HELP ioblame_%s %s\nioblame_%s_total %" PRIu64 "\n",
			own[i].name, own[i].name, own[i].help, own[i].name,
			values[i]);
}

#define METRIC_FIELDS (IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) |	\
	IOB_ROW_BIT(COMM) | IOB_ROW_BIT(CGROUP) | IOB_ROW_BIT(KIND) |	\
	IOB_ROW_BIT(REASON) | IOB_ROW_BIT(BASIS) | IOB_ROW_BIT(UNKNOWN))

/* Without pids and files: there is no end of those in a life. */
static int serve(struct watch_data *d, struct iob_report *all,
		 struct iob_err *err)
{
	static const char eof[] = "# EOF\n";
	struct iob_write_options o = { .metric = iob_metrics };
	char *text = NULL;
	size_t len = 0;
	int ret;

	for (size_t i = 0; i < all->rows.nr; i++)
		all->rows.v[i].known &= METRIC_FIELDS;
	ret = iob_report_group(all, METRIC_FIELDS, err);
	o.out = ret ? NULL : open_memstream(&text, &len);
	if (!o.out)
		return ret ? ret : iob_fail(err, -ENOMEM, "out of memory");
	ret = iob_openmetrics_writer.write(all, &o, err);
	if (!ret && !fflush(o.out) && len > sizeof(eof) - 1) {
		fseek(o.out, len - (sizeof(eof) - 1), SEEK_SET);
		put_own(d, o.out);
		fputs(eof, o.out);
	}
	if (fclose(o.out) && !ret)
		ret = iob_fail(err, -ENOMEM, "out of memory");
	if (!ret)
		iob_serve_put(d->serve, text, len);
	else
		free(text);
	return ret;
}

static int read_totals(struct tool *t, struct watch_data *d,
		       struct iob_err *err)
{
	const struct iob_trigger *trigger;
	struct iob_report *now, *all;
	struct iob_snapshot snap;
	int ret = iob_session_snapshot(&t->session, &snap, err);

	if (ret)
		return ret;
	ret = iob_top_reader_next(&d->reader, &snap, t->names, &t->filter, &now,
				  &all, err);
	iob_snapshot_free(&snap);
	if (ret)
		return ret;
	d->nr_readings++;
	trigger = iob_triggers_report(&d->triggers, now);
	if (trigger)
		d->fired = trigger->text;
	if (d->serve)
		ret = serve(d, all, err);
	iob_report_destroy(all);
	describe(now);
	iob_keeper_give(d->keeper, now, time(NULL));
	return ret;
}

/* Once a minute at most: it may go on for days. */
static void complain(struct watch_data *d, uint64_t now)
{
	struct iob_keeper_state keeper;
	struct iob_push_state push = {};

	if (now - d->told_ns < TELL_NS && d->told_ns)
		return;
	iob_keeper_state(d->keeper, &keeper);
	if (d->push)
		iob_push_state(d->push, &push);
	if (keeper.failing)
		tool_warn("not stored yet: %s", keeper.failure);
	if (push.failing)
		tool_warn("not sent yet: %s", push.failure);
	if (keeper.failing || push.failing)
		d->told_ns = now;
}

static int turn(struct tool *t, struct iob_err *err)
{
	struct watch_data *d = t->data;
	struct iob_keeper_state keeper;
	const struct iob_trigger *trigger;
	uint64_t now = iob_boot_ns();
	int ret = 0;

	d->fired = NULL;
	if (d->capture)
		ret = iob_capture_read(d->capture, take_event, d, err);
	if (!ret && d->capture)
		ret = iob_flight_tick(&d->flight, now, err);
	iob_keeper_state(d->keeper, &keeper);
	if (!ret && now >= d->next_ns) {
		if (keeper.busy)
			d->nr_skipped++;
		else
			ret = read_totals(t, d, err);
		d->next_ns += t->params->interval * 1e9;
		if (d->next_ns <= now)
			d->next_ns = now + t->params->interval * 1e9;
	}
	trigger = iob_triggers_poll(&d->triggers);
	if (trigger)
		d->fired = trigger->text;
	if (t->nr_usr1)
		d->fired = "SIGUSR1";
	t->nr_usr1 = 0;
	if (ret || !d->capture)
		return ret;
	if (d->saves.path && now >= d->saves.until_ns)
		saves_end(&d->saves, now, iob_capture_lost(d->capture));
	if (d->fired)
		saves_begin(&d->saves, &d->flight, d->fired, now,
			    iob_capture_lost(d->capture));
	return 0;
}

static int turn_and_tell(struct tool *t, struct iob_err *err)
{
	int ret = turn(t, err);

	if (!ret)
		complain(t->data, iob_boot_ns());
	return ret;
}

/* What happened since the last reading */
static int stop(struct tool *t, struct iob_err *err)
{
	struct watch_data *d = t->data;
	struct iob_keeper_state keeper;
	int ret = 0;

	if (d->capture) {
		ret = iob_capture_read(d->capture, take_event, d, err);
		saves_end(&d->saves, iob_boot_ns(), iob_capture_lost(d->capture));
	}
	for (int i = 0; i < 50; i++) {
		iob_keeper_state(d->keeper, &keeper);
		if (!keeper.busy)
			return ret ? ret : read_totals(t, d, err);
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	}
	return ret;
}

static void close_all(struct tool *t)
{
	struct watch_data *d = t->data;

	if (!d)
		return;
	iob_capture_destroy(d->capture);
	d->capture = NULL;
	iob_serve_destroy(d->serve);
	d->serve = NULL;
}

static int show(struct tool *t, struct iob_err *err)
{
	struct watch_data *d = t->data;
	int ret = iob_keeper_destroy(d->keeper, err);

	d->keeper = NULL;
	return ret;
}

static void free_data(struct tool *t)
{
	struct watch_data *d = t->data;

	if (!d)
		return;
	iob_keeper_destroy(d->keeper, NULL);
	iob_push_destroy(d->push);
	saves_free(&d->saves);
	iob_flight_deinit(&d->flight);
	iob_triggers_free(&d->triggers);
	iob_vec_free(&d->ios);
	iob_events_destroy(d->events);
	iob_top_reader_free(&d->reader);
	free(d);
}

const struct tool_ops watch_ops = {
	.live = is_live,
	.prepare = prepare,
	.start = start,
	.turn = turn_and_tell,
	.stop = stop,
	.close = close_all,
	.show = show,
	.free = free_data,
};
