// SPDX-License-Identifier: GPL-2.0
/*
 * btrfs: tree blocks are pages of one inode that no user can name. Each begins
 * with a header that says where it lives and in which transaction it was made.
 */
#include <linux/btrfs_tree.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "fs.h"

/* Of struct btrfs_header, which not every kernel's headers have: disk format. */
#define HEADER_BYTENR		48
#define HEADER_GENERATION	80

static bool is_internal(const struct inode *inode)
{
	return inode->i_ino == BTRFS_BTREE_INODE_OBJECTID;
}

/* A block's first page tells; the others of it may hold anything. */
static u64 generation(const struct iob_joins *joins, const struct inode *inode,
		      struct folio *folio)
{
	const void *block = folio_address(folio);
	const __le64 *bytenr = block + HEADER_BYTENR;
	const __le64 *made_in = block + HEADER_GENERATION;

	if (le64_to_cpup(bytenr) != (u64)folio_pos(folio))
		return 0;
	return le64_to_cpup(made_in);
}

const struct iob_fs iob_fs_btrfs = {
	.magic = BTRFS_SUPER_MAGIC,
	.is_internal = is_internal,
	.dirty_tid = generation,
	.write_tid = generation,
	.basis = IOB_BASIS_TRANSACTION,
};
