// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "replay.h"

#define PAGE_BYTES 4096

static const char *const ops[] = { IOB_OPS(IOB_ENUM_WORD) };
static const char *const kinds[] = { IOB_KINDS(IOB_ENUM_WORD) };
static const char *const bases[] = { IOB_BASES(IOB_ENUM_WORD) };
static const char *const reasons[] = { IOB_REASONS(IOB_ENUM_WORD) };
static const char *const role_flags[] = { IOB_ROLE_FLAGS(IOB_ENUM_WORD) };
static const char *const file_flags[] = { IOB_FILE_FLAGS(IOB_ENUM_WORD) };

static const char *keep(struct iob_replay *r, const char *text)
{
	return *text ? iob_strings_intern(r->t->strings, text, strlen(text)) :
		       NULL;
}

static const char *keep_word(struct iob_replay *r, const char *text)
{
	return *text ? iob_strings_word(r->t->strings, text, strlen(text)) :
		       NULL;
}

/* A number of a later version has no word yet. */
static const char *word(struct iob_replay *r, const char *const *words,
			size_t nr, unsigned int value)
{
	char number[16];

	if (value < nr)
		return keep(r, words[value]);
	snprintf(number, sizeof(number), "#%u", value);
	return keep(r, number);
}

#define WORD(r, words, value) \
	word(r, words, sizeof(words) / sizeof(*(words)), value)

static const char *flag_words(struct iob_replay *r, const char *const *words,
			      size_t nr, unsigned int flags)
{
	char text[128] = "";
	size_t at = 0;

	for (size_t i = 0; i < nr && at < sizeof(text); i++)
		if (flags & 1u << i)
			at += snprintf(text + at, sizeof(text) - at, "%s%s",
				       at ? "," : "", words[i]);
	return keep(r, text);
}

static int add_act(struct iob_replay *r, const struct iob_event_act *ev)
{
	struct iob_act *act = iob_tables_act(r->t, ev->id, true);

	if (!act)
		return -ENOMEM;
	*act = (struct iob_act){ .id = ev->id, .role = ev->role,
				 .stack = ev->stack, .file = ev->file,
				 .kind = WORD(r, kinds, ev->kind) };
	return 0;
}

static int add_role(struct iob_replay *r, const struct iob_event_role *ev)
{
	struct iob_role *role = iob_tables_role(r->t, ev->id, true);

	if (!role)
		return -ENOMEM;
	*role = (struct iob_role){
		.id = ev->id, .pid = ev->pid, .tgid = ev->tgid,
		.start_ns = ev->start_ns, .cgroup_id = ev->cgroup_id,
		.flags = flag_words(r, role_flags, IOB_NR_ROLE_BITS, ev->flags),
		.cgroup = keep(r, ev->cgroup), .comm = keep(r, ev->comm),
	};
	return 0;
}

static int add_file(struct iob_replay *r, const struct iob_event_file *ev)
{
	struct iob_file *file = iob_tables_file(r->t, ev->id, true);
	const char *path = keep(r, ev->path);

	if (!file)
		return -ENOMEM;
	/* Its name may be gone by the time it is told again: keep the old. */
	if (!path)
		path = file->path;
	*file = (struct iob_file){
		.id = ev->id, .dev = ev->dev, .ino = ev->ino, .gen = ev->gen,
		.flags = flag_words(r, file_flags, IOB_NR_FILE_BITS, ev->flags),
		.fstype = keep_word(r, ev->fstype), .path = path,
	};
	return 0;
}

static int add_stack(struct iob_replay *r, const struct iob_event_stack *ev)
{
	struct iob_stack *s = iob_tables_stack(r->t, ev->id, true);

	if (!s)
		return -ENOMEM;
	s->frames = keep_word(r, ev->frames);
	return 0;
}

static uint64_t total_hash(const struct iob_total *t)
{
	uint64_t key = iob_mix(iob_mix(t->act, t->issuer), t->dev);

	key = iob_mix(key, (uintptr_t)t->op);
	return iob_mix(iob_mix(key, (uintptr_t)t->reason), (uintptr_t)t->basis);
}

static struct iob_total *total_of(struct iob_replay *r, uint32_t act,
				  uint32_t issuer, uint32_t dev, const char *op,
				  const char *reason, const char *basis)
{
	struct iob_total like = { .act = act, .issuer = issuer, .dev = dev,
				  .op = op, .reason = reason, .basis = basis };
	uint64_t key = total_hash(&like);
	struct iob_total *t;
	uint32_t at;

	for (; iob_map_get(&r->totals, key, &at); key++) {
		t = &r->t->totals.v[at];
		if (t->act == act && t->issuer == issuer && t->dev == dev &&
		    t->op == op && t->reason == reason && t->basis == basis)
			return t;
	}
	at = r->t->totals.nr;
	t = iob_vec_add(&r->t->totals);
	if (!t || iob_map_set(&r->totals, key, at))
		return NULL;
	*t = like;
	return t;
}

static int add_time(struct iob_total *t, enum iob_time k, uint64_t ns,
		    uint64_t count)
{
	if (!ns)
		return 0;
	if (ns > t->max[k])
		t->max[k] = ns;
	return iob_hist_add(&t->hist[k], iob_hist_bucket(ns), count);
}

static int add_device(struct iob_replay *r, const struct iob_event_io *io,
		      const char *op)
{
	uint64_t key = iob_mix(io->dev, io->op);
	struct iob_device_op *d;
	uint32_t at;

	if (!iob_map_get(&r->devices, key, &at)) {
		at = r->t->devices.nr;
		d = iob_vec_add(&r->t->devices);
		if (!d || iob_map_set(&r->devices, key, at))
			return -ENOMEM;
		d->dev = io->dev;
		d->op = op;
	}
	d = &r->t->devices.v[at];
	d->bytes += io->bytes;
	/* A request completed in parts is one IO: the last part's. */
	if (!(io->flags & 1u << IOB_IO_BIT_PARTIAL))
		d->ios++;
	return 0;
}

static int add_origin(struct iob_replay *r, const struct iob_event_io *io,
		      uint32_t issuer, const char *op, int i)
{
	struct iob_total *t = total_of(r, io->act[i], issuer, io->dev, op,
				       WORD(r, reasons, io->reason[i]),
				       WORD(r, bases, io->basis[i]));
	uint64_t pages = (io->obytes[i] + PAGE_BYTES - 1) / PAGE_BYTES;

	if (!t)
		return -ENOMEM;
	if (!(io->flags & 1u << IOB_IO_BIT_PARTIAL))
		t->ios++;
	t->bytes += io->obytes[i];
	/* The event has the oldest origin's age only: an upper bound. */
	if (add_time(t, IOB_TIME_AGE, io->age_ns, pages) ||
	    add_time(t, IOB_TIME_QUEUE, io->queue_ns, 1) ||
	    add_time(t, IOB_TIME_DEVICE, io->device_ns, 1))
		return -ENOMEM;
	return 0;
}

static int add_io(struct iob_replay *r, const struct iob_event_io *io)
{
	const char *op = WORD(r, ops, io->op);
	const struct iob_act *by = iob_tables_act(r->t, io->issuer, false);
	uint32_t issuer = by ? by->role : 0;
	int nr = io->nr_origins, ret = add_device(r, io, op);

	if (nr > IOB_EVENT_ORIGINS)
		nr = IOB_EVENT_ORIGINS;
	for (int i = 0; !ret && i < nr; i++)
		ret = add_origin(r, io, issuer, op, i);
	/* What had no room in the event is known to nobody here. */
	if (!ret && io->more_bytes) {
		struct iob_total *t = total_of(r, IOB_ACT_FOLDED, issuer,
				io->dev, op, keep(r, reasons[IOB_REASON_NONE]),
				keep(r, bases[IOB_BASIS_ISSUER]));

		if (!t)
			return -ENOMEM;
		t->bytes += io->more_bytes;
		t->ios++;
	}
	return ret;
}

static int add_cancel(struct iob_replay *r, const struct iob_event_cancel *ev)
{
	struct iob_total *t = total_of(r, ev->act, 0, ev->dev,
				       keep(r, ops[IOB_OP_WRITE]),
				       keep(r, reasons[IOB_REASON_NONE]),
				       keep(r, bases[IOB_BASIS_PAGE]));

	if (!t)
		return -ENOMEM;
	t->cancelled += ev->bytes;
	return 0;
}

/* An IO's times are shared as its bytes are; what does not divide goes to the last. */
static int add_times(struct iob_replay *r, const struct iob_event_io *io,
		     uint32_t issuer, const char *op)
{
	uint64_t times[IOB_NR_TIMES] = { [IOB_TIME_QUEUE] = io->queue_ns,
					 [IOB_TIME_DEVICE] = io->device_ns };
	uint64_t all = io->more_bytes, left[IOB_NR_TIMES];
	int nr = io->nr_origins;

	if (nr > IOB_EVENT_ORIGINS)
		nr = IOB_EVENT_ORIGINS;
	for (int i = 0; i < nr; i++)
		all += io->obytes[i];
	memcpy(left, times, sizeof(left));
	for (int i = 0; i < nr + (io->more_bytes > 0 || !nr); i++) {
		bool last = i == nr - !(io->more_bytes > 0 || !nr);
		struct iob_total *t = i < nr ?
			total_of(r, io->act[i], issuer, io->dev, op,
				 WORD(r, reasons, io->reason[i]),
				 WORD(r, bases, io->basis[i])) :
			total_of(r, IOB_ACT_FOLDED, issuer, io->dev, op,
				 keep(r, reasons[IOB_REASON_NONE]),
				 keep(r, bases[IOB_BASIS_ISSUER]));

		if (!t)
			return -ENOMEM;
		for (int k = 0; k < IOB_NR_TIMES; k++) {
			uint64_t share = last ? left[k] : !all ? 0 :
				(uint64_t)((double)times[k] * io->obytes[i] / all);

			if (share > left[k])
				share = left[k];
			t->sum_ns[k] += share;
			left[k] -= share;
		}
	}
	return 0;
}

/**
 * iob_replay_index - find the totals that are there already
 * @r: the replay; its tables hold totals
 *
 * Return: 0 or -ENOMEM.
 */
int iob_replay_index(struct iob_replay *r)
{
	r->t->tells_times = true;
	for (size_t i = 0; i < r->t->totals.nr; i++) {
		uint64_t key = total_hash(&r->t->totals.v[i]);
		uint32_t at;

		while (iob_map_get(&r->totals, key, &at))
			key++;
		if (iob_map_set(&r->totals, key, i))
			return -ENOMEM;
	}
	return 0;
}

/**
 * iob_replay_times - add how long an IO took to the totals of its origins
 * @r: the replay
 * @io: the IO
 *
 * Return: 0 or -ENOMEM.
 */
int iob_replay_times(struct iob_replay *r, const struct iob_event_io *io)
{
	const struct iob_act *by = iob_tables_act(r->t, io->issuer, false);

	/* Completed in parts, the last part's time is that of the whole. */
	if (io->flags & 1u << IOB_IO_BIT_PARTIAL)
		return 0;
	return add_times(r, io, by ? by->role : 0, WORD(r, ops, io->op));
}

/**
 * iob_replay_event - let one more event happen
 * @r: the replay; its tables may hold objects known from elsewhere
 * @ev: the event
 *
 * Return: 0 or -ENOMEM.
 */
int iob_replay_event(struct iob_replay *r, const struct iob_event *ev)
{
	switch (ev->type) {
	case IOB_EVENT_IO:
		return add_io(r, &ev->io);
	case IOB_EVENT_ACT:
		return add_act(r, &ev->act);
	case IOB_EVENT_ROLE:
		return add_role(r, &ev->role);
	case IOB_EVENT_STACK:
		return add_stack(r, &ev->stack);
	case IOB_EVENT_FILE:
		return add_file(r, &ev->file);
	case IOB_EVENT_CANCEL:
		return add_cancel(r, &ev->cancel);
	default:
		return 0;
	}
}

/**
 * iob_replay_free - free all but the tables
 * @r: the replay
 */
void iob_replay_free(struct iob_replay *r)
{
	iob_map_free(&r->totals);
	iob_map_free(&r->devices);
}
