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

/**
 * struct memo - a path
 * @hook:     where it leads to; NULL: none
 * @id:       what the caller calls it
 * @era:      of the kernel's code that it was walked in
 * @nr:       frames that lie at a distance from the first
 * @nr_links: words by which some of them were found
 * @has_entry: then there is the entry's frame
 * @has_leap: it is found from the stack's other end
 * @at:       places of the frames, in words
 * @ip:       the return address there; the entry's is the last
 * @link:     those words
 */
struct memo {
	const struct iob_hook *hook;
	u32 id;
	u32 era;
	u8 nr;
	u8 nr_links;
	bool has_entry;
	bool has_leap;
	u16 at[IOB_PATH_DEPTH];
	unsigned long ip[IOB_PATH_DEPTH];
	struct iob_path_link link[IOB_PATH_LINKS];
};

struct memo_set {
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

/* Is this the way again? */
static bool holds(const struct memo *m, const struct iob_hook *hook,
		  const unsigned long *base, const unsigned long *entry)
{
	const struct iob_path_link *link;
	u32 i;

	if (m->hook != hook || m->era != READ_ONCE(iob_path_era) ||
	    base + m->at[m->nr - 1] >= entry)
		return false;
	/* from without: what is near is the same for most ways */
	for (i = m->nr; i-- > 0;)
		if (READ_ONCE_NOCHECK(base[m->at[i]]) != m->ip[i])
			return false;
	for (link = m->link; link < m->link + m->nr_links; link++)
		if (READ_ONCE_NOCHECK(base[link->at]) - link->points !=
		    (unsigned long)(link->from_entry ? entry : base))
			return false;
	return !m->has_entry ||
	       (READ_ONCE_NOCHECK(*entry) == m->ip[m->nr] &&
		(m->has_leap || base + m->at[m->nr] == entry));
}

/**
 * iob_memo_find() - Is the current path known?
 * @hook: that was hit
 * @base: where the return address of the caller lies, its first, as it was for
 *        iob_path_walk() then
 *
 * Context: a task's probe.
 * Return: what it was called, 0 if it is not known.
 */
u32 iob_memo_find(const struct iob_hook *hook, const unsigned long *base)
{
	const unsigned long *entry = iob_path_entry();
	const struct memo_set *set = set_of(hook);
	u32 i;

	if (unlikely((unsigned long)entry - (unsigned long)base >= THREAD_SIZE))
		return 0;
	for (i = 0; i < WAYS; i++)
		if (holds(&set->way[i], hook, base, entry))
			return set->way[i].id;
	return 0;
}

/**
 * iob_memo_set() - Remember the path that was walked just now
 * @hook: that was hit
 * @path: the path; nothing is done if it is not exact
 * @nr:   of its frames, those that count
 * @id:   what to call it
 *
 * Context: a task's probe.
 */
void iob_memo_set(const struct iob_hook *hook, const struct iob_path *path,
		  u32 nr, u32 id)
{
	struct memo_set *set = set_of(hook);
	struct memo *m = &set->way[set->next % WAYS];
	u32 links = 0;

	if (!path->is_exact || nr < 2)
		return;
	set->next++;
	m->hook = hook;
	m->id = id;
	m->era = READ_ONCE(iob_path_era);
	m->has_entry = path->is_whole && nr == path->nr;
	m->nr = nr - m->has_entry;
	while (links < path->nr_links && path->link[links].frame < nr)
		links++;
	m->nr_links = links;
	m->has_leap = links && path->link[links - 1].from_entry;
	memcpy(m->at, path->at, nr * sizeof(m->at[0]));
	memcpy(m->ip, path->ip, nr * sizeof(m->ip[0]));
	memcpy(m->link, path->link, links * sizeof(m->link[0]));
}
