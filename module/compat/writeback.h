/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_WRITEBACK_H
#define IOB_COMPAT_WRITEBACK_H

#include <linux/backing-dev-defs.h>
#include <linux/writeback.h>

#include "../uapi/ioblame.h"

/*
 * The beginning of struct wb_writeback_work, which is private to
 * fs/fs-writeback.c; the same in v6.1, v6.12 and v7.3. No public structure
 * tells why a flusher runs. A value out of range is taken as not known, and
 * the selftests see every reason with its right name.
 */
struct iob_wb_work {
	long nr_pages;
	struct super_block *sb;
	enum writeback_sync_modes sync_mode;
	unsigned int flags;
	enum wb_reason reason;
};

static inline enum iob_reason iob_wb_work_reason(const void *wb_work)
{
	static const u8 reasons[] = {
		[WB_REASON_BACKGROUND] = IOB_REASON_BACKGROUND,
		[WB_REASON_VMSCAN] = IOB_REASON_RECLAIM,
		[WB_REASON_SYNC] = IOB_REASON_SYNC,
		[WB_REASON_PERIODIC] = IOB_REASON_PERIODIC,
		[WB_REASON_FS_FREE_SPACE] = IOB_REASON_FREE_SPACE,
		[WB_REASON_FORKER_THREAD] = IOB_REASON_FORKER,
		[WB_REASON_FOREIGN_FLUSH] = IOB_REASON_FOREIGN,
#ifdef IOB_HAVE_WB_REASON_LAPTOP
		[WB_REASON_LAPTOP_TIMER] = IOB_REASON_LAPTOP,
#endif
#ifdef IOB_HAVE_WB_REASON_DONTCACHE
		[WB_REASON_DONTCACHE] = IOB_REASON_DONTCACHE,
#endif
	};
	unsigned int reason = ((const struct iob_wb_work *)wb_work)->reason;

	return reason < ARRAY_SIZE(reasons) ? reasons[reason] :
					      IOB_REASON_NONE;
}

#endif /* IOB_COMPAT_WRITEBACK_H */
