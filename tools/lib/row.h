/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One row of a report: fields that say who, what and why, and sums.
 *
 * Fields are numbers or interned strings; a field that is not known has its
 * bit in @known clear and its value 0.
 */
#ifndef IOBLAME_ROW_H
#define IOBLAME_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "hist.h"
#include "tables.h"

/* name, is it text */
#define IOB_ROW_FIELDS(X)			\
	X(DEV,		false)			\
	X(OP,		true)			\
	X(COMM,		true)			\
	X(PID,		false)			\
	X(TID,		false)			\
	X(START,	false)			\
	X(CGROUP_ID,	false)			\
	X(CGROUP,	true)			\
	X(FILE_DEV,	false)			\
	X(FILE_INO,	false)			\
	X(FILE_GEN,	false)			\
	X(FILE_PATH,	true)			\
	X(FILE_MOUNT,	true)			\
	X(FILE_FLAGS,	true)			\
	X(KIND,		true)			\
	X(REASON,	true)			\
	X(BASIS,	true)			\
	X(STACK,	false)			\
	X(ISSUER,	true)			\
	X(ISSUER_PID,	false)			\
	X(UNKNOWN,	true)			\
	X(CONTAINER,	true)

#define IOB_ENUM_ROW(name, is_text) IOB_ROW_##name,
enum iob_row_field { IOB_ROW_FIELDS(IOB_ENUM_ROW) IOB_NR_ROW_FIELDS };

/* What became of the bytes that were written: what they hold. */
#define IOB_WRITTEN(X)	\
	X(DATA, "data") X(METADATA, "metadata") X(JOURNAL, "journal") X(OTHER, "other")

#define IOB_ENUM_WRITTEN(name, word) IOB_WRITTEN_##name,
enum iob_written { IOB_WRITTEN(IOB_ENUM_WRITTEN) IOB_NR_WRITTEN };
extern const char *const iob_written_words[IOB_NR_WRITTEN];

#define IOB_ROW_BIT(name) (1u << IOB_ROW_##name)

struct iob_row {
	uint32_t known;
	uint32_t mixed;			/* grouped from rows that differ here */
	uint64_t v[IOB_NR_ROW_FIELDS];
	uint64_t ios, bytes, cancelled;
	uint64_t written[IOB_NR_WRITTEN];	/* see iob_report.tells_written */
	bool tells_reads;		/* else nobody asked what became of them */
	uint64_t read[IOB_NR_READ_ENDS];
	uint64_t sum_ns[IOB_NR_TIMES];	/* of queue and device, see iob_report.tells_times */
	uint64_t max[IOB_NR_TIMES];
	struct iob_hist hist[IOB_NR_TIMES];
};

/* What can be grouped and sorted by, and the columns that show it. */
struct iob_key {
	const char *name;
	uint32_t fields;		/* must agree */
	uint32_t shown;			/* and come along */
};

extern const struct iob_key iob_keys[];

uint64_t iob_row_dirtied(const struct iob_row *r);
double iob_row_amplification(const struct iob_row *r);
enum iob_written iob_row_written(const struct iob_row *r);
const char *iob_row_text(const struct iob_row *r, enum iob_row_field f);
void iob_row_set(struct iob_row *r, enum iob_row_field f, uint64_t value);
void iob_row_set_text(struct iob_row *r, enum iob_row_field f, const char *text);
bool iob_row_field_is_text(enum iob_row_field f);
void iob_row_free(struct iob_row *r);
int iob_row_merge(struct iob_row *to, const struct iob_row *from);
const struct iob_key *iob_key_find(const char *name);
const char *iob_nearest(const char *word, const char *const *words, size_t nr);
int iob_unknown(struct iob_err *err, const char *what, const char *word,
		const char *const *words, size_t nr, const char *advice);
size_t iob_keys_list(const char *list, const struct iob_key **keys, size_t max);
int iob_keys_parse(const char *list, uint32_t *fields, struct iob_err *err);

#endif /* IOBLAME_ROW_H */
