// SPDX-License-Identifier: GPL-2.0
/* Names with a NUL between, in every place of a report that has one. */
#include <string.h>

#include "fuzz.h"
#include "report.h"

#define MAX_NAMES 24

struct names {
	struct iob_report *r;
	const char *v[MAX_NAMES];	/* as users gave them */
	const char *words[MAX_NAMES];	/* as readers take what is no name */
	size_t nr, at;
};

static const char *next_name(struct names *n)
{
	return n->nr ? n->v[n->at++ % n->nr] : NULL;
}

static const char *next_word(struct names *n)
{
	return n->nr ? n->words[n->at++ % n->nr] : NULL;
}

static bool is_name(int f)
{
	return f == IOB_ROW_COMM || f == IOB_ROW_CGROUP || f == IOB_ROW_ISSUER ||
	       f == IOB_ROW_FILE_PATH || f == IOB_ROW_FILE_MOUNT;
}

static void add_row(struct names *n, uint32_t dev, uint32_t stack)
{
	struct iob_row *row = iob_vec_add(&n->r->rows);

	MUST(row);
	iob_row_set(row, IOB_ROW_DEV, dev);
	iob_row_set(row, IOB_ROW_FILE_INO, 7);
	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (iob_row_field_is_text(f) && (f != IOB_ROW_UNKNOWN || stack & 1))
			iob_row_set_text(row, f, is_name(f) ? next_name(n) :
							     next_word(n));
	if (stack & 1)
		row->known &= ~IOB_ROW_BIT(COMM);
	else
		iob_row_set(row, IOB_ROW_STACK, stack);
	row->bytes = 4096;
	row->ios = 1;
}

static void add_device(struct names *n, uint32_t dev)
{
	struct iob_device *d = iob_report_device(n->r, dev);
	struct iob_sum *sum;

	MUST(d);
	d->name = next_word(n);
	sum = iob_device_op_sum(d, n->nr ? next_word(n) : "write");
	MUST(sum);
	sum->bytes = 8192;
}

static void add_rest(struct names *n)
{
	struct iob_hook *h = iob_vec_add(&n->r->hooks);
	struct iob_stat *stat = iob_vec_add(&n->r->stats);
	const char *note = next_word(n);

	MUST(h && stat);
	h->name = n->nr ? next_word(n) : "";
	h->state = "missing";
	h->need = next_word(n);
	h->effect = next_word(n);
	stat->name = n->nr ? next_word(n) : "";
	n->r->host = next_word(n);
	n->r->kernel = next_word(n);
	n->r->version = next_word(n);
	if (note)
		MUST(!iob_report_note(n->r, "%s", note));
}

static void add_stack(struct names *n, uint32_t id)
{
	struct iob_report_stack *s = iob_vec_add(&n->r->stacks);

	MUST(s);
	s->id = id;
	s->frames = n->nr ? next_word(n) : "";
}

void fuzz_names(const uint8_t *data, size_t size)
{
	struct names n = { .r = iob_report_create() };
	char *part;

	MUST(n.r);
	while (n.nr < MAX_NAMES && (part = next_part(&data, &size, '\0'))) {
		n.v[n.nr] = iob_report_intern(n.r, part);
		n.words[n.nr] = iob_report_word(n.r, part);
		MUST(n.v[n.nr] && n.words[n.nr]);
		n.nr += *part != '\0';
		free(part);
	}
	for (uint32_t i = 1; i < 4; i++) {
		add_device(&n, i % 2 + 1);
		add_stack(&n, i);
		add_row(&n, i % 2 + 1, i);
	}
	add_rest(&n);
	iob_report_settle(n.r);
	must_write(n.r);
	iob_report_destroy(n.r);
}
