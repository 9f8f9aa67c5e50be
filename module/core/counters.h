/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_COUNTERS_H
#define IOB_CORE_COUNTERS_H

#include "base.h"

/* Everything that is counted and shown in "stats"; losses first. */
#define IOB_COUNTERS(X)							\
	X(LOST_STACKS,		"lost_stacks")				\
	X(LOST_ROLES,		"lost_roles")				\
	X(LOST_FILES,		"lost_files")				\
	X(LOST_ACTS,		"lost_acts")				\
	X(LOST_PAGES,		"lost_pages")				\
	X(LOST_ASIDE,		"lost_aside")				\
	X(LOST_FLOWS,		"lost_flows")				\
	X(LOST_STALE,		"lost_stale")				\
	X(LOST_MARKS,		"lost_marks")				\
	X(LOST_DEVICES,		"lost_devices")				\
	X(LOST_BLOCKS,		"lost_blocks")				\
	X(LOST_JOINS,		"lost_joins")				\
	X(FOLDS,		"folds")				\
	X(FOLDED_ACTS,		"folded_acts")				\
	X(FOLDED_JOINERS,	"folded_joiners")			\
	X(OLD_BLOCKS,		"old_blocks")				\
	X(OLD_KEEPS,		"old_keeps")				\
	X(UNTRACKED_BIOS,	"untracked_bios")			\
	X(PAGES_DIRTIED,	"pages_dirtied")			\
	X(PAGES_REDIRTIED,	"pages_redirtied")			\
	X(PAGES_CANCELLED,	"pages_cancelled")			\
	X(PAGES_WRITEBACK,	"pages_writeback")			\
	X(PAGES_PREEXISTING,	"pages_preexisting")			\
	X(PAGES_FOREIGN,	"pages_foreign")			\
	X(BLOCKS_DIRTIED,	"blocks_dirtied")			\
	X(BLOCKS_WRITTEN,	"blocks_written")			\
	X(BLOCKS_UNKNOWN,	"blocks_unknown")			\
	X(JOINS,		"joins")				\
	X(BIOS_QUEUED,		"bios_queued")				\
	X(BIOS_SPLIT,		"bios_split")				\
	X(IOS,			"ios")					\
	X(STACKS_KNOWN,		"stacks_known")				\
	X(STACKS_WALKED,	"stacks_walked")			\
	X(STACKS_UNWOUND,	"stacks_unwound")			\
	X(STACKS_WRONG,		"stacks_wrong")				\
	X(SWEEPS,		"sweeps")				\
	X(SWEPT,		"swept")

#define IOB_ENUM_COUNTER(name, word)	IOB_CNT_##name,
enum iob_counter { IOB_COUNTERS(IOB_ENUM_COUNTER) IOB_NR_COUNTERS };

struct iob_counter_array {
	u64 value[IOB_NR_COUNTERS];
};

/**
 * struct iob_counters - counters of one tracing session
 * @cpu: one array a CPU, so that counting shares no cache line
 */
struct iob_counters {
	struct iob_counter_array __percpu *cpu;
};

int iob_counters_init(struct iob_counters *c);
void iob_counters_exit(struct iob_counters *c);

u64 iob_counters_read(const struct iob_counters *c, enum iob_counter which);
void iob_counters_reset(struct iob_counters *c);
const char *iob_counters_word(enum iob_counter which);

/* Context: any but NMI. */
static inline void iob_count(struct iob_counters *c, enum iob_counter which,
			     u64 n)
{
	this_cpu_add(c->cpu->value[which], n);
}

#endif /* IOB_CORE_COUNTERS_H */
