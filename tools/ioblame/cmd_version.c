// SPDX-License-Identifier: GPL-2.0
/* ioblame version */
#include "command.h"
#include "tool.h"
#include "uapi/ioblame.h"
#include "version.h"

static int show(struct tool *t, struct iob_err *err)
{
	(void)err;
	fprintf(t->out, "ioblame %s (ABI %d)\n", IOBLAME_VERSION, IOB_ABI);
	return 0;
}

const struct tool_ops version_ops = { .show = show };
