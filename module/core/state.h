/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_STATE_H
#define IOB_CORE_STATE_H

#include "blocks.h"
#include "counters.h"
#include "devices.h"
#include "filter.h"
#include "flows.h"
#include "hints.h"
#include "joins.h"
#include "keeps.h"
#include "loans.h"
#include "logs.h"
#include "marks.h"
#include "objects.h"
#include "pages.h"
#include "spans.h"
#include "tally.h"

/**
 * struct iob_limits - most of everything; what a user may set
 */
struct iob_limits {
	u32 stacks;
	u32 acts;
	u32 files;
	u32 totals;
	u32 flows;
	u32 blocks;
	u64 memory_kb;
};

/**
 * struct iob_state - all that one tracing session remembers
 *
 * Made before the first probe is attached and freed after the last has ended;
 * in between every part looks after its own locking.
 */
struct iob_state {
	struct iob_counters counters;
	struct iob_objects objects;
	struct iob_pages pages;
	struct iob_blocks blocks;
	struct iob_keeps keeps;
	struct iob_joins joins;
	struct iob_logs logs;
	struct iob_flows flows;
	struct iob_marks marks;
	struct iob_totals totals;
	struct iob_devices devices;
	struct iob_filter filter;
	struct iob_family family;
	struct iob_marks commits;	/* transaction a task writes out */
	struct iob_hints hints;		/* file a task does direct IO to */
	struct iob_loans loans;		/* whose bytes a worker writes */
	struct iob_hints batches;	/* how many a worker has compressed */
	struct iob_hints works;		/* file a worker works for */
	struct iob_hints inodes;	/* file whose inode a task changes */
	struct iob_hints joiners;	/* act a task commits as */
	struct iob_hints parts;		/* folio a task dirties part of */
	struct iob_spans reads;		/* what a task reads, if that is told of */
	struct iob_hints kept;		/* act, or disk, of what a task takes out of zram */
};

int iob_state_init(struct iob_state *s, const struct iob_limits *limits,
		   const struct iob_filter *filter, u64 max_pfn);
void iob_state_exit(struct iob_state *s);
void iob_state_reset(struct iob_state *s);
u64 iob_state_table_bytes(const struct iob_state *s);

#endif /* IOB_CORE_STATE_H */
