/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The long-term store: what each origin did in each second, later in each
 * minute and then in each hour, in one SQLite file of a bounded size.
 *
 * Times are seconds of the clock on the wall. One writes, others may read.
 */
#ifndef IOBLAME_STORE_H
#define IOBLAME_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errtext.h"
#include "report.h"

#define IOB_STORE_SCHEMA	1
#define IOB_STORE_MIN_BYTES	(1u << 20)
#define IOB_STORE_PATH		"/var/lib/ioblame/store.db"

enum iob_store_level { IOB_STORE_SECONDS, IOB_STORE_MINUTES, IOB_STORE_HOURS,
		       IOB_NR_STORE_LEVELS };

struct iob_store_limits {
	uint64_t max_bytes;		/* of the file and its journal */
	uint32_t keep_s[2];		/* how long seconds, and minutes, are kept */
	bool pushes;			/* what is added has to be sent, too */
};

/* What of a row is kept; a stack is kept by its text. */
#define IOB_STORE_FIELDS						\
	(IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) | IOB_ROW_BIT(COMM) |	\
	 IOB_ROW_BIT(PID) | IOB_ROW_BIT(CGROUP_ID) | IOB_ROW_BIT(CGROUP) | \
	 IOB_ROW_BIT(FILE_DEV) | IOB_ROW_BIT(FILE_INO) |		\
	 IOB_ROW_BIT(FILE_GEN) | IOB_ROW_BIT(FILE_PATH) |		\
	 IOB_ROW_BIT(FILE_MOUNT) | IOB_ROW_BIT(FILE_FLAGS) |		\
	 IOB_ROW_BIT(KIND) | IOB_ROW_BIT(REASON) | IOB_ROW_BIT(BASIS) |	\
	 IOB_ROW_BIT(STACK) | IOB_ROW_BIT(UNKNOWN))

/* What is left of it when an hour has to become smaller. */
#define IOB_STORE_COARSE						\
	(IOB_ROW_BIT(DEV) | IOB_ROW_BIT(OP) | IOB_ROW_BIT(COMM) |	\
	 IOB_ROW_BIT(KIND) | IOB_ROW_BIT(REASON) | IOB_ROW_BIT(BASIS) |	\
	 IOB_ROW_BIT(UNKNOWN))

struct iob_store_stats {
	uint64_t file_bytes;		/* with the journal */
	uint64_t coarse_rows;		/* gave up who exactly and which file */
	uint64_t removed_rows, removed_bytes;	/* gone, and what they said */
	uint64_t outbox_bytes, outbox_profiles;	/* wait to be sent */
	uint64_t dropped_profiles, dropped_bytes;	/* had no room to wait */
	uint64_t visited;		/* rows looked at by the last question */
};

struct iob_store;

int iob_store_open(struct iob_store **s, const char *path,
		   const struct iob_store_limits *limits, struct iob_err *err);
int iob_store_open_reader(struct iob_store **s, const char *path,
			  struct iob_err *err);
void iob_store_close(struct iob_store *s);
uint64_t iob_store_id(struct iob_store *s);
int iob_store_add(struct iob_store *s, struct iob_report *r, uint64_t now_s,
		  struct iob_err *err);
int iob_store_query(struct iob_store *s, uint64_t since_s, uint64_t until_s,
		    struct iob_report *r, struct iob_err *err);
int iob_store_stats(struct iob_store *s, struct iob_store_stats *stats,
		    struct iob_err *err);

#endif /* IOBLAME_STORE_H */
