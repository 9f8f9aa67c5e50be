// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of a snapshot to tables. A line that is not understood is
 * counted and left out; a table without the columns we need is refused.
 */
#include <errno.h>
#include <string.h>

#include "decode.h"

struct reader {
	struct iob_tables *t;
	struct iob_text text;
};

static bool get_u32(const struct iob_text *x, int col, uint32_t *value)
{
	uint64_t v;

	/* "-": the reserved acts have no role, stack, or file. */
	if (iob_field_is(x->f[col], "-")) {
		*value = 0;
		return true;
	}
	if (!iob_field_u64(x->f[col], &v) || v > UINT32_MAX)
		return false;
	*value = v;
	return true;
}

static bool get_u64(const struct iob_text *x, int col, uint64_t *value)
{
	*value = 0;
	return iob_field_is(x->f[col], "-") ||
	       iob_field_u64(x->f[col], value);
}

static bool get_word(struct reader *r, int col, const char **word)
{
	struct iob_field f = r->text.f[col];

	if (!f.len || f.len > 64)
		return false;
	*word = iob_strings_word(r->t->strings, f.p, f.len);
	return *word;
}

static int decode_stack(struct reader *r)
{
	struct iob_stack *s;
	uint32_t id;

	if (!get_u32(&r->text, 0, &id))
		return -EPROTO;
	s = iob_tables_stack(r->t, id, true);
	if (!s)
		return -ENOMEM;
	s->frames = iob_tables_word(r->t, r->text.f[1]);
	return 0;
}

static int decode_role(struct reader *r)
{
	struct iob_role v = {}, *role;

	if (!get_u32(&r->text, 0, &v.id) || !get_u32(&r->text, 1, &v.pid) ||
	    !get_u32(&r->text, 2, &v.tgid) ||
	    !get_u64(&r->text, 3, &v.start_ns) ||
	    !get_u64(&r->text, 5, &v.cgroup_id))
		return -EPROTO;
	role = iob_tables_role(r->t, v.id, true);
	if (!role)
		return -ENOMEM;
	v.flags = iob_tables_word(r->t, r->text.f[4]);
	v.cgroup = iob_tables_name(r->t, r->text.f[6]);
	v.comm = iob_tables_name(r->t, r->text.f[7]);
	*role = v;
	return 0;
}

static int decode_file(struct reader *r)
{
	struct iob_file v = {}, *file;

	if (!get_u32(&r->text, 0, &v.id) ||
	    !(iob_field_is(r->text.f[1], "-") ||
	      iob_field_dev(r->text.f[1], &v.dev)) ||
	    !get_u64(&r->text, 2, &v.ino) || !get_u64(&r->text, 3, &v.gen))
		return -EPROTO;
	file = iob_tables_file(r->t, v.id, true);
	if (!file)
		return -ENOMEM;
	v.flags = iob_tables_word(r->t, r->text.f[4]);
	v.fstype = iob_tables_word(r->t, r->text.f[5]);
	v.path = iob_tables_name(r->t, r->text.f[6]);
	*file = v;
	return 0;
}

static int decode_act(struct reader *r)
{
	struct iob_act v = {}, *act;

	if (!get_u32(&r->text, 0, &v.id) || !get_u32(&r->text, 1, &v.role) ||
	    !get_u32(&r->text, 2, &v.stack) || !get_u32(&r->text, 3, &v.file) ||
	    !get_word(r, 4, &v.kind))
		return -EPROTO;
	/* A reserved act has its word in the place of kind, no role. */
	if (iob_field_is(r->text.f[1], "-")) {
		v.reserved = v.kind;
		v.kind = NULL;
	}
	act = iob_tables_act(r->t, v.id, true);
	if (!act)
		return -ENOMEM;
	*act = v;
	return 0;
}

static int decode_total(struct reader *r)
{
	struct iob_total v = {}, *total;
	int ret = 0;

	if (!get_u32(&r->text, 0, &v.act) || !get_u32(&r->text, 1, &v.issuer) ||
	    !iob_field_dev(r->text.f[2], &v.dev) || !get_word(r, 3, &v.op) ||
	    !get_word(r, 4, &v.reason) || !get_word(r, 5, &v.basis) ||
	    !get_u64(&r->text, 6, &v.ios) || !get_u64(&r->text, 7, &v.bytes) ||
	    !get_u64(&r->text, 8, &v.cancelled))
		return -EPROTO;
	for (int k = 0; k < IOB_NR_TIMES; k++)
		if (!get_u64(&r->text, 9 + k, &v.max[k]))
			return -EPROTO;
	v.tells_reads = !iob_field_is(r->text.f[15], "-");
	for (int k = 0; k < IOB_NR_READ_ENDS; k++)
		if (!get_u64(&r->text, 15 + k, &v.read[k]))
			return -EPROTO;
	for (int k = 0; !ret && k < IOB_NR_TIMES; k++)
		ret = iob_hist_parse(&v.hist[k], r->text.f[12 + k]);
	total = ret ? NULL : iob_vec_add(&r->t->totals);
	if (!total) {
		for (int k = 0; k < IOB_NR_TIMES; k++)
			iob_hist_free(&v.hist[k]);
		return ret ? ret : -ENOMEM;
	}
	*total = v;
	return 0;
}

static int decode_device(struct reader *r)
{
	struct iob_device_op v = {}, *d;

	if (!iob_field_dev(r->text.f[0], &v.dev) || !get_word(r, 2, &v.op) ||
	    !get_u64(&r->text, 3, &v.ios) || !get_u64(&r->text, 4, &v.bytes) ||
	    !get_u64(&r->text, 5, &v.folded_ios) ||
	    !get_u64(&r->text, 6, &v.folded_bytes))
		return -EPROTO;
	v.name = iob_tables_word(r->t, r->text.f[1]);
	d = iob_vec_add(&r->t->devices);
	if (!d)
		return -ENOMEM;
	*d = v;
	return 0;
}

static int decode_hook(struct reader *r)
{
	struct iob_hook v = {}, *h;

	v.name = iob_tables_word(r->t, r->text.f[0]);
	v.type = iob_tables_word(r->t, r->text.f[1]);
	v.need = iob_tables_word(r->t, r->text.f[2]);
	v.state = iob_tables_word(r->t, r->text.f[3]);
	v.effect = iob_tables_word(r->t, r->text.f[5]);
	if (!v.name || !v.need || !v.state || !get_u64(&r->text, 4, &v.hits))
		return -EPROTO;
	h = iob_vec_add(&r->t->hooks);
	if (!h)
		return -ENOMEM;
	*h = v;
	return 0;
}

static int decode_stat(struct reader *r)
{
	struct iob_stat v = {}, *s;

	v.name = iob_tables_word(r->t, r->text.f[0]);
	if (!v.name || !get_u64(&r->text, 1, &v.value))
		return -EPROTO;
	s = iob_vec_add(&r->t->stats);
	if (!s)
		return -ENOMEM;
	*s = v;
	return 0;
}

static const struct decoder {
	int (*line)(struct reader *r);
	const char *cols[IOB_TEXT_COLS];
} decoders[IOB_NR_TABLES] = {
	[IOB_TABLE_STACKS] = { decode_stack, { "id", "frames" } },
	[IOB_TABLE_ROLES] = { decode_role,
		{ "id", "pid", "tgid", "start_ns", "flags", "cgroup_id",
		  "cgroup", "comm" } },
	[IOB_TABLE_FILES] = { decode_file,
		{ "id", "dev", "ino", "gen", "flags", "fstype", "path" } },
	[IOB_TABLE_ACTS] = { decode_act,
		{ "id", "role", "stack", "file", "kind" } },
	[IOB_TABLE_TOTALS] = { decode_total,
		{ "act", "issuer", "dev", "op", "reason", "basis", "ios",
		  "bytes", "cancelled", "age_max", "queue_max", "device_max",
		  "age", "queue", "device", "?used", "?unused", "?unseen" } },
	[IOB_TABLE_DEVICES] = { decode_device,
		{ "dev", "name", "op", "ios", "bytes", "folded_ios",
		  "folded_bytes" } },
	[IOB_TABLE_HOOKS] = { decode_hook,
		{ "name", "type", "need", "state", "hits", "effect" } },
	[IOB_TABLE_STATS] = { decode_stat, { "name", "value" } },
};

static int decode_table(struct iob_tables *t, const struct iob_blob *blob,
			enum iob_table which, struct iob_err *err)
{
	const struct decoder *d = &decoders[which];
	struct reader r = { .t = t };
	int ret = iob_text_open(&r.text, blob->p, blob->len, d->cols,
				iob_table_names[which], err);

	if (ret)
		return ret;
	while ((ret = iob_text_next(&r.text))) {
		if (ret > 0)
			ret = d->line(&r);
		if (ret == -ENOMEM)
			return iob_fail(err, ret, "out of memory reading %s",
					iob_table_names[which]);
		if (ret)
			t->nr_bad_lines++;
	}
	return 0;
}

/**
 * iob_decode - read the text of a snapshot into tables
 * @t: the tables, empty or holding what events told
 * @snap: the text
 * @err: error text
 *
 * Return: 0, -ENODATA or -EPROTO for a table that is none, -ENOMEM.
 */
int iob_decode(struct iob_tables *t, const struct iob_snapshot *snap,
	       struct iob_err *err)
{
	int ret = 0;

	t->time_ns = snap->time_ns;
	for (int i = 0; !ret && i < IOB_NR_TABLES; i++)
		ret = decode_table(t, &snap->text[i], i, err);
	return ret;
}
