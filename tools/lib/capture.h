/* SPDX-License-Identifier: GPL-2.0 */
/* Events from the live module, by a tracefs instance of our own. */
#ifndef IOBLAME_CAPTURE_H
#define IOBLAME_CAPTURE_H

#include "event.h"
#include "session.h"

struct iob_capture;

typedef int (*iob_capture_fn)(void *arg, uint64_t ts_ns, uint32_t cpu,
			      const void *data, uint32_t size);

int iob_capture_create(struct iob_capture **c, struct iob_session *s,
		       uint64_t buffer_kb, struct iob_err *err);
void iob_capture_destroy(struct iob_capture *c);
int iob_capture_formats(struct iob_capture *c, struct iob_events *e,
			int (*keep)(void *arg, const char *name,
				    const char *text, size_t len),
			void *arg, struct iob_err *err);
int iob_capture_read(struct iob_capture *c, iob_capture_fn fn, void *arg,
		     struct iob_err *err);
uint64_t iob_capture_lost(struct iob_capture *c);

#endif /* IOBLAME_CAPTURE_H */
