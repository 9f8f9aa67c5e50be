// SPDX-License-Identifier: GPL-2.0
/*
 * Walking the stack without the kernel's unwinder, by what was learnt from it.
 *
 * The ORC tables of x86-64 tell for every address that a function may return to
 * where the frame above lies: at a fixed distance from the stack pointer, or from
 * the frame pointer; and where the frame pointer of the caller was saved. The
 * tables are not ours to read, but the unwinder is ours to ask: it is given a stack
 * of marked words and one step to take, and what it comes back with tells the
 * rule. Rules are kept by address. What no rule tells (exceptions, what another
 * tracer has put in the place of a return address) is left to the unwinder.
 */
#include <linux/init_task.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>

#include "path.h"
#include "percpu.h"

u32 iob_path_era;

/**
 * iob_path_unwind() - Walk the current task's stack by the kernel's unwinder
 * @path: filled; it does not tell where it has found what
 *
 * Context: the task, preemption off.
 */
void iob_path_unwind(struct iob_path *path)
{
	/* not this frame */
	path->nr = stack_trace_save(path->ip, IOB_PATH_DEPTH, 1);
	path->is_exact = false;
}

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)

#include <asm/unwind.h>

#define RULE_BITS	10

/* From where the frame above is found. */
enum found {
	UNKNOWN,		/* leave it to the unwinder */
	FROM_STACK,		/* at a distance from this one */
	FROM_POINTER,		/* from where the frame pointer points to */
	FROM_POINTED,		/* a word at a distance from there points to it */
};

/* Where the caller's frame pointer is. */
enum saved {
	NOT_SAVED,		/* still in the register, or with a frame within */
	SAVED_AT_FRAME,		/* at a distance from the frame above */
	SAVED_AT_POINTER,	/* from where the frame pointer points to */
};

/**
 * struct rule - what is known of an address that is returned to
 * @ip:       the address
 * @era:      of the kernel's code
 * @found:    enum found
 * @saved:    enum saved
 * @distance: for @found, in words
 * @saved_at: for @saved, likewise
 */
struct rule {
	unsigned long ip;
	u32 era;
	u8 found;
	u8 saved;
	s16 distance;
	s16 saved_at;
};

/* By a hash of the address; used by tasks with preemption off. */
static DEFINE_PER_CPU(struct rule *, rules);

/*
 * The stack that the unwinder is given: every word points to its like in the upper
 * half, and there every word is marked. The stack pointer and the frame pointer are
 * so far apart that a frame of any size that is allowed tells from which it was
 * counted.
 */
#define TRIAL_WORDS	1024
#define TRIAL_SP	32
#define TRIAL_BP	768
#define TRIAL_SHIFT	64

static unsigned long *trial;

/* No address looks like that. */
static unsigned long mark(long i)
{
	return 0x5a5a000000000000ul | i;
}

/**
 * iob_path_init() - Make room for rules
 *
 * Context: may sleep; no probe runs.
 * Return: 0 or -ENOMEM.
 */
int iob_path_init(void)
{
	int err, i;

	trial = kvcalloc(2 * TRIAL_WORDS, sizeof(*trial), GFP_KERNEL);
	if (!trial)
		return -ENOMEM;
	for (i = 0; i < TRIAL_WORDS; i++) {
		trial[i] = (unsigned long)&trial[TRIAL_WORDS + i];
		trial[TRIAL_WORDS + i] = mark(i);
	}
	err = iob_percpu_alloc((void *__percpu *)&rules, 1 << RULE_BITS,
			       sizeof(struct rule));
	if (err)
		iob_path_exit();
	return err;
}

/**
 * iob_path_exit() - Forget the rules
 *
 * Context: may sleep; no probe runs.
 */
void iob_path_exit(void)
{
	iob_percpu_free((void *__percpu *)&rules);
	kvfree(trial);
	trial = NULL;
}

/* Where in the trial stack a word points; out of it: -1. */
static long place_of(unsigned long word)
{
	unsigned long i = (word - (unsigned long)trial) / sizeof(*trial);

	return i < 2 * TRIAL_WORDS ? i : -1;
}

/* Where in the trial stack a word was read. */
static long origin_of(unsigned long word)
{
	unsigned long i = word - mark(0);

	return i < TRIAL_WORDS ? TRIAL_WORDS + i : place_of(word) - TRIAL_WORDS;
}

/**
 * struct outcome - where a step has led to, as places in the trial stack
 * @frame:    above the return address
 * @is_saved: the frame pointer has been read
 * @saved:    there
 */
struct outcome {
	long frame;
	bool is_saved;
	long saved;
};

/* One step up from @ip, the frame pointer at @bp. False: it is no plain call. */
static bool try_step(unsigned long ip, long bp, struct outcome *out)
{
	struct unwind_state state = {
		.stack_info = {
			.type = STACK_TYPE_TASK,
			.begin = trial,
			.end = trial + 2 * TRIAL_WORDS,
		},
		/* of the current one it would complain in the log */
		.task = &init_task,
		.ip = ip,
		.sp = (unsigned long)(trial + TRIAL_SP),
		.bp = (unsigned long)(trial + bp),
	};

	unwind_next_frame(&state);
	if (unwind_done(&state) || unwind_error(&state) || state.regs ||
	    state.signal)
		return false;
	out->frame = place_of(state.sp);
	out->is_saved = place_of(state.bp) != bp;
	out->saved = out->is_saved ? origin_of(state.bp) : bp;
	return out->frame > 0 && state.ip == trial[out->frame - 1] &&
	       out->saved >= 0;
}

/* What the unwinder does at rule->ip, with the frame pointer here and there. */
static void learn(struct rule *rule)
{
	long frame_moves, saved_moves;
	struct outcome a, b;
	bool is_pointed;

	rule->found = UNKNOWN;
	if (!try_step(rule->ip, TRIAL_BP, &a) ||
	    !try_step(rule->ip, TRIAL_BP + TRIAL_SHIFT, &b) ||
	    a.is_saved != b.is_saved)
		return;
	is_pointed = a.frame >= TRIAL_WORDS;
	frame_moves = b.frame - a.frame;
	saved_moves = b.saved - a.saved;
	if (!a.is_saved) {
		rule->saved = NOT_SAVED;
	} else if (saved_moves == frame_moves &&
		   is_pointed == (a.saved >= TRIAL_WORDS)) {
		rule->saved = SAVED_AT_FRAME;
		rule->saved_at = a.saved - a.frame;
	} else if (saved_moves == TRIAL_SHIFT && a.saved < TRIAL_WORDS) {
		rule->saved = SAVED_AT_POINTER;
		rule->saved_at = a.saved - TRIAL_BP;
	} else {
		return;
	}
	if (!frame_moves && !is_pointed) {
		rule->found = FROM_STACK;
		rule->distance = a.frame - TRIAL_SP;
	} else if (frame_moves == TRIAL_SHIFT) {
		rule->found = is_pointed ? FROM_POINTED : FROM_POINTER;
		rule->distance = a.frame - TRIAL_BP -
				 (is_pointed ? TRIAL_WORDS : 0);
	}
}

static const struct rule *rule_of(unsigned long ip)
{
	struct rule *rule = this_cpu_read(rules) +
			    ((ip ^ ip >> RULE_BITS) & ((1 << RULE_BITS) - 1));
	u32 era = READ_ONCE(iob_path_era);

	if (likely(rule->ip == ip && rule->era == era))
		return rule;
	rule->ip = ip;
	rule->era = era;
	learn(rule);
	return rule;
}

/* Is this a place between the first return address and the entry's? */
static bool is_within(const unsigned long *base, const unsigned long *where,
		      const unsigned long *entry)
{
	return where >= base && where <= entry &&
	       IS_ALIGNED((unsigned long)where, sizeof(long));
}

/* The next frame is found by the word at @where. */
static void add_link(struct iob_path *path, const unsigned long *base,
		     const unsigned long *where, const unsigned long *entry)
{
	const unsigned long *from = entry ?: base;

	if (path->nr_links == IOB_PATH_LINKS) {
		path->is_exact = false;
		return;
	}
	path->link[path->nr_links++] = (struct iob_path_link){
		.at = where - base,
		.frame = path->nr,
		.from_entry = entry,
		.points = READ_ONCE_NOCHECK(*where) - (unsigned long)from,
	};
}

/* False: the unwinder has to do it. */
static bool walk(struct iob_path *path, const unsigned long *base,
		 const unsigned long *entry)
{
	const unsigned long *where = base, *saved = base - 1, *frame, *pointed;
	unsigned long *pointer = (unsigned long *)*saved;
	const struct rule *rule;
	bool is_top;

	path->nr = 0;
	path->nr_links = 0;
	path->is_exact = true;
	for (;;) {
		path->ip[path->nr] = READ_ONCE_NOCHECK(*where);
		path->at[path->nr++] = where - base;
		path->is_whole = where == entry;
		if (path->is_whole || path->nr == IOB_PATH_DEPTH)
			return true;
		rule = rule_of(path->ip[path->nr - 1]);
		if (rule->found == UNKNOWN)
			return false;
		pointed = NULL;
		frame = where + 1 + rule->distance;
		if (rule->found != FROM_STACK)
			frame = pointer + rule->distance;
		if (rule->found == FROM_POINTED) {
			pointed = frame;
			if (!is_within(where, pointed, entry))
				return false;
			frame = (unsigned long *)READ_ONCE_NOCHECK(*pointed);
		}
		if (!is_within(where + 1, frame - 1, entry))
			return false;
		where = frame - 1;
		is_top = where == entry;
		/* where it is the pointed word that leaps, the pointer does not */
		if (rule->found != FROM_STACK)
			add_link(path, base, saved,
				 is_top && !pointed ? entry : NULL);
		if (pointed)
			add_link(path, base, pointed, is_top ? entry : NULL);
		if (rule->saved == NOT_SAVED)
			continue;
		saved = (rule->saved == SAVED_AT_FRAME ? frame : pointer) +
			rule->saved_at;
		if (!is_within(base, saved, entry))
			return false;
		pointer = (unsigned long *)READ_ONCE_NOCHECK(*saved);
	}
}

/**
 * iob_path_walk() - Walk the current task's stack
 * @path: filled
 * @base: where the first return address that is wanted lies; below it, the frame
 *        pointer that is to be had back there
 *
 * Context: the task, preemption off.
 */
void iob_path_walk(struct iob_path *path, const unsigned long *base)
{
	const unsigned long *entry = iob_path_entry();

	path->base = base;
	if (!iob_path_is_on_stack(base) || !walk(path, base, entry))
		iob_path_unwind(path);
}

#else

int iob_path_init(void)
{
	return 0;
}

void iob_path_exit(void)
{
}

/* Other unwinders do not tell where they find what; arm64's is cheap as it is. */
void iob_path_walk(struct iob_path *path, const unsigned long *base)
{
	iob_path_unwind(path);
}

#endif
