// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "io_line.h"
#include "writer.h"

static const char *const ops[] = { IOB_OPS(IOB_ENUM_WORD) };
static const char *const bases[] = { IOB_BASES(IOB_ENUM_WORD) };
static const char *const reasons[] = { IOB_REASONS(IOB_ENUM_WORD) };
static const char *const flags[] = { IOB_IO_FLAGS(IOB_ENUM_WORD) };
static const char *const reserved[] = { IOB_RESERVED_ACTS(IOB_ENUM_WORD) };

#define WORD(words, value) \
	((value) < sizeof(words) / sizeof(*(words)) ? (words)[value] : "?")

/* All there is to know of one act. */
struct who {
	const struct iob_act *act;
	const struct iob_role *role;
	const struct iob_file *file;
	const char *unknown;
};

static struct who who_is(struct iob_tables *t, uint32_t id)
{
	struct who w = { .act = iob_tables_act(t, id, false) };

	if (!w.act || w.act->reserved) {
		w.unknown = w.act ? w.act->reserved :
			    reserved[id < IOB_NR_RESERVED_ACTS ? id : IOB_ACT_STALE];
		w.act = NULL;
		return w;
	}
	w.role = iob_tables_role(t, w.act->role, false);
	w.file = iob_tables_file(t, w.act->file, false);
	return w;
}

static bool text_in(const char *text, const char *const *list, size_t nr)
{
	for (size_t i = 0; text && i < nr; i++)
		if (!strcmp(text, list[i]))
			return true;
	return !nr;
}

static bool role_matches(const struct iob_filter *f, const struct iob_role *r)
{
	bool tgid = !f->tgids.nr, cgroup = !f->cgroups.nr && !f->cgroup_ids.nr;

	for (size_t i = 0; r && i < f->tgids.nr; i++)
		tgid |= r->tgid == f->tgids.v[i];
	for (size_t i = 0; r && i < f->cgroup_ids.nr; i++)
		cgroup |= r->cgroup_id == f->cgroup_ids.v[i];
	for (size_t i = 0; r && r->cgroup && i < f->cgroups.nr; i++)
		cgroup |= iob_path_is_below(r->cgroup, f->cgroups.v[i]);
	return tgid && cgroup &&
	       text_in(r ? r->comm : NULL, f->comms.v, f->comms.nr);
}

/**
 * io_line_matches - whether an IO is asked for
 * @f: what is asked for
 * @t: what is known of acts
 * @io: the IO
 *
 * Return: true if the IO, and one of its origins, match.
 */
bool io_line_matches(const struct iob_filter *f, struct iob_tables *t,
		     const struct iob_event_io *io)
{
	if (iob_filter_is_empty(f))
		return true;
	if (!iob_filter_dev(f, io->dev, iob_tables_device(t, io->dev)) ||
	    !text_in(WORD(ops, io->op), f->ops.v, f->ops.nr))
		return false;
	for (int i = 0; i < io->nr_origins && i < IOB_EVENT_ORIGINS; i++)
		if (role_matches(f, who_is(t, io->act[i]).role))
			return true;
	return role_matches(f, NULL);
}

static void device_name(const struct io_line *l, char *buf, size_t size)
{
	const char *name = iob_tables_device(l->t, l->io->dev);

	if (name)
		snprintf(buf, size, "%s", name);
	else if (!iob_names_device(l->names, l->io->dev, buf, size))
		iob_format_dev(buf, size, l->io->dev);
}

static void put_name(FILE *out, const char *name)
{
	char *escaped = name ? iob_escape(name) : NULL;

	fputs(escaped ? escaped : "-", out);
	free(escaped);
}

static void put_who(const struct io_line *l, const struct who *w)
{
	if (w->unknown)
		fprintf(l->out, "[%s]", w->unknown);
	else if (!w->role)
		fputs("[-]", l->out);
	if (!w->role)
		return;
	put_name(l->out, w->role->comm);
	fprintf(l->out, "[%u]", w->role->tgid);
}

static void put_origin(const struct io_line *l, int i)
{
	struct who w = who_is(l->t, l->io->act[i]);
	char path[2 * PATH_MAX];

	fputs(i ? ", " : " <- ", l->out);
	put_who(l, &w);
	if (w.file && w.file->path) {
		iob_names_path(l->names, w.file->dev, w.file->path, path,
			       sizeof(path));
		fputc(' ', l->out);
		put_name(l->out, path);
	} else if (w.act && w.act->kind) {
		fprintf(l->out, " (%s)", w.act->kind);
	}
	fprintf(l->out, " %u %s/%s", l->io->obytes[i],
		WORD(bases, l->io->basis[i]), WORD(reasons, l->io->reason[i]));
}

/**
 * io_line_text - print an IO for people
 * @l: the line
 */
void io_line_text(const struct io_line *l)
{
	const struct iob_event_io *io = l->io;
	struct who by = who_is(l->t, io->issuer);
	char name[NAME_MAX + 1], q[32], d[32], age[32];
	const char *sep = "";

	device_name(l, name, sizeof(name));
	fprintf(l->out, "%" PRIu64 ".%06" PRIu64 " %s %s %u at %" PRIu64 " ",
		l->ts_ns / 1000000000, l->ts_ns % 1000000000 / 1000, name,
		WORD(ops, io->op), io->bytes, io->sector);
	for (int i = 0; i < IOB_NR_IO_BITS; i++) {
		if (!(io->flags & 1u << i))
			continue;
		fprintf(l->out, "%s%s", sep, flags[i]);
		sep = ",";
	}
	iob_format_ns(q, sizeof(q), io->queue_ns, false);
	iob_format_ns(d, sizeof(d), io->device_ns, false);
	iob_format_ns(age, sizeof(age), io->age_ns, false);
	fprintf(l->out, "%s by ", *sep ? "" : "-");
	put_who(l, &by);
	fprintf(l->out, " queue %s device %s age %s", q, d,
		io->age_ns ? age : "-");
	for (int i = 0; i < io->nr_origins && i < IOB_EVENT_ORIGINS; i++)
		put_origin(l, i);
	if (io->more_bytes)
		fprintf(l->out, ", more %u", io->more_bytes);
	fputc('\n', l->out);
}

static struct json_object *text(const char *s)
{
	char *escaped = s ? iob_escape(s) : NULL;
	struct json_object *o = escaped ? json_object_new_string(escaped) : NULL;

	free(escaped);
	return o;
}

static void add(struct json_object *o, const char *name, struct json_object *v)
{
	json_object_object_add(o, name, v);
}

static struct json_object *dev_text(uint32_t dev)
{
	char buf[32];

	iob_format_dev(buf, sizeof(buf), dev);
	return json_object_new_string(buf);
}

static struct json_object *number(bool known, uint64_t v)
{
	return known ? json_object_new_uint64(v) : NULL;
}

static void add_role(struct json_object *o, const struct iob_role *r)
{
	add(o, "pid", number(r, r ? r->tgid : 0));
	add(o, "tid", number(r, r ? r->pid : 0));
	add(o, "start_time", number(r, r ? r->start_ns : 0));
	add(o, "comm", text(r ? r->comm : NULL));
	add(o, "cgroup_id", number(r && r->cgroup_id, r ? r->cgroup_id : 0));
	add(o, "cgroup", text(r ? r->cgroup : NULL));
}

static struct json_object *file_object(const struct io_line *l,
				       const struct iob_file *f)
{
	const struct iob_mount *m = NULL;
	char path[2 * PATH_MAX];
	struct json_object *o;

	if (!f)
		return NULL;
	o = json_object_new_object();
	if (f->path)
		m = iob_names_path(l->names, f->dev, f->path, path, sizeof(path));
	add(o, "dev", f->dev ? dev_text(f->dev) : NULL);
	add(o, "ino", number(true, f->ino));
	add(o, "gen", number(true, f->gen));
	add(o, "path", text(f->path ? path : NULL));
	add(o, "mount", text(m ? m->point : NULL));
	return o;
}

static struct json_object *frames_array(const struct io_line *l, uint32_t id)
{
	const struct iob_stack *s = iob_tables_stack(l->t, id, false);
	struct iob_field rest, f;
	struct json_object *a;

	if (!s || !s->frames)
		return NULL;
	a = json_object_new_array();
	rest = (struct iob_field){ s->frames, strlen(s->frames) };
	while (iob_split(&rest, ';', &f)) {
		char frame[512];

		iob_format_frame(frame, sizeof(frame), f);
		json_object_array_add(a, json_object_new_string(frame));
	}
	return a;
}

static struct json_object *origin_object(const struct io_line *l, int i)
{
	struct who w = who_is(l->t, l->io->act[i]);
	struct json_object *o = json_object_new_object();

	add(o, "bytes", number(true, l->io->obytes[i]));
	add(o, "basis", text(WORD(bases, l->io->basis[i])));
	add(o, "reason", text(WORD(reasons, l->io->reason[i])));
	add_role(o, w.role);
	add(o, "file", file_object(l, w.file));
	add(o, "kind", text(w.act ? w.act->kind : NULL));
	add(o, "stack", w.act ? frames_array(l, w.act->stack) : NULL);
	if (w.unknown)
		add(o, "unknown", text(w.unknown));
	return o;
}

static struct json_object *more_object(uint32_t bytes)
{
	struct json_object *o = json_object_new_object();

	add(o, "bytes", number(true, bytes));
	add(o, "basis", NULL);
	add(o, "unknown", text("more"));
	return o;
}

static void add_origins(struct json_object *o, const struct io_line *l)
{
	struct json_object *a = json_object_new_array();

	for (int i = 0; i < l->io->nr_origins && i < IOB_EVENT_ORIGINS; i++)
		json_object_array_add(a, origin_object(l, i));
	if (l->io->more_bytes)
		json_object_array_add(a, more_object(l->io->more_bytes));
	add(o, "origins", a);
}

/**
 * io_line_object - an IO as one object
 * @l: the line
 *
 * Return: the object, to be put by the caller.
 */
struct json_object *io_line_object(const struct io_line *l)
{
	struct json_object *o = json_object_new_object();
	struct json_object *words = json_object_new_array();
	struct json_object *by = json_object_new_object();
	const struct iob_event_io *io = l->io;
	char name[NAME_MAX + 1];

	for (int i = 0; i < IOB_NR_IO_BITS; i++)
		if (io->flags & 1u << i)
			json_object_array_add(words, text(flags[i]));
	add_role(by, who_is(l->t, io->issuer).role);
	device_name(l, name, sizeof(name));
	add(o, "ts_ns", number(true, l->ts_ns));
	add(o, "dev", dev_text(io->dev));
	add(o, "devname", text(name));
	add(o, "sector", number(true, io->sector));
	add(o, "bytes", number(true, io->bytes));
	add(o, "op", text(WORD(ops, io->op)));
	add(o, "flags", words);
	add(o, "issuer", by);
	add_origins(o, l);
	add(o, "queue_ns", number(true, io->queue_ns));
	add(o, "device_ns", number(true, io->device_ns));
	add(o, "dirty_age_ns", number(io->age_ns, io->age_ns));
	add(o, "id", number(io->id, io->id));
	add(o, "parent", number(io->up, io->up));
	return o;
}

/**
 * io_line_json - print an IO for programs
 * @l: the line
 */
void io_line_json(const struct io_line *l)
{
	struct json_object *o = io_line_object(l);

	fputs(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
					     JSON_C_TO_STRING_NOSLASHESCAPE),
	      l->out);
	fputc('\n', l->out);
	json_object_put(o);
}
