/* SPDX-License-Identifier: GPL-2.0 */
/* The live view as text: lines of its head, columns and cells of its rows. */
#ifndef IOBLAME_TOP_TEXT_H
#define IOBLAME_TOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "top_model.h"

#define IOB_TOP_LINE_MAX 1024

struct iob_top_look {
	unsigned int width;		/* of the screen; 0: never cut */
	unsigned int max_devices;	/* lines for disks; 0: all */
	const char *clock;		/* of the latest reading, as people say it */
	double interval;		/* asked for */
	bool utf8;			/* what the terminal understands */
	bool paused;
	unsigned int nr_resets;
	bool was_enabled;		/* by somebody else, before us */
};

struct iob_top_layout {
	unsigned int nr;
	struct iob_top_shown {
		enum iob_top_column column;
		unsigned int width;
	} shown[IOB_NR_TOP_COLUMNS];
};

/* Which line of the head a line is, for its colour. */
enum iob_top_line { IOB_TOP_LINE_TITLE, IOB_TOP_LINE_DEVICE,
		    IOB_TOP_LINE_SUMS, IOB_TOP_LINE_LOST, IOB_TOP_LINE_PATH };

typedef int (*iob_top_line_fn)(void *arg, enum iob_top_line line,
			       const char *text);

int iob_top_head(const struct iob_top *t, const struct iob_top_look *look,
		 iob_top_line_fn fn, void *arg);
void iob_top_lay_out(const struct iob_top *t, const struct iob_top_look *look,
		     struct iob_top_layout *l);
void iob_top_heading(const struct iob_top *t, const struct iob_top_look *look,
		     const struct iob_top_layout *l, char *buf, size_t size);
void iob_top_line(const struct iob_top *t, const struct iob_top_look *look,
		  const struct iob_top_layout *l, const struct iob_top_row *row,
		  char *buf, size_t size);

#endif /* IOBLAME_TOP_TEXT_H */
