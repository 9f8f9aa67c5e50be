// SPDX-License-Identifier: GPL-2.0
/* Flows: what is known of a bio between its submission and its completion. */
#include "flows.h"

/**
 * iob_flows_init() - Make an empty table
 * @f:        table
 * @counters: where losses are counted
 * @max:      most bios in flight
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int iob_flows_init(struct iob_flows *f, struct iob_counters *counters,
		   u32 max)
{
	int err;

	f->counters = counters;
	f->is_crowded = false;
	f->has_links = false;
	f->has_moved = false;
	err = iob_berths_init(&f->berths, max);
	if (err)
		return err;
	err = iob_map_init(&f->crowd, max - f->berths.nr,
			   sizeof(struct iob_flow));
	if (!err)
		err = iob_map_init(&f->places, max, sizeof(struct iob_place));
	if (err)
		iob_flows_exit(f);
	return err;
}

/**
 * iob_flows_exit() - Free the table
 * @f: table, initialised or zeroed; no probe may be using it
 */
void iob_flows_exit(struct iob_flows *f)
{
	iob_map_exit(&f->places);
	iob_map_exit(&f->crowd);
	iob_berths_exit(&f->berths);
}

static struct iob_map_key key_of(u64 bio)
{
	return (struct iob_map_key){ .a = bio };
}

/**
 * iob_flows_join_crowd() - There is no berth for the flow of a bio
 * @f:    table
 * @bio:  its address
 * @flow: what to remember
 *
 * Context: any but NMI; by iob_flows_publish().
 */
void iob_flows_join_crowd(struct iob_flows *f, u64 bio,
			  const struct iob_flow *flow)
{
	const struct iob_map_key key = key_of(bio);

	WRITE_ONCE(f->is_crowded, true);
	if (!iob_map_set(&f->crowd, &key, flow))
		iob_count(f->counters, IOB_CNT_LOST_FLOWS, 1);
}

/**
 * iob_flows_leave_crowd() - The flow of a bio that had no berth
 * @f:    table
 * @bio:  its address
 * @flow: filled; NULL if nobody wants to know
 *
 * Context: any but NMI; by iob_flows_claim() and iob_flows_publish().
 * Return: false if nothing is known.
 */
bool iob_flows_leave_crowd(struct iob_flows *f, u64 bio, struct iob_flow *flow)
{
	const struct iob_map_key key = key_of(bio);

	return iob_map_take(&f->crowd, &key, flow);
}

/**
 * iob_flows_note() - Bios of a kind that few are have been seen
 * @f:    table
 * @flow: of one of them
 *
 * Context: any; by iob_flows_publish().
 */
void iob_flows_note(struct iob_flows *f, const struct iob_flow *flow)
{
	if (flow->is_link && !iob_flows_have_links(f))
		WRITE_ONCE(f->has_links, true);
	if (flow->is_moved && !iob_flows_have_moved(f))
		WRITE_ONCE(f->has_moved, true);
}

/**
 * iob_flows_set() - A bio is submitted, by who has a flow of it
 * @f:    table
 * @bio:  its address
 * @flow: what to remember; replaces what an earlier use of the address left
 *
 * Context: any but NMI.
 */
void iob_flows_set(struct iob_flows *f, u64 bio, const struct iob_flow *flow)
{
	struct iob_flow *spare = (struct iob_flow *)flow;
	struct iob_flow *place = iob_flows_open(f, bio, spare);

	if (place != spare)
		*place = *flow;
	iob_flows_publish(f, bio, place);
}

/**
 * iob_flows_take() - The same as iob_flows_claim(), for who wants to keep it
 * @f:    table
 * @bio:  its address
 * @flow: filled
 *
 * Context: any but NMI.
 * Return: false if nothing is known.
 */
bool iob_flows_take(struct iob_flows *f, u64 bio, struct iob_flow *flow)
{
	struct iob_flow *found = iob_flows_claim(f, bio, flow);

	if (!found)
		return false;
	if (found != flow)
		*flow = *found;
	iob_flows_release(f, found);
	return true;
}

/**
 * iob_flows_link() - What is known of a bio before it is submitted
 * @f:    table
 * @bio:  its address
 * @link: filled
 *
 * Context: any but NMI; who made the link is done.
 * Return: false if nothing is known.
 */
bool iob_flows_link(struct iob_flows *f, u64 bio, struct iob_flow *link)
{
	return iob_flows_have_links(f) && iob_flows_lookup(f, bio, link) &&
	       link->is_link;
}

/**
 * iob_flows_lookup() - What is known of a bio that goes on
 * @f:    table
 * @bio:  its address
 * @flow: filled
 *
 * Context: any but NMI.
 * Return: false if nothing is known.
 */
bool iob_flows_lookup(struct iob_flows *f, u64 bio, struct iob_flow *flow)
{
	const struct iob_map_key key = key_of(bio);

	return iob_berths_lookup(&f->berths, bio, flow) ||
	       (iob_flows_are_crowded(f) && iob_map_lookup(&f->crowd, &key, flow));
}

/**
 * iob_flows_update() - Change what is known of a bio
 * @f:   table
 * @bio: its address
 * @fn:  changes the flow, which is its first argument; called under a lock
 * @arg: for @fn
 *
 * Context: any but NMI.
 * Return: false if nothing is known of it.
 */
bool iob_flows_update(struct iob_flows *f, u64 bio,
		      void (*fn)(void *flow, const void *arg), const void *arg)
{
	const struct iob_map_key key = key_of(bio);

	return iob_berths_update(&f->berths, bio, fn, arg) ||
	       (iob_flows_are_crowded(f) && iob_map_update(&f->crowd, &key, fn, arg));
}

static void set_place(struct iob_flows *f, const struct iob_map_key *key,
		      const struct iob_place *place)
{
	if (!iob_map_set(&f->places, key, place) &&
	    iob_map_make_room(&f->places))
		iob_map_set(&f->places, key, place);
}

/**
 * iob_flows_place() - A bio goes to a device that will pass it on
 * @f:      table
 * @dev:    that disk
 * @sector: where the bio, or the rest of it, begins
 * @bio:    its address
 *
 * Never taken back, for a device may pass on parts that begin anywhere: who
 * looks asks whether the bio is still in flight. The oldest make room.
 *
 * Context: any but NMI.
 */
void iob_flows_place(struct iob_flows *f, u32 dev, u64 sector, u64 bio)
{
	const struct iob_map_key key = { .a = dev, .b = sector };
	const struct iob_place place = { .bio = bio };

	set_place(f, &key, &place);
}

/**
 * iob_flows_at() - The bio that a device passes on
 * @f:      table
 * @dev:    that disk
 * @sector: where it, or the rest of it, begins
 * @flow:   filled
 *
 * Context: any but NMI.
 * Return: its address if it is in flight there; else 0.
 */
u64 iob_flows_at(struct iob_flows *f, u32 dev, u64 sector,
		 struct iob_flow *flow)
{
	const struct iob_map_key key = { .a = dev, .b = sector };
	struct iob_place place;

	if (!iob_map_lookup(&f->places, &key, &place) ||
	    !iob_flows_lookup(f, place.bio, flow) || flow->is_link ||
	    flow->dev != dev || sector - flow->sector >= flow->size >> 9)
		return 0;
	return place.bio;
}

/* No disk has this number, so that page frames and sectors are never mixed up. */
#define NO_DISK		0

/* Is the bio that was put there on its way still? */
static bool is_there(struct iob_flows *f, const struct iob_place *place,
		     struct iob_flow *flow)
{
	return place->bio && iob_flows_lookup(f, place->bio, flow) &&
	       !flow->is_link && flow->id == place->id;
}

/**
 * iob_flows_place_page() - A bio goes to a device that will pass on its pages
 * @f:     table
 * @pfn:   frame of a page it has
 * @place: the bio, its flow and how far into it the page is
 *
 * A page that is in two of them at once (zeros, a buffer written twice) tells
 * nothing, then and ever after.
 *
 * Context: any but NMI.
 */
void iob_flows_place_page(struct iob_flows *f, u64 pfn, struct iob_place place)
{
	const struct iob_map_key key = { .a = NO_DISK, .b = pfn };
	struct iob_place old;
	struct iob_flow flow;

	if (iob_map_lookup(&f->places, &key, &old) &&
	    (!old.bio || (old.id != place.id && is_there(f, &old, &flow))))
		place.bio = 0;
	set_place(f, &key, &place);
}

/**
 * iob_flows_of_page() - The bio whose pages a device passes on
 * @f:    table
 * @pfn:  frame of one of them
 * @flow: filled
 * @at:   set to the bytes of it before that page
 *
 * Context: any but NMI.
 * Return: false if there is none, or more than one.
 */
bool iob_flows_of_page(struct iob_flows *f, u64 pfn, struct iob_flow *flow,
		       u32 *at)
{
	const struct iob_map_key key = { .a = NO_DISK, .b = pfn };
	struct iob_place place;

	if (!iob_map_lookup(&f->places, &key, &place) ||
	    !is_there(f, &place, flow))
		return false;
	*at = place.at;
	return true;
}

/**
 * iob_flows_nr() - Bios in flight
 * @f: table
 *
 * Return: the number.
 */
u32 iob_flows_nr(const struct iob_flows *f)
{
	return iob_berths_used(&f->berths) + iob_map_nr(&f->crowd);
}

/**
 * iob_flows_for_each() - Call a function for every bio in flight
 * @f:   table
 * @fn:  called with @ctx and a flow
 * @ctx: for @fn
 *
 * Context: the sweeper; @fn runs under a lock or with a copy. What comes meanwhile
 * is handed out in the new epoch, which keeps it alive.
 */
void iob_flows_for_each(struct iob_flows *f,
			void (*fn)(void *ctx, const void *flow), void *ctx)
{
	iob_berths_for_each(&f->berths, fn, ctx);
	iob_map_for_each(&f->crowd, fn, ctx);
}
