// SPDX-License-Identifier: GPL-2.0
/* ioblame: names who caused each disk IO. The list of its parts. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "out/debugfs.h"
#include "probe/control.h"
#include "probe/session.h"
#include "uapi/ioblame.h"

static unsigned int fail_at;
module_param(fail_at, uint, 0400);
MODULE_PARM_DESC(fail_at, "for tests: the part with this number, from 1, fails to start");

/* Started downward, stopped upward. */
static const struct {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ "session", iob_session_init, iob_session_exit },
	{ "control", iob_control_init, iob_control_exit },
	{ "debugfs", iob_debugfs_init, iob_debugfs_exit },
};

static void stop(size_t nr)
{
	while (nr--)
		parts[nr].exit();
}

static int __init ioblame_init(void)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = fail_at == i + 1 ? -ENOMEM : parts[i].init();
		if (err) {
			pr_err("cannot start %s: error %d\n", parts[i].name,
			       err);
			stop(i);
			return err;
		}
	}
	pr_info("ready, ABI %d\n", IOB_ABI);
	return 0;
}

static void __exit ioblame_exit(void)
{
	stop(ARRAY_SIZE(parts));
}

module_init(ioblame_init);
module_exit(ioblame_exit);

MODULE_DESCRIPTION("Which task, through which code path, on which file, caused this disk IO?");
MODULE_AUTHOR("The ioblame developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(IOB_VERSION);
