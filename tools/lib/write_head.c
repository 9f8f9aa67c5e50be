// SPDX-License-Identifier: GPL-2.0
/* The first lines of a report: the answer, before who. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "grid.h"
#include "uapi/ioblame.h"
#include "writer.h"

struct head {
	const struct iob_report *r;
	const struct iob_write_options *o;
	const char *prefix;
};

static void write_lost(const struct head *h)
{
	char text[128];
	bool detail = false;

	if (!iob_format_losses(text, sizeof(text), h->r))
		return;
	/* Lost events are missing in script; tables do not come from them. */
	for (int i = 0; i < IOB_NR_LOSSES; i++)
		detail |= i != IOB_LOSS_EVENTS && h->r->lost[i];
	fprintf(h->o->out, "%s%sLOST: %s%s%s\n", h->prefix,
		iob_tone_start(IOB_TONE_BAD, h->o->colour), text, detail ?
		" (detail is missing below; bytes per device are complete)" : "",
		iob_tone_end(IOB_TONE_BAD, h->o->colour));
}

static void write_answers(const struct head *h)
{
	for (size_t i = 0; i < h->r->answers.nr; i++)
		fprintf(h->o->out, "%s%s%s%s\n", h->prefix,
			iob_tone_start(IOB_TONE_LOUD, h->o->colour),
			h->r->answers.v[i],
			iob_tone_end(IOB_TONE_LOUD, h->o->colour));
}

/**
 * iob_write_where - name the machine that a report is of
 * @r: the report
 * @out: where to
 */
void iob_write_where(const struct iob_report *r, FILE *out)
{
	if (r->host)
		fprintf(out, " on %s", r->host);
	if (r->kernel)
		fprintf(out, ", kernel %s", r->kernel);
}

static void write_interval(const struct head *h)
{
	double s = (h->r->end_ns - h->r->start_ns) / 1e9;

	fprintf(h->o->out, "%sinterval %.3f s", h->prefix, s);
	iob_write_where(h->r, h->o->out);
	fprintf(h->o->out, ", %zu device%s\n", h->r->devices.nr,
		h->r->devices.nr == 1 ? "" : "s");
}

static void write_device(const struct head *h, const struct iob_device *d)
{
	char dev[32], bytes[32];

	iob_format_dev(dev, sizeof(dev), d->dev);
	fprintf(h->o->out, "%s%s (%s%s%s):", h->prefix,
		d->name ? d->name : "disk", dev, d->alias ? ", " : "",
		d->alias ? d->alias : "");
	for (size_t i = 0; i < d->ops.nr; i++) {
		const struct iob_op_sum *s = &d->ops.v[i];

		fprintf(h->o->out, "%s %s", i ? "," : "", s->op);
		if (s->sum.bytes) {
			iob_format_bytes(bytes, sizeof(bytes), s->sum.bytes,
					 h->o->exact);
			fprintf(h->o->out, " %s%s in", bytes,
				h->o->exact ? " bytes" : "");
		}
		fprintf(h->o->out, " %" PRIu64 " IO%s", s->sum.ios,
			s->sum.ios == 1 ? "" : "s");
	}
	if (d->stacked)
		fputs(" (its bytes reach another disk, too)", h->o->out);
	fputc('\n', h->o->out);
}

static void write_share(const struct head *h)
{
	char text[256];

	if (iob_format_bases(text, sizeof(text), h->r))
		fprintf(h->o->out, "%sattributed %s\n", h->prefix, text);
}

static void write_sums(const struct head *h)
{
	const struct iob_report *r = h->r;
	char text[128];
	bool lost = iob_format_losses(text, sizeof(text), r);

	iob_format_bytes(text, sizeof(text), r->unattributed.bytes, h->o->exact);
	fprintf(h->o->out, "%sunattributed %s in %" PRIu64 " IO%s", h->prefix,
		text, r->unattributed.ios, r->unattributed.ios == 1 ? "" : "s");
	iob_format_bytes(text, sizeof(text), r->cancelled_bytes, h->o->exact);
	fprintf(h->o->out, ", cancelled %s, lost %s", text,
		lost ? "see above" : "nothing");
	if (r->has_filter) {
		iob_format_bytes(text, sizeof(text), r->filtered.bytes,
				 h->o->exact);
		fprintf(h->o->out, ", filtered out %s", text);
	}
	fputc('\n', h->o->out);
}

static void write_reads(const struct head *h)
{
	const char *sep = "of what was read: ";
	char text[32];

	if (!h->r->tells_reads)
		return;
	fputs(h->prefix, h->o->out);
	for (int i = 0; i < IOB_NR_READ_ENDS; i++) {
		iob_format_bytes(text, sizeof(text), h->r->read_bytes[i],
				 h->o->exact);
		fprintf(h->o->out, "%s%s %s", sep, iob_read_words[i], text);
		sep = ", ";
	}
	fputc('\n', h->o->out);
}

/**
 * iob_write_head - write the first lines of a report
 * @r: the report
 * @o: how
 * @prefix: before each line
 *
 * Return: 0; errors stay in @o->out.
 */
int iob_write_head(const struct iob_report *r,
		   const struct iob_write_options *o, const char *prefix)
{
	struct head h = { r, o, prefix };

	write_lost(&h);
	write_answers(&h);
	write_interval(&h);
	for (size_t i = 0; i < r->devices.nr; i++)
		write_device(&h, &r->devices.v[i]);
	write_share(&h);
	write_sums(&h);
	write_reads(&h);
	for (size_t i = 0; i < r->hooks.nr; i++) {
		const struct iob_hook *hook = &r->hooks.v[i];

		if (iob_hook_is_missing(hook) && hook->effect)
			fprintf(o->out, "%snot seen: %s (%s is %s)\n", prefix,
				hook->effect, hook->name, hook->state);
	}
	for (size_t i = 0; i < r->notes.nr; i++)
		fprintf(o->out, "%snote: %s\n", prefix, r->notes.v[i]);
	return 0;
}

/**
 * iob_head_text - the first lines of a report as a text
 * @r: the report
 * @o: how
 *
 * Return: the text, to be freed by the caller; NULL without memory.
 */
char *iob_head_text(const struct iob_report *r,
		    const struct iob_write_options *o)
{
	struct iob_write_options to_text = *o;
	char *text = NULL;
	size_t size = 0;

	to_text.out = open_memstream(&text, &size);
	if (!to_text.out)
		return NULL;
	iob_write_head(r, &to_text, "");
	if (!fclose(to_text.out))
		return text;
	free(text);
	return NULL;
}
