// SPDX-License-Identifier: GPL-2.0
/* The head of pages, then formats, between form feeds; then any record of theirs. */
#include <string.h>

#include "event.h"
#include "fuzz.h"

static void decode(struct iob_events *e, const char *format)
{
	const char *id = strstr(format, "ID:");
	struct iob_event ev;
	uint8_t data[1024];

	if (!id)
		return;
	memset(data, 'x', sizeof(data));
	memcpy(data, &(uint16_t){ strtoul(id + 3, NULL, 10) }, 2);
	for (size_t size = 0; size <= sizeof(data); size += 8)
		if (!iob_events_decode(e, data, size, &ev) &&
		    ev.type == IOB_EVENT_STACK)
			MUST(strlen(ev.stack.frames) < IOB_FRAMES_MAX);
}

void fuzz_format(const uint8_t *data, size_t size)
{
	struct iob_events *e = iob_events_create();
	struct iob_err err = {};
	char *page = next_part(&data, &size, '\f'), *format;

	MUST(e);
	if (iob_events_header_page(e, page, strlen(page), &err))
		MUST(*err.text);
	free(page);
	while ((format = next_part(&data, &size, '\f'))) {
		*err.text = '\0';
		if (iob_events_format(e, format, strlen(format), &err))
			MUST(*err.text);
		decode(e, format);
		free(format);
	}
	iob_events_ready(e, &err);
	iob_events_destroy(e);
}
