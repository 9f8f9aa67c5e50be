// SPDX-License-Identifier: GPL-2.0
/*
 * A tracing session: memory first, then hooks; hooks off first, then memory.
 * The housekeeping between sweeps what nothing refers to any more.
 */
#include <linux/mm.h>
#include <linux/workqueue.h>

#include "../compat/memory.h"
#include "../core/sweep.h"
#include "../hook/memo.h"
#include "../hook/percpu.h"
#include "control.h"
#include "probe.h"

/* Look at the tables every so often; sweep when due or after so many looks. */
#define IOB_LOOK_INTERVAL	(2 * HZ)
#define IOB_LOOKS_PER_SWEEP	30

struct iob_state iob_state;

DEFINE_PER_CPU(struct iob_scratch *[IOB_CONTEXT_LEVELS - 1], iob_scratches);

static void scratch_exit(void)
{
	int level;

	for (level = 0; level < IOB_CONTEXT_LEVELS - 1; level++)
		iob_percpu_free((void *__percpu *)&iob_scratches[level]);
}

static int scratch_init(void)
{
	int level, err = 0;

	for (level = 0; !err && level < IOB_CONTEXT_LEVELS - 1; level++)
		err = iob_percpu_alloc((void *__percpu *)&iob_scratches[level],
				       1, sizeof(struct iob_scratch));
	if (err)
		scratch_exit();
	return err;
}

/* Each context of each processor adds up by itself. */
static void share_tallies(void)
{
	struct iob_scratch *scratch;
	int cpu, level;

	for_each_possible_cpu(cpu) {
		for (level = 0; level < IOB_CONTEXT_LEVELS - 1; level++) {
			scratch = per_cpu(iob_scratches[level], cpu);
			scratch->io.tallies = &scratch->tallies;
			iob_tallies_join(&iob_state.totals, &scratch->tallies);
		}
	}
}

static void wait_for_probes(void)
{
	/* a probe is an RCU read section, see iob_enter() */
	synchronize_rcu();
}

static void relax(void)
{
	cond_resched();
}

static const struct iob_sweep_ops sweep_ops = {
	.wait = wait_for_probes,
	.relax = relax,
};

/* Its own, and not bound to a CPU: a sweep walks much memory. */
static struct workqueue_struct *housekeeper;

static void housekeep(struct work_struct *work);
static DECLARE_DELAYED_WORK(housekeeping, housekeep);

static void housekeep(struct work_struct *work)
{
	static int looks;

	if (iob_sweep_is_due(&iob_state) || ++looks >= IOB_LOOKS_PER_SWEEP) {
		looks = 0;
		iob_sweep(&iob_state, &sweep_ops);
	}
	iob_control_wake();
	queue_delayed_work(housekeeper, &housekeeping, IOB_LOOK_INTERVAL);
}

/**
 * iob_session_enable() - Start from zero
 * @limits: how much of everything
 * @filter: what is wanted
 *
 * Context: may sleep; disabled; one caller at a time (control.c).
 * Return: 0, -ENOMEM, -ENOENT.
 */
int iob_session_enable(const struct iob_limits *limits,
		       const struct iob_filter *filter)
{
	int err;

	err = scratch_init();
	if (err)
		return err;
	err = iob_path_init();
	if (err)
		goto free_scratch;
	err = iob_memos_init();
	if (err)
		goto free_paths;
	err = iob_state_init(&iob_state, limits, filter, iob_end_pfn());
	if (err)
		goto free_memos;
	share_tallies();
	iob_hooks_want(&iob_used_hooks, filter->readahead);
	err = iob_hooks_attach();
	if (err)
		goto free_state;
	queue_delayed_work(housekeeper, &housekeeping, IOB_LOOK_INTERVAL);
	return 0;

free_state:
	iob_state_exit(&iob_state);
free_memos:
	iob_memos_exit();
free_paths:
	iob_path_exit();
free_scratch:
	scratch_exit();
	return err;
}

/**
 * iob_session_disable() - Stop, and forget everything
 *
 * Context: may sleep; enabled; one caller at a time (control.c).
 */
void iob_session_disable(void)
{
	cancel_delayed_work_sync(&housekeeping);
	iob_hooks_detach();
	iob_state_exit(&iob_state);
	iob_memos_exit();
	iob_path_exit();
	scratch_exit();
}

/* In the order of attaching: sinks before sources. */
static const struct iob_hook_table *const hook_tables[] = {
	&iob_used_hooks,
	&iob_request_hooks,
	&iob_bio_hooks,
	&iob_writeback_hooks,
	&iob_task_hooks,
	&iob_file_hooks,
	&iob_direct_hooks,
	&iob_loan_hooks,
	&iob_crypto_hooks,
	&iob_mapper_hooks,
	&iob_stripe_hooks,
	&iob_work_hooks,
	&iob_jbd2_hooks,
	&iob_f2fs_hooks,
	&iob_inode_hooks,
	&iob_xfs_hooks,
	&iob_part_hooks,
	&iob_page_addresses,
	&iob_page_hooks,
	&iob_buffer_hooks,
	&iob_zram_hooks,
	&iob_bcache_hooks,
};

/**
 * iob_session_init() - Find the hooks
 *
 * Context: may sleep.
 * Return: 0, -ENOENT, -ENOMEM.
 */
int iob_session_init(void)
{
	int err;

	static_assert(sizeof(struct iob_scratch) <= 16384);
	housekeeper = alloc_workqueue(KBUILD_MODNAME, WQ_UNBOUND, 1);
	if (!housekeeper)
		return -ENOMEM;
	err = iob_hooks_init(hook_tables, ARRAY_SIZE(hook_tables));
	if (err)
		destroy_workqueue(housekeeper);
	return err;
}

/**
 * iob_session_exit() - Forget the hooks; disabled
 */
void iob_session_exit(void)
{
	iob_hooks_exit();
	destroy_workqueue(housekeeper);
}
