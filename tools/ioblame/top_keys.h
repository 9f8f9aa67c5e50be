/* SPDX-License-Identifier: GPL-2.0 */
/* What keys do to the live view. */
#ifndef IOBLAME_TOP_KEYS_H
#define IOBLAME_TOP_KEYS_H

#include <stdbool.h>

#include "top_text.h"

struct top_keys {
	bool typing;			/* a filter */
	bool help;			/* the help is shown */
	bool paused;
	bool quit;
};

void top_keys_take(struct top_keys *k, struct iob_top *t,
		   const struct iob_top_look *look, unsigned int page,
		   unsigned int key);

#endif /* IOBLAME_TOP_KEYS_H */
