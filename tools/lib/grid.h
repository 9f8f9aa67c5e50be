/* SPDX-License-Identifier: GPL-2.0 */
/* A table for people, laid out by libsmartcols; a narrow terminal gets what fits. */
#ifndef IOBLAME_GRID_H
#define IOBLAME_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "errtext.h"
#include "vec.h"

struct iob_strings;

/* What may be cut on a terminal that is too narrow */
enum iob_cut { IOB_CUT_NEVER, IOB_CUT_START, IOB_CUT_END };

/* What a cell is, for who likes colours */
enum iob_tone { IOB_TONE_PLAIN, IOB_TONE_HEAD, IOB_TONE_LOUD, IOB_TONE_FAINT,
		IOB_TONE_MORE, IOB_TONE_LESS, IOB_TONE_BAD, IOB_NR_TONES };

struct iob_grid_column {
	const char *name;
	enum iob_cut cut;
	bool right;
	bool tree;			/* lines hang below their parents here */
	unsigned int drop;		/* left out first, second, ...; 0: never */
};

struct iob_grid_cell {
	const char *text;
	enum iob_tone tone;
};

struct iob_grid_line {
	size_t parent_1;		/* line + 1; 0: none */
	unsigned int depth;
};

struct iob_grid {
	struct iob_strings *strings;
	IOB_VEC(struct iob_grid_column) columns;
	IOB_VEC(struct iob_grid_line) lines;
	IOB_VEC(struct iob_grid_cell) cells;	/* line by line */
};

int iob_grid_init(struct iob_grid *g);
void iob_grid_free(struct iob_grid *g);
int iob_grid_column(struct iob_grid *g, const struct iob_grid_column *c);
int iob_grid_line(struct iob_grid *g, size_t parent_1);
int iob_grid_cell(struct iob_grid *g, const char *text, enum iob_tone tone);
int iob_grid_print(struct iob_grid *g, FILE *out, unsigned int width,
		   bool colour, struct iob_err *err);
const char *iob_tone_start(enum iob_tone tone, bool colour);
const char *iob_tone_end(enum iob_tone tone, bool colour);

#endif /* IOBLAME_GRID_H */
