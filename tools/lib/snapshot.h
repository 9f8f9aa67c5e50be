/* SPDX-License-Identifier: GPL-2.0 */
/* The text of all debugfs tables at one moment. */
#ifndef IOBLAME_SNAPSHOT_H
#define IOBLAME_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "errtext.h"

enum iob_table {
	IOB_TABLE_DEVICES,
	IOB_TABLE_TOTALS,
	IOB_TABLE_ACTS,
	IOB_TABLE_ROLES,
	IOB_TABLE_FILES,
	IOB_TABLE_STACKS,
	IOB_TABLE_HOOKS,
	IOB_TABLE_STATS,
	IOB_NR_TABLES
};

extern const char *const iob_table_names[IOB_NR_TABLES];

/* How much of a file is looked at before the rest of it is read. */
#define IOB_BLOB_BEGIN 8

/* More than any module within its limits writes; keeps garbage bounded. */
#define IOB_TABLE_MAX (256u << 20)

struct iob_snapshot {
	uint64_t time_ns;		/* CLOCK_BOOTTIME */
	struct iob_blob {
		char *p;
		size_t len;
	} text[IOB_NR_TABLES];
};

int iob_blob_read(struct iob_blob *blob, const char *path, size_t max,
		  struct iob_err *err);
int iob_blob_read_kind(struct iob_blob *blob, const char *path,
		       size_t (*max_of)(const struct iob_blob *begin),
		       struct iob_err *err);
void iob_blob_free(struct iob_blob *blob);
int iob_snapshot_read(struct iob_snapshot *snap, const char *dir,
		      struct iob_err *err);
void iob_snapshot_free(struct iob_snapshot *snap);
uint64_t iob_boot_ns(void);

#endif /* IOBLAME_SNAPSHOT_H */
