// SPDX-License-Identifier: GPL-2.0
/* debugfs: the directory. */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>

#include "debugfs.h"

static struct dentry *dir;

/**
 * iob_debugfs_init() - Make /sys/kernel/debug/ioblame
 *
 * Single files may be missing when memory is; the tools say which.
 *
 * Context: may sleep.
 * Return: 0 or a negative error: without debugfs nobody could ask us anything.
 */
int iob_debugfs_init(void)
{
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	d_inode(dir)->i_mode = S_IFDIR | 0700;
	iob_tables_create(dir);
	iob_knobs_create(dir);
	return 0;
}

/**
 * iob_debugfs_exit() - Remove it; waits for whoever is reading
 */
void iob_debugfs_exit(void)
{
	debugfs_remove(dir);
}
