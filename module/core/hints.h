/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_HINTS_H
#define IOB_CORE_HINTS_H

#include "base.h"

#define IOB_NR_HINTS	4096

/**
 * struct iob_hints - what a task is at, noted for a later probe of it
 * @word: thread id and what it is at (a file id) in one word, so that neither
 *        is ever read without the other; one place a thread id, the later one
 *        stays
 *
 * A hint is only asked for inside the call that gave it.
 */
struct iob_hints {
	u64 word[IOB_NR_HINTS];
};

/**
 * iob_hints_set() - Note what a task is at
 * @h:    hints
 * @pid:  the thread
 * @file: file id
 *
 * Context: that task.
 */
static inline void iob_hints_set(struct iob_hints *h, u32 pid, u32 file)
{
	WRITE_ONCE(h->word[pid % IOB_NR_HINTS], (u64)pid << 32 | file);
}

/**
 * iob_hints_get() - What a task is at
 * @h:   hints
 * @pid: the thread
 *
 * Context: that task, inside the call that gave the hint.
 * Return: the file id; 0 if another thread has taken the place.
 */
static inline u32 iob_hints_get(const struct iob_hints *h, u32 pid)
{
	u64 word = READ_ONCE(h->word[pid % IOB_NR_HINTS]);

	return word >> 32 == pid ? (u32)word : 0;
}

#endif /* IOB_CORE_HINTS_H */
