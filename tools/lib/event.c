// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <event-parse.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "event_text.h"

#define MAX_FIELDS 20

#define F(type, member) { #member, offsetof(struct iob_event, type.member), \
			  sizeof(((struct iob_event *)0)->type.member), 0, false }
/* Not in recordings of older modules: 0 there. */
#define LATER(type, member) { #member, offsetof(struct iob_event, type.member), \
			  sizeof(((struct iob_event *)0)->type.member), 0, true }
#define ARRAY(type, member) { #member, offsetof(struct iob_event, type.member), \
			  sizeof(((struct iob_event *)0)->type.member), \
			  sizeof(((struct iob_event *)0)->type.member[0]), false }

/* Where each field goes; element: size of one of an array, 0 for a number. */
static const struct field {
	const char *name;
	size_t to, size, element;
	bool later;
} fields[IOB_NR_EVENTS][MAX_FIELDS] = {
	[IOB_EVENT_IO] = {
		F(io, dev), F(io, op), F(io, nr_origins), F(io, flags),
		F(io, sector), F(io, bytes), F(io, more_bytes), F(io, issuer),
		F(io, queue_ns), F(io, device_ns), F(io, age_ns),
		ARRAY(io, act), ARRAY(io, obytes), ARRAY(io, basis),
		ARRAY(io, reason), LATER(io, id), LATER(io, up),
	},
	[IOB_EVENT_ACT] = {
		F(act, id), F(act, role), F(act, stack), F(act, file),
		F(act, kind),
	},
	[IOB_EVENT_ROLE] = {
		F(role, id), F(role, pid), F(role, tgid), F(role, flags),
		F(role, start_ns), F(role, cgroup_id), ARRAY(role, comm),
		ARRAY(role, cgroup),
	},
	[IOB_EVENT_STACK] = { F(stack, id), ARRAY(stack, frames) },
	[IOB_EVENT_FILE] = {
		F(file, id), F(file, dev), F(file, gen), F(file, flags),
		F(file, ino), ARRAY(file, fstype), ARRAY(file, path),
	},
	[IOB_EVENT_CANCEL] = {
		F(cancel, act), F(cancel, dev), F(cancel, bytes),
	},
};

const char *const iob_event_names[IOB_NR_EVENTS] = {
	[IOB_EVENT_IO] = "ioblame_io",
	[IOB_EVENT_ACT] = "ioblame_act",
	[IOB_EVENT_ROLE] = "ioblame_role",
	[IOB_EVENT_STACK] = "ioblame_stack",
	[IOB_EVENT_FILE] = "ioblame_file",
	[IOB_EVENT_CANCEL] = "ioblame_cancel",
};

struct iob_events {
	struct tep_handle *tep;
	int id[IOB_NR_EVENTS];		/* -1: its format is not known */
	struct place {
		size_t from, size;
	} place[IOB_NR_EVENTS][MAX_FIELDS];
};

/**
 * iob_events_create - nothing known yet
 *
 * Return: the events, or NULL without memory.
 */
struct iob_events *iob_events_create(void)
{
	struct iob_events *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->tep = tep_alloc();
	if (!e->tep) {
		free(e);
		return NULL;
	}
	/* It would print what it thinks of a format: we say it ourselves. */
	tep_set_loglevel(TEP_LOG_NONE);
	for (int i = 0; i < IOB_NR_EVENTS; i++)
		e->id[i] = -1;
	return e;
}

/**
 * iob_events_destroy - free
 * @e: the events, or NULL
 */
void iob_events_destroy(struct iob_events *e)
{
	if (!e)
		return;
	tep_free(e->tep);
	free(e);
}

/**
 * iob_events_header_page - how the ring buffer's pages begin
 * @e: the events
 * @text: of events/header_page
 * @len: its length
 * @err: error text
 *
 * Return: 0 or -EPROTO.
 */
int iob_events_header_page(struct iob_events *e, const char *text, size_t len,
			   struct iob_err *err)
{
	char *fields = iob_event_fields(text, len);
	int ret = fields ? tep_parse_header_page(e->tep, fields, strlen(fields),
						 sizeof(long)) : -1;

	free(fields);
	return ret ? iob_fail(err, -EPROTO, "cannot read events/header_page") : 0;
}

static int find_places(struct iob_events *e, enum iob_event_type type,
		       struct tep_event *event, struct iob_err *err)
{
	for (int i = 0; fields[type][i].name; i++) {
		const struct field *f = &fields[type][i];
		struct tep_format_field *from = tep_find_field(event, f->name);
		bool array;

		if (!from && f->later) {
			e->place[type][i] = (struct place){ 0, 0 };
			continue;
		}
		if (!from || from->offset < 0 || from->size <= 0)
			return iob_fail(err, -EPROTO,
					"event %s has no field '%s': is the module of another version?",
					iob_event_names[type], f->name);
		array = from->flags & TEP_FIELD_IS_ARRAY;
		if (array != !!f->element ||
		    (!array && from->size != 1 && from->size != 2 &&
		     from->size != 4 && from->size != 8) ||
		    (f->element > 1 && (size_t)from->elementsize != f->element))
			return iob_fail(err, -EPROTO,
					"field '%s' of event %s has another type than we know",
					f->name, iob_event_names[type]);
		e->place[type][i] = (struct place){ from->offset, from->size };
	}
	return 0;
}

/* Which of ours an event is, by its name; -1: none. */
static int type_of(const char *name)
{
	for (int i = 0; i < IOB_NR_EVENTS; i++)
		if (!strcmp(iob_event_names[i], name))
			return i;
	return -1;
}

/**
 * iob_events_format - learn the format of one event
 * @e: the events
 * @text: of its format file
 * @len: its length
 * @err: error text
 *
 * Return: 0, also for an event we do not know; or -EPROTO.
 */
int iob_events_format(struct iob_events *e, const char *text, size_t len,
		      struct iob_err *err)
{
	char name[IOB_EVENT_NAME_LEN + 1];
	struct tep_event *event = NULL;
	char *clean = iob_event_text(text, len, name);
	int type = type_of(name), ret = 0;

	/* Also a second one of the same name is none we know. */
	if (clean && (type < 0 || e->id[type] >= 0)) {
		free(clean);
		return 0;
	}
	if (clean && !tep_parse_event(e->tep, clean, strlen(clean), "ioblame"))
		event = tep_find_event_by_name(e->tep, "ioblame", name);
	free(clean);
	if (!event)
		return iob_fail(err, -EPROTO, "cannot read the format of an event");
	ret = find_places(e, type, event, err);
	if (!ret)
		e->id[type] = event->id;
	return ret;
}

/**
 * iob_events_ready - whether all formats are known
 * @e: the events
 * @err: error text
 *
 * Return: 0 or -EPROTO.
 */
int iob_events_ready(const struct iob_events *e, struct iob_err *err)
{
	for (int i = 0; i < IOB_NR_EVENTS; i++)
		if (e->id[i] < 0)
			return iob_fail(err, -EPROTO,
					"the format of event %s is missing",
					iob_event_names[i]);
	return 0;
}

static uint64_t read_number(const unsigned char *p, size_t size)
{
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 8:
		memcpy(&v64, p, 8);
		return v64;
	case 4:
		memcpy(&v32, p, 4);
		return v32;
	case 2:
		memcpy(&v16, p, 2);
		return v16;
	default:
		return *p;
	}
}

static void store_number(unsigned char *to, size_t size, uint64_t v)
{
	uint32_t v32 = v;
	uint16_t v16 = v;
	uint8_t v8 = v;

	if (size == 8)
		memcpy(to, &v, 8);
	else if (size == 4)
		memcpy(to, &v32, 4);
	else if (size == 2)
		memcpy(to, &v16, 2);
	else
		memcpy(to, &v8, 1);
}

static void take_field(const struct field *f, const struct place *place,
		       const unsigned char *data, struct iob_event *ev)
{
	unsigned char *to = (unsigned char *)ev + f->to;
	size_t size;

	if (!f->element) {
		store_number(to, f->size, read_number(data + place->from,
						      place->size));
		return;
	}
	size = place->size < f->size ? place->size : f->size;
	memcpy(to, data + place->from, size);
	/* Text stays terminated: our arrays have one byte more than theirs. */
	if (f->element == 1 && f->size > IOB_EVENT_ORIGINS)
		to[f->size - 1] = '\0';
}

/**
 * iob_events_is - whether a raw record is of a type
 * @e: the events
 * @type: the type
 * @data: the record, as the ring buffer had it
 * @size: how many bytes
 *
 * Return: true if it is.
 */
bool iob_events_is(const struct iob_events *e, enum iob_event_type type,
		   const void *data, size_t size)
{
	uint16_t id;

	if (size < sizeof(id))
		return false;
	memcpy(&id, data, sizeof(id));
	return e->id[type] == id;
}

/**
 * iob_events_decode - one raw record as a struct
 * @e: the events
 * @data: the record, as the ring buffer had it
 * @size: how many bytes
 * @ev: the event
 *
 * Return: 0, -ENOENT for another event, -EPROTO for one that is too short.
 */
int iob_events_decode(struct iob_events *e, const void *data, size_t size,
		      struct iob_event *ev)
{
	uint16_t id;

	/* common_type is the first field of every event, on every kernel. */
	if (size < 8)
		return -EPROTO;
	memcpy(&id, data, sizeof(id));
	for (int t = 0; t < IOB_NR_EVENTS; t++) {
		if (e->id[t] != id)
			continue;
		memset(ev, 0, sizeof(*ev));
		ev->type = t;
		for (int i = 0; fields[t][i].name; i++) {
			const struct place *place = &e->place[t][i];

			if (place->from + place->size > size)
				return -EPROTO;
			if (!place->size)
				continue;
			take_field(&fields[t][i], place, data, ev);
		}
		return 0;
	}
	return -ENOENT;
}
