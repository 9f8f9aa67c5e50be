/* SPDX-License-Identifier: GPL-2.0 */
/* Rows as a tree: task, then the functions of its stack from the outermost on. */
#ifndef IOBLAME_FLAME_H
#define IOBLAME_FLAME_H

#include "metric.h"
#include "report.h"

/* Of rows where not even why is known, and below a task without a stack. */
#define IOB_FLAME_UNKNOWN	"[unknown]"
#define IOB_FLAME_NO_STACK	"[no stack]"

/* Parents lie before their children, and siblings are in the order of names. */
struct iob_flame_node {
	const char *name;		/* printable, see iob_escape() */
	uint32_t parent, depth;
	uint64_t at;			/* the sum of all that lies left of it */
	uint64_t self, total;
	uint64_t other_self, other;	/* of the report that it is compared with */
};

struct iob_flame {
	struct iob_strings *strings;
	IOB_VEC(struct iob_flame_node) nodes;	/* the first is the root: all */
	uint32_t max_depth;
};

/* What rows have to agree in to be one path. */
#define IOB_FLAME_FIELDS (IOB_ROW_BIT(COMM) | IOB_ROW_BIT(STACK) | \
			  IOB_ROW_BIT(UNKNOWN))

int iob_flame_make(struct iob_flame *f, const struct iob_report *r,
		   const struct iob_metric *m, struct iob_err *err);
int iob_flame_compare(struct iob_flame *f, const struct iob_report *r,
		      const struct iob_report *other,
		      const struct iob_report *names,
		      const struct iob_metric *m, struct iob_err *err);
void iob_flame_free(struct iob_flame *f);
uint32_t iob_flame_path(const struct iob_flame *f, uint32_t node,
			uint32_t *path);

#endif /* IOBLAME_FLAME_H */
