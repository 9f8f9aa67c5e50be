/* SPDX-License-Identifier: GPL-2.0 */
/* From one reading of the module's tables to the next: what happened since. */
#ifndef IOBLAME_TOP_READER_H
#define IOBLAME_TOP_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate.h"
#include "errtext.h"
#include "names.h"
#include "report.h"
#include "snapshot.h"
#include "tables.h"

struct iob_top_reader {
	struct iob_tables *base;	/* at the start; NULL: all is since then */
	struct iob_tables *before;	/* the reading before */
	uint64_t start_ns;
	unsigned int nr_resets;		/* by somebody else, meanwhile */
	/* Adds to a reading what else is known of the time since the last; or NULL */
	int (*amend)(void *arg, struct iob_tables *now, struct iob_err *err);
	void *arg;
};

int iob_top_reader_start(struct iob_top_reader *r,
			 const struct iob_snapshot *snap, bool keep_base,
			 struct iob_err *err);
int iob_top_reader_next(struct iob_top_reader *r,
			const struct iob_snapshot *snap,
			const struct iob_names *names,
			const struct iob_filter *filter,
			struct iob_report **now, struct iob_report **all,
			struct iob_err *err);
void iob_top_reader_free(struct iob_top_reader *r);

#endif /* IOBLAME_TOP_READER_H */
