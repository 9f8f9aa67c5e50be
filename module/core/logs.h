/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_LOGS_H
#define IOB_CORE_LOGS_H

#include "counters.h"

#define IOB_NR_LOGS		32	/* file systems with a log of their own */
#define IOB_LOG_BUFFERS		16	/* log buffers being filled, of each */

/* What a write of a file system's metadata is. */
enum iob_log_write {
	IOB_LOG_STRANGE,	/* of no file system known here */
	IOB_LOG_HOME,		/* metadata to its home */
	IOB_LOG_LOG,		/* part of the log */
};

/**
 * struct iob_logs - file systems that log their changes in checkpoints, and
 *                   which checkpoints a log buffer holds
 * @counters: where losses are counted
 * @log:      the file systems, each under its own lock; found by @dev, which
 *            never changes once set
 *
 * A checkpoint's id (tid) is its number in the file system and which mount it
 * is of, so that a second mount, which counts anew, does not meet the first.
 *
 * Where checkpoints are not to be seen there are epochs in their place: an epoch
 * ends with the first write of metadata after somebody has joined it.
 */
struct iob_logs {
	struct iob_counters *counters;
	struct iob_log {
		raw_spinlock_t lock;
		u32 dev;
		u32 disk;		/* the log lies here, */
		u64 start;		/* from this sector */
		u64 end;		/* to this; the same: not known */
		u64 mount;
		u64 number;		/* checkpoint joined last, 0: none */
		u64 started;		/* checkpoint last begun to be written */
		bool is_mounted;
		bool is_epochs;
		bool is_joined;		/* somebody has joined this epoch */
		struct iob_log_buffer {
			u64 buffer;	/* its address, 0: free */
			u64 first;
			u64 last;
		} buffer[IOB_LOG_BUFFERS];
	} log[IOB_NR_LOGS];
};

void iob_logs_init(struct iob_logs *l, struct iob_counters *counters);

void iob_logs_know(struct iob_logs *l, u32 dev);
u64 iob_logs_join(struct iob_logs *l, u32 dev, u64 number);
u64 iob_logs_join_epoch(struct iob_logs *l, u32 dev);
void iob_logs_place(struct iob_logs *l, u32 dev, u32 disk, u64 start, u64 end);
void iob_logs_fill(struct iob_logs *l, u32 dev, u64 buffer, u64 number);
void iob_logs_unmount(struct iob_logs *l, u32 dev);

enum iob_log_write iob_logs_ask(struct iob_logs *l, u32 dev, u32 disk,
				u64 sector, u64 buffer, u32 *of, u64 *first,
				u64 *last);

#endif /* IOB_CORE_LOGS_H */
