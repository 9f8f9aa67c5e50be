// SPDX-License-Identifier: GPL-2.0
/*
 * The JSON trace-event format, as Perfetto and its kin read it: a process for each
 * disk, and in it as many threads as IOs were in flight at once, since slices of one
 * thread may not overlap. They are known only when all IOs are: nothing is written
 * before the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "io_trace.h"
#include "vec.h"

struct slice {
	uint32_t dev;
	uint64_t start_ns, dispatch_ns, end_ns;
	size_t seq;
	char *name, *disk, *args;	/* JSON texts */
};

struct io_trace {
	IOB_VEC(struct slice) slices;
	IOB_VEC(uint64_t) lanes;	/* of one disk: when each is free again */
	const char *sep;
};

/**
 * io_trace_create - a trace without IOs
 *
 * Return: the trace, or NULL without memory.
 */
struct io_trace *io_trace_create(void)
{
	return calloc(1, sizeof(struct io_trace));
}

/**
 * io_trace_destroy - free a trace
 * @t: the trace, or NULL
 */
void io_trace_destroy(struct io_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->slices.nr; i++) {
		free(t->slices.v[i].name);
		free(t->slices.v[i].disk);
		free(t->slices.v[i].args);
	}
	iob_vec_free(&t->slices);
	iob_vec_free(&t->lanes);
	free(t);
}

static const char *member(struct json_object *o, const char *name)
{
	struct json_object *v;

	return json_object_object_get_ex(o, name, &v) ? json_object_get_string(v) :
							 NULL;
}

static char *json_text(const char *a, const char *b)
{
	struct json_object *o;
	char *both, *text;

	if (asprintf(&both, "%s%s", a, b) < 0)
		return NULL;
	o = json_object_new_string(both);
	text = strdup(json_object_to_json_string_ext(o,
				JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	free(both);
	return text;
}

/* The operation, and the first origin: who has the most to look at. */
static char *slice_name(struct json_object *io)
{
	struct json_object *origins, *first;
	const char *op = member(io, "op"), *who;
	char head[32], unknown[64];

	snprintf(head, sizeof(head), "%s ", op ? op : "?");
	json_object_object_get_ex(io, "origins", &origins);
	if (!json_object_array_length(origins))
		return json_text(op ? op : "?", "");
	first = json_object_array_get_idx(origins, 0);
	who = member(first, "comm");
	if (!who) {
		who = member(first, "unknown");
		snprintf(unknown, sizeof(unknown), "[%s]", who ? who : "-");
		who = unknown;
	}
	return json_text(head, who);
}

/**
 * io_trace_add - add an IO
 * @t: the trace
 * @l: the IO
 *
 * Return: 0 or -ENOMEM.
 */
int io_trace_add(struct io_trace *t, const struct io_line *l)
{
	struct json_object *io = io_line_object(l);
	struct slice *s = iob_vec_add(&t->slices);
	uint64_t took = l->io->queue_ns + l->io->device_ns;
	const char *disk = member(io, "devname");
	char dev[32];
	int ret = -ENOMEM;

	if (s) {
		snprintf(dev, sizeof(dev), " (%s)", member(io, "dev"));
		s->dev = l->io->dev;
		s->end_ns = l->ts_ns;
		s->start_ns = l->ts_ns > took ? l->ts_ns - took : 0;
		s->dispatch_ns = l->ts_ns > l->io->device_ns ?
				 l->ts_ns - l->io->device_ns : 0;
		s->seq = t->slices.nr;
		s->name = slice_name(io);
		s->disk = json_text(disk ? disk : "disk", dev);
		json_object_object_del(io, "ts_ns");
		s->args = strdup(json_object_to_json_string_ext(io,
					JSON_C_TO_STRING_PLAIN |
					JSON_C_TO_STRING_NOSLASHESCAPE));
		ret = s->name && s->disk && s->args ? 0 : -ENOMEM;
	}
	json_object_put(io);
	return ret;
}

static int compare(const void *pa, const void *pb)
{
	const struct slice *a = pa, *b = pb;

	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static void put_meta(struct io_trace *t, FILE *out, const char *what,
		     uint32_t pid, size_t tid, const char *name)
{
	fprintf(out, "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%zu,\"args\":{\"name\":%s}}",
		t->sep, what, pid, tid, name);
	t->sep = ",\n";
}

static void put_slice(struct io_trace *t, FILE *out, const char *cat,
		      const char *name, uint32_t pid, size_t tid, uint64_t start,
		      uint64_t end, const char *args)
{
	uint64_t took = end - start;

	fprintf(out, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":%s,\"pid\":%u,\"tid\":%zu,"
		"\"ts\":%" PRIu64 ".%03u,\"dur\":%" PRIu64 ".%03u,\"args\":%s}",
		t->sep, cat, name, pid, tid, start / 1000,
		(unsigned int)(start % 1000), took / 1000,
		(unsigned int)(took % 1000), args);
	t->sep = ",\n";
}

/* The first thread that has nothing in flight, from 1 on; 0 without memory. */
static size_t lane_of(struct io_trace *t, const struct slice *s, bool *is_new)
{
	uint64_t *lane;
	size_t i = 0;

	while (i < t->lanes.nr && t->lanes.v[i] > s->start_ns)
		i++;
	*is_new = i == t->lanes.nr;
	lane = *is_new ? iob_vec_add(&t->lanes) : &t->lanes.v[i];
	if (!lane)
		return 0;
	*lane = s->end_ns;
	return i + 1;
}

/**
 * io_trace_write - write all IOs
 * @t: the trace
 * @out: where to
 *
 * Of the categories, "io" has each IO once, with all that is known of it, and
 * "device" the part of it that was spent in the device.
 *
 * Return: 0 or -ENOMEM.
 */
int io_trace_write(struct io_trace *t, FILE *out)
{
	uint32_t pid = 0, dev = 0;

	if (t->slices.nr)
		qsort(t->slices.v, t->slices.nr, sizeof(*t->slices.v), compare);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
	t->sep = "";
	for (size_t i = 0; i < t->slices.nr; i++) {
		const struct slice *s = &t->slices.v[i];
		char name[48];
		bool is_new;
		size_t tid;

		if (!pid || s->dev != dev) {
			dev = s->dev;
			t->lanes.nr = 0;
			put_meta(t, out, "process_name", ++pid, 0, s->disk);
		}
		tid = lane_of(t, s, &is_new);
		if (!tid)
			return -ENOMEM;
		if (is_new) {
			snprintf(name, sizeof(name), "\"in flight %zu\"", tid);
			put_meta(t, out, "thread_name", pid, tid, name);
		}
		put_slice(t, out, "io", s->name, pid, tid, s->start_ns, s->end_ns,
			  s->args);
		if (s->dispatch_ns > s->start_ns)
			put_slice(t, out, "device", "\"device\"", pid, tid,
				  s->dispatch_ns, s->end_ns, "{}");
	}
	fputs("\n]}\n", out);
	return 0;
}
