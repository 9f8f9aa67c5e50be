// SPDX-License-Identifier: GPL-2.0
/*
 * The profile format of pprof, compressed as its tools expect it: a sample for each
 * origin, with all metrics there are and what else is known of it as labels.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "escape.h"
#include "metric.h"
#include "profile.pb-c.h"	/* made from profile.proto */
#include "writer.h"

typedef Perftools__Profiles__Profile Profile;
typedef Perftools__Profiles__ValueType ValueType;
typedef Perftools__Profiles__Sample Sample;
typedef Perftools__Profiles__Label Label;
typedef Perftools__Profiles__Location Location;
typedef Perftools__Profiles__Line Line;
typedef Perftools__Profiles__Function Function;

/* All is allocated as protobuf-c does, which then frees the profile whole. */
struct pprof {
	const struct iob_report *r;
	Profile *p;
	struct iob_strings *strings;
	struct iob_map text_at;		/* interned text -> its place */
	struct iob_map function_of;	/* place of its name -> id - 1 */
	bool failed;
};

/* Arrays double whenever their length is a power of two. */
static bool grow(struct pprof *w, void **v, size_t nr, size_t size)
{
	void *p;

	if (nr & (nr - 1))
		return true;
	p = realloc(*v, 2 * (nr ? nr : 1) * size);
	if (p)
		*v = p;
	else
		w->failed = true;
	return p;
}

/* One more message in a repeated field; NULL without memory. */
#define ADD(w, to, field, type, init) ({				\
	type *m_ = malloc(sizeof(*m_));					\
	if (m_ && grow(w, (void **)&(to)->field, (to)->n_##field,	\
		       sizeof(*(to)->field))) {				\
		init(m_);						\
		(to)->field[(to)->n_##field++] = m_;			\
	} else {							\
		(w)->failed = true;					\
		free(m_);						\
		m_ = NULL;						\
	}								\
	m_; })

#define ADD_NUMBER(w, to, field, value) do {				\
	if (grow(w, (void **)&(to)->field, (to)->n_##field,		\
		 sizeof(*(to)->field)))					\
		(to)->field[(to)->n_##field++] = (value);		\
	} while (0)

static int64_t text(struct pprof *w, const char *s)
{
	char *escaped = iob_escape(s);
	const char *kept = escaped ? iob_strings_intern(w->strings, escaped,
							strlen(escaped)) : NULL;
	uint32_t at = w->p->n_string_table;

	if (!kept) {
		w->failed = true;
	} else if (!iob_map_get(&w->text_at, (uintptr_t)kept, &at)) {
		if (iob_map_set(&w->text_at, (uintptr_t)kept, at) ||
		    !grow(w, (void **)&w->p->string_table, at,
			  sizeof(*w->p->string_table))) {
			w->failed = true;
		} else {
			w->p->string_table[w->p->n_string_table++] = escaped;
			return at;
		}
	}
	free(escaped);
	return w->failed ? 0 : at;
}

/* A function and the one place in it that there is, of the same id. */
static uint64_t location(struct pprof *w, struct iob_field frame)
{
	char name[512];
	Function *f;
	Location *l;
	Line *line;
	uint32_t at;
	int64_t s;

	iob_format_function(name, sizeof(name), frame);
	s = text(w, name);
	if (iob_map_get(&w->function_of, s, &at))
		return at + 1;
	at = w->p->n_function;
	f = ADD(w, w->p, function, Function, perftools__profiles__function__init);
	l = ADD(w, w->p, location, Location, perftools__profiles__location__init);
	line = l ? ADD(w, l, line, Line, perftools__profiles__line__init) : NULL;
	if (!f || !line || iob_map_set(&w->function_of, s, at)) {
		w->failed = true;
		return 0;
	}
	f->id = l->id = line->function_id = at + 1;
	f->name = f->system_name = s;
	return at + 1;
}

static void add_frames(struct pprof *w, Sample *sample,
		       const struct iob_row *row)
{
	struct iob_field rest, frame;
	const char *frames = NULL;

	if (row->known & IOB_ROW_BIT(STACK))
		frames = iob_report_frames(w->r, row->v[IOB_ROW_STACK]);
	if (!frames || !*frames)
		frames = "[no stack]";
	rest = (struct iob_field){ frames, strlen(frames) };
	while (!w->failed && iob_split(&rest, ';', &frame))
		ADD_NUMBER(w, sample, location_id, location(w, frame));
}

static void add_label(struct pprof *w, Sample *sample, const char *key,
		      const char *value)
{
	Label *l;

	if (!value || !*value)
		return;
	l = ADD(w, sample, label, Label, perftools__profiles__label__init);
	if (!l)
		return;
	l->key = text(w, key);
	l->str = text(w, value);
}

static void add_labels(struct pprof *w, Sample *sample,
		       const struct iob_row *row)
{
	static const struct {
		const char *name;
		enum iob_row_field f;
	} texts[] = {
		{ "op", IOB_ROW_OP }, { "file", IOB_ROW_FILE_PATH },
		{ "kind", IOB_ROW_KIND }, { "basis", IOB_ROW_BASIS },
		{ "reason", IOB_ROW_REASON },
	};
	const char *comm = iob_row_text(row, IOB_ROW_COMM);
	const char *unknown = iob_row_text(row, IOB_ROW_UNKNOWN);
	char buf[64];
	Label *l;

	if (!comm && unknown) {
		snprintf(buf, sizeof(buf), "[%s]", unknown);
		comm = buf;
	}
	add_label(w, sample, "comm", comm);
	if (row->known & IOB_ROW_BIT(DEV))
		add_label(w, sample, "dev",
			  iob_report_devname(w->r, row->v[IOB_ROW_DEV], buf,
					     sizeof(buf)));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		add_label(w, sample, texts[i].name, iob_row_text(row, texts[i].f));
	/* A number of 0 cannot be told from none there. */
	if (!(row->known & IOB_ROW_BIT(PID)) || !row->v[IOB_ROW_PID])
		return;
	l = ADD(w, sample, label, Label, perftools__profiles__label__init);
	if (l) {
		l->key = text(w, "pid");
		l->num = row->v[IOB_ROW_PID];
	}
}

static void add_types(struct pprof *w, const struct iob_metric *first)
{
	w->p->default_sample_type = text(w, first->ident);
	for (const struct iob_metric *m = iob_metrics; m->name; m++) {
		ValueType *t;

		if (!iob_metric_known(m, w->r))
			continue;
		t = ADD(w, w->p, sample_type, ValueType,
			perftools__profiles__value_type__init);
		if (!t)
			return;
		t->type = text(w, m->ident);
		t->unit = text(w, m->unit);
	}
}

static void add_row(struct pprof *w, const struct iob_row *row)
{
	uint64_t any = 0;
	Sample *s;

	for (const struct iob_metric *m = iob_metrics; m->name; m++)
		any |= iob_metric_known(m, w->r) ? m->of(row) : 0;
	if (!any)
		return;
	s = ADD(w, w->p, sample, Sample, perftools__profiles__sample__init);
	if (!s)
		return;
	for (const struct iob_metric *m = iob_metrics; m->name; m++)
		if (iob_metric_known(m, w->r))
			ADD_NUMBER(w, s, value, m->of(row));
	add_frames(w, s, row);
	add_labels(w, s, row);
}

static void add_comments(struct pprof *w, const struct iob_write_options *o)
{
	char *head = iob_head_text(w->r, o);

	if (!head)
		w->failed = true;
	else
		for (char *line = strtok(head, "\n"); line;
		     line = strtok(NULL, "\n"))
			ADD_NUMBER(w, w->p, comment, text(w, line));
	free(head);
}

/* One buffer for what it takes at most: a profile is small beside its recording. */
static int compress_to(FILE *out, const uint8_t *data, size_t len)
{
	z_stream z = { .next_in = (uint8_t *)data, .avail_in = len };
	size_t room;
	uint8_t *buf;
	int ret = -ENOMEM;

	/* 15 bits of window, and 16 more: with the head of gzip. */
	if (len > UINT32_MAX / 2 ||
	    deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return ret;
	room = deflateBound(&z, len);
	buf = malloc(room);
	z.next_out = buf;
	z.avail_out = room;
	if (buf && deflate(&z, Z_FINISH) == Z_STREAM_END) {
		fwrite(buf, 1, z.total_out, out);
		ret = 0;
	}
	free(buf);
	deflateEnd(&z);
	return ret;
}

static int pack(const Profile *p, FILE *out)
{
	size_t len = perftools__profiles__profile__get_packed_size(p);
	uint8_t *data = malloc(len + 1);
	int ret = -ENOMEM;

	if (data)
		ret = compress_to(out, data,
				  perftools__profiles__profile__pack(p, data));
	free(data);
	return ret;
}

static int write_pprof(const struct iob_report *r,
		       const struct iob_write_options *o, struct iob_err *err)
{
	struct pprof w = { .r = r, .p = malloc(sizeof(*w.p)),
			   .strings = iob_strings_create() };
	int ret = -ENOMEM;

	if (w.p)
		perftools__profiles__profile__init(w.p);
	if (w.p && w.strings) {
		text(&w, "");
		add_types(&w, o->metric);
		for (size_t i = 0; !w.failed && i < r->rows.nr; i++)
			add_row(&w, &r->rows.v[i]);
		w.p->duration_nanos = r->end_ns - r->start_ns;
		add_comments(&w, o);
		ret = w.failed ? -ENOMEM : pack(w.p, o->out);
	}
	if (w.p)
		perftools__profiles__profile__free_unpacked(w.p, NULL);
	iob_map_free(&w.text_at);
	iob_map_free(&w.function_of);
	iob_strings_destroy(w.strings);
	return ret ? iob_fail(err, ret, "out of memory writing the profile") : 0;
}

const struct iob_writer iob_pprof_writer = {
	.name = "pprof",
	.default_fields = IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) | IOB_ROW_BIT(COMM) |
			  IOB_ROW_BIT(PID) | IOB_ROW_BIT(FILE_DEV) |
			  IOB_ROW_BIT(FILE_INO) | IOB_ROW_BIT(FILE_GEN) |
			  IOB_ROW_BIT(KIND) | IOB_ROW_BIT(REASON) |
			  IOB_ROW_BIT(BASIS) | IOB_ROW_BIT(STACK) |
			  IOB_ROW_BIT(UNKNOWN),
	.counts_once = true,
	.all_metrics = true,
	.write = write_pprof,
};
