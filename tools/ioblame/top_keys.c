// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "top_keys.h"
#include "top_screen.h"

static void erase_last(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void type(char *text, size_t size, unsigned int key)
{
	char c[MB_LEN_MAX + 1];
	int len;

	if (key >= TOP_KEY_FIRST || !iswprint(key))
		return;
	len = wctomb(c, key);
	if (len <= 0 || strlen(text) + len >= size)
		return;
	c[len] = '\0';
	strcat(text, c);
}

static void type_filter(struct top_keys *k, struct iob_top *t, unsigned int key)
{
	switch (key) {
	case TOP_KEY_ESCAPE:
		*t->filter = '\0';
		k->typing = false;
		break;
	case TOP_KEY_IN:
		k->typing = false;
		break;
	case TOP_KEY_ERASE:
		erase_last(t->filter);
		break;
	default:
		type(t->filter, sizeof(t->filter), key);
	}
}

/* @step: to the right or left of the column that rows are sorted by now. */
static void sort_beside(struct iob_top *t, const struct iob_top_look *look,
			int step)
{
	struct iob_top_layout l;
	int at = 0;

	iob_top_lay_out(t, look, &l);
	for (unsigned int i = 0; i < l.nr; i++)
		if (l.shown[i].column == t->sort)
			at = i + step;
	if (l.nr)
		t->sort = l.shown[(at + (int)l.nr) % l.nr].column;
	t->reverse = false;
}

static void sort_nth(struct iob_top *t, const struct iob_top_look *look,
		     unsigned int n)
{
	struct iob_top_layout l;

	iob_top_lay_out(t, look, &l);
	if (n >= l.nr)
		return;
	t->sort = l.shown[n].column;
	t->reverse = false;
}

static bool move(struct iob_top *t, unsigned int page, unsigned int key)
{
	long at = t->selected;

	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		at--;
		break;
	case TOP_KEY_DOWN:
	case 'j':
		at++;
		break;
	case TOP_KEY_PAGE_UP:
		at -= page;
		break;
	case TOP_KEY_PAGE_DOWN:
		at += page;
		break;
	case TOP_KEY_HOME:
	case 'g':
		at = 0;
		break;
	case TOP_KEY_END:
	case 'G':
		at = t->rows.nr;
		break;
	default:
		return false;
	}
	iob_top_select(t, at);
	return true;
}

/**
 * top_keys_take - do what a key asks for
 * @k: what the keys are about just now
 * @t: the view; to be updated afterwards
 * @look: how it is shown
 * @page: rows on the screen
 * @key: from top_screen_key()
 */
void top_keys_take(struct top_keys *k, struct iob_top *t,
		   const struct iob_top_look *look, unsigned int page,
		   unsigned int key)
{
	if (key == TOP_KEY_RESIZE)
		return;
	if (k->help) {
		k->help = false;
		return;
	}
	if (k->typing) {
		type_filter(k, t, key);
		return;
	}
	if (move(t, page, key))
		return;
	switch (key) {
	case TOP_KEY_IN:
		iob_top_enter(t);
		break;
	case TOP_KEY_OUT:
	case TOP_KEY_ERASE:
		iob_top_back(t);
		break;
	case TOP_KEY_TAB:
		iob_top_next_level(t);
		break;
	case '<':
		sort_beside(t, look, -1);
		break;
	case '>':
	case 's':
		sort_beside(t, look, 1);
		break;
	case 'r':
		t->reverse = !t->reverse;
		break;
	case '0':
		sort_nth(t, look, 9);
		break;
	case '1' ... '9':
		sort_nth(t, look, key - '1');
		break;
	case '/':
		k->typing = true;
		break;
	case TOP_KEY_ESCAPE:
		*t->filter = '\0';
		break;
	case 'c':
		t->cumulative = !t->cumulative;
		break;
	case 'p':
	case ' ':
		k->paused = !k->paused;
		break;
	case 'h':
	case '?':
		k->help = true;
		break;
	case 'q':
	case 'Q':
		k->quit = true;
		break;
	}
}
