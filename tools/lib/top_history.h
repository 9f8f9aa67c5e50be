/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes a second of each origin in each of the last intervals. */
#ifndef IOBLAME_TOP_HISTORY_H
#define IOBLAME_TOP_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "map.h"
#include "row.h"
#include "vec.h"

#define IOB_TOP_HISTORY 16

struct iob_top_cell {
	uint64_t key;
	uint64_t last;			/* interval in which it did anything */
	uint64_t rate[IOB_TOP_HISTORY];	/* by interval modulo */
};

struct iob_top_history {
	uint64_t interval;		/* the latest, from 1 on */
	IOB_VEC(struct iob_top_cell) cells;
	struct iob_map by_key;
};

/*
 * What an origin is known by from one reading to the next. Not what may be told
 * of it later or change: paths, the names of cgroups.
 */
#define IOB_TOP_IDENTITY						\
	(((1u << IOB_NR_ROW_FIELDS) - 1) &				\
	 ~(IOB_ROW_BIT(FILE_PATH) | IOB_ROW_BIT(FILE_MOUNT) |		\
	   IOB_ROW_BIT(FILE_FLAGS) | IOB_ROW_BIT(CGROUP)))

uint64_t iob_top_key(const struct iob_row *row, uint32_t fields);
int iob_top_history_next(struct iob_top_history *h);
int iob_top_history_add(struct iob_top_history *h, const struct iob_row *row,
			double seconds);
bool iob_top_history_get(const struct iob_top_history *h,
			 const struct iob_row *row, uint64_t *sum);
void iob_top_history_free(struct iob_top_history *h);

#endif /* IOBLAME_TOP_HISTORY_H */
