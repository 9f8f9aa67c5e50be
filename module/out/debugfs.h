/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_OUT_DEBUGFS_H
#define IOB_OUT_DEBUGFS_H

#include <linux/dcache.h>
#include <linux/seq_file.h>

int iob_debugfs_init(void);
void iob_debugfs_exit(void);

/* The rooms of the directory, each a file: tables.c and knobs.c. */
void iob_tables_create(struct dentry *dir);
void iob_knobs_create(struct dentry *dir);

#endif /* IOB_OUT_DEBUGFS_H */
