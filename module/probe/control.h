/* SPDX-License-Identifier: GPL-2.0 */
/* What debugfs may ask of the session, and nothing else of probe/. */
#ifndef IOB_PROBE_CONTROL_H
#define IOB_PROBE_CONTROL_H

#include "../core/state.h"

struct file;
struct poll_table_struct;

int iob_control_init(void);
void iob_control_exit(void);

struct iob_state *iob_control_lock(void);
struct iob_state *iob_control_state(void);
void iob_control_unlock(void);
int iob_control_enable(bool on);
int iob_control_change(int (*fn)(struct iob_limits *limits,
				 struct iob_filter *filter, void *arg),
		       void *arg);
void iob_control_limits(struct iob_limits *limits);
void iob_control_filter(struct iob_filter *filter);
bool iob_control_readahead(void);
u64 iob_control_counter(enum iob_counter which);
void iob_control_wake(void);
bool iob_control_poll(struct file *file, struct poll_table_struct *wait,
		      int *seen);

/* stack.c */
void iob_stack_verify(bool on);
bool iob_stack_verifies(void);

#endif /* IOB_PROBE_CONTROL_H */
