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
 * One set for a hook and those that call there, on each CPU; used by tasks only,
 * with preemption off, so by one at a time.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "hook.h"
#include "memo.h"
#include "percpu.h"

DEFINE_PER_CPU(struct iob_memo_set *, iob_memo_sets);

/**
 * iob_memos_init() - Make room for paths
 *
 * Context: may sleep; no probe runs.
 * Return: 0 or -ENOMEM.
 */
int iob_memos_init(void)
{
	return iob_percpu_alloc((void *__percpu *)&iob_memo_sets,
				1 << IOB_MEMO_SET_BITS,
				sizeof(struct iob_memo_set));
}

/**
 * iob_memos_exit() - Forget all paths
 *
 * Context: may sleep; no probe runs.
 */
void iob_memos_exit(void)
{
	iob_percpu_free((void *__percpu *)&iob_memo_sets);
}

/*
 * How many words lie between a return address and the next one, by the address: where
 * a function does not change its frame while it runs, always as many. Only to find a
 * set by, so it may be wrong, but should be so every time: who came first stays.
 */
struct step {
	unsigned long ip;
	unsigned long words;
};

#define STEP_BITS	11

static struct step steps[1 << STEP_BITS];

/* Places that an address can have: else all ways through it would share a set. */
#define STEP_PLACES	4

/* What is known of an address, or where there is room for it; NULL: nowhere. */
static struct step *step_of(unsigned long ip)
{
	u32 first = hash_long(ip, STEP_BITS), i;
	struct step *step;
	unsigned long known;

	for (i = 0; i < STEP_PLACES; i++) {
		step = &steps[(first + i) % ARRAY_SIZE(steps)];
		known = READ_ONCE(step->ip);
		if (likely(known == ip) || !known)
			return step;
	}
	return NULL;
}

/* Frames of the traced code that paths are told apart by at first. */
#define LEVELS	8

/*
 * Where the paths to a hook are that come from the same functions, the innermost of
 * the traced code.
 */
static __no_kasan_or_inline struct iob_memo_set *
set_of(const struct iob_hook *hook, const unsigned long *base)
{
	unsigned long key = (unsigned long)hook, ip;
	const unsigned long *word = base + READ_ONCE(hook->caller_at);
	const struct step *step;
	int i;

	for (i = 0; i < LEVELS && iob_path_is_on_stack(word); i++) {
		ip = *word;
		key = key * 31 + ip;
		step = step_of(ip);
		if (!step || READ_ONCE(step->ip) != ip)
			break;
		word += READ_ONCE(step->words);
	}
	return this_cpu_read(iob_memo_sets) + hash_long(key, IOB_MEMO_SET_BITS);
}

/* What is to be known of a path to find its set. */
static void learn(struct iob_hook *hook, const struct iob_path *path, u32 own,
		  u32 nr)
{
	struct step *step;
	u32 i;

	WRITE_ONCE(hook->caller_at, path->at[own]);
	for (i = own; i < own + LEVELS && i + 1 < nr; i++) {
		step = step_of(path->ip[i]);
		if (!step || READ_ONCE(step->ip))
			continue;
		WRITE_ONCE(step->words, path->at[i + 1] - path->at[i]);
		WRITE_ONCE(step->ip, path->ip[i]);
	}
}

/* The same way to a hook, among those of its set. */
static struct iob_memo *search(const struct iob_hook *hook,
			       const unsigned long *base)
{
	struct iob_memo_set *set = set_of(hook, base);
	struct iob_memo *m = set->last;

	if (m && iob_memo_holds(m, hook, base))
		return m;
	for (m = set->way; m < set->way + IOB_MEMO_WAYS; m++) {
		if (m == set->last || !iob_memo_holds(m, hook, base))
			continue;
		set->last = m;
		return m;
	}
	return NULL;
}

/**
 * iob_memo_find() - Is the current path known?
 * @before: the path that was asked for before on this CPU, NULL if it is not known
 * @hook:   that was hit
 * @base:   as for iob_memo_holds()
 *
 * Most tasks do the same again and again: what came after that one the last time is
 * tried first.
 *
 * Context: a task's probe.
 * Return: what was remembered of it, its value to be changed at will; NULL if it is
 * not known.
 */
struct iob_memo *iob_memo_find(struct iob_memo *before,
			       const struct iob_hook *hook,
			       const unsigned long *base)
{
	struct iob_memo *m = before ? before->next : NULL;

	if (m && iob_memo_holds(m, hook, base))
		return m;
	m = search(hook, base);
	if (m && before)
		before->next = m;
	return m;
}

/**
 * iob_memo_set() - Remember the path that was walked just now
 * @hook:  that was hit
 * @path:  the path; nothing is done if it is not exact
 * @own:   of its frames, those before the traced code
 * @nr:    those that count, @own among them
 * @value: what to remember with it
 *
 * Context: a task's probe.
 */
void iob_memo_set(struct iob_hook *hook, const struct iob_path *path, u32 own,
		  u32 nr, const struct iob_memo_value *value)
{
	struct iob_memo_set *set;
	struct iob_memo *m;
	u32 i;

	if (!path->is_exact || nr < 2 || own >= nr)
		return;
	learn(hook, path, own, nr);
	set = set_of(hook, path->base);
	m = &set->way[set->next++ % IOB_MEMO_WAYS];
	set->last = m;
	m->hook = hook;
	m->value = *value;
	m->era = READ_ONCE(iob_path_era);
	m->has_entry = path->is_whole && nr == path->nr;
	m->nr = nr - m->has_entry;
	m->last = path->at[m->nr - 1];
	m->entry = path->ip[nr - 1];
	m->entry_at = path->at[nr - 1];
	for (i = 0; i < IOB_MEMO_FRAMES; i++) {
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
