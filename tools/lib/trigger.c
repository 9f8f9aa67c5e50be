// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trigger.h"

/* What the kernel takes as a window. */
#define WINDOW_MIN_US	500000
#define WINDOW_MAX_US	10000000
#define PRESSURE	"/proc/pressure/io"

struct unit {
	const char *name;
	double factor;
};

static const struct unit times[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, {}
}, sizes[] = {
	{ "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 }, {}
};

static bool with_unit(const char *text, size_t len, const struct unit *units,
		      uint64_t *value)
{
	char buf[32], *end;
	double v;

	if (!len || len >= sizeof(buf) || !isdigit((unsigned char)*text))
		return false;
	memcpy(buf, text, len);
	buf[len] = '\0';
	v = strtod(buf, &end);
	for (; units->name; units++) {
		if (strcasecmp(units->name, end))
			continue;
		v *= units->factor;
		*value = v < 1e18 ? v : 0;
		return *value > 0;
	}
	return false;
}

static bool parse_time(struct iob_trigger *t, const char *rest)
{
	return with_unit(rest, strlen(rest), times, &t->limit);
}

/* A name may have colons, a size has none. */
static bool parse_writes(struct iob_trigger *t, const char *rest)
{
	const char *colon = strrchr(rest, ':');
	size_t len = colon ? colon - rest : 0;

	if (!len || len >= sizeof(t->comm))
		return false;
	memcpy(t->comm, rest, len);
	return with_unit(colon + 1, strlen(colon + 1), sizes, &t->limit);
}

static bool parse_psi(struct iob_trigger *t, const char *rest)
{
	size_t len = strcspn(rest, ":");
	uint64_t window;

	if (strncmp(rest, "some:", 5) && strncmp(rest, "full:", 5))
		return false;
	memcpy(t->what, rest, 4);
	rest += len + 1;
	len = strcspn(rest, ":");
	if (!rest[len] || !with_unit(rest, len, times, &t->limit))
		return false;
	rest += len + 1;
	len = strcspn(rest, ":");
	if (!with_unit(rest, len, times, &window))
		return false;
	t->window_us = window / 1000;
	if (t->window_us < WINDOW_MIN_US || t->window_us > WINDOW_MAX_US ||
	    t->limit > window)
		return false;
	if (!rest[len])
		return true;
	rest += len + 1;
	if (*rest != '/' || strlen(rest) + 16 >= sizeof(t->path))
		return false;
	strcpy(t->path, rest);
	return true;
}

static const struct {
	const char *name;
	bool (*parse)(struct iob_trigger *t, const char *rest);
} kinds[] = {
	[IOB_TRIGGER_PSI] = { "psi", parse_psi },
	[IOB_TRIGGER_IO] = { "io-latency", parse_time },
	[IOB_TRIGGER_FSYNC] = { "fsync-latency", parse_time },
	[IOB_TRIGGER_WRITES] = { "writes", parse_writes },
};

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

/**
 * iob_trigger_parse - read a trigger
 * @t: the trigger
 * @text: as in IOB_TRIGGER_FORMS; has to stay
 * @err: error text
 *
 * Return: 0 or -EINVAL.
 */
int iob_trigger_parse(struct iob_trigger *t, const char *text,
		      struct iob_err *err)
{
	size_t len = strcspn(text, ":");

	memset(t, 0, sizeof(*t));
	t->text = text;
	t->fd = -1;
	for (size_t i = 0; text[len] && i < NR_KINDS; i++) {
		if (strlen(kinds[i].name) != len ||
		    strncmp(kinds[i].name, text, len))
			continue;
		t->kind = i;
		if (kinds[i].parse(t, text + len + 1))
			return 0;
	}
	return iob_fail(err, -EINVAL,
			"unknown trigger '%.80s': take %s, with TIME as 20ms or 2s, WINDOW 500ms to 10s, SIZE as 100M",
			text, IOB_TRIGGER_FORMS);
}

/**
 * iob_triggers_add - one more
 * @ts: the triggers
 * @text: as in IOB_TRIGGER_FORMS; has to stay
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_triggers_add(struct iob_triggers *ts, const char *text,
		     struct iob_err *err)
{
	struct iob_trigger *t = iob_vec_add(ts);

	return t ? iob_trigger_parse(t, text, err) :
		   iob_fail(err, -ENOMEM, "out of memory");
}

static int open_pressure(struct iob_trigger *t, const char *root,
			 struct iob_err *err)
{
	char path[4096], wish[64];
	int len = snprintf(wish, sizeof(wish), "%s %" PRIu64 " %" PRIu64,
			   t->what, t->limit / 1000, t->window_us);

	snprintf(path, sizeof(path), "%s%s%s", root, *t->path ? t->path : PRESSURE,
		 *t->path ? "/io.pressure" : "");
	t->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return iob_fail(err, -errno,
				"cannot open %s: %s (the kernel tells of pressure with CONFIG_PSI, and psi=1 on its command line)",
				path, strerror(errno));
	/* With the NUL: the kernel cuts the last byte off. */
	if (write(t->fd, wish, len + 1) < 0)
		return iob_fail(err, -errno, "%s does not take '%s': %s", path,
				wish, strerror(errno));
	return 0;
}

/**
 * iob_triggers_open - ask the kernel for what it tells by itself
 * @ts: the triggers
 * @root: directory that stands for ``/``
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_triggers_open(struct iob_triggers *ts, const char *root,
		      struct iob_err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ts->nr; i++)
		if (ts->v[i].kind == IOB_TRIGGER_PSI)
			ret = open_pressure(&ts->v[i], root, err);
	return ret;
}

/**
 * iob_triggers_free - close and free
 * @ts: empty afterwards
 */
void iob_triggers_free(struct iob_triggers *ts)
{
	for (size_t i = 0; i < ts->nr; i++)
		if (ts->v[i].fd >= 0)
			close(ts->v[i].fd);
	iob_vec_free(ts);
}

/**
 * iob_triggers_want_ios - whether any looks at single IOs
 * @ts: the triggers
 *
 * Return: true if so.
 */
bool iob_triggers_want_ios(const struct iob_triggers *ts)
{
	for (size_t i = 0; i < ts->nr; i++)
		if (ts->v[i].kind == IOB_TRIGGER_IO ||
		    ts->v[i].kind == IOB_TRIGGER_FSYNC)
			return true;
	return false;
}

static bool somebody_waits(const struct iob_event_io *io)
{
	for (int i = 0; i < io->nr_origins && i < IOB_EVENT_ORIGINS; i++)
		if (io->reason[i] == IOB_REASON_FSYNC ||
		    io->reason[i] == IOB_REASON_SYNC)
			return true;
	return false;
}

/**
 * iob_triggers_io - whether an IO was too slow
 * @ts: the triggers
 * @io: the IO
 *
 * Its time is that in the queue and in the device. That of an fsync is the time
 * of one IO that was made because of an fsync or a sync, of which there may be
 * several, one after the other.
 *
 * Return: the first trigger it fires, or NULL.
 */
const struct iob_trigger *iob_triggers_io(const struct iob_triggers *ts,
					  const struct iob_event_io *io)
{
	uint64_t ns = io->queue_ns + io->device_ns;

	for (size_t i = 0; i < ts->nr; i++) {
		const struct iob_trigger *t = &ts->v[i];

		if ((t->kind != IOB_TRIGGER_IO && t->kind != IOB_TRIGGER_FSYNC) ||
		    ns <= t->limit)
			continue;
		if (t->kind == IOB_TRIGGER_IO || somebody_waits(io))
			return t;
	}
	return NULL;
}

/**
 * iob_triggers_report - whether somebody wrote too much
 * @ts: the triggers
 * @r: what happened in the interval
 *
 * What a stacked disk was given counts on the disk below.
 *
 * Return: the first trigger it fires, or NULL.
 */
const struct iob_trigger *iob_triggers_report(const struct iob_triggers *ts,
					      const struct iob_report *r)
{
	for (size_t i = 0; i < ts->nr; i++) {
		const struct iob_trigger *t = &ts->v[i];
		uint64_t sum = 0;

		for (size_t k = 0; t->kind == IOB_TRIGGER_WRITES &&
				   k < r->rows.nr; k++) {
			const struct iob_row *row = &r->rows.v[k];
			const char *comm = iob_row_text(row, IOB_ROW_COMM);
			const char *op = iob_row_text(row, IOB_ROW_OP);

			if (comm && op && !strcmp(comm, t->comm) &&
			    !strcmp(op, "write") &&
			    !iob_report_is_stacked(r, row->v[IOB_ROW_DEV]))
				sum += row->bytes;
		}
		if (sum > t->limit && t->kind == IOB_TRIGGER_WRITES)
			return t;
	}
	return NULL;
}

/**
 * iob_triggers_poll - whether the kernel tells of pressure
 * @ts: the triggers
 *
 * A cgroup that is gone is not asked again.
 *
 * Return: the first trigger that fired, or NULL.
 */
const struct iob_trigger *iob_triggers_poll(struct iob_triggers *ts)
{
	const struct iob_trigger *fired = NULL;

	for (size_t i = 0; i < ts->nr; i++) {
		struct pollfd p = { .fd = ts->v[i].fd, .events = POLLPRI };

		if (p.fd < 0 || poll(&p, 1, 0) <= 0)
			continue;
		if (p.revents & POLLPRI) {
			fired = fired ? fired : &ts->v[i];
		} else if (p.revents & (POLLERR | POLLNVAL)) {
			close(p.fd);
			ts->v[i].fd = -1;
		}
	}
	return fired;
}
