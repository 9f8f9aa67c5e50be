/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_FLOWS_H
#define IOB_CORE_FLOWS_H

#include "counters.h"
#include "map.h"

/* How the origins of a bio's bytes are found when it completes. */
enum iob_flow_by {
	IOB_BY_SUBMITTER,	/* told by its submission: @origin */
	IOB_BY_READER,		/* the same: @origin; what becomes of its pages can be
				 * told
				 */
	IOB_BY_PAGE,		/* page cache under writeback: ask the page slots */
	IOB_BY_BLOCK,		/* metadata on its way home: ask the block slots */
	IOB_BY_BUFFER,		/* the same: by sector, what is not remembered goes with
				 * what is
				 */
	IOB_BY_JOIN,		/* a transaction's own: split over its joiners */
};

/**
 * struct iob_flow - one bio between submission and completion
 * @issuer:    act of the task that submitted it
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

/**
 * struct iob_place - where a bio is found by what it carries
 * @bio: its address, 0: several have this
 * @id:  of its flow, for addresses are used again; 0: not asked
 * @at:  bytes of it before that
 */
struct iob_place {
	u64 bio;
	u64 id;
	u32 at;
	u32 reserved;
};

/**
 * struct iob_flows - flows by bio
 * @map:      key: the bio's address
 * @places:   struct iob_place of bios of devices that pass them on, by disk and
 *            first sector, or by page frame where they pass on the pages
 * @has_links: some bio was known before it was submitted: so it has to be asked
 * @counters: where losses are counted
 */
struct iob_flows {
	struct iob_map map;
	struct iob_map places;
	bool has_links;
	struct iob_counters *counters;
};

/**
 * iob_flows_have_links() - Could something be known of a bio before it is submitted?
 * @f: table
 *
 * Most disks are on none: then nothing is.
 *
 * Context: any.
 * Return: false if not.
 */
static inline bool iob_flows_have_links(const struct iob_flows *f)
{
	return READ_ONCE(f->has_links);
}

int iob_flows_init(struct iob_flows *f, struct iob_counters *counters,
		   u32 max);
void iob_flows_exit(struct iob_flows *f);

void iob_flows_set(struct iob_flows *f, u64 bio, const struct iob_flow *flow);
bool iob_flows_lookup(struct iob_flows *f, u64 bio, struct iob_flow *flow);
bool iob_flows_link(struct iob_flows *f, u64 bio, struct iob_flow *link);
bool iob_flows_take(struct iob_flows *f, u64 bio, struct iob_flow *flow);
bool iob_flows_update(struct iob_flows *f, u64 bio,
		      void (*fn)(void *flow, const void *arg), const void *arg);
void iob_flows_place(struct iob_flows *f, u32 dev, u64 sector, u64 bio);
u64 iob_flows_at(struct iob_flows *f, u32 dev, u64 sector,
		 struct iob_flow *flow);
void iob_flows_place_page(struct iob_flows *f, u64 pfn, struct iob_place place);
bool iob_flows_of_page(struct iob_flows *f, u64 pfn, struct iob_flow *flow,
		       u32 *at);
u32 iob_flows_nr(const struct iob_flows *f);

void iob_flows_for_each(struct iob_flows *f,
			void (*fn)(void *ctx, const void *flow), void *ctx);

#endif /* IOB_CORE_FLOWS_H */
