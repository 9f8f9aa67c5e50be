/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal: what is drawn on it, and the keys that come from it. */
#ifndef IOBLAME_TOP_SCREEN_H
#define IOBLAME_TOP_SCREEN_H

#include <stdbool.h>

#include "errtext.h"
#include "top_text.h"

/* Keys that are no character; characters are themselves. */
enum top_key {
	TOP_KEY_NONE = 0,
	TOP_KEY_FIRST = 0x200000,	/* above all characters */
	TOP_KEY_UP, TOP_KEY_DOWN, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME, TOP_KEY_END, TOP_KEY_IN, TOP_KEY_OUT, TOP_KEY_ERASE,
	TOP_KEY_ESCAPE, TOP_KEY_TAB, TOP_KEY_RESIZE,
};

struct top_screen;

int top_screen_check(struct iob_err *err);
struct top_screen *top_screen_open(struct iob_err *err);
void top_screen_close(struct top_screen *s);
bool top_screen_utf8(void);
unsigned int top_screen_key(struct top_screen *s);
unsigned int top_screen_rows(const struct top_screen *s);
void top_screen_look(const struct top_screen *s, struct iob_top_look *look);
void top_screen_draw(struct top_screen *s, const struct iob_top *t,
		     const struct iob_top_look *look, const char *prompt);
void top_screen_help(struct top_screen *s);

#endif /* IOBLAME_TOP_SCREEN_H */
