// SPDX-License-Identifier: GPL-2.0
/*
 * Paths that were walked before. A task comes to a hook by few ways, again and
 * again. What was found once is remembered with the place of every return address
 * and of every saved frame pointer that was used to find one. If they are all
 * there again, each leads to the next as it did then, and it is the same way.
 *
 * The kernel moves its stack by a random number at each system call. What is above
 * that is found from the other end, where the entry has left the user's
 * registers.
 *
 * One set a hook and system call, on each CPU; used by tasks only, with preemption
 * off, so by one at a time.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include <asm/syscall.h>

#include "memo.h"

#define SET_BITS	6
#define WAYS		4

/* Frames are compared by so many. */
#define STEP		4
#define MAX_FRAMES	round_up(IOB_PATH_DEPTH, STEP)

/**
 * struct memo - a path
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
 */
struct memo {
	const struct iob_hook *hook;
	struct iob_memo_value value;
	u32 era;
	u8 nr;
	u8 nr_links;
	bool has_entry;
	bool has_leap;
	u16 last;
	u16 at[MAX_FRAMES];
	unsigned long ip[MAX_FRAMES];
	unsigned long entry;
	u16 entry_at;
	struct iob_path_link link[IOB_PATH_LINKS];
};

struct memo_set {
	struct memo *last;	/* to be tried first */
	u32 next;		/* to be replaced */
	struct memo way[WAYS];
};

static DEFINE_PER_CPU(struct memo_set *, sets);

/**
 * iob_memos_init() - Make room for paths
 *
 * Context: may sleep; no probe runs.
 * Return: 0 or -ENOMEM.
 */
int iob_memos_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(sets, cpu) = kvcalloc(1 << SET_BITS,
					      sizeof(struct memo_set),
					      GFP_KERNEL);
		if (!per_cpu(sets, cpu)) {
			iob_memos_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * iob_memos_exit() - Forget all paths
 *
 * Context: may sleep; no probe runs.
 */
void iob_memos_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(sets, cpu));
		per_cpu(sets, cpu) = NULL;
	}
}

static struct memo_set *set_of(const struct iob_hook *hook)
{
	/* of a kernel thread, whatever is there: it only spreads */
	long call = syscall_get_nr(current, task_pt_regs(current));

	return this_cpu_read(sets) +
	       hash_long((unsigned long)hook ^ call, SET_BITS);
}

/*
 * Is everything where it was? It is the task's own stack, which nobody else writes
 * to: plain reads, but none that KASAN looks at, for they are in the margins of
 * other functions' frames.
 */
static __no_kasan_or_inline bool is_same(const struct memo *m,
					 const unsigned long *base,
					 const unsigned long *entry)
{
	const struct iob_path_link *link, *leap = m->link + m->nr_links;
	unsigned long differs = 0;
	u32 i;

	for (i = 0; i < m->nr; i += STEP) {
#define DIFFERENCE(k)	(base[m->at[i + (k)]] ^ m->ip[i + (k)])
		differs |= DIFFERENCE(0) | DIFFERENCE(1) | DIFFERENCE(2) |
			   DIFFERENCE(3);
#undef DIFFERENCE
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

/* Is this the way again? */
static __always_inline bool holds(const struct memo *m,
				  const struct iob_hook *hook,
				  const unsigned long *base,
				  const unsigned long *entry)
{
	return m->hook == hook && m->era == READ_ONCE(iob_path_era) &&
	       base + m->last < entry && is_same(m, base, entry);
}

/* Among those of its set that are not tried first. */
static noinline struct iob_memo_value *
find_other(struct memo_set *set, const struct iob_hook *hook,
	   const unsigned long *base, const unsigned long *entry)
{
	struct memo *m;

	for (m = set->way; m < set->way + WAYS; m++) {
		if (m == set->last || !holds(m, hook, base, entry))
			continue;
		set->last = m;
		return &m->value;
	}
	return NULL;
}

/**
 * iob_memo_find() - Is the current path known?
 * @hook: that was hit
 * @base: where the return address of the caller lies, its first, as it was for
 *        iob_path_walk() then
 *
 * Context: a task's probe.
 * Return: what was remembered with it, to be changed at will; NULL if it is not
 * known.
 */
struct iob_memo_value *iob_memo_find(const struct iob_hook *hook,
				     const unsigned long *base)
{
	const unsigned long *entry = iob_path_entry();
	struct memo_set *set = set_of(hook);
	struct memo *m = set->last;

	if (unlikely((unsigned long)entry - (unsigned long)base >= THREAD_SIZE))
		return NULL;
	if (likely(m && holds(m, hook, base, entry)))
		return &m->value;
	return find_other(set, hook, base, entry);
}

/**
 * iob_memo_set() - Remember the path that was walked just now
 * @hook:  that was hit
 * @path:  the path; nothing is done if it is not exact
 * @nr:    of its frames, those that count
 * @value: what to remember with it
 *
 * Context: a task's probe.
 */
void iob_memo_set(const struct iob_hook *hook, const struct iob_path *path,
		  u32 nr, const struct iob_memo_value *value)
{
	struct memo_set *set = set_of(hook);
	struct memo *m;
	u32 i;

	if (!path->is_exact || nr < 2)
		return;
	m = &set->way[set->next++ % WAYS];
	set->last = m;
	m->hook = hook;
	m->value = *value;
	m->era = READ_ONCE(iob_path_era);
	m->has_entry = path->is_whole && nr == path->nr;
	m->nr = nr - m->has_entry;
	m->last = path->at[m->nr - 1];
	m->entry = path->ip[nr - 1];
	m->entry_at = path->at[nr - 1];
	for (i = 0; i < MAX_FRAMES; i++) {
		m->at[i] = i < m->nr ? path->at[i] : 0;
		m->ip[i] = path->ip[i < m->nr ? i : 0];
	}
	m->nr_links = 0;
	while (m->nr_links < path->nr_links &&
	       path->link[m->nr_links].frame < nr)
		m->nr_links++;
	memcpy(m->link, path->link, m->nr_links * sizeof(m->link[0]));
	/* only the last can lead to the entry */
	m->has_leap = m->nr_links && m->link[m->nr_links - 1].from_entry;
	m->nr_links -= m->has_leap;
}
