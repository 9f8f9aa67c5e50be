/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_HOOK_MEMO_H
#define IOB_HOOK_MEMO_H

#include "path.h"

struct iob_hook;

int iob_memos_init(void);
void iob_memos_exit(void);
u32 iob_memo_find(const struct iob_hook *hook, const unsigned long *base);
void iob_memo_set(const struct iob_hook *hook, const struct iob_path *path,
		  u32 nr, u32 id);

#endif /* IOB_HOOK_MEMO_H */
