/* SPDX-License-Identifier: GPL-2.0 */
/* The module's tables as structs: who, what, by which path, and how much. */
#ifndef IOBLAME_TABLES_H
#define IOBLAME_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "hist.h"
#include "intern.h"
#include "map.h"
#include "uapi/ioblame.h"
#include "vec.h"

enum iob_time { IOB_TIME_AGE, IOB_TIME_QUEUE, IOB_TIME_DEVICE, IOB_NR_TIMES };

/* All strings are interned in iob_tables.strings; NULL is an empty name. */
struct iob_stack {
	uint32_t id;
	const char *frames;		/* innermost first, ';' between */
};

struct iob_role {
	uint32_t id, pid, tgid;
	uint64_t start_ns, cgroup_id;
	const char *flags, *cgroup, *comm;
};

struct iob_file {
	uint32_t id, dev;
	uint64_t ino, gen;
	const char *flags, *fstype, *path;
};

struct iob_act {
	uint32_t id, role, stack, file;
	const char *kind;
	const char *reserved;		/* its word, if it is nobody's */
};

struct iob_total {
	uint32_t act, issuer, dev;
	const char *op, *reason, *basis;
	uint64_t ios, bytes, cancelled;
	bool tells_reads;		/* else nobody asked what became of them */
	uint64_t read[IOB_NR_READ_ENDS];
	uint64_t sum_ns[IOB_NR_TIMES];	/* of queue and device, see iob_tables.tells_times */
	uint64_t max[IOB_NR_TIMES];
	struct iob_hist hist[IOB_NR_TIMES];
};

struct iob_device_op {
	uint32_t dev;
	const char *name, *op;
	uint64_t ios, bytes, folded_ios, folded_bytes;
};

struct iob_hook {
	const char *name, *type, *need, *state, *effect;
	uint64_t hits;
};

struct iob_stat {
	const char *name;
	uint64_t value;
};

struct iob_tables {
	struct iob_strings *strings;
	uint64_t time_ns;
	bool tells_times;		/* the sums of times are known */
	uint64_t nr_bad_lines;		/* not understood, left out */
	IOB_VEC(struct iob_stack) stacks;
	IOB_VEC(struct iob_role) roles;
	IOB_VEC(struct iob_file) files;
	IOB_VEC(struct iob_act) acts;
	IOB_VEC(struct iob_total) totals;
	IOB_VEC(struct iob_device_op) devices;
	IOB_VEC(struct iob_hook) hooks;
	IOB_VEC(struct iob_stat) stats;
	struct iob_map stack_by_id, role_by_id, file_by_id, act_by_id;
};

struct iob_tables *iob_tables_create(void);
void iob_tables_destroy(struct iob_tables *t);
const char *iob_tables_name(struct iob_tables *t, struct iob_field f);
const char *iob_tables_word(struct iob_tables *t, struct iob_field f);

/*
 * An object by its id; NULL if it is not there. With @add it is made, holding
 * nothing but the id; NULL without memory then. The pointer is good until the
 * next object of its kind is made.
 */
struct iob_stack *iob_tables_stack(struct iob_tables *t, uint32_t id, bool add);
struct iob_role *iob_tables_role(struct iob_tables *t, uint32_t id, bool add);
struct iob_file *iob_tables_file(struct iob_tables *t, uint32_t id, bool add);
struct iob_act *iob_tables_act(struct iob_tables *t, uint32_t id, bool add);
const char *iob_tables_device(const struct iob_tables *t, uint32_t dev);
uint64_t iob_tables_stat(const struct iob_tables *t, const char *name);
bool iob_hook_is_missing(const struct iob_hook *h);
void iob_tables_subtract(struct iob_tables *later, struct iob_tables *earlier);

#endif /* IOBLAME_TABLES_H */
