// SPDX-License-Identifier: GPL-2.0
/* ioblame top: what the module's totals did in each interval, on a screen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "tool.h"
#include "top_keys.h"
#include "top_reader.h"
#include "top_screen.h"

struct top_data {
	struct iob_top top;
	struct iob_top_reader reader;
	struct iob_top_look look;
	struct top_keys keys;
	struct top_screen *screen;	/* NULL: plain text */
	uint64_t next_ns;		/* when the next reading is due */
	char clock[16];
};

static struct top_data *data_of(struct tool *t)
{
	return t->data;
}

static bool is_live(const struct params *p)
{
	(void)p;
	return true;
}

static bool is_batch(const struct tool *t)
{
	return t->params->batch || !isatty(STDOUT_FILENO);
}

/* Before anything of the machine is touched. */
static int check(struct tool *t, struct iob_err *err)
{
	return is_batch(t) ? 0 : top_screen_check(err);
}

static int prepare(struct tool *t, struct iob_err *err)
{
	struct top_data *d = calloc(1, sizeof(*d));

	if (!d)
		return iob_fail(err, -ENOMEM, "out of memory");
	t->data = d;
	iob_top_init(&d->top);
	for (int i = 0; i < IOB_NR_TOP_COLUMNS; i++)
		if (!strcmp(t->params->sort, iob_top_column_words[i]))
			d->top.sort = i;
	d->look.utf8 = top_screen_utf8();
	d->look.interval = t->params->interval;
	d->look.was_enabled = t->session.was_enabled;
	return 0;
}

static void draw(struct tool *t)
{
	struct top_data *d = data_of(t);
	char prompt[IOB_TOP_FILTER_MAX + 64];

	d->look.paused = d->keys.paused;
	top_screen_look(d->screen, &d->look);
	if (d->keys.help) {
		top_screen_help(d->screen);
		return;
	}
	snprintf(prompt, sizeof(prompt), "filter: %s_  (Enter keeps, Esc drops)",
		 d->top.filter);
	top_screen_draw(d->screen, &d->top, &d->look,
			d->keys.typing ? prompt : NULL);
}

static int start(struct tool *t, struct iob_err *err)
{
	struct top_data *d = data_of(t);
	struct iob_snapshot snap;
	int ret = iob_session_snapshot(&t->session, &snap, err);

	if (ret)
		return ret;
	ret = iob_top_reader_start(&d->reader, &snap, t->session.was_enabled,
				   err);
	d->next_ns = snap.time_ns + t->params->interval * 1e9;
	iob_snapshot_free(&snap);
	if (ret || is_batch(t))
		return ret;
	d->screen = top_screen_open(err);
	if (!d->screen)
		return -ENOTTY;
	t->input_fd = STDIN_FILENO;
	draw(t);
	return 0;
}

static int read_totals(struct tool *t, struct iob_err *err)
{
	struct top_data *d = data_of(t);
	struct iob_report *now, *all;
	struct iob_snapshot snap;
	time_t clock = time(NULL);
	uint64_t ns;
	int ret = iob_session_snapshot(&t->session, &snap, err);

	if (ret)
		return ret;
	ns = snap.time_ns;
	ret = iob_top_reader_next(&d->reader, &snap, t->names, &t->filter, &now,
				  &all, err);
	iob_snapshot_free(&snap);
	if (!ret)
		ret = iob_top_take(&d->top, now, all,
				   (now->end_ns - now->start_ns) / 1e9, err);
	if (!ret)
		ret = iob_top_update(&d->top, err);
	strftime(d->clock, sizeof(d->clock), "%H:%M:%S", localtime(&clock));
	d->look.clock = d->clock;
	d->look.nr_resets = d->reader.nr_resets;
	/* At the same distances, unless one took longer than that. */
	d->next_ns += t->params->interval * 1e9;
	if (d->next_ns <= ns)
		d->next_ns = ns + t->params->interval * 1e9;
	return ret;
}

static int print_line(void *arg, enum iob_top_line line, const char *text)
{
	(void)line;
	fprintf(arg, "%s\n", text);
	return 0;
}

static int print(struct tool *t, struct iob_err *err)
{
	struct top_data *d = data_of(t);
	struct iob_top_layout l;
	char line[4 * IOB_TOP_LINE_MAX];
	size_t nr = d->top.rows.nr, max = t->params->top;

	iob_top_head(&d->top, &d->look, print_line, t->out);
	if (nr) {
		iob_top_lay_out(&d->top, &d->look, &l);
		iob_top_heading(&d->top, &d->look, &l, line, sizeof(line));
		fprintf(t->out, "%s\n", line);
	}
	for (size_t i = 0; i < nr && (!max || i < max); i++) {
		iob_top_line(&d->top, &d->look, &l, &d->top.rows.v[i], line,
			     sizeof(line));
		fprintf(t->out, "%s\n", line);
	}
	fputc('\n', t->out);
	if (!fflush(t->out))
		return 0;
	if (errno == EPIPE)
		return -EPIPE;
	return iob_fail(err, -errno, "cannot write stdout: %s", strerror(errno));
}

static int take_keys(struct tool *t, struct iob_err *err)
{
	struct top_data *d = data_of(t);
	unsigned int key;
	bool any = false;

	while ((key = top_screen_key(d->screen)) != TOP_KEY_NONE) {
		int ret;

		top_screen_look(d->screen, &d->look);
		top_keys_take(&d->keys, &d->top, &d->look,
			      top_screen_rows(d->screen), key);
		/* The next key may be about the rows that this one shows. */
		ret = iob_top_update(&d->top, err);
		if (ret)
			return ret;
		if (d->keys.quit) {
			t->done = true;
			return 0;
		}
		any = true;
	}
	if (any)
		draw(t);
	return 0;
}

static int turn(struct tool *t, struct iob_err *err)
{
	struct top_data *d = data_of(t);
	int ret = d->screen ? take_keys(t, err) : 0;

	if (ret || t->done || d->keys.paused || iob_boot_ns() < d->next_ns)
		return ret;
	ret = read_totals(t, err);
	if (ret)
		return ret;
	if (d->screen)
		draw(t);
	else
		ret = print(t, err);
	t->done = t->params->count && d->top.nr_readings >= t->params->count;
	return ret;
}

static void close_screen(struct tool *t)
{
	if (!t->data)
		return;
	top_screen_close(data_of(t)->screen);
	data_of(t)->screen = NULL;
}

static void free_data(struct tool *t)
{
	if (!t->data)
		return;
	iob_top_exit(&data_of(t)->top);
	iob_top_reader_free(&data_of(t)->reader);
	free(t->data);
}

const struct tool_ops top_ops = {
	.live = is_live,
	.check = check,
	.prepare = prepare,
	.start = start,
	.turn = turn,
	.close = close_screen,
	.free = free_data,
};
