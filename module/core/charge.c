// SPDX-License-Identifier: GPL-2.0
/*
 * Charging: the only file with policy. Who is blamed for a byte, on what
 * basis, and what happens when there is no room to say it exactly. The rules
 * are in Documentation/overview.rst.
 */
#include "charge.h"

static_assert(IOB_HIST_BUCKETS <= 64);
static_assert(IOB_MAX_DEVICES <= 1 << IOB_PAGE_DISK_BITS);

/**
 * iob_charge_dirty_part() - Pages of a folio that may be dirty have become dirty
 * @s:               state
 * @pfn:             first page frame
 * @nr_pages:        how many
 * @act:             who did it
 * @now_ns:          when
 * @under_writeback: their earlier content is being written
 *
 * Context: probe, folio locked.
 */
void iob_charge_dirty_part(struct iob_state *s, u64 pfn, u32 nr_pages, u32 act,
			   u64 now_ns, bool under_writeback)
{
	iob_charge_use(s, pfn, nr_pages, act);
	iob_count(&s->counters, IOB_CNT_PAGES_DIRTIED,
		  iob_pages_dirty_part(&s->pages, pfn, nr_pages, act, now_ns,
				       under_writeback));
}

/**
 * iob_charge_redirty() - Writeback gives pages back as dirty as they were
 * @s:        state
 * @pfn:      first page frame
 * @nr_pages: how many
 * @unknown:  as for iob_pages_redirty()
 *
 * Context: probe, folio locked and not dirty.
 */
void iob_charge_redirty(struct iob_state *s, u64 pfn, u32 nr_pages,
			u32 unknown)
{
	u32 i;

	/* of a large folio that is dirty elsewhere, and will be dirtied whole */
	if (s->filter.readahead)
		iob_charge_read_end(s, pfn, nr_pages, NULL, IOB_READ_UNSEEN);
	for (i = 0; i < nr_pages; i++)
		iob_pages_redirty(&s->pages, pfn + i, unknown);
}

static void add_cancelled(struct iob_total *row, const void *arg)
{
	row->cancelled += *(const u64 *)arg;
}

/**
 * iob_charge_move() - Pages have been moved to other frames
 * @s:        state
 * @from:     first old frame
 * @to:       first new frame
 * @nr_pages: how many
 *
 * Context: probe, both folios locked, not under writeback.
 */
void iob_charge_move(struct iob_state *s, u64 from, u64 to, u32 nr_pages)
{
	u32 i;

	for (i = 0; i < nr_pages; i++) {
		/* a use: a sweep may have passed the new frame already */
		iob_intern_lookup(&s->objects.acts,
				  iob_pages_act(&s->pages, from + i));
		iob_pages_move(&s->pages, from + i, to + i);
	}
}

/**
 * iob_charge_block_dirty() - A metadata block has become dirty
 * @s:      state
 * @dev:    disk
 * @sector: its first, counted from the start of the disk
 * @act:    who did it
 * @now_ns: when
 *
 * Context: probe.
 */
void iob_charge_block_dirty(struct iob_state *s, u32 dev, u64 sector, u32 act,
			    u64 now_ns)
{
	iob_blocks_dirty(&s->blocks, dev, sector, act, now_ns);
	iob_count(&s->counters, IOB_CNT_BLOCKS_DIRTIED, 1);
}

/* The role of all that have the name, cgroup and flags of one; 0: no room. */
static u32 merged_role(struct iob_state *s, u32 id)
{
	const struct iob_role *role = iob_intern_lookup(&s->objects.roles, id);
	struct iob_role merged;
	bool fresh;

	if (!role)
		return 0;
	merged = *role;
	merged.key.pid = 0;
	merged.key.tgid = 0;
	merged.key.start_ns = 0;
	merged.key.flags |= BIT(IOB_ROLE_BIT_MERGED);
	return iob_objects_role(&s->objects, &merged, &fresh);
}

/* Who is told of @act where a transaction has no room for all of it. */
static u32 joiner_at(struct iob_state *s, const struct iob_act *a, u32 act,
		     enum iob_join_level level)
{
	struct iob_act coarse;
	bool fresh;

	if (level == IOB_JOIN_FOLDED)
		return IOB_ACT_FOLDED;
	if (!a)
		return act;
	coarse = (struct iob_act){ .role = a->role, .kind = a->kind };
	if (level == IOB_JOIN_NO_PID)
		coarse.role = merged_role(s, a->role);
	return iob_objects_act(&s->objects, &coarse, &fresh);
}

/**
 * iob_charge_join() - A task has changed something in a transaction
 * @s:      state
 * @dev:    the file system's disk
 * @tid:    the transaction, not 0
 * @act:    who
 * @item:   what it changed; counted once for each role
 * @weight: how much that is, in blocks or bytes, as the file system counts
 *
 * A transaction with more joiners than there is room for forgets first by
 * which path, then which process, then who.
 *
 * Context: probe.
 */
void iob_charge_join(struct iob_state *s, u32 dev, u64 tid, u32 act, u64 item,
		     u32 weight)
{
	const struct iob_act *a = iob_intern_lookup(&s->objects.acts, act);
	enum iob_join_level level = IOB_JOIN_FULL;

	iob_count(&s->counters, IOB_CNT_JOINS, 1);
	if (iob_joins_add(&s->joins, dev, tid, act, a ? a->role : 0, item,
			  weight))
		return;
	iob_count(&s->counters, IOB_CNT_FOLDED_JOINERS, 1);
	while (++level < IOB_NR_JOIN_LEVELS)
		if (iob_joins_add_rest(&s->joins, dev, tid,
				       joiner_at(s, a, act, level), weight,
				       level))
			return;
}

/* What may be said of an act in a row or event, and on what basis. */
static u32 presentable(struct iob_state *s, u32 act, u8 *basis)
{
	const struct iob_act *a;

	if (act < IOB_NR_RESERVED_ACTS) {
		*basis = IOB_BASIS_ISSUER;
		return act;
	}
	a = iob_intern_lookup(&s->objects.acts, act);
	if (!a) {
		iob_count(&s->counters, IOB_CNT_LOST_STALE, 1);
		*basis = IOB_BASIS_ISSUER;
		return IOB_ACT_STALE;
	}
	if (iob_filter_wants_tasks(&s->filter) &&
	    !iob_objects_role_matches(&s->objects, a->role))
		return IOB_ACT_FILTERED;
	return act;
}

/*
 * Make @key as coarse as @level. False if there is no such key, or no use in
 * making an act for it that no row would take.
 */
static bool coarsen(struct iob_state *s, struct iob_total_key *key,
		    enum iob_total_level level)
{
	const struct iob_act *a;
	struct iob_act coarse;
	bool fresh;

	switch (level) {
	case IOB_TOTAL_NO_ISSUER:
		key->issuer = 0;
		return true;
	case IOB_TOTAL_FOLDED:
		key->act = IOB_ACT_FOLDED;
		key->reason = IOB_REASON_NONE;
		return true;
	default:
		break;
	}
	a = iob_intern_lookup(&s->objects.acts, key->act);
	if (!a)
		return false;
	coarse = *a;
	coarse.file = 0;
	if (level >= IOB_TOTAL_NO_STACK)
		coarse.stack = 0;
	if (level == IOB_TOTAL_NO_PID && a->role) {
		coarse.role = merged_role(s, a->role);
		if (!coarse.role)
			return false;
		key->reason = IOB_REASON_NONE;
	}
	/* as coarse already: what room there is for such rows is for it, too */
	if (!memcmp(&coarse, a, sizeof(coarse)))
		return true;
	key->act = iob_intern_find(&s->objects.acts, &coarse, sizeof(coarse));
	if (!key->act && iob_totals_has_room(&s->totals, level))
		key->act = iob_objects_act(&s->objects, &coarse, &fresh);
	return key->act >= IOB_NR_RESERVED_ACTS;
}

/* The same where there is no room for the finest row. */
static noinline bool add_coarse(struct iob_state *s,
				const struct iob_total_key *key,
				void (*fn)(struct iob_total *row,
					   const void *arg),
				const void *arg)
{
	enum iob_total_level level;
	struct iob_total_key coarse;

	iob_count(&s->counters, IOB_CNT_FOLDS, 1);
	for (level = IOB_TOTAL_FULL + 1; level < IOB_NR_TOTAL_LEVELS; level++) {
		coarse = *key;
		if (level > IOB_TOTAL_NO_ISSUER)
			coarse.issuer = 0;
		if (coarsen(s, &coarse, level) &&
		    iob_totals_add(&s->totals, &coarse, level, fn, arg))
			return true;
	}
	return false;
}

/* Add to the finest row there is room for. False: to no row at all. */
static bool add(struct iob_state *s, const struct iob_total_key *key,
		void (*fn)(struct iob_total *row, const void *arg),
		const void *arg)
{
	return likely(iob_totals_add(&s->totals, key, IOB_TOTAL_FULL, fn,
				     arg)) ||
	       add_coarse(s, key, fn, arg);
}

/**
 * iob_charge_cancel() - Pages leave the page cache
 * @s:        state
 * @dev:      the disk they would have gone to
 * @pfn:      first page frame
 * @nr_pages: how many
 * @file:     the file they belonged to
 * @act:      set to the act whose bytes were dropped, as it is to be shown;
 *            IOB_ACT_NONE if none were, or nobody wants to know
 *
 * Takes the first pages that share one act; the caller goes on with the rest.
 * What leaves dirty is charged as cancelled. A page whose content the file
 * system keeps inside its inode leaves so too: it was never written as such.
 *
 * Context: probe, under the page cache's lock.
 * Return: how many pages were taken, at least 1.
 */
u32 iob_charge_cancel(struct iob_state *s, u32 dev, u64 pfn, u32 nr_pages,
		      const struct iob_file_key *file, u32 *act)
{
	struct iob_total_key key = {
		.dev = dev,
		.op = IOB_OP_WRITE,
		.basis = IOB_BASIS_PAGE,
	};
	u64 bytes;
	u32 nr;

	*act = iob_pages_cancel(&s->pages, pfn);
	for (nr = 1; nr < nr_pages; nr++) {
		if (iob_pages_dirty_act(&s->pages, pfn + nr) != *act)
			break;
		iob_pages_cancel(&s->pages, pfn + nr);
	}
	if (*act == IOB_ACT_NONE)
		return nr;
	if (!iob_objects_act_is_on(&s->objects, *act, file) ||
	    !iob_filter_wants_io(&s->filter, dev, IOB_OP_WRITE)) {
		*act = IOB_ACT_NONE;
		return nr;
	}
	iob_count(&s->counters, IOB_CNT_PAGES_CANCELLED, nr);
	key.act = presentable(s, *act, &key.basis);
	*act = key.act;
	bytes = (u64)nr * PAGE_SIZE;
	add(s, &key, add_cancelled, &bytes);
	return nr;
}

struct read_end {
	enum iob_read_end end;
	u64 bytes;
};

static void add_read_end(struct iob_total *row, const void *arg)
{
	const struct read_end *e = arg;

	row->read[e->end] += e->bytes;
}

/**
 * iob_charge_read_end() - It is known what becomes of the content of pages
 * @s:        state
 * @pfn:      first page frame
 * @nr_pages: how many
 * @file:     the file they belong to; NULL: it is known to be theirs
 * @end:      what becomes of them
 *
 * Of pages that did not come from the disk, or of which it is known already,
 * nothing is said. The row is that of the bytes: a page that a device has passed
 * on is told of at the lowest one.
 *
 * Context: probe, under any lock of the kernel.
 */
void iob_charge_read_end(struct iob_state *s, u64 pfn, u32 nr_pages,
			 const struct iob_file_key *file,
			 enum iob_read_end end)
{
	struct iob_total_key key = { .op = IOB_OP_READ };
	struct read_end e = { .end = end };
	const struct iob_act *act;
	struct iob_read read;
	u32 i;

	for (i = 0; i < nr_pages; i++) {
		if (!iob_pages_take_read(&s->pages, pfn + i, &read) ||
		    (file && !iob_objects_act_is_on(&s->objects, read.act, file)))
			continue;
		act = iob_intern_lookup(&s->objects.acts, read.act);
		key.issuer = act ? act->role : 0;
		key.dev = s->devices.device[read.disk].dev;
		key.reason = read.reason;
		key.basis = IOB_BASIS_DIRECT;
		key.act = presentable(s, read.act, &key.basis);
		e.bytes = read.bytes;
		add(s, &key, add_read_end, &e);
	}
}

/* The fast clock may step back a little between CPUs. */
static u64 since(u64 then_ns, u64 now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

static __always_inline void add_share(struct iob_total *row,
				      const struct iob_state *s,
				      const struct iob_io *io,
				      const struct iob_origin *o)
{
	u64 ages;
	u32 i;

	if (s->filter.readahead && io->op == IOB_OP_READ)
		row->read[IOB_READ_UNSEEN] += o->bytes - o->kept;

	row->ios++;
	row->bytes += o->bytes;
	for (ages = o->ages; ages; ages &= ages - 1) {
		i = __ffs64(ages);
		iob_hist_count(&row->age, i, o->age[i]);
	}
	if (o->age_max_ns > row->age.max_ns)
		row->age.max_ns = o->age_max_ns;
	if (o->queue_known)
		iob_hist_add(&row->queue, o->queue_ns, 1);
	if (io->issue_ns)
		iob_hist_add(&row->device, since(io->issue_ns, io->now_ns), 1);
}

static void add_io(struct iob_total *row, const void *arg)
{
	const void * const *of = arg;

	add_share(row, of[0], of[1], of[2]);
}

/* A disk, once it is known, is until all are forgotten, this IO among them. */
static struct iob_device *device_of(struct iob_state *s, struct iob_io *io)
{
	if (unlikely(!io->device || io->device->dev != io->dev))
		io->device = iob_devices_get(&s->devices, io->dev, io->disk);
	return io->device;
}

/* There is no room for any row of it. */
static void add_folded(struct iob_device_op *op, const struct iob_origin *o)
{
	atomic64_inc(&op->folded_ios);
	atomic64_add(o->bytes, &op->folded_bytes);
}

/*
 * Add the origins gathered so far to the totals, and what finds no row there
 * to the device. A disk that has none of its own is "other" in both.
 */
static void settle(struct iob_state *s, struct iob_io *io,
		   struct iob_device *device)
{
	bool holds = iob_tallies_hold(io->tallies);
	struct iob_tally *tally;
	u32 i, row;

	for (i = 0; i < io->nr; i++) {
		const struct iob_origin *o = &io->origin[i];
		const void *arg[] = { s, io, o };
		struct iob_total_key key = {
			.act = o->act,
			.issuer = o->issuer,
			.dev = device->dev,
			.op = io->op,
			.reason = o->reason,
			.basis = o->basis,
		};

		tally = holds ? iob_tally_of(io->tallies, &key) : NULL;
		if (likely(tally && iob_tally_is(tally, &key))) {
			add_share(&tally->sum, s, io, o);
			continue;
		}
		row = iob_totals_add(&s->totals, &key, IOB_TOTAL_FULL, add_io,
				     arg);
		if (tally && row)
			iob_tally_turn(&s->totals, tally, row, &key);
		else if (!row && !add_coarse(s, &key, add_io, arg))
			add_folded(&device->op[io->op], o);
	}
	if (holds)
		iob_tallies_release(io->tallies);
}

/* The share that (@act, @basis, @reason) has in the IO, made if need be. */
static struct iob_origin *find_origin(struct iob_state *s, struct iob_io *io,
				      u32 act, u8 basis, u8 reason)
{
	struct iob_origin *o;
	u32 i;

	/* backwards: the last one is the likely one */
	for (i = io->nr; i-- > 0;) {
		o = &io->origin[i];
		if (o->act == act && o->issuer == io->role &&
		    o->basis == basis && o->reason == reason)
			return o;
	}
	if (io->nr == IOB_IO_ORIGINS) {
		if (iob_filter_wants_io(&s->filter, io->dev, io->op))
			settle(s, io, device_of(s, io));
		io->nr = 0;
	}
	o = &io->origin[io->nr++];
	o->act = act;
	o->issuer = io->role;
	o->basis = basis;
	o->reason = reason;
	o->bytes = 0;
	o->kept = 0;
	o->ages = 0;
	o->queue_known = io->issue_ns && io->flow->queue_ns;
	o->queue_ns = o->queue_known ?
		      since(io->flow->queue_ns, io->issue_ns) : 0;
	o->age_max_ns = 0;
	return o;
}

/* The same, as it may be told, to be found at once the next time. */
static noinline struct iob_origin *
other_origin(struct iob_state *s, struct iob_io *io, u32 act, u8 basis,
	     u8 reason)
{
	struct iob_origin *o;
	u8 shown_basis = basis;
	u32 shown = act;

	if (act == IOB_ACT_NONE || act != io->plain)
		shown = presentable(s, act, &shown_basis);
	o = find_origin(s, io, shown, shown_basis, reason);
	/* each page of a stale act is counted */
	io->last.origin = shown == IOB_ACT_STALE ? NULL : o;
	io->last.act = act;
	io->last.basis = basis;
	io->last.reason = reason;
	return o;
}

/* The same. Pages of one act come one after the other. */
static __always_inline struct iob_origin *
origin_of(struct iob_state *s, struct iob_io *io, u32 act, u8 basis, u8 reason)
{
	if (likely(io->last.origin && io->last.act == act &&
		   io->last.basis == basis && io->last.reason == reason))
		return io->last.origin;
	return other_origin(s, io, act, basis, reason);
}

/* Count the age of what @o has had written, @pages of it. */
static __always_inline void add_age(struct iob_io *io, struct iob_origin *o,
				    u64 dirtied_ns, u32 pages)
{
	u64 age = since(dirtied_ns, io->now_ns);
	u32 bucket = iob_hist_bucket(age);

	if (!(o->ages & BIT_ULL(bucket)))
		o->age[bucket] = 0;
	o->ages |= BIT_ULL(bucket);
	o->age[bucket] += pages;
	if (age > o->age_max_ns)
		o->age_max_ns = age;
	if (!io->oldest_ns || dirtied_ns < io->oldest_ns)
		io->oldest_ns = dirtied_ns;
}

/*
 * Split bytes by the shares in @io->split, in whole bytes that add up: each gets
 * the difference of two rounded cumulative shares.
 */
static void share_out(struct iob_state *s, struct iob_io *io, u8 basis,
		      u32 bytes)
{
	const struct iob_split *split = &io->split;
	u64 weight = 0, done = 0, upto;
	u32 i;

	for (i = 0; i < split->nr; i++) {
		weight += split->share[i].weight;
		upto = bytes * weight / split->total;
		if (upto == done)
			continue;
		origin_of(s, io, split->share[i].act, basis,
			  io->flow->reason)->bytes += upto - done;
		done = upto;
	}
}

/* Split bytes over the joiners of a transaction. False: nothing is known of it. */
static bool charge_join(struct iob_state *s, struct iob_io *io, u32 bytes)
{
	if (!io->flow->join ||
	    !iob_joins_split(&s->joins, io->flow->join, &io->split) ||
	    !io->split.total)
		return false;
	share_out(s, io, io->flow->join_basis, bytes);
	return true;
}

/* The bio whose bytes are charged from now on. */
static void set_flow(struct iob_state *s, struct iob_io *io,
		     const struct iob_flow *flow)
{
	const struct iob_act *issuer;

	io->flow = flow;
	io->last.origin = NULL;
	io->plain = flow->issuer;
	io->role = flow->role;
	if (unlikely(flow->epoch != iob_objects_epoch(&s->objects))) {
		issuer = iob_intern_lookup(&s->objects.acts, flow->issuer);
		io->role = issuer ? issuer->role : 0;
		if (!issuer)
			io->plain = IOB_ACT_NONE;
	}
	/* where nobody is left out, it can be told as it is */
	if (iob_filter_wants_tasks(&s->filter))
		io->plain = IOB_ACT_NONE;
}

/* Are a bio's bytes the same transaction's as those that are not charged yet? */
static bool is_joined(const struct iob_io *io, const struct iob_flow *flow)
{
	const struct iob_flow *first = &io->joined.flow;

	return flow->by == IOB_BY_JOIN && flow->join == first->join &&
	       flow->join_basis == first->join_basis &&
	       flow->issuer == first->issuer && flow->origin == first->origin &&
	       flow->basis == first->basis && flow->reason == first->reason;
}

/*
 * Charge them: a journal's bios become one request, and are split over all joiners
 * once, not one by one.
 */
static noinline void charge_joined(struct iob_state *s, struct iob_io *io)
{
	const struct iob_flow *flow = &io->joined.flow;
	u32 bytes = io->joined.bytes;

	io->joined.bytes = 0;
	set_flow(s, io, flow);
	if (!charge_join(s, io, bytes))
		origin_of(s, io, flow->origin, IOB_BASIS_ISSUER,
			  flow->reason)->bytes += bytes;
}

/**
 * iob_charge_flow() - The next bio of the IO
 * @s:    state
 * @io:   the IO
 * @flow: what is known of the bio
 *
 * Context: probe.
 */
void iob_charge_flow(struct iob_state *s, struct iob_io *io,
		     const struct iob_flow *flow)
{
	if (unlikely(io->joined.bytes) && !is_joined(io, flow))
		charge_joined(s, io);
	set_flow(s, io, flow);
	if (!io->queue_ns) {
		io->issuer = flow->issuer;
		io->queue_ns = flow->queue_ns;
		io->id = flow->id;
		io->up = flow->up;
	}
	if (!io->issue_ns)
		io->issue_ns = flow->issue_ns;
}

/*
 * Nothing is remembered of what was written: it is split over the joiners of its
 * transaction, if that is known.
 */
static void charge_unknown(struct iob_state *s, struct iob_io *io, u32 bytes)
{
	u32 act = io->flow->unknown;

	if (charge_join(s, io, bytes))
		return;
	if (act == IOB_ACT_PREEXISTING && READ_ONCE(s->pages.lossy))
		act = IOB_ACT_LOST;
	origin_of(s, io, act, IOB_BASIS_ISSUER, io->flow->reason)->bytes += bytes;
}

/*
 * Blocks lie where the file system sees them: on the device the bio, or the one
 * above it, was submitted to.
 */
static bool find_block(struct iob_state *s, const struct iob_io *io, u64 sector,
		       struct iob_block *block)
{
	return iob_blocks_lookup(&s->blocks, io->flow->dev ?: io->dev, sector,
				 block);
}

/*
 * A metadata block, or what a bio has of it, was written home. One that was
 * changed while its content from before was being written waits for the next
 * time. IOB_ACT_NONE, nothing charged: nothing is remembered of it.
 */
static u32 charge_block(struct iob_state *s, struct iob_io *io, u64 sector,
			u32 bytes)
{
	const struct iob_flow *flow = io->flow;
	struct iob_block block;
	struct iob_origin *o;

	if (!find_block(s, io, sector, &block) ||
	    (flow->queue_ns && block.dirtied_ns > flow->queue_ns))
		return IOB_ACT_NONE;
	if (!flow->peek)
		iob_blocks_forget(&s->blocks, flow->dev ?: io->dev, sector);
	iob_count(&s->counters, IOB_CNT_BLOCKS_WRITTEN, 1);
	o = origin_of(s, io, block.act, IOB_BASIS_BLOCK, flow->reason);
	o->bytes += bytes;
	if (block.dirtied_ns)
		add_age(io, o, block.dirtied_ns, 1);
	return block.act;
}

static void charge_unknown_block(struct iob_state *s, struct iob_io *io,
				 u32 bytes)
{
	iob_count(&s->counters, IOB_CNT_BLOCKS_UNKNOWN, 1);
	charge_unknown(s, io, bytes);
}

static void charge_blocks(struct iob_state *s, struct iob_io *io, u64 sector,
			  u32 bytes)
{
	u32 block_bytes = 1u << io->flow->block_shift, part;

	for (; bytes; bytes -= part) {
		part = min_t(u32, bytes, block_bytes);
		if (charge_block(s, io, sector, part) == IOB_ACT_NONE)
			charge_unknown_block(s, io, part);
		sector += part >> 9;
	}
}

/*
 * A buffer of metadata was written home: it holds blocks, or inodes, of which
 * some have been changed. The others are written because of those.
 */
static void charge_buffer(struct iob_state *s, struct iob_io *io, u64 sector,
			  u32 bytes)
{
	struct iob_split *split = &io->split;
	u32 part, left, act;

	split->nr = 0;
	split->total = 0;
	for (left = bytes; left; left -= part, sector++) {
		part = min_t(u32, left, 512);
		act = charge_block(s, io, sector, part);
		if (act != IOB_ACT_NONE)
			iob_split_add(split, act, part);
	}
	bytes -= split->total;
	if (bytes && split->total)
		share_out(s, io, IOB_BASIS_BLOCK, bytes);
	else if (bytes)
		charge_unknown_block(s, io, bytes);
}

/*
 * A page that nobody is known to have dirtied may hold blocks that somebody has:
 * metadata in a block device's pages, journalled data in a file's.
 */
static noinline void charge_undirtied(struct iob_state *s, struct iob_io *io,
				      const struct iob_written *w)
{
	struct iob_block block;

	if (io->flow->block_shift &&
	    (io->flow->unknown != IOB_ACT_PREEXISTING ||
	     find_block(s, io, w->sector, &block))) {
		charge_blocks(s, io, w->sector, w->bytes);
		return;
	}
	if (io->flow->unknown == IOB_ACT_PREEXISTING)
		iob_count(&s->counters, IOB_CNT_PAGES_PREEXISTING, 1);
	charge_unknown(s, io, w->bytes);
}

/* Does a page that has an act still belong to the file that this is about? */
static noinline bool is_its_own(struct iob_state *s, struct iob_io *io, u32 act)
{
	/* what is stale is told so */
	if (act >= IOB_NR_RESERVED_ACTS &&
	    !iob_intern_lookup(&s->objects.acts, act))
		return true;
	if (!iob_objects_act_is_on(&s->objects, act, &io->file)) {
		iob_count(&s->counters, IOB_CNT_PAGES_FOREIGN, 1);
		return false;
	}
	io->about = act;
	return true;
}

/**
 * iob_charge_run() - Charge the pages that have been counted together
 * @s:  state
 * @io: the IO
 *
 * Context: probe.
 */
void iob_charge_run(struct iob_state *s, struct iob_io *io)
{
	u64 word = io->run.word, dirtied_ns;
	struct iob_origin *o;

	if (!io->run.pages)
		return;
	o = origin_of(s, io, iob_slot_act(word), io->flow->basis,
		      iob_slot_reason(word) ?: io->flow->reason);
	o->bytes += io->run.bytes;
	io->bytes += io->run.bytes;
	dirtied_ns = iob_slot_dirtied_ns(word, io->now_ns);
	if (dirtied_ns)
		add_age(io, o, dirtied_ns, io->run.pages);
	iob_count(&s->counters, IOB_CNT_PAGES_WRITEBACK, io->run.pages);
	io->run.word = IOB_NO_WORD;
	io->run.pages = 0;
}

/**
 * iob_charge_other_page() - A page that is not like the one before was written
 * @s:  state
 * @io: the IO
 * @w:  what of it
 *
 * Context: probe; by iob_charge_page().
 */
void iob_charge_other_page(struct iob_state *s, struct iob_io *io,
			   const struct iob_written *w)
{
	bool is_whole = !w->is_large && w->bytes == PAGE_SIZE;
	u64 word;
	u32 act;

	iob_charge_run(s, io);
	word = iob_pages_complete(&s->pages, w->pfn, w->peek, w->still_dirty,
				  is_whole, io->submitted_ns, io->now_ns);
	act = iob_slot_act(word);
	if (!word || act == IOB_ACT_PREEXISTING ||
	    (act != io->about && !is_its_own(s, io, act))) {
		io->bytes += w->bytes;
		iob_count(&s->counters, IOB_CNT_PAGES_WRITEBACK, 1);
		charge_undirtied(s, io, w);
		return;
	}
	io->run.word = word;
	io->run.pages = 1;
	io->run.bytes = w->bytes;
}

/**
 * iob_charge_read() - Part of a page cache page was read
 * @s:     state
 * @io:    the IO
 * @pfn:   the page's frame
 * @bytes: of it, at most a page
 *
 * Context: probe; the page is still locked.
 */
void iob_charge_read(struct iob_state *s, struct iob_io *io, u64 pfn,
		     u32 bytes)
{
	const struct iob_flow *flow = io->flow;
	struct iob_origin *o = origin_of(s, io, flow->origin, flow->basis,
					 flow->reason);
	struct iob_read read = {
		.act = flow->origin,
		.reason = flow->reason,
		.bytes = bytes,
	};

	io->bytes += bytes;
	o->bytes += bytes;
	if (!iob_filter_wants_io(&s->filter, io->dev, IOB_OP_READ))
		return;
	read.disk = device_of(s, io) - s->devices.device;
	/* where it is passed on, the devices below have told */
	if (!flow->parts && iob_pages_read(&s->pages, pfn, &read))
		o->kept += bytes;
}

/**
 * iob_charge_act() - Bytes of a bio that are known to be somebody's
 * @s:     state
 * @io:    the IO
 * @act:   whose
 * @bytes: how many
 *
 * Context: probe.
 */
void iob_charge_act(struct iob_state *s, struct iob_io *io, u32 act, u32 bytes)
{
	io->bytes += bytes;
	origin_of(s, io, act, io->flow->basis, io->flow->reason)->bytes += bytes;
}

/**
 * iob_charge_split() - Bytes of a bio that several share
 * @s:     state
 * @io:    the IO; the shares in @io->split, of which there are some
 * @basis: how that is known
 * @bytes: how many
 *
 * Context: probe.
 */
void iob_charge_split(struct iob_state *s, struct iob_io *io, u8 basis,
		      u32 bytes)
{
	io->bytes += bytes;
	share_out(s, io, basis, bytes);
}

/* Bytes that may be several acts', see enum iob_flow_by. */
static noinline void charge_shared(struct iob_state *s, struct iob_io *io,
				   u64 sector, u32 bytes)
{
	if (io->flow->by == IOB_BY_BLOCK) {
		charge_blocks(s, io, sector, bytes);
	} else if (io->flow->by == IOB_BY_BUFFER) {
		charge_buffer(s, io, sector, bytes);
	} else {
		if (!io->joined.bytes)
			io->joined.flow = *io->flow;
		io->joined.bytes += bytes;
	}
}

/**
 * iob_charge_bytes() - Bytes of a bio whose pages are not asked
 * @s:      state
 * @io:     the IO
 * @sector: where they went
 * @bytes:  how many; 0 for a flush
 *
 * Context: probe.
 */
void iob_charge_bytes(struct iob_state *s, struct iob_io *io, u64 sector,
		      u32 bytes)
{
	const struct iob_flow *flow = io->flow;

	io->bytes += bytes;
	if (flow->by >= IOB_BY_BLOCK && bytes)
		charge_shared(s, io, sector, bytes);
	else
		origin_of(s, io, flow->origin,
			  flow->by == IOB_BY_JOIN ? IOB_BASIS_ISSUER :
						    flow->basis,
			  flow->reason)->bytes += bytes;
}

/**
 * iob_charge_flush_command() - A disk has carried out a flush command
 * @s:    state
 * @dev:  disk
 * @disk: its name
 *
 * One command may serve several who asked, and one who asked may need two;
 * they are charged for their own requests. The sums of the disk count commands,
 * as the kernel's statistics do.
 *
 * Context: probe.
 */
void iob_charge_flush_command(struct iob_state *s, u32 dev, const char *disk)
{
	struct iob_device *device;

	if (!iob_filter_wants_io(&s->filter, dev, IOB_OP_FLUSH))
		return;
	device = iob_devices_get(&s->devices, dev, disk);
	atomic64_inc(&device->op[IOB_OP_FLUSH].ios);
}

static void add_ios(struct iob_total *row, const void *arg)
{
	row->ios += *(const u32 *)arg;
}

/**
 * iob_charge_flushes() - A write that has completed asked for flushes beside
 * @s:      state
 * @io:     the IO that is charged now
 * @act:    who asked, of kind flush
 * @reason: why
 * @nr:     how many
 *
 * Context: probe.
 */
void iob_charge_flushes(struct iob_state *s, struct iob_io *io, u32 act,
			u8 reason, u32 nr)
{
	struct iob_total_key key = {
		.issuer = io->role,
		.op = IOB_OP_FLUSH,
		.reason = reason,
		.basis = IOB_BASIS_DIRECT,
	};

	if (!iob_filter_wants_io(&s->filter, io->dev, IOB_OP_FLUSH))
		return;
	key.dev = device_of(s, io)->dev;
	key.act = presentable(s, act, &key.basis);
	add(s, &key, add_ios, &nr);
}

/**
 * iob_charge_more_ios() - The kernel counts an IO as several
 * @s:    state
 * @dev:  disk
 * @disk: its name
 * @op:   enum iob_op
 * @nr:   how many more
 *
 * Device mapper counts the parts it cuts a bio into, and the flush before its
 * data, each as an IO. Here it is one; the sums of the disk follow the kernel's.
 *
 * Context: probe.
 */
void iob_charge_more_ios(struct iob_state *s, u32 dev, const char *disk, u8 op,
			 u32 nr)
{
	struct iob_device *device;

	if (!iob_filter_wants_io(&s->filter, dev, op))
		return;
	device = iob_devices_get(&s->devices, dev, disk);
	atomic64_add(nr, &device->op[op].ios);
}

/**
 * iob_charge_end() - All of the IO has been gathered: add it up
 * @s:     state
 * @io:    the IO; its origins stay readable for the event
 * @flags: bits of IOB_IO_FLAGS
 *
 * Context: probe.
 * Return: false if the filter does not want this IO.
 */
bool iob_charge_end(struct iob_state *s, struct iob_io *io, u16 flags)
{
	struct iob_device *device;
	struct iob_device_op *op;

	io->flags = flags;
	if (io->joined.bytes)
		charge_joined(s, io);
	if (!iob_filter_wants_io(&s->filter, io->dev, io->op))
		return false;
	device = device_of(s, io);
	op = &device->op[io->op];
	atomic64_add(io->bytes, &op->bytes);
	/* to the kernel's statistics, who asks for a flush writes */
	if (io->op == IOB_OP_FLUSH)
		op = &device->op[IOB_OP_WRITE];
	if (!(flags & BIT(IOB_IO_BIT_PARTIAL)))
		atomic64_inc(&op->ios);
	settle(s, io, device);
	iob_count(&s->counters, IOB_CNT_IOS, 1);
	return true;
}
