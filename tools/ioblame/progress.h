/* SPDX-License-Identifier: GPL-2.0 */
/* One line on the terminal that says how far a recording is. */
#ifndef IOBLAME_PROGRESS_H
#define IOBLAME_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	uint64_t elapsed_ns;
	uint64_t nr_lost, nr_ios, nr_events;
	uint64_t bytes, plain_bytes;	/* in the files, and if not packed */
	uint64_t nr_files;
};

bool progress_is_wanted(void);
void progress_text(const struct progress *p, char *buf, size_t size);
void progress_show(const struct progress *p);
void progress_clear(void);

#endif /* IOBLAME_PROGRESS_H */
