/* SPDX-License-Identifier: GPL-2.0 */
/* Filtering, grouping and sorting the rows of a report. */
#ifndef IOBLAME_AGGREGATE_H
#define IOBLAME_AGGREGATE_H

#include "report.h"

/* Which rows are asked for; a list that is empty asks for all. */
struct iob_filter {
	IOB_VEC(uint32_t) devs;
	IOB_VEC(const char *) dev_names;	/* or by name, in a file */
	IOB_VEC(uint64_t) tgids;
	IOB_VEC(const char *) cgroups;	/* paths, with what is below them */
	IOB_VEC(uint64_t) cgroup_ids;
	IOB_VEC(const char *) comms;
	IOB_VEC(const char *) ops;
};

extern const char *const iob_sort_keys[];

bool iob_path_is_below(const char *path, const char *dir);
void iob_filter_free(struct iob_filter *f);
bool iob_filter_is_empty(const struct iob_filter *f);
bool iob_filter_dev(const struct iob_filter *f, uint32_t dev, const char *name);
void iob_report_filter(struct iob_report *r, const struct iob_filter *f);
size_t iob_report_drop_stacked(struct iob_report *r);
int iob_report_group(struct iob_report *r, uint32_t fields, struct iob_err *err);
void iob_report_classify(struct iob_report *r);
int iob_row_compare(const struct iob_row *a, const struct iob_row *b,
		    const char *key);
int iob_sort_check(const char *key, struct iob_err *err);
void iob_report_sort(struct iob_report *r, const char *key);
void iob_report_top(struct iob_report *r, size_t nr);

#endif /* IOBLAME_AGGREGATE_H */
