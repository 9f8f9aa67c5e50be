// SPDX-License-Identifier: GPL-2.0
/*
 * Control: whether tracing is on, with which limits and filter, and who may
 * look at its state meanwhile.
 */
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include "../compat/memory.h"
#include "control.h"
#include "session.h"

/*
 * Protects everything here. Held while tracing is switched on or off and while
 * a piece of a table is printed, never while probes wait for anything.
 */
static DEFINE_MUTEX(control_mutex);
static bool enabled;
static struct iob_limits limits;
static struct iob_filter filter;

/* Counters of the last session, readable after it. */
static u64 last_counters[IOB_NR_COUNTERS];

/* Readers that wait for something new; woken by the housekeeping. */
static DECLARE_WAIT_QUEUE_HEAD(waiters);

/**
 * iob_control_init() - Default limits, no filter
 *
 * Page slots may take 8 bytes a page of all memory, which is the most they can
 * ever need; the other tables together some 32 MB.
 *
 * Return: 0.
 */
int iob_control_init(void)
{
	limits = (struct iob_limits){
		.stacks = 8192,
		.acts = 65536,
		.files = 32768,
		.totals = 16384,
		.flows = 16384,
		.blocks = 65536,
		.memory_kb = max_t(u64, iob_end_pfn() >> 7, 1024),
	};
	return 0;
}

/**
 * iob_control_exit() - Tracing off
 */
void iob_control_exit(void)
{
	iob_control_enable(false);
}

/**
 * iob_control_state() - The state
 *
 * Context: iob_control_lock() held.
 * Return: the state, or NULL if tracing is disabled.
 */
struct iob_state *iob_control_state(void)
{
	return enabled ? &iob_state : NULL;
}

/**
 * iob_control_lock() - The state stays as it is until unlocked
 *
 * Context: may sleep.
 * Return: the state, or NULL if tracing is disabled.
 */
struct iob_state *iob_control_lock(void)
{
	mutex_lock(&control_mutex);
	return iob_control_state();
}

/**
 * iob_control_unlock() - End of iob_control_lock()
 */
void iob_control_unlock(void)
{
	mutex_unlock(&control_mutex);
}

static void keep_counters(void)
{
	int i;

	for (i = 0; i < IOB_NR_COUNTERS; i++)
		last_counters[i] = iob_counters_read(&iob_state.counters, i);
}

/**
 * iob_control_enable() - Enable or disable tracing
 * @on: which
 *
 * Context: may sleep.
 * Return: 0, also if nothing changes; -ENOMEM, -ENOENT.
 */
int iob_control_enable(bool on)
{
	int err = 0;

	mutex_lock(&control_mutex);
	if (on && !enabled) {
		err = iob_session_enable(&limits, &filter);
		enabled = !err;
	} else if (!on && enabled) {
		keep_counters();
		enabled = false;
		iob_session_disable();
	}
	mutex_unlock(&control_mutex);
	iob_control_wake();
	return err;
}

/**
 * iob_control_change() - Change limits and filter
 * @fn:  changes them
 * @arg: for @fn
 *
 * Context: may sleep.
 * Return: what @fn returned; -EBUSY while tracing is enabled.
 */
int iob_control_change(int (*fn)(struct iob_limits *limits,
				 struct iob_filter *filter, void *arg),
		       void *arg)
{
	int err = -EBUSY;

	mutex_lock(&control_mutex);
	if (!enabled)
		err = fn(&limits, &filter, arg);
	mutex_unlock(&control_mutex);
	return err;
}

/**
 * iob_control_limits() - Copy the limits
 * @copy: filled
 */
void iob_control_limits(struct iob_limits *copy)
{
	mutex_lock(&control_mutex);
	*copy = limits;
	mutex_unlock(&control_mutex);
}

/**
 * iob_control_filter() - Copy the filter
 * @copy: filled
 */
void iob_control_filter(struct iob_filter *copy)
{
	mutex_lock(&control_mutex);
	*copy = filter;
	mutex_unlock(&control_mutex);
}

/**
 * iob_control_readahead() - Is it wanted what becomes of what is read?
 *
 * Return: true or false.
 */
bool iob_control_readahead(void)
{
	return READ_ONCE(filter.readahead);
}

/**
 * iob_control_counter() - A counter of this session, or of the last
 * @which: the counter
 *
 * Context: iob_control_lock() held.
 * Return: its value.
 */
u64 iob_control_counter(enum iob_counter which)
{
	return enabled ? iob_counters_read(&iob_state.counters, which) :
			 last_counters[which];
}

/**
 * iob_control_wake() - Let waiting readers look again
 */
void iob_control_wake(void)
{
	wake_up_interruptible(&waiters);
}

/* Grows with everything that can be read. Context: control mutex held. */
static u64 activity(void)
{
	if (!enabled)
		return 0;
	return iob_counters_read(&iob_state.counters, IOB_CNT_IOS) +
	       iob_counters_read(&iob_state.counters, IOB_CNT_PAGES_DIRTIED) +
	       iob_counters_read(&iob_state.counters, IOB_CNT_BIOS_QUEUED);
}

/**
 * iob_control_poll() - Is there something new for this reader?
 * @file: the reader's file
 * @wait: to wait with
 * @seen: what this reader has seen, kept by the caller; zero at first
 *
 * Return: true if something happened since the last time it was said.
 */
bool iob_control_poll(struct file *file, struct poll_table_struct *wait,
		      int *seen)
{
	bool is_new;
	int now;

	poll_wait(file, &waiters, wait);
	mutex_lock(&control_mutex);
	now = activity();
	is_new = now != *seen;
	*seen = now;
	mutex_unlock(&control_mutex);
	return is_new;
}
