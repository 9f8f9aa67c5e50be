/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_CHARGE_H
#define IOB_CORE_CHARGE_H

#include "state.h"

/* Origins gathered before they are added to the totals, per IO. */
#define IOB_IO_ORIGINS	26

/**
 * struct iob_origin - one share of an IO
 */
struct iob_origin {
	u32 act;
	u32 issuer;		/* role id */
	u8 basis;
	u8 reason;
	u8 queue_known;
	u32 bytes;
	u32 kept;		/* of @bytes: what becomes of them will be told */
	u32 pages;
	u64 queue_ns;
	u64 age_max_ns;
	u32 age[IOB_HIST_BUCKETS];	/* by pages */
};

/**
 * struct iob_io - one completed IO while its origins are gathered
 * @dev, @disk, @op, @flags, @sector: of the whole IO
 * @bytes:      gathered so far
 * @issuer:     act of the submitter of its first bio
 * @now_ns:     completion
 * @issue_ns:   dispatch, 0 if not seen
 * @queue_ns:   submission of the first bio, 0 if not seen
 * @oldest_ns:  earliest dirtying in it, 0 if none was seen
 * @flow:       of the bio that is being walked
 * @role:       role of its issuer
 * @split:      of the transaction that is being split
 * @id, @up:    number of its first bio, and of the IO above that
 * @nr:         origins in @origin
 * @origin:     the shares
 */
struct iob_io {
	u32 dev;
	const char *disk;
	u8 op;
	u16 flags;
	u64 sector;
	u32 bytes;
	u32 issuer;
	u64 now_ns;
	u64 issue_ns;
	u64 queue_ns;
	u64 oldest_ns;
	struct iob_flow flow;
	u32 role;
	struct iob_split split;
	u64 id;
	u64 up;
	u32 nr;
	struct iob_origin origin[IOB_IO_ORIGINS];
};

/* Dirtying. */
void iob_charge_dirty(struct iob_state *s, u64 pfn, u32 nr_pages, u32 act,
		      u64 now_ns, bool under_writeback);
void iob_charge_dirty_part(struct iob_state *s, u64 pfn, u32 act, u64 now_ns,
			   bool under_writeback);
void iob_charge_redirty(struct iob_state *s, u64 pfn, u32 nr_pages,
			u32 unknown);
void iob_charge_writeback(struct iob_state *s, u64 pfn, u32 nr_pages,
			  const struct iob_file_key *file, u8 reason,
			  bool still_dirty, u32 unknown);
u32 iob_charge_cancel(struct iob_state *s, u32 dev, u64 pfn, u32 nr_pages,
		      const struct iob_file_key *file, u32 *act);
void iob_charge_move(struct iob_state *s, u64 from, u64 to, u32 nr_pages);
void iob_charge_read_end(struct iob_state *s, u64 pfn, u32 nr_pages,
			 const struct iob_file_key *file,
			 enum iob_read_end end);
void iob_charge_block_dirty(struct iob_state *s, u32 dev, u64 sector, u32 act,
			    u64 now_ns);
void iob_charge_join(struct iob_state *s, u32 dev, u64 tid, u32 act, u64 item,
		     u32 weight);

/* Completion: begin, then per bio a flow and its pages or bytes, then end. */
void iob_charge_begin(struct iob_io *io, u32 dev, const char *disk, u8 op,
		      u64 sector, u64 now_ns);
void iob_charge_flow(struct iob_state *s, struct iob_io *io,
		     const struct iob_flow *flow);
void iob_charge_page(struct iob_state *s, struct iob_io *io, u64 pfn,
		     u64 sector, u32 bytes, bool still_dirty);
void iob_charge_read(struct iob_state *s, struct iob_io *io, u64 pfn,
		     u32 bytes);
void iob_charge_act(struct iob_state *s, struct iob_io *io, u32 act, u32 bytes);
void iob_charge_split(struct iob_state *s, struct iob_io *io, u8 basis,
		      u32 bytes);
void iob_charge_bytes(struct iob_state *s, struct iob_io *io, u64 sector,
		      u32 bytes);
void iob_charge_flushes(struct iob_state *s, const struct iob_io *io, u32 act,
			u8 reason, u32 nr);
void iob_charge_more_ios(struct iob_state *s, u32 dev, const char *disk, u8 op,
			 u32 nr);
void iob_charge_flush_command(struct iob_state *s, u32 dev, const char *disk);
bool iob_charge_end(struct iob_state *s, struct iob_io *io, u16 flags);

#endif /* IOB_CORE_CHARGE_H */
