/* SPDX-License-Identifier: GPL-2.0 */
/* A report: what every writer writes and every source makes. */
#ifndef IOBLAME_REPORT_H
#define IOBLAME_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "names.h"
#include "row.h"
#include "tables.h"
#include "uapi/ioblame.h"
#include "vec.h"

/*
 * Far more than the module or any machine has. Disks are looked for one by one, so a
 * file that has a million would keep us for hours.
 */
#define IOB_REPORT_MAX_DISKS	4096
#define IOB_REPORT_MAX_OPS	1024		/* of a disk */

#define IOB_REPORT_SCHEMA "ioblame.report/1"

/* Kinds of loss, each a member of "lost". */
#define IOB_LOSSES(X)	\
	X(EVENTS, "events") X(STACKS, "stacks") X(ACTS, "acts")	\
	X(PAGES, "pages") X(FOLDS, "folds")

#define IOB_ENUM_LOSS(name, word) IOB_LOSS_##name,
enum iob_loss { IOB_LOSSES(IOB_ENUM_LOSS) IOB_NR_LOSSES };
extern const char *const iob_loss_words[IOB_NR_LOSSES];
extern const char *const iob_basis_words[IOB_NR_BASES];
extern const char *const iob_read_words[IOB_NR_READ_ENDS];

struct iob_sum {
	uint64_t bytes, ios;
};

struct iob_op_sum {
	const char *op;
	struct iob_sum sum;
};

struct iob_device {
	uint32_t dev;
	uint32_t parent;		/* the device above, or 0 */
	bool stacked;			/* its bytes reach another disk, too */
	const char *name;
	const char *alias;		/* what dm, md or loop calls it, or NULL */
	IOB_VEC(struct iob_op_sum) ops;
};

struct iob_report_stack {
	uint32_t id;
	const char *frames;		/* "func+0x1 [mod]" with ';' between */
};

struct iob_report {
	struct iob_strings *strings;
	bool owns_strings;
	const char *version, *kernel, *host;
	uint64_t start_ns, end_ns;
	IOB_VEC(struct iob_device) devices;
	IOB_VEC(struct iob_row) rows;
	IOB_VEC(struct iob_report_stack) stacks;
	IOB_VEC(struct iob_hook) hooks;
	IOB_VEC(struct iob_stat) stats;
	IOB_VEC(const char *) notes;
	IOB_VEC(const char *) answers;	/* for people, see answer.h */
	uint64_t lost[IOB_NR_LOSSES];
	struct iob_sum unattributed;
	uint64_t basis_bytes[IOB_NR_BASES];	/* stacked devices left out */
	uint64_t cancelled_bytes;
	bool tells_reads;
	uint64_t read_bytes[IOB_NR_READ_ENDS];	/* stacked devices left out */
	bool tells_times;		/* rows have the sums of times */
	struct iob_sum filtered;	/* left out by filters */
	struct iob_sum omitted;		/* left out by --top */
	uint64_t nr_omitted;
	bool has_filter;
	bool tells_written;		/* rows have what they wrote by class */
};

struct iob_report *iob_report_create(void);
struct iob_report *iob_report_create_with(struct iob_strings *strings);
void iob_report_destroy(struct iob_report *r);
int iob_report_from_tables(struct iob_report *r, struct iob_tables *t,
			   const struct iob_names *names, struct iob_err *err);
void iob_report_settle(struct iob_report *r);
int iob_report_note(struct iob_report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *iob_report_intern(struct iob_report *r, const char *text);
const char *iob_report_word(struct iob_report *r, const char *text);
const char *iob_report_frames(const struct iob_report *r, uint32_t id);
struct iob_device *iob_report_device(struct iob_report *r, uint32_t dev);
const char *iob_device_label(const struct iob_device *d);
bool iob_report_is_stacked(const struct iob_report *r, uint64_t dev);
struct iob_sum *iob_device_op_sum(struct iob_device *d, const char *op);

#endif /* IOBLAME_REPORT_H */
