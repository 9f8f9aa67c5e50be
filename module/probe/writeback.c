// SPDX-License-Identifier: GPL-2.0
/* Writeback: why a flusher runs, noted at the flusher while it does. */
#include <trace/events/writeback.h>

#include "../compat/writeback.h"
#include "probe.h"

static void on_start(void *hook, struct bdi_writeback *wb,
		     struct wb_writeback_work *work)
{
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_marks_set(&iob_state.marks, (unsigned long)current,
		      iob_wb_work_reason(work));
	iob_exit(level);
}

static void on_written(void *hook, struct bdi_writeback *wb,
		       struct wb_writeback_work *work)
{
	int level = iob_enter(hook);

	if (level < 0)
		return;
	iob_marks_clear(&iob_state.marks, (unsigned long)current);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_TRACEPOINT(writeback_start, on_start, IOB_REQUIRED,
		       "why a flusher writes"),
	IOB_TRACEPOINT(writeback_written, on_written, IOB_REQUIRED,
		       "that a flusher is done"),
};

const struct iob_hook_table iob_writeback_hooks = IOB_HOOK_TABLE(hooks);
