// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph as one SVG file that needs nothing else. It can be read without its
 * script (flame.js), which adds zoom, search and details.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "flame.h"
#include "flame_js.h"		/* iob_flame_js[], made from flame.js */

#define WIDTH		1200
#define FRAME		16	/* height of a frame */
#define HEAD		48	/* above the graph */
#define FOOT		28	/* below it */
#define CHAR		7.2	/* width of a character */
#define MAX_DEPTH	2000	/* browsers give up far above that */

struct svg {
	const struct iob_report *r;	/* whose values are the widths */
	const struct iob_diff *d;	/* what it is compared in, or NULL */
	const struct iob_write_options *o;
	struct iob_flame f;
	unsigned int height;
};

/* What iob_escape() leaves is printable; two code points are still not XML's. */
static void put_xml(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len && text[i]; i++) {
		const unsigned char *u = (const unsigned char *)text + i;

		if (*u == '&')
			fputs("&amp;", out);
		else if (*u == '<')
			fputs("&lt;", out);
		else if (*u == '>')
			fputs("&gt;", out);
		else if (*u == '"')
			fputs("&quot;", out);
		else if (u[0] == 0xef && u[1] == 0xbf && u[2] >= 0xbe) {
			fprintf(out, "\\xef\\xbf\\x%02x", u[2]);
			i += 2;
		} else {
			fputc(*u, out);
		}
	}
}

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h;
}

/*
 * The colour says what a frame is, its shade is always the same for a name: tasks
 * blue, the kernel itself orange, modules green, what is not known grey.
 */
static void put_colour(FILE *out, const struct iob_flame_node *n)
{
	unsigned int a = hash(n->name) % 50, b = hash(n->name) / 50 % 40;
	size_t len = strlen(n->name);

	if (!n->depth || *n->name == '[')
		fprintf(out, "rgb(%u,%u,%u)", 190 + b / 2, 190 + b / 2, 190 + b / 2);
	else if (n->depth == 1)
		fprintf(out, "rgb(%u,%u,%u)", 110 + a, 165 + b, 225);
	else if (n->name[len - 1] == ']')
		fprintf(out, "rgb(%u,%u,%u)", 130 + a, 200 + b / 2, 90 + b);
	else
		fprintf(out, "rgb(%u,%u,%u)", 225 + b / 2, 120 + 2 * a, 50 + b / 2);
}

/* What a frame has on both sides, whichever of them is its width. */
static struct iob_change change_of(const struct svg *s,
				   const struct iob_flame_node *n)
{
	enum iob_side wide = s->o->width_of_a ? IOB_SIDE_A : IOB_SIDE_B;
	struct iob_change c = {};

	c.value[wide] = n->total;
	c.value[IOB_NR_SIDES - 1 - wide] = n->other;
	return c;
}

/*
 * Red for more, blue for less, of what the greater side has: all red is new, white
 * the same.
 */
static void put_change_colour(const struct svg *s, const struct iob_flame_node *n)
{
	struct iob_change c = change_of(s, n);
	double a = iob_diff_scaled(s->d, s->d->scale, c.value[IOB_SIDE_A],
				   IOB_SIDE_A);
	double b = iob_diff_scaled(s->d, s->d->scale, c.value[IOB_SIDE_B],
				   IOB_SIDE_B);
	double change = iob_diff_change(s->d, s->d->scale, &c);
	double most = a > b ? a : b;
	unsigned int other;

	other = 245 - 165 * (most ? (change < 0 ? -change : change) / most : 0);
	if (change > 0)
		fprintf(s->o->out, "rgb(245,%u,%u)", other, other);
	else
		fprintf(s->o->out, "rgb(%u,%u,245)", other, change ? other : 245);
}

static void put_change(const struct svg *s, const struct iob_flame_node *n)
{
	struct iob_change c = change_of(s, n);
	double change = iob_diff_change(s->d, s->d->scale, &c);
	FILE *out = s->o->out;
	char text[64];

	for (int k = 0; k < IOB_NR_SIDES; k++) {
		iob_diff_format(s->d, text, sizeof(text),
				iob_diff_scaled(s->d, s->d->scale, c.value[k], k),
				false);
		fprintf(out, "%s%c %s", k ? ", " : "\n", 'A' + k, text);
	}
	iob_diff_format(s->d, text, sizeof(text), change, false);
	fprintf(out, ": %s%s", change < 0 ? "-" : change > 0 ? "+" : "", text);
	if (!n->other)
		fputs(s->o->width_of_a ? ", gone" : ", new", out);
}

static size_t characters(const char *text, size_t nr)
{
	size_t i = 0;

	while (text[i] && (nr || ((unsigned char)text[i] & 0xc0) == 0x80)) {
		nr -= ((unsigned char)text[i] & 0xc0) != 0x80;
		i++;
	}
	return i;
}

static void put_label(FILE *out, const char *name, double w)
{
	size_t room = w > 4 ? (w - 4) / CHAR : 0, fits;

	if (room < 3)
		return;
	fits = characters(name, room);
	if (!name[fits]) {
		put_xml(out, name, fits);
		return;
	}
	put_xml(out, name, characters(name, room - 2));
	fputs("..", out);
}

static void put_node(const struct svg *s, const struct iob_flame_node *n)
{
	const struct iob_metric *m = s->o->metric;
	uint64_t all = s->f.nodes.v[0].total;
	double x = (double)WIDTH * n->at / all, w = (double)WIDTH * n->total / all;
	unsigned int y = s->height - FOOT - (n->depth + 1) * FRAME;
	FILE *out = s->o->out;
	char value[32];

	iob_metric_format(m, value, sizeof(value), n->total, false);
	fprintf(out, "<g class=\"f\" data-at=\"%" PRIu64 "\" data-value=\"%" PRIu64
		"\" data-depth=\"%u\"><title>", n->at, n->total, n->depth);
	put_xml(out, n->name, SIZE_MAX);
	if (s->d)
		put_change(s, n);
	fprintf(out, "\n%s, %.1f %%", value, 100.0 * n->total / all);
	if (strcmp(m->unit, "count"))
		fprintf(out, ", %" PRIu64 " %s", n->total, m->unit);
	fprintf(out, "</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"",
		x, y, w > 0.4 ? w - 0.3 : 0.1, FRAME - 1);
	if (s->d)
		put_change_colour(s, n);
	else
		put_colour(out, n);
	fprintf(out, "\"/><text x=\"%.1f\" y=\"%u\">", x + 3, y + 12);
	put_label(out, n->name, w);
	fputs("</text></g>\n", out);
}

/* The first lines of a report: also what was lost is told. */
static int put_about(const struct svg *s)
{
	char *head = s->d ? iob_diff_text(s->d) : iob_head_text(s->r, s->o);

	if (!head)
		return -ENOMEM;
	fputs("<desc>", s->o->out);
	/* Names in it are escaped. */
	put_xml(s->o->out, head, SIZE_MAX);
	fputs("</desc>\n", s->o->out);
	free(head);
	return 0;
}

/* A frame that the side of the widths does not have cannot be seen. */
static void put_legend(const struct svg *s)
{
	uint64_t hidden = 0;
	char value[32];

	for (size_t i = 0; i < s->f.nodes.nr; i++)
		if (!s->f.nodes.v[i].self && !s->f.nodes.v[i].total)
			hidden += s->f.nodes.v[i].other_self;
	iob_metric_format(s->d->metric, value, sizeof(value), hidden, false);
	fprintf(s->o->out, " of %c; red: more in B, blue: less", s->o->width_of_a ?
		'A' : 'B');
	if (hidden)
		fprintf(s->o->out, "; not here: %s only in %c", value,
			s->o->width_of_a ? 'B' : 'A');
}

static int put_start(const struct svg *s)
{
	const struct iob_metric *m = s->o->metric;
	FILE *out = s->o->out;
	char value[32];
	int ret;

	iob_metric_format(m, value, sizeof(value), s->f.nodes.v[0].total, false);
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<!-- SPDX-License-Identifier: GPL-2.0 (the script; the data is yours) -->\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" data-width=\"%d\" data-char=\"%.1f\" "
		"data-metric=\"%s\">\n", WIDTH, s->height, WIDTH, s->height, WIDTH,
		CHAR, m->name);
	ret = put_about(s);
	fputs("<style>\n"
	      "text { font: 12px monospace; fill: #000 }\n"
	      ".f { cursor: pointer }\n"
	      ".f text { pointer-events: none }\n"
	      ".f:hover rect { stroke: #000 }\n"
	      ".above { opacity: 0.5 }\n"
	      ".hit rect { fill: rgb(230,0,230) }\n"
	      ".button { cursor: pointer; text-decoration: underline }\n"
	      "</style>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
	fprintf(out, "<text x=\"3\" y=\"18\">disk IO by origin: %s, %s in %.3f s",
		m->name, value, (s->r->end_ns - s->r->start_ns) / 1e9);
	if (s->d)
		put_legend(s);
	fputs("</text>\n", out);
	fprintf(out, "<text id=\"search\" class=\"button\" x=\"3\" y=\"38\">search</text>\n"
		"<text id=\"reset\" class=\"button\" x=\"120\" y=\"38\" display=\"none\">reset zoom</text>\n"
		"<text id=\"matched\" x=\"220\" y=\"38\"></text>\n"
		"<text id=\"details\" x=\"3\" y=\"%u\"></text>\n", s->height - 10);
	return ret;
}

static int put_graph(struct svg *s, struct iob_err *err)
{
	if (s->f.max_depth > MAX_DEPTH)
		return iob_fail(err, -E2BIG, "stacks of %u frames are no stacks",
				s->f.max_depth);
	s->height = HEAD + (s->f.max_depth + 1) * FRAME + FOOT;
	if (put_start(s))
		return iob_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < s->f.nodes.nr; i++)
		if (s->f.nodes.v[i].total)
			put_node(s, &s->f.nodes.v[i]);
	fprintf(s->o->out, "<script><![CDATA[\n%s]]></script>\n</svg>\n",
		iob_flame_js);
	return 0;
}

static int write_svg(const struct iob_report *r,
		     const struct iob_write_options *o, struct iob_err *err)
{
	struct svg s = { .r = r, .o = o };
	int ret = iob_flame_make(&s.f, r, o->metric, err);

	if (!ret)
		ret = put_graph(&s, err);
	iob_flame_free(&s.f);
	return ret;
}

static int diff_svg(const struct iob_diff *d,
		    const struct iob_write_options *o, struct iob_err *err)
{
	enum iob_side wide = o->width_of_a ? IOB_SIDE_A : IOB_SIDE_B;
	struct svg s = { .r = d->side[wide], .o = o, .d = d };
	int ret = iob_flame_compare(&s.f, d->side[wide],
				    d->side[IOB_NR_SIDES - 1 - wide], d->both,
				    o->metric, err);

	if (!ret)
		ret = put_graph(&s, err);
	iob_flame_free(&s.f);
	return ret;
}

const struct iob_writer iob_svg_writer = {
	.name = "svg",
	.default_fields = IOB_FLAME_FIELDS,
	.counts_once = true,
	.write = write_svg,
	.diff = diff_svg,
};
