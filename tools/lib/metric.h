/* SPDX-License-Identifier: GPL-2.0 */
/* What each origin, and so each stack, has a sum of. */
#ifndef IOBLAME_METRIC_H
#define IOBLAME_METRIC_H

#include "report.h"

/* Whether the phrase for people has the operation in its middle. */
enum iob_phrase { IOB_PHRASE_PLAIN, IOB_PHRASE_OP, IOB_PHRASE_DONE };

struct iob_metric {
	const char *name;		/* as options call it */
	const char *ident;		/* the same where '-' is no letter */
	const char *unit;		/* bytes, count or nanoseconds */
	uint64_t (*of)(const struct iob_row *row);
	bool (*known)(const struct iob_report *r);	/* NULL: always */
	const char *source;		/* what has it, where not all have */
	bool from_events;		/* a recording has them, totals do not */
	enum iob_phrase phrase;
	const char *before, *after;	/* of the operation, in the phrase */
	const char *come;		/* or comes */
};

extern const struct iob_metric iob_metrics[];

const struct iob_metric *iob_metric_find(const char *name, struct iob_err *err);
bool iob_metric_known(const struct iob_metric *m, const struct iob_report *r);
int iob_metric_check(const struct iob_metric *m, const struct iob_report *r,
		     struct iob_err *err);
void iob_metric_what(const struct iob_metric *m, char *buf, size_t size,
		     const char *op);
void iob_metric_format(const struct iob_metric *m, char *buf, size_t size,
		       uint64_t value, bool exact);

#endif /* IOBLAME_METRIC_H */
