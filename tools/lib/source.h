/* SPDX-License-Identifier: GPL-2.0 */
/* Where a report comes from, if not from the live module. */
#ifndef IOBLAME_SOURCE_H
#define IOBLAME_SOURCE_H

#include "aggregate.h"
#include "event.h"
#include "names.h"
#include "recording.h"
#include "report.h"

enum {
	IOB_SOURCE_TIMES = 1 << 0,	/* how long IOs took, each: its events tell */
	IOB_SOURCE_OWN = 1 << 1,	/* keep what the recorder itself caused */
};

int iob_source_load(struct iob_report *r, const char *path,
		    struct iob_names *names, unsigned int wanted,
		    struct iob_err *err);
int iob_source_recording(struct iob_recording *rec, struct iob_events *e,
			 const char *path, struct iob_err *err);
int iob_source_objects(struct iob_recording *rec, struct iob_events *e,
		       struct iob_tables *t, struct iob_err *err);
int iob_source_wishes(const struct iob_recording *rec, struct iob_strings *s,
		      struct iob_filter *f);
int iob_source_mounts(const struct iob_recording *rec, struct iob_names *names);

#endif /* IOBLAME_SOURCE_H */
