/* SPDX-License-Identifier: GPL-2.0 */
/* What makes the flight recorder save. */
#ifndef IOBLAME_TRIGGER_H
#define IOBLAME_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "event.h"
#include "report.h"
#include "vec.h"

enum iob_trigger_kind { IOB_TRIGGER_PSI, IOB_TRIGGER_IO, IOB_TRIGGER_FSYNC,
			IOB_TRIGGER_WRITES };

struct iob_trigger {
	enum iob_trigger_kind kind;
	const char *text;		/* as the user wrote it */
	uint64_t limit;			/* ns or bytes */
	uint64_t window_us;		/* of pressure */
	char what[8];			/* of pressure: some or full */
	char comm[32];			/* who writes */
	char path[256];			/* of pressure */
	int fd;				/* of pressure; -1: not open */
};

struct iob_triggers {
	struct iob_trigger *v;
	size_t nr, max;
};

/* As in --help. */
#define IOB_TRIGGER_FORMS						\
	"io-latency:TIME, fsync-latency:TIME, writes:COMM:SIZE, "	\
	"psi:some|full:TIME:WINDOW[:/CGROUP/DIRECTORY]"

int iob_trigger_parse(struct iob_trigger *t, const char *text,
		      struct iob_err *err);
int iob_triggers_add(struct iob_triggers *ts, const char *text,
		     struct iob_err *err);
int iob_triggers_open(struct iob_triggers *ts, const char *root,
		      struct iob_err *err);
void iob_triggers_free(struct iob_triggers *ts);
bool iob_triggers_want_ios(const struct iob_triggers *ts);
const struct iob_trigger *iob_triggers_io(const struct iob_triggers *ts,
					  const struct iob_event_io *io);
const struct iob_trigger *iob_triggers_report(const struct iob_triggers *ts,
					      const struct iob_report *r);
const struct iob_trigger *iob_triggers_poll(struct iob_triggers *ts);

#endif /* IOBLAME_TRIGGER_H */
