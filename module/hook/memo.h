/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_HOOK_MEMO_H
#define IOB_HOOK_MEMO_H

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

int iob_memos_init(void);
void iob_memos_exit(void);
struct iob_memo_value *iob_memo_find(const struct iob_hook *hook,
				     const unsigned long *base);
void iob_memo_set(const struct iob_hook *hook, const struct iob_path *path,
		  u32 nr, const struct iob_memo_value *value);

#endif /* IOB_HOOK_MEMO_H */
