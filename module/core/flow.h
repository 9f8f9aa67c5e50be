/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_FLOW_H
#define IOB_CORE_FLOW_H

#include "base.h"

/* How the origins of a bio's bytes are found when it completes. */
enum iob_flow_by {
	IOB_BY_SUBMITTER,	/* told by its submission: @origin */
	IOB_BY_READER,		/* the same: @origin; what becomes of its pages can be
				 * told
				 */
	IOB_BY_PAGE,		/* page cache under writeback: ask the page slots */
	/* from here on bytes may be several acts', wherever they came from */
	IOB_BY_BLOCK,		/* metadata on its way home: ask the block slots */
	IOB_BY_BUFFER,		/* the same: by sector, what is not remembered goes with
				 * what is
				 */
	IOB_BY_JOIN,		/* a transaction's own: split over its joiners */
};

/**
 * struct iob_flow - one bio between submission and completion
 * @issuer:    act of the task that submitted it
 * @role:      role of that, if @epoch is that of now
 * @epoch:     in which @issuer and @role were found, see iob_objects_epoch(); 0:
 *             they have to be looked up
 * @origin:    act to charge where pages do not tell
 * @basis:     what that is based on; IOB_BY_PAGE: of pages that are remembered
 * @reason:    why the issuer writes, if its context tells
 * @unknown:   act to charge for a page or block nothing is remembered of
 * @join:      id of a transaction; where pages, blocks or buffers are asked, of
 *             the one to ask where nothing is remembered, 0: none
 * @join_basis: what a share in @join is called
 * @by:        enum iob_flow_by
 * @block_shift: log2 of the bytes of a metadata block
 * @peek:      what is remembered of blocks is to stay: the IO above takes it
 * @is_link:   only @parent to @up, or @join, are known: it is about to be submitted
 * @is_lent:   its pages are those of bios to a device above that is a file: where
 *             they do not tell, what is known of those bios does
 * @is_copy:   an encrypted copy of the bio @parent, which is on no device, from
 *             @parent_sector sectors in
 * @is_kept:   what disk @kept_dev has kept from @parent_sector on, with no bio of
 *             those who gave it any more
 * @is_moved:  its disk passes it on as it is: it ends as another disk's
 * @parts:     how many parts of it devices below have got
 * @is_preflush: it was submitted with a flush before its data, which is an IO of
 *             its own
 * @parent:    address of the bio of the device above, which waits for this one;
 *             0: none, or not known
 * @parent_sector: where in that device this one begins
 * @id:        number of the IO
 * @up:        number of the IO above, 0: none
 * @dev:       disk it was submitted to
 * @queue_ns:  submitted
 * @issue_ns:  dispatched to the driver; of the first bio of a request only
 * @kept_dev:  see @is_kept
 * @sector, @size, @idx, @offset: its iterator as submitted, for drivers that
 *             complete bios without requests and may have advanced it
 *
 * Page slots tell who is charged, so a flow is small and of fixed size, and
 * splitting or merging bios never splits or merges lists of origins.
 */
struct iob_flow {
	u32 issuer;
	u32 role;
	u32 epoch;
	u32 origin;
	u32 unknown;
	u32 join;
	u8 basis;
	u8 reason;
	u8 by;
	u8 block_shift;
	u8 join_basis;
	u8 peek;
	u8 is_link;
	u8 parts;
	u8 is_preflush;
	u8 is_copy;
	u8 is_lent;
	u8 is_kept : 1;
	u8 is_moved : 1;
	u32 dev;
	u64 parent;
	u64 parent_sector;
	u64 id;
	u64 up;
	u64 queue_ns;
	u64 issue_ns;
	u64 sector;
	u32 size;
	u32 idx;
	u32 offset;
	u32 kept_dev;
};

static_assert(sizeof(struct iob_flow) % 8 == 0);

#endif /* IOB_CORE_FLOW_H */
