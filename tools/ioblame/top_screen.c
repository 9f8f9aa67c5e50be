// SPDX-License-Identifier: GPL-2.0
/* The only file that knows ncurses. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "top_screen.h"
#include "width.h"

#define LEAST_COLUMNS 40
#define LEAST_LINES 8
#define ESCAPE_MS 25

/* Lines of the head that are no disk's: title, sums, bases, path, heading, keys. */
#define OTHER_LINES 6

struct top_screen {
	SCREEN *screen;
	bool utf8, colour;
	size_t first;			/* row at the top */
	unsigned int rows;		/* room for rows in the last drawing */
	int y;				/* while drawing */
};

enum { PAIR_TITLE = 1, PAIR_LOST, PAIR_PATH, PAIR_DEVICE };

static const char *terminal(void)
{
	const char *name = getenv("TERM");

	return name && *name ? name : "unknown";
}

/**
 * top_screen_check - whether there is a terminal to draw on
 * @err: error text
 *
 * Changes nothing on it.
 *
 * Return: 0 or a negative errno.
 */
int top_screen_check(struct iob_err *err)
{
	const char *move;
	int why;

	if (!isatty(STDIN_FILENO))
		return iob_fail(err, -ENOTTY,
				"standard input is no terminal, so there are no keys: take --batch");
	if (setupterm(NULL, STDOUT_FILENO, &why) != OK)
		return iob_fail(err, -ENOTTY,
				"terminal '%.40s' is not known here: set TERM, or take --batch",
				terminal());
	move = tigetstr("cup");
	why = !move || move == (char *)-1;
	del_curterm(cur_term);
	if (why)
		return iob_fail(err, -ENOTTY,
				"terminal '%.40s' cannot place its cursor: set TERM, or take --batch",
				terminal());
	return 0;
}

/**
 * top_screen_utf8 - what the locale writes
 *
 * Return: whether it is UTF-8.
 */
bool top_screen_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static bool begin_colour(void)
{
	const char *no = getenv("NO_COLOR");

	if ((no && *no) || !has_colors() || start_color() != OK)
		return false;
	use_default_colors();
	init_pair(PAIR_TITLE, COLOR_CYAN, -1);
	init_pair(PAIR_LOST, COLOR_RED, -1);
	init_pair(PAIR_PATH, COLOR_YELLOW, -1);
	init_pair(PAIR_DEVICE, COLOR_GREEN, -1);
	return true;
}

/**
 * top_screen_open - take the terminal
 * @err: error text
 *
 * Return: the screen, or NULL.
 */
struct top_screen *top_screen_open(struct iob_err *err)
{
	struct top_screen *s = calloc(1, sizeof(*s));

	if (!s) {
		iob_fail(err, -ENOMEM, "out of memory");
		return NULL;
	}
	/* Unlike initscr() it comes back when it fails. */
	s->screen = newterm(NULL, stdout, stdin);
	if (!s->screen) {
		free(s);
		iob_fail(err, -ENOTTY, "cannot use terminal '%.40s': take --batch",
			 terminal());
		return NULL;
	}
	set_term(s->screen);
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	s->utf8 = top_screen_utf8();
	s->colour = begin_colour();
	s->rows = 1;
	return s;
}

/**
 * top_screen_close - give the terminal back as it was
 * @s: the screen, or NULL
 */
void top_screen_close(struct top_screen *s)
{
	if (!s)
		return;
	curs_set(1);
	endwin();
	delscreen(s->screen);
	free(s);
}

/**
 * top_screen_key - the next key that was pressed
 * @s: the screen
 *
 * Return: a character, an enum top_key, or TOP_KEY_NONE.
 */
unsigned int top_screen_key(struct top_screen *s)
{
	static const struct { wint_t code; enum top_key key; } keys[] = {
		{ KEY_UP, TOP_KEY_UP }, { KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP }, { KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, TOP_KEY_HOME }, { KEY_END, TOP_KEY_END },
		{ KEY_ENTER, TOP_KEY_IN }, { KEY_RIGHT, TOP_KEY_IN },
		{ KEY_LEFT, TOP_KEY_OUT }, { KEY_BACKSPACE, TOP_KEY_ERASE },
		{ KEY_RESIZE, TOP_KEY_RESIZE },
	};
	wint_t c;
	int ret = get_wch(&c);

	(void)s;
	if (ret == ERR)
		return TOP_KEY_NONE;
	if (ret == KEY_CODE_YES) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if (keys[i].code == c)
				return keys[i].key;
		/* One that means nothing here; there may be more behind it. */
		return TOP_KEY_FIRST;
	}
	switch (c) {
	case '\r':
	case '\n':
		return TOP_KEY_IN;
	case '\b':
	case 0x7f:
		return TOP_KEY_ERASE;
	case '\t':
		return TOP_KEY_TAB;
	case 0x1b:
		return TOP_KEY_ESCAPE;
	case '\f':
		clearok(curscr, TRUE);
		return TOP_KEY_RESIZE;
	}
	return c ? c : TOP_KEY_FIRST;
}

/**
 * top_screen_rows - how many rows a page has
 * @s: the screen
 *
 * Return: at least 1.
 */
unsigned int top_screen_rows(const struct top_screen *s)
{
	return s->rows;
}

/**
 * top_screen_look - what fits
 * @s: the screen
 * @look: takes the width, the lines for disks, and what can be written
 */
void top_screen_look(const struct top_screen *s, struct iob_top_look *look)
{
	look->width = COLS;
	look->max_devices = LINES > 12 ? LINES / 5 : 1;
	look->utf8 = s->utf8;
}

static void put(struct top_screen *s, const char *text, attr_t attr)
{
	char line[2 * IOB_TOP_LINE_MAX];

	snprintf(line, sizeof(line), "%s", text);
	if (!s->utf8)
		iob_width_ascii(line, sizeof(line));
	iob_width_cut(line, COLS, false);
	/* So that a bar goes from side to side. */
	if (attr & A_REVERSE)
		iob_width_pad(line, sizeof(line), COLS, false);
	attrset(attr);
	mvaddstr(s->y++, 0, line);
	attrset(A_NORMAL);
}

static int head_line(void *arg, enum iob_top_line line, const char *text)
{
	static const struct { attr_t attr; int pair; } looks[] = {
		[IOB_TOP_LINE_TITLE] = { A_BOLD, PAIR_TITLE },
		[IOB_TOP_LINE_DEVICE] = { A_NORMAL, PAIR_DEVICE },
		[IOB_TOP_LINE_SUMS] = { A_NORMAL, 0 },
		[IOB_TOP_LINE_LOST] = { A_BOLD, PAIR_LOST },
		[IOB_TOP_LINE_PATH] = { A_BOLD, PAIR_PATH },
	};
	struct top_screen *s = arg;

	put(s, text, looks[line].attr |
	    (s->colour ? COLOR_PAIR(looks[line].pair) : 0));
	return 0;
}

static bool too_small(struct top_screen *s)
{
	char line[128];

	if (COLS >= LEAST_COLUMNS && LINES >= LEAST_LINES)
		return false;
	snprintf(line, sizeof(line), "too small: %dx%d, needs %dx%d", COLS,
		 LINES, LEAST_COLUMNS, LEAST_LINES);
	put(s, line, A_NORMAL);
	return true;
}

static void rows(struct top_screen *s, const struct iob_top *t,
		 const struct iob_top_look *look)
{
	struct iob_top_layout l;
	char line[2 * IOB_TOP_LINE_MAX];

	iob_top_lay_out(t, look, &l);
	iob_top_heading(t, look, &l, line, sizeof(line));
	put(s, line, s->colour ? A_BOLD | A_UNDERLINE : A_UNDERLINE);
	s->rows = LINES - 1 > s->y ? LINES - 1 - s->y : 1;
	if (s->first > t->selected)
		s->first = t->selected;
	if (t->selected >= s->first + s->rows)
		s->first = t->selected - s->rows + 1;
	/* No empty lines below while rows are hidden above. */
	if (s->first + s->rows > t->rows.nr)
		s->first = t->rows.nr > s->rows ? t->rows.nr - s->rows : 0;
	for (size_t i = s->first; i < t->rows.nr && s->y < LINES - 1; i++) {
		iob_top_line(t, look, &l, &t->rows.v[i], line, sizeof(line));
		put(s, line, i == t->selected ? A_REVERSE : A_NORMAL);
	}
	if (!t->rows.nr && t->nr_readings && s->y < LINES - 1)
		put(s, *t->filter ? "nothing matches the filter" :
		    "no IO completed", A_NORMAL);
}

/**
 * top_screen_draw - show the view
 * @s: the screen
 * @t: the view
 * @look: how, from top_screen_look()
 * @prompt: what is being typed; NULL: the keys are told in its place
 */
void top_screen_draw(struct top_screen *s, const struct iob_top *t,
		     const struct iob_top_look *look, const char *prompt)
{
	erase();
	s->y = 0;
	if (!too_small(s)) {
		iob_top_head(t, look, head_line, s);
		rows(s, t, look);
		s->y = LINES - 1;
		put(s, prompt ? prompt :
		    "q quit  h help  Enter in  BkSp out  / filter  <> sort  c sums  p pause",
		    prompt ? A_BOLD : A_DIM);
	}
	refresh();
}

/**
 * top_screen_help - show what the keys do
 * @s: the screen
 */
void top_screen_help(struct top_screen *s)
{
	static const char *const texts[] = {
		"Up Down PgUp PgDn Home End   select; the row is followed",
		"Enter, Right       only what is in the row, by the next of",
		"                   disk, process, file, stack",
		"Backspace, Left    back",
		"Tab                the same, by the next of these",
		"< >  s  1-9 0      sort by another column (- most first)",
		"r                  reverse the order",
		"/                  count only what matches, as you type:",
		"                   task, pid, file, disk, stack, op, reason",
		"c                  sums since the start, or rates",
		"p, space           pause",
		"q                  quit",
		"+N                 there are N more than the one named",
		"age p50            from dirtying to completion, half the pages",
		"dev p99            time in the device of 99 % of the IOs",
		"history            last 16 intervals, by each row's most",
	};

	erase();
	s->y = 0;
	if (!too_small(s)) {
		put(s, "ioblame top: keys (any key goes back)", A_BOLD);
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts) &&
		     s->y < LINES; i++)
			put(s, texts[i], A_NORMAL);
	}
	refresh();
}
