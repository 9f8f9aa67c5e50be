// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks: by which call path. What a path says about the reason of an IO is
 * worked out from its symbols once, when it is new.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/stacktrace.h>

#include "../hook/memo.h"
#include "../out/events.h"
#include "control.h"
#include "probe.h"

/*
 * Which functions tell why a task itself makes IO. The first rule that finds
 * one of its functions anywhere on the path decides: an unmount syncs, and a
 * sync may fsync. Several names a rule, for any of them may be inlined or have
 * left the path by a tail call.
 */
static const struct reason_rule {
	enum iob_reason reason;
	const char *functions[16];
} reason_rules[] = {
	{ IOB_REASON_UNMOUNT, {
		"generic_shutdown_super", "deactivate_locked_super",
		"deactivate_super", "cleanup_mnt",
	} },
	{ IOB_REASON_RECLAIM, {
		"shrink_folio_list", "shrink_page_list", "shrink_lruvec",
		"shrink_node", "evict_folios",
	} },
	{ IOB_REASON_SYNC, {
		"ksys_sync", "__x64_sys_sync", "__do_sys_sync",
		"__x64_sys_syncfs", "__do_sys_syncfs", "sync_filesystem",
		"sync_inodes_sb", "iterate_bdevs", "sync_bdevs",
	} },
	{ IOB_REASON_FSYNC, {
		"file_write_and_wait_range", "vfs_fsync_range", "vfs_fsync",
		"do_fsync", "__x64_sys_fsync", "__x64_sys_fdatasync",
		"__do_sys_msync", "__x64_sys_msync", "sync_file_range",
		"ksys_sync_file_range", "ext4_sync_file", "xfs_file_fsync",
		"btrfs_sync_file", "f2fs_sync_file", "f2fs_do_sync_file",
		"generic_write_sync",
	} },
};

/* Which functions on a path give it which trait. */
static const struct trait_rule {
	enum iob_trait trait;
	const char *functions[8];
} trait_rules[] = {
	/* write(2) to a block device's own file */
	{ IOB_TRAIT_RAW, { "blkdev_write_iter", "blkdev_buffered_write" } },
	/* direct IO to a file, see direct.c */
	{ IOB_TRAIT_DIRECT, { "__iomap_dio_rw" } },
	/* write through the page cache, see loan.c */
	{ IOB_TRAIT_WRITE, {
		"generic_perform_write", "iomap_file_buffered_write",
	} },
	/* what a worker does for one file at a time, see work.c */
	{ IOB_TRAIT_WORK, {
		"__writeback_single_inode", "writeback_single_inode",
		"writeback_sb_inodes", "ext4_convert_unwritten_extents",
		"ext4_end_io_rsv_work", "btrfs_finish_ordered_io",
		"btrfs_finish_one_ordered",
	} },
	{ IOB_TRAIT_WORK, {
		"xfs_end_io", "xfs_end_ioend", "xfs_inactive",
		"xfs_inodegc_worker", "xfs_inodegc_inactivate",
		"xfs_blockgc_worker", "ext4_dio_write_end_io",
		"xfs_dio_write_end_io",
	} },
	/* what a worker makes of a piece of a file, see batch.c */
	{ IOB_TRAIT_COMPRESS, {
		"submit_one_async_extent", "submit_compressed_extents",
		"async_cow_submit",
	} },
	/* done by one for all who have changed something */
	{ IOB_TRAIT_COMMIT, {
		"btrfs_commit_transaction", "f2fs_write_checkpoint",
	} },
	/* kernel threads that act on their own account */
	{ IOB_TRAIT_OWN, {
		"cleaner_kthread", "btrfs_clean_one_deleted_snapshot",
		"btrfs_reclaim_bgs_work", "btrfs_qgroup_rescan_worker",
		"balance_kthread", "ext4_lazyinit_thread", "gc_thread_func",
		"issue_discard_thread",
	} },
	/* what a device does beside what it is asked for */
	{ IOB_TRAIT_SUPER, {
		"md_super_write", "md_update_sb", "md_bitmap_unplug",
		"md_bitmap_update_sb", "md_bitmap_daemon_work", "write_sb_page",
	} },
	{ IOB_TRAIT_SUPER, {
		"persistent_commit_exception", "persistent_prepare_merge",
		"do_metadata", "dm_bufio_write_dirty_buffers",
		"__write_dirty_buffer", "__flush_write_list",
	} },
	{ IOB_TRAIT_SUPER, {
		"journal_write_unlocked", "__bch_btree_node_write",
		"bch_prio_write", "__uuid_write", "bch_write_bdev_super",
		"bcache_write_super",
	} },
	{ IOB_TRAIT_RESYNC, { "md_do_sync", "raid1d", "raid10d" } },
	{ IOB_TRAIT_COPY, {
		"run_io_job", "writeback_store", "zram_writeback_slots",
		"write_dirty", "read_dirty_submit", "cached_dev_read_done",
		"read_moving_submit", "write_moving",
	} },
	/* times, sizes, attributes: a change of an inode, see inode.c */
	{ IOB_TRAIT_INODE, {
		"__ext4_mark_inode_dirty", "ext4_mark_iloc_dirty",
		"ext4_dirty_inode",
	} },
};

static bool is_one_of(const char *symbol, const char * const *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && names[i]; i++)
		if (!strcmp(symbol, names[i]))
			return true;
	return false;
}

/* What one frame's symbol says: the first reason rule that names it, and traits. */
struct verdict {
	u8 rule;
	u16 traits;
};

static_assert(ARRAY_SIZE(reason_rules) < 8);
static_assert(IOB_NR_TRAITS <= 12);

static struct verdict judge_symbol(char *symbol, unsigned long ip)
{
	struct verdict v = { .rule = ARRAY_SIZE(reason_rules) };
	size_t rule;
	char *end;

	/* return addresses: the call is before them */
	sprint_symbol_no_offset(symbol, ip - 1);
	/* cut " [module]" and suffixes such as ".isra.0" */
	end = strpbrk(symbol, " .");
	if (end)
		*end = '\0';
	for (rule = 0; rule < v.rule; rule++)
		if (is_one_of(symbol, reason_rules[rule].functions,
			      ARRAY_SIZE(reason_rules[0].functions)))
			v.rule = rule;
	for (rule = 0; rule < ARRAY_SIZE(trait_rules); rule++)
		if (is_one_of(symbol, trait_rules[rule].functions,
			      ARRAY_SIZE(trait_rules[0].functions)))
			v.traits |= BIT(trait_rules[rule].trait);
	return v;
}

/*
 * Verdicts by address, for to find a symbol takes long: the low 48 bits of the
 * address, then rule and traits, in one word. No address is 0.
 */
static u64 judged[4096];
static u32 judged_era;

static struct verdict judge_frame(char *symbol, unsigned long ip)
{
	u64 *word = &judged[(ip ^ ip >> 12) % ARRAY_SIZE(judged)];
	u64 known = READ_ONCE(*word);
	struct verdict v = { .rule = known >> 12 & 7, .traits = known & 0xfff };

	if (known >> 16 == (u64)ip << 16 >> 16)
		return v;
	v = judge_symbol(symbol, ip);
	WRITE_ONCE(*word, (u64)ip << 16 | v.rule << 12 | v.traits);
	return v;
}

/* Fill in what the symbols of a new stack say. */
static void judge(struct iob_scratch *scratch, struct iob_stack *stack)
{
	u32 era = READ_ONCE(iob_path_era), i;
	size_t best = ARRAY_SIZE(reason_rules);
	struct verdict v;

	/* what a module has left is only written by who runs in it */
	if (READ_ONCE(judged_era) != era) {
		memset(judged, 0, sizeof(judged));
		WRITE_ONCE(judged_era, era);
	}
	stack->traits = 0;
	for (i = 0; i < stack->nr; i++) {
		v = judge_frame(scratch->symbol, stack->ip[i]);
		best = min_t(size_t, best, v.rule);
		stack->traits |= v.traits;
	}
	stack->reason = best < ARRAY_SIZE(reason_rules) ?
			reason_rules[best].reason : IOB_REASON_NONE;
}

/* Between a traced function and our probe there may be a trampoline of ftrace. */
#define MAX_OWN_FRAMES	8

/* How many frames are our own, or those of what called us from the traced code. */
static u32 own_frames(const struct iob_hook *hook, const unsigned long *frames,
		      u32 nr)
{
	unsigned long iterator = hook->tp ? (unsigned long)hook->tp->iterator :
					    0;
	u32 i = 0, k;

	while (i < nr && within_module(frames[i], THIS_MODULE))
		i++;
	if (hook->type == IOB_HOOK_FTRACE) {
		/* it returns to just behind the function's entry */
		for (k = i; k < nr && k < MAX_OWN_FRAMES; k++)
			if (frames[k] - READ_ONCE(hook->ip) < IOB_ENTRY_SLACK)
				return k;
		return i;
	}
	/* __traceiter_*() is there if the tracepoint has other users too */
	if (i < nr && iterator && frames[i] - iterator < 256)
		i++;
	return i;
}

/* Make an id of the path that has been walked. */
static u32 intern(struct iob_scratch *scratch, struct iob_hook *hook,
		  struct iob_stack **stack)
{
	struct iob_stack *key = &scratch->stack;
	const struct iob_path *path = &scratch->path;
	struct iob_memo_value value = {
		.epoch = iob_objects_epoch(&iob_state.objects),
	};
	u32 i, id, own = own_frames(hook, path->ip, path->nr);
	bool fresh = false;

	key->nr = min_t(u32, path->nr - own, IOB_STACK_DEPTH);
	for (i = 0; i < key->nr; i++)
		key->ip[i] = path->ip[own + i];
	id = iob_objects_find_stack(&iob_state.objects, key);
	if (!id) {
		judge(scratch, key);
		id = iob_objects_stack(&iob_state.objects, key, &fresh);
	}
	*stack = iob_intern_lookup(&iob_state.objects.stacks, id);
	if (fresh && *stack)
		iob_event_stack(id, *stack);
	if (*stack) {
		value.id = id;
		value.object = *stack;
		iob_memo_set(hook, path, own, own + key->nr, &value);
	}
	return id;
}

/* For tests: the kernel's unwinder is asked every time, and has the last word. */
static bool verifying;

/**
 * iob_stack_verify() - Ask the kernel's unwinder all the same
 * @on: count as stacks_wrong where it tells of another path
 */
void iob_stack_verify(bool on)
{
	WRITE_ONCE(verifying, on);
	/* nor is what was known before taken as it is */
	WRITE_ONCE(iob_path_era, iob_path_era + 1);
}

/**
 * iob_stack_verifies() - Is the kernel's unwinder asked all the same?
 *
 * Return: true or false.
 */
bool iob_stack_verifies(void)
{
	return READ_ONCE(verifying);
}

/* The stack that is remembered with a path, NULL if it was swept meanwhile. */
static struct iob_stack *recall(struct iob_memo_value *known, u32 epoch)
{
	if (known->epoch != epoch)
		known->object = iob_intern_lookup(&iob_state.objects.stacks,
						  known->id);
	known->epoch = known->object ? epoch : 0;
	return known->object;
}

/*
 * A path that is not that of the probe before. One that is not known is walked; one
 * that is may have to be unwound all the same.
 */
static noinline u32 look(struct iob_scratch *scratch, struct iob_hook *hook,
			 const unsigned long *base, struct iob_stack **stack)
{
	u32 epoch = iob_objects_epoch(&iob_state.objects), id = 0, known;
	bool verifies = iob_stack_verifies();
	struct iob_memo *m;

	*stack = NULL;
	if (!in_task())
		return 0;
	m = iob_memo_find(scratch->memo, hook, base);
	if (m)
		*stack = recall(&m->value, epoch);
	if (*stack) {
		iob_count(&iob_state.counters, IOB_CNT_STACKS_KNOWN, 1);
		id = m->value.id;
		if (!verifies)
			scratch->memo = m;
	} else {
		iob_path_walk(&scratch->path, base);
		iob_count(&iob_state.counters, scratch->path.is_exact ?
			  IOB_CNT_STACKS_WALKED : IOB_CNT_STACKS_UNWOUND, 1);
		id = intern(scratch, hook, stack);
	}
	if (likely(!verifies) || !id)
		return id;
	scratch->memo = NULL;
	known = id;
	iob_path_unwind(&scratch->path);
	id = intern(scratch, hook, stack);
	if (id != known)
		iob_count(&iob_state.counters, IOB_CNT_STACKS_WRONG, 1);
	return id;
}

/**
 * iob_stack_current() - Stack of the current task, from the traced code outward
 * @scratch: of this probe
 * @hook:    that was hit
 * @stack:   set to the stack if it is known, else NULL
 *
 * Paths are told by where this function's own return address lies, so it has to be
 * a function.
 *
 * Context: probe.
 * Return: the id; 0 in an interrupt, or when there is no room.
 */
noinline u32 iob_stack_current(struct iob_scratch *scratch,
			       struct iob_hook *hook,
			       struct iob_stack **stack)
{
	/* the caller's frame pointer lies between */
	const unsigned long *base =
		(unsigned long *)__builtin_frame_address(0) + 1;
	const struct iob_memo *m = scratch->memo;
	u32 id;

	/* most of the time the way of the probe before */
	if (likely(m && in_task() && iob_memo_holds(m, hook, base) &&
		   m->value.epoch == iob_objects_epoch(&iob_state.objects))) {
		*stack = m->value.object;
		iob_count(&iob_state.counters, IOB_CNT_STACKS_KNOWN, 1);
		return m->value.id;
	}
	id = look(scratch, hook, base, stack);
	/* no tail call: what lies at @base is this function's frame */
	barrier();
	return id;
}
