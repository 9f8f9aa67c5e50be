/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of an event's format, before libtraceevent sees it. That library was made
 * for texts of the kernel's; ours may be of a recording that somebody made up.
 */
#ifndef IOBLAME_EVENT_TEXT_H
#define IOBLAME_EVENT_TEXT_H

#include <stddef.h>

#define IOB_EVENT_NAME_LEN 63
#define IOB_EVENT_MAX_FIELDS 64

char *iob_event_text(const char *text, size_t len, char *name);
char *iob_event_fields(const char *text, size_t len);

#endif /* IOBLAME_EVENT_TEXT_H */
