/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the live view shows: readings of the totals in, rows out. Knows nothing
 * of terminals and reads nothing itself.
 */
#ifndef IOBLAME_TOP_MODEL_H
#define IOBLAME_TOP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "report.h"
#include "top_history.h"

/* What a row stands for; each level narrows the one before. */
#define IOB_TOP_LEVELS(X) \
	X(DEV, "devices") X(PROCESS, "processes") X(FILE, "files") \
	X(STACK, "stacks")

#define IOB_ENUM_TOP_LEVEL(name, word) IOB_TOP_##name,
enum iob_top_level { IOB_TOP_LEVELS(IOB_ENUM_TOP_LEVEL) IOB_NR_TOP_LEVELS };

/* What a row can be sorted by and shows, in the order of the columns. */
#define IOB_TOP_COLUMNS(X)				\
	X(BYTES, "bytes") X(READ, "read") X(WRITE, "write")	\
	X(IOS, "ios") X(SHARE, "share") X(DEVICE, "dev")	\
	X(COMM, "comm") X(PID, "pid") X(PATH, "file")		\
	X(FRAMES, "stack") X(REASON, "reason") X(AGE, "age")	\
	X(P99, "device") X(HISTORY, "history")

#define IOB_ENUM_TOP_COLUMN(name, word) IOB_TOP_COL_##name,
enum iob_top_column { IOB_TOP_COLUMNS(IOB_ENUM_TOP_COLUMN)
		      IOB_NR_TOP_COLUMNS };

extern const char *const iob_top_level_words[IOB_NR_TOP_LEVELS];
extern const char *const iob_top_column_words[IOB_NR_TOP_COLUMNS];

/* Of what differs within a row, the one with most bytes is named. */
enum iob_top_detail { IOB_TOP_NR_DEVS, IOB_TOP_NR_TASKS, IOB_TOP_NR_FILES,
		      IOB_TOP_NR_STACKS, IOB_TOP_NR_REASONS, IOB_NR_TOP_DETAILS };

#define IOB_TOP_FILTER_MAX 64
#define IOB_TOP_LABEL_MAX 96

struct iob_top_row {
	uint64_t key;			/* the same row in the next reading */
	struct iob_row row;		/* names, and sums as shown */
	uint64_t read_bytes, write_bytes;
	uint64_t all_bytes;		/* since the start */
	uint32_t nr[IOB_NR_TOP_DETAILS];	/* how many there are of each */
	bool active;			/* not silent for all of the history */
	uint64_t history[IOB_TOP_HISTORY];	/* oldest first */
};

/* What is chosen at one level, so that only that is shown below. */
struct iob_top_step {
	bool chosen;
	uint64_t key;
	char label[IOB_TOP_LABEL_MAX];	/* escaped */
};

struct iob_top {
	/* Of the latest reading; NULL before the first. */
	struct iob_report *now, *all;
	double seconds;			/* between the latest two */
	uint64_t nr_readings;
	struct iob_top_history history;

	enum iob_top_level level;
	struct iob_top_step path[IOB_NR_TOP_LEVELS];
	bool cumulative;
	enum iob_top_column sort;
	bool reverse;
	char filter[IOB_TOP_FILTER_MAX];

	/* Made by iob_top_update(). */
	IOB_VEC(struct iob_top_row) rows;
	uint64_t total_bytes;		/* all that could be shown */
	size_t selected;		/* index; 0 if there are no rows */
	bool pinned;			/* the user chose that row: follow it */
	uint64_t selected_key;
};

void iob_top_init(struct iob_top *t);
void iob_top_exit(struct iob_top *t);
int iob_top_take(struct iob_top *t, struct iob_report *now,
		 struct iob_report *all, double seconds, struct iob_err *err);
int iob_top_update(struct iob_top *t, struct iob_err *err);
void iob_top_select(struct iob_top *t, long index);
bool iob_top_enter(struct iob_top *t);
bool iob_top_back(struct iob_top *t);
void iob_top_next_level(struct iob_top *t);
void iob_top_sort(struct iob_top *t);
bool iob_top_is_text(enum iob_top_column c);
const struct iob_report *iob_top_report(const struct iob_top *t);
void iob_top_label(const struct iob_top *t, const struct iob_top_row *row,
		   enum iob_top_level level, char *buf, size_t size);

#endif /* IOBLAME_TOP_MODEL_H */
