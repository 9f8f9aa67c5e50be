/* SPDX-License-Identifier: GPL-2.0 */
/* What the probe files offer each other. */
#ifndef IOB_PROBE_PROBE_H
#define IOB_PROBE_PROBE_H

#include <linux/blkdev.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/sched.h>

#include "session.h"

struct bvec_iter;

/*
 * Is a disk one of a driver's, by its name? What a driver's disks have in common is
 * not to be had else. @prefix is a constant.
 */
static __always_inline bool iob_disk_is(const struct gendisk *disk,
					const char *prefix)
{
	return !memcmp(disk->disk_name, prefix, __builtin_strlen(prefix));
}

/* task.c: who */
u32 iob_task_look(struct iob_scratch *scratch, const struct task_struct *task,
		  u32 epoch);

/* stack.c: by which path */
u32 iob_stack_current(struct iob_scratch *scratch, struct iob_hook *hook,
		      struct iob_stack **stack);

/**
 * iob_stack_has() - Does a call path have a trait?
 * @stack: the path, NULL if it is not known
 * @trait: the trait
 *
 * Return: true or false.
 */
static inline bool iob_stack_has(const struct iob_stack *stack,
				 enum iob_trait trait)
{
	return stack && stack->traits & BIT(trait);
}

/* file.c: what */
u32 iob_file_of(struct iob_scratch *scratch, const struct inode *inode);
void iob_file_note(const struct inode *inode, u32 id, struct iob_file *file);
void iob_file_name_now(struct iob_scratch *scratch, const struct inode *inode);

/* Has a file a name, and does it still go by one? */
static inline bool iob_file_has_name(const struct inode *inode,
				     const struct iob_file *file)
{
	return likely(READ_ONCE(file->named) && READ_ONCE(inode->i_nlink));
}

/**
 * iob_file_want_name() - Read the name of this file as soon as it is safe
 * @inode: the inode
 * @id:    its file id
 * @file:  what that stands for, NULL if not known
 *
 * Context: probe, under any lock.
 */
static inline void iob_file_want_name(const struct inode *inode, u32 id,
				      struct iob_file *file)
{
	if (file && !iob_file_has_name(inode, file))
		iob_file_note(inode, id, file);
}

/* act.c: all three */
u32 iob_act_look(struct iob_known_act *k, u32 epoch, const struct iob_act *act);

/* work.c: for whom */
struct iob_doer {
	bool is_somebody;	/* no kernel thread, or one that works for a file */
	u32 role;
	u32 stack_id;
	u32 file;
	struct iob_stack *stack;
};

void iob_doer_of(struct iob_scratch *scratch, struct iob_hook *hook,
		 struct iob_doer *doer);

/**
 * iob_work_dirtier() - Note who stands behind what a worker does for a file
 * @file: the file, NULL if not known
 * @act:  who has dirtied it last
 *
 * Context: probe.
 */
static inline void iob_work_dirtier(struct iob_file *file, u32 act)
{
	if (file && READ_ONCE(file->dirtier) != act)
		WRITE_ONCE(file->dirtier, act);
}

void iob_work_at(struct iob_hook *hook, const struct inode *inode);

/* loan.c: on whose behalf */
struct kiocb;
struct iov_iter;
struct request;

const struct iob_dirtying *iob_dirtying_look(struct iob_scratch *scratch,
					     const struct inode *inode,
					     u32 epoch);
u32 iob_loan_act(const struct iob_dirtying *d, u64 pos);

/* Has the current task all that it dirties now? The loop driver's worker has not. */
static inline bool iob_dirtying_is_its_own(void)
{
	return !(current->flags & PF_KTHREAD);
}

/**
 * iob_dirtying_act() - Whose a page is that the current task dirties
 * @d:   of iob_dirtying_of()
 * @pos: where in the file
 *
 * Context: probe.
 * Return: the act: the task's own, or of whom it writes on behalf.
 */
static inline u32 iob_dirtying_act(const struct iob_dirtying *d, u64 pos)
{
	return iob_dirtying_is_its_own() ? d->act : iob_loan_act(d, pos);
}

void iob_loan_offer(struct request *rq);
void iob_loan_take(const struct kiocb *iocb, const struct iov_iter *iter);
void iob_loan_direct(const struct bio *bio, struct iob_flow *flow);
u32 iob_loan_owner(struct iob_io *io, struct page *page);
u32 iob_loan_owner_in(const struct iob_flow *flow, u64 sector);

/* task.c: roles and cgroups of others than the current task */
struct cgroup;
u32 iob_task_role_id(const struct iob_role *role);
u32 iob_task_group(struct iob_scratch *scratch, struct cgroup *cgrp);
bool iob_task_wants_group(struct cgroup *cgrp);

/* swap.c: whose memory is swapped out */
struct bio;
struct page;
u32 iob_swap_act(struct iob_scratch *scratch, struct page *page, u32 stack_id);
void iob_swap_flow(struct iob_scratch *scratch, const struct bio *bio,
		   struct iob_flow *flow);

/* mapper.c: what a clone of device mapper's was made from */
struct bio;
struct bio *iob_mapper_above(const struct bio *bio, u64 *sector);

/* stripe.c: whose a page of a stripe of md's raid5 is */
struct bio;
bool iob_stripe_is(const struct bio *bio);
void iob_stripe_flow(struct iob_scratch *scratch, const struct bio *bio,
		     struct iob_flow *flow);

/* keep.c: what a device keeps, to write it elsewhere later */
struct bio;
struct gendisk;
void iob_keep_note(struct bio *bio, const struct iob_flow *flow);
void iob_keep_flow(u32 act, struct iob_flow *flow);
void iob_keep_charge(struct iob_io *io, u64 sector, u32 bytes);

/* zram.c: whose page it writes back */
bool iob_zram_keeps(const struct gendisk *disk);
void iob_zram_flow(const struct bio *bio, struct iob_flow *flow);

/* bcache.c: whose IO it passes on, and whose data it writes back */
/**
 * iob_bcache_is() - Is this a disk of bcache?
 * @disk: the disk
 *
 * Context: probe.
 * Return: true if it is: a bio to it ends as one of the device behind.
 */
static inline bool iob_bcache_is(const struct gendisk *disk)
{
	return iob_disk_is(disk, "bcache");
}

/**
 * iob_keep_is() - Does this disk keep what it is given, to write it elsewhere?
 * @disk: the disk
 *
 * Context: probe.
 * Return: true or false.
 */
static inline bool iob_keep_is(const struct gendisk *disk)
{
	return (iob_disk_is(disk, "zram") && iob_zram_keeps(disk)) ||
	       iob_bcache_is(disk);
}

struct bio *iob_bcache_above(const struct bio *bio, u64 *sector);
void iob_bcache_flow(const struct bio *bio, struct iob_flow *flow);

/* bio.c: what is above */
u32 iob_bio_owner(const struct iob_flow *flow, struct page *page, u64 sector);
struct bio *iob_bio_top(struct bio *bio, const struct iob_flow *flow,
			u64 sector, u32 bytes, struct iob_flow *top,
			struct bvec_iter *iter);

/* crypto.c: of what encrypted pages and bios are copies */

struct page *iob_crypto_original(struct page *page);
struct page *iob_crypto_source(const struct bio *bio);
void iob_crypto_copied(const struct bio *bio, struct iob_flow *flow);
struct bio *iob_crypto_source_at(const struct iob_flow *flow, u64 sector,
				 u32 bytes, struct bvec_iter *iter);

/* cluster.c: whose pages f2fs compressed */
struct page;
struct folio;
bool iob_cluster_is(struct folio *folio);
bool iob_cluster_charge(struct iob_io *io, struct page *page, u32 bytes);

/**
 * iob_cluster_may_be() - Could a bio's pages be such that f2fs has made?
 * @inode: that its first page is a file's of; NULL: it is none's
 *
 * Return: false if not: all of a bio is one file system's.
 */
static inline bool iob_cluster_may_be(const struct inode *inode)
{
	return !inode || inode->i_sb->s_magic == F2FS_SUPER_MAGIC;
}

/* batch.c: whose pages were compressed */
struct folio;
void iob_batch_add(struct iob_scratch *scratch, struct iob_hook *hook,
		   struct folio *folio);

/**
 * iob_batch_may_be() - Could the current task be about to compress a file's pages?
 * @inode: the file's
 *
 * Context: probe.
 * Return: false if it could not.
 */
static inline bool iob_batch_may_be(const struct inode *inode)
{
	return current->flags & PF_WQ_WORKER &&
	       inode->i_sb->s_magic == BTRFS_SUPER_MAGIC;
}

u32 iob_batch_take(const struct iob_stack *stack);

/* buffer.c: where a block lies */
struct buffer_head;
u64 iob_buffer_sector(const struct buffer_head *bh);
u32 iob_buffer_disk(const struct buffer_head *bh);

/* xfs.c: whose a write of its metadata is */
struct bio;
void iob_xfs_flow(struct iob_scratch *scratch, const struct bio *bio,
		  struct iob_flow *flow);

/* The hooks, one table a file. */
extern const struct iob_hook_table iob_request_hooks;
extern const struct iob_hook_table iob_bio_hooks;
extern const struct iob_hook_table iob_writeback_hooks;
extern const struct iob_hook_table iob_task_hooks;
extern const struct iob_hook_table iob_file_hooks;
extern const struct iob_hook_table iob_direct_hooks;
extern const struct iob_hook_table iob_loan_hooks;
extern const struct iob_hook_table iob_crypto_hooks;
extern const struct iob_hook_table iob_mapper_hooks;
extern const struct iob_hook_table iob_stripe_hooks;
extern const struct iob_hook_table iob_work_hooks;
extern const struct iob_hook_table iob_jbd2_hooks;
extern const struct iob_hook_table iob_f2fs_hooks;
extern const struct iob_hook_table iob_inode_hooks;
extern const struct iob_hook_table iob_buffer_hooks;
extern const struct iob_hook_table iob_xfs_hooks;
extern const struct iob_hook_table iob_part_hooks;
extern const struct iob_hook_table iob_page_hooks;
extern const struct iob_hook_table iob_page_addresses;
extern const struct iob_hook_table iob_used_hooks;
extern const struct iob_hook_table iob_zram_hooks;
extern const struct iob_hook_table iob_bcache_hooks;

#endif /* IOB_PROBE_PROBE_H */
