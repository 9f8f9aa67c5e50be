/* SPDX-License-Identifier: GPL-2.0 */
/* Rows as a tree: a level for each key, with the sums of what is below. */
#ifndef IOBLAME_TREE_H
#define IOBLAME_TREE_H

#include "report.h"

#define IOB_MAX_LEVELS 16

/* Parents lie before their children. */
struct iob_tree_node {
	struct iob_row row;
	size_t parent_1;		/* node + 1; 0: none */
	unsigned int level;
	bool shown;
};

struct iob_tree {
	IOB_VEC(struct iob_tree_node) nodes;
	uint64_t nr_omitted;		/* rows that are only in the sums above them */
	struct iob_sum omitted;
};

int iob_tree_make(struct iob_tree *t, const struct iob_report *r,
		  const struct iob_key *const *keys, size_t nr_keys,
		  const char *sort, size_t top);
void iob_tree_free(struct iob_tree *t);

#endif /* IOBLAME_TREE_H */
