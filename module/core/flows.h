/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_FLOWS_H
#define IOB_CORE_FLOWS_H

#include "berths.h"
#include "counters.h"
#include "map.h"

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
 * @berths:   where they are first looked for
 * @crowd:    those that have found no berth; key: the bio's address
 * @is_crowded: there was one
 * @places:   struct iob_place of bios of devices that pass them on, by disk and
 *            first sector, or by page frame where they pass on the pages
 * @has_links: some bio was known before it was submitted: so it has to be asked
 * @has_moved: some bio ends as another disk's
 * @counters: where losses are counted
 */
struct iob_flows {
	struct iob_berths berths;
	struct iob_map crowd;
	struct iob_map places;
	bool is_crowded;
	bool has_links;
	bool has_moved;
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

/**
 * iob_flows_have_moved() - Could a bio end as another disk's than it was submitted to?
 * @f: table
 *
 * Context: any.
 * Return: false if none could.
 */
static inline bool iob_flows_have_moved(const struct iob_flows *f)
{
	return READ_ONCE(f->has_moved);
}

int iob_flows_init(struct iob_flows *f, struct iob_counters *counters,
		   u32 max);
void iob_flows_exit(struct iob_flows *f);

void iob_flows_join_crowd(struct iob_flows *f, u64 bio,
			  const struct iob_flow *flow);
bool iob_flows_leave_crowd(struct iob_flows *f, u64 bio, struct iob_flow *flow);
void iob_flows_note(struct iob_flows *f, const struct iob_flow *flow);

void iob_flows_set(struct iob_flows *f, u64 bio, const struct iob_flow *flow);
bool iob_flows_take(struct iob_flows *f, u64 bio, struct iob_flow *flow);
bool iob_flows_lookup(struct iob_flows *f, u64 bio, struct iob_flow *flow);
bool iob_flows_link(struct iob_flows *f, u64 bio, struct iob_flow *link);
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

/* Could a bio be among those without a berth? */
static inline bool iob_flows_are_crowded(const struct iob_flows *f)
{
	return unlikely(READ_ONCE(f->is_crowded));
}

/**
 * iob_flows_open() - A bio is submitted: where to write what to remember
 * @f:     table
 * @bio:   its address, the key
 * @spare: to be written instead if there is no better place
 *
 * Until iob_flows_publish() nothing is known of the bio, also nothing that an earlier
 * use of the address has left.
 *
 * Context: any but NMI.
 * Return: the flow, of any content.
 */
static inline struct iob_flow *iob_flows_open(struct iob_flows *f, u64 bio,
					      struct iob_flow *spare)
{
	struct iob_berth *berth = iob_berths_open(&f->berths, bio);

	return likely(berth) ? &berth->flow : spare;
}

/**
 * iob_flows_publish() - It is written
 * @f:    table
 * @bio:  the bio's address
 * @flow: of iob_flows_open()
 *
 * Context: any but NMI.
 */
static inline void iob_flows_publish(struct iob_flows *f, u64 bio,
				     struct iob_flow *flow)
{
	struct iob_berth *berth = iob_berth_of(&f->berths, flow);

	if (unlikely(flow->is_link || flow->is_moved))
		iob_flows_note(f, flow);
	if (unlikely(!berth)) {
		iob_flows_join_crowd(f, bio, flow);
		return;
	}
	/* of an earlier use of the address */
	if (iob_flows_are_crowded(f))
		iob_flows_leave_crowd(f, bio, NULL);
	iob_berth_publish(berth, bio);
}

/**
 * iob_flows_claim() - What is known of a bio that is complete
 * @f:     table
 * @bio:   its address
 * @spare: to be filled if need be
 *
 * From now on nothing is known of it to others.
 *
 * Context: any but NMI.
 * Return: the flow, to be read until iob_flows_release(); NULL if nothing is known.
 */
static inline struct iob_flow *iob_flows_claim(struct iob_flows *f, u64 bio,
					       struct iob_flow *spare)
{
	struct iob_berth *berth = iob_berths_claim(&f->berths, bio);

	if (likely(berth))
		return &berth->flow;
	return iob_flows_are_crowded(f) && iob_flows_leave_crowd(f, bio, spare) ?
	       spare : NULL;
}

/**
 * iob_flows_release() - It has been read
 * @f:    table
 * @flow: of iob_flows_claim(), or any other
 *
 * Context: any but NMI.
 */
static inline void iob_flows_release(struct iob_flows *f, struct iob_flow *flow)
{
	struct iob_berth *berth = iob_berth_of(&f->berths, flow);

	if (likely(berth))
		iob_berth_release(berth);
}

#endif /* IOB_CORE_FLOWS_H */
