/* SPDX-License-Identifier: GPL-2.0 */
/* Two reports side by side: what is more, what is less, what is new or gone. */
#ifndef IOBLAME_DIFF_H
#define IOBLAME_DIFF_H

#include "metric.h"
#include "report.h"
#include "writer.h"

#define IOB_DIFF_SCHEMA "ioblame.diff/1"

/* What the values of two sides are compared as. */
#define IOB_SCALES(X) X(TOTAL, "total") X(SECOND, "second") X(SHARE, "share")

#define IOB_ENUM_SCALE(name, word) IOB_SCALE_##name,
enum iob_scale { IOB_SCALES(IOB_ENUM_SCALE) IOB_NR_SCALES };
extern const char *const iob_scale_words[IOB_NR_SCALES];

enum iob_side { IOB_SIDE_A, IOB_SIDE_B, IOB_NR_SIDES };

/* What is only in B is new, what is only in A is gone. */
#define IOB_CHANGES(X)	\
	X(SAME, "same") X(MORE, "more") X(LESS, "less") X(NEW, "new") X(GONE, "gone")

#define IOB_ENUM_CHANGE(name, word) IOB_CHANGE_##name,
enum iob_change_word { IOB_CHANGES(IOB_ENUM_CHANGE) IOB_NR_CHANGES };
extern const char *const iob_change_words[IOB_NR_CHANGES];

struct iob_change {
	struct iob_row row;		/* who: no sums, no histograms */
	uint64_t value[IOB_NR_SIDES];	/* of the metric */
};

#define IOB_DIFF_NO_DEV 0xfff00000u	/* from here on: no number that A knows */

struct iob_changes {
	IOB_VEC(struct iob_change) v;
};

struct iob_diff {
	const struct iob_metric *metric;
	enum iob_scale scale;
	struct iob_strings *strings;
	const char *path[IOB_NR_SIDES];
	struct iob_report *side[IOB_NR_SIDES];
	/* Disks and stacks of both sides: what numbers in rows mean. */
	struct iob_report *both;
	uint64_t all[IOB_NR_SIDES];	/* of the metric, what the shares are of */
	struct iob_changes changes;	/* by the keys, the greatest first */
	uint64_t nr_same, nr_omitted;
	double omitted;			/* scaled, the sizes of the changes */
};

struct iob_diff *iob_diff_create(const struct iob_metric *metric,
				 enum iob_scale scale);
void iob_diff_destroy(struct iob_diff *d);
int iob_diff_match(struct iob_diff *d, struct iob_err *err);
int iob_diff_group(const struct iob_diff *d, uint32_t fields,
		   struct iob_changes *changes, struct iob_err *err);
uint32_t iob_diff_fields(uint32_t by);
void iob_diff_top(struct iob_diff *d, size_t nr);
double iob_diff_scaled(const struct iob_diff *d, enum iob_scale scale,
		       uint64_t value, enum iob_side side);
double iob_diff_change(const struct iob_diff *d, enum iob_scale scale,
		       const struct iob_change *c);
enum iob_change_word iob_diff_word(const struct iob_diff *d,
				   const struct iob_change *c);
bool iob_diff_is_equal(const struct iob_diff *d);
void iob_diff_format(const struct iob_diff *d, char *buf, size_t size,
		     double value, bool exact);
int iob_diff_answer(const struct iob_diff *d,
		    const struct iob_write_options *o, struct iob_err *err);
char *iob_diff_text(const struct iob_diff *d);

#endif /* IOBLAME_DIFF_H */
