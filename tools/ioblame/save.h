/* SPDX-License-Identifier: GPL-2.0 */
/* Saves of the flight recorder: recordings that begin before their trigger. */
#ifndef IOBLAME_SAVE_H
#define IOBLAME_SAVE_H

#include "chapter.h"
#include "flight.h"

struct saves {
	struct tool *t;
	const char *dir;
	struct chapter_formats formats;
	struct chapter chapter;		/* of the save that goes on */
	char *path;			/* of it; NULL: none goes on */
	char *tmp;			/* its name until it is whole */
	uint64_t until_ns;		/* its end */
	uint64_t quiet_until_ns;	/* no other before */
	uint64_t lost_before;
	uint64_t nr_saved, nr_failed, nr_held_off;
};

int saves_format(void *arg, const char *name, const char *text, size_t len);
int saves_check(const char *dir, struct iob_err *err);
void saves_begin(struct saves *s, struct iob_flight *f, const char *trigger,
		 uint64_t now_ns, uint64_t lost);
void saves_event(struct saves *s, uint64_t ts_ns, uint32_t cpu,
		 const void *data, uint32_t size);
void saves_end(struct saves *s, uint64_t now_ns, uint64_t lost);
void saves_free(struct saves *s);

#endif /* IOBLAME_SAVE_H */
