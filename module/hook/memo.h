/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_HOOK_MEMO_H
#define IOB_HOOK_MEMO_H

#include <linux/percpu.h>

#include "path.h"

struct iob_hook;

/**
 * struct iob_memo_value - what the caller remembers with a path
 * @id:     what it is called
 * @epoch:  in which @object was found, see iob_objects_epoch()
 * @object: what the id stands for
 */
struct iob_memo_value {
	u32 id;
	u32 epoch;
	void *object;
};

#define IOB_MEMO_SET_BITS	7
#define IOB_MEMO_WAYS		4

/* Frames are compared by so many. */
#define IOB_MEMO_STEP		4
#define IOB_MEMO_FRAMES	round_up(IOB_PATH_DEPTH, IOB_MEMO_STEP)

/**
 * struct iob_memo - a path
 * @hook:     where it leads to; NULL: none
 * @value:    what the caller remembers
 * @era:      of the kernel's code that it was walked in
 * @nr:       frames that lie at a distance from the first
 * @nr_links: words by which some of them were found
 * @has_entry: then there is the entry's frame
 * @has_leap: one more word, by which that is found from the stack's other end
 * @last:     place of the outermost of them, in words
 * @ip:       the return addresses; more of the first follow to fill up
 * @at:       where they are, in words
 * @entry:    the entry's return address
 * @entry_at: how far that was from the first, in words
 * @link:     those words
 * @next:     the path that was asked for after this one, the last time
 */
struct iob_memo {
	const struct iob_hook *hook;
	struct iob_memo_value value;
	u32 era;
	u8 nr;
	u8 nr_links;
	bool has_entry;
	bool has_leap;
	u16 last;
	u16 at[IOB_MEMO_FRAMES];
	unsigned long ip[IOB_MEMO_FRAMES];
	unsigned long entry;
	u16 entry_at;
	struct iob_path_link link[IOB_PATH_LINKS];
	struct iob_memo *next;
};

struct iob_memo_set {
	struct iob_memo *last;	/* of the set, to be tried first */
	u32 next;		/* to be replaced */
	struct iob_memo way[IOB_MEMO_WAYS];
};

DECLARE_PER_CPU(struct iob_memo_set *, iob_memo_sets);

int iob_memos_init(void);
void iob_memos_exit(void);
struct iob_memo *iob_memo_find(struct iob_memo *before,
			       const struct iob_hook *hook,
			       const unsigned long *base);
void iob_memo_set(struct iob_hook *hook, const struct iob_path *path, u32 own,
		  u32 nr, const struct iob_memo_value *value);

/*
 * Is everything where it was? It is the task's own stack, which nobody else writes
 * to: plain reads, but none that KASAN looks at, for they are in the margins of
 * other functions' frames.
 */
static __no_kasan_or_inline bool
iob_memo_is_same(const struct iob_memo *m, const unsigned long *base,
		 const unsigned long *entry)
{
	const struct iob_path_link *link, *leap = m->link + m->nr_links;
	const unsigned long *ip = m->ip, *end = ip + m->nr;
	const u16 *at = m->at;
	unsigned long differs = 0;

	for (; ip < end; ip += IOB_MEMO_STEP, at += IOB_MEMO_STEP) {
		differs |= base[at[0]] ^ ip[0];
		differs |= base[at[1]] ^ ip[1];
		differs |= base[at[2]] ^ ip[2];
		differs |= base[at[3]] ^ ip[3];
		/* the innermost are alike on all ways to a hook */
		if (unlikely(differs))
			return false;
	}
	for (link = m->link; link < leap; link++)
		differs |= base[link->at] - (unsigned long)base - link->points;
	if (m->has_leap)
		differs |= base[leap->at] - (unsigned long)entry - leap->points;
	else if (m->has_entry)
		differs |= entry - base - m->entry_at;
	if (m->has_entry)
		differs |= *entry ^ m->entry;
	return !differs;
}

/**
 * iob_memo_holds() - Is this the way again?
 * @m:    a path that was walked before
 * @hook: that was hit
 * @base: where the return address of the caller lies, its first, as it was for
 *        iob_path_walk() then
 *
 * Context: a task's probe.
 * Return: true or false.
 */
static __always_inline bool iob_memo_holds(const struct iob_memo *m,
					   const struct iob_hook *hook,
					   const unsigned long *base)
{
	const unsigned long *entry = iob_path_entry();

	return m->hook == hook && m->era == READ_ONCE(iob_path_era) &&
	       iob_path_is_on_stack(base) && base + m->last < entry &&
	       iob_memo_is_same(m, base, entry);
}

#endif /* IOB_HOOK_MEMO_H */
