// SPDX-License-Identifier: GPL-2.0
/*
 * Clusters: f2fs compresses some pages of a file into fewer and sends those. Each
 * names what it was made from, pages that stay under writeback until all are sent.
 */
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "../compat/f2fs.h"
#include "../fs/fs.h"
#include "probe.h"

#ifdef IOB_F2FS_CLUSTER_KNOWN

/* f2fs: at most 256 pages are compressed together (MAX_COMPRESS_LOG_SIZE). */
#define MAX_PAGES	256

/* The private data of a page that f2fs has made; NULL if it has not. */
static const void *cluster_of(struct folio *folio)
{
	const struct inode *inode = iob_fs_owner(folio);
	const void *cluster = folio_get_private(folio);
	u32 magic;

	/* an odd word is no pointer, but flags of f2fs's */
	if (!inode || inode->i_sb->s_magic != F2FS_SUPER_MAGIC || !cluster ||
	    (unsigned long)cluster & 1 ||
	    copy_from_kernel_nofault(&magic,
				     cluster + IOB_OFF_compress_io_ctx_magic,
				     sizeof(magic)) ||
	    magic != IOB_F2FS_CLUSTER_MAGIC)
		return NULL;
	return cluster;
}

/**
 * iob_cluster_is() - Has f2fs compressed others into this page?
 * @folio: the page, being sent
 *
 * Context: probe.
 * Return: true if so; the page names its file, though it is not in its cache.
 */
bool iob_cluster_is(struct folio *folio)
{
	return cluster_of(folio);
}

/**
 * iob_cluster_charge() - Charge a compressed page to those whose pages it holds
 * @io:    the IO
 * @page:  a page of it, being sent
 * @bytes: of the page
 *
 * Context: probe.
 * Return: false if it is no such page; then nothing was charged.
 */
bool iob_cluster_charge(struct iob_io *io, struct page *page, u32 bytes)
{
	const void *cluster = cluster_of(page_folio(page));
	struct iob_split *split = &io->split;
	struct page **pages;
	u32 i, nr, act;

	if (!cluster)
		return false;
	pages = *(struct page ***)(cluster + IOB_OFF_compress_io_ctx_rpages);
	nr = *(const u32 *)(cluster + IOB_OFF_compress_io_ctx_nr_rpages);
	split->nr = 0;
	split->total = 0;
	for (i = 0; i < min(nr, MAX_PAGES); i++) {
		act = pages[i] ? iob_pages_owner(&iob_state.pages,
						 page_to_pfn(pages[i])) : 0;
		if (act != IOB_ACT_NONE)
			iob_split_add(split, act, 1);
	}
	if (!split->total)
		iob_split_add(split, io->flow->unknown, 1);
	iob_charge_split(&iob_state, io, IOB_BASIS_BATCH, bytes);
	return true;
}

#else

bool iob_cluster_is(struct folio *folio)
{
	return false;
}

bool iob_cluster_charge(struct iob_io *io, struct page *page, u32 bytes)
{
	return false;
}

#endif /* IOB_F2FS_CLUSTER_KNOWN */
