/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's trace events. Where their fields lie is read from the format
 * files by libtraceevent, so that an added field does no harm.
 */
#ifndef IOBLAME_EVENT_H
#define IOBLAME_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errtext.h"
#include "uapi/ioblame.h"

enum iob_event_type { IOB_EVENT_IO, IOB_EVENT_ACT, IOB_EVENT_ROLE,
		      IOB_EVENT_STACK, IOB_EVENT_FILE, IOB_EVENT_CANCEL,
		      IOB_NR_EVENTS };

extern const char *const iob_event_names[IOB_NR_EVENTS];

#define IOB_FRAMES_MAX 4096

struct iob_event_io {
	uint32_t dev, bytes, more_bytes, issuer;
	uint8_t op, nr_origins;
	uint16_t flags;
	uint64_t sector, queue_ns, device_ns, age_ns, id, up;
	uint32_t act[IOB_EVENT_ORIGINS];
	uint32_t obytes[IOB_EVENT_ORIGINS];
	uint8_t basis[IOB_EVENT_ORIGINS];
	uint8_t reason[IOB_EVENT_ORIGINS];
};

struct iob_event_act {
	uint32_t id, role, stack, file;
	uint8_t kind;
};

struct iob_event_role {
	uint32_t id, pid, tgid, flags;
	uint64_t start_ns, cgroup_id;
	char comm[IOB_COMM_LEN + 1];
	char cgroup[IOB_PATH_LEN + 1];
};

struct iob_event_stack {
	uint32_t id;
	char frames[IOB_FRAMES_MAX];
};

struct iob_event_file {
	uint32_t id, dev, gen, flags;
	uint64_t ino;
	char fstype[32];
	char path[IOB_PATH_LEN + 1];
};

struct iob_event_cancel {
	uint32_t act, dev;
	uint64_t bytes;
};

struct iob_event {
	enum iob_event_type type;
	union {
		struct iob_event_io io;
		struct iob_event_act act;
		struct iob_event_role role;
		struct iob_event_stack stack;
		struct iob_event_file file;
		struct iob_event_cancel cancel;
	};
};

struct iob_events;

struct iob_events *iob_events_create(void);
void iob_events_destroy(struct iob_events *e);
int iob_events_header_page(struct iob_events *e, const char *text, size_t len,
			   struct iob_err *err);
int iob_events_format(struct iob_events *e, const char *text, size_t len,
		      struct iob_err *err);
int iob_events_ready(const struct iob_events *e, struct iob_err *err);
bool iob_events_is(const struct iob_events *e, enum iob_event_type type,
		   const void *data, size_t size);
int iob_events_decode(struct iob_events *e, const void *data, size_t size,
		      struct iob_event *ev);

#endif /* IOBLAME_EVENT_H */
