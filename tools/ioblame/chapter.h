/* SPDX-License-Identifier: GPL-2.0 */
/* One file of a recording: what makes it readable by itself. */
#ifndef IOBLAME_CHAPTER_H
#define IOBLAME_CHAPTER_H

#include "recording.h"
#include "tool.h"

struct chapter_format {
	enum iob_chunk type;
	char *text;
	size_t len;
};

/* What all files begin with. */
struct chapter_formats {
	struct chapter_format *v;
	size_t nr, max;
};

struct chapter {
	struct tool *t;
	struct iob_recorder recorder;
	uint64_t lost_before;		/* events, by the files before */
};

int chapter_open(struct chapter *c, struct tool *t, const char *path,
		 struct iob_err *err);
int chapter_note(struct chapter *c, const char *name, const char *text,
		 struct iob_err *err);
int chapter_formats(struct chapter *c, const struct chapter_formats *f,
		    struct iob_err *err);
int chapter_begin(struct chapter *c, uint64_t start_ns,
		  const struct iob_snapshot *snap, struct iob_err *err);
int chapter_end(struct chapter *c, uint64_t end_ns, uint64_t nr_lost,
		const struct iob_snapshot *snap, struct iob_err *err);

#endif /* IOBLAME_CHAPTER_H */
