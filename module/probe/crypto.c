// SPDX-License-Identifier: GPL-2.0
/*
 * Encrypted: what is sent are copies, whose they are is told by the originals. A
 * file system that encrypts makes a page for each (fscrypt_encrypt_pagecache_blocks());
 * where the block layer does it for a disk that cannot, it makes bios
 * (blk-crypto-fallback). Both keep the originals until the copies are written.
 */
#include <linux/bio.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "../compat/bvec.h"
#include "../fs/fs.h"
#include "probe.h"

/**
 * iob_crypto_original() - The page cache page that a page is an encrypted copy of
 * @page: the page, being sent
 *
 * A copy is in no file and names the other as its private data. Any page may
 * have anything there, so it is believed only if it is a page frame's and that
 * page is under writeback.
 *
 * Context: probe.
 * Return: the page, NULL if there is none.
 */
struct page *iob_crypto_original(struct page *page)
{
	unsigned long from_first, pfn;
	struct page *original;
	struct folio *folio = page_folio(page);

	/* slab has other words there */
	if (folio_test_slab(folio) || folio->mapping)
		return NULL;
	from_first = page_private(page) - (unsigned long)pfn_to_page(0);
	pfn = from_first / sizeof(struct page);
	if (from_first % sizeof(struct page) ||
	    pfn >= iob_state.pages.nr_chunks * IOB_CHUNK_SLOTS ||
	    !pfn_valid(pfn))
		return NULL;
	original = pfn_to_page(pfn);
	folio = page_folio(original);
	return folio_test_writeback(folio) && iob_fs_owner(folio) ? original :
								    NULL;
}

/* Its address is what tells a bio that the block layer has made. */
static struct iob_hook hooks[] = {
	IOB_ADDRESS(NULL, blk_crypto_fallback_encrypt_endio,
		    "whose data the block layer encrypts"),
};

const struct iob_hook_table iob_crypto_hooks = IOB_HOOK_TABLE(hooks);

/* A place in a bio, counted from its first segment, @bytes before there are no more. */
static void iter_at(const struct bio *bio, struct bvec_iter *iter, u32 at,
		    u32 bytes)
{
	memset(iter, 0, sizeof(*iter));
	iter->bi_size = at + bytes;
	bio_advance_iter(bio, iter, at);
}

/*
 * The bio that the block layer encrypted @bio from, which is being submitted and
 * holds the last bytes of it that were encrypted; it waits for @bio. NULL if there
 * is none. block/blk-crypto-fallback.c
 */
static const struct bio *source_of(const struct bio *bio, u32 *at)
{
	const struct bio *source = bio->bi_private;
	u32 done, i;

	if (!iob_hook_is(&hooks[0], bio->bi_end_io))
		return NULL;
	done = iob_iter_offset(&source->bi_iter);
	for (i = 0; i < source->bi_iter.bi_idx; i++)
		done += source->bi_io_vec[i].bv_len;
	/* kernels that encrypt by another iterator have none done */
	if (!bio->bi_iter.bi_size || done < bio->bi_iter.bi_size)
		return NULL;
	*at = done - bio->bi_iter.bi_size;
	return source;
}

/**
 * iob_crypto_source() - What a bio of the block layer's begins with, unencrypted
 * @bio: the bio, being submitted
 *
 * Context: probe.
 * Return: the page, if it is a file's under writeback, else NULL.
 */
struct page *iob_crypto_source(const struct bio *bio)
{
	struct bvec_iter iter;
	struct page *page;
	const struct bio *source;
	u32 at;

	source = source_of(bio, &at);
	if (!source)
		return NULL;
	iter_at(source, &iter, at, bio->bi_iter.bi_size);
	page = bio_iter_page(source, iter);
	return folio_test_writeback(page_folio(page)) &&
	       iob_fs_owner(page_folio(page)) ? page : NULL;
}

/**
 * iob_crypto_copied() - Note what a bio is an encrypted copy of
 * @bio:  the bio, being submitted
 * @flow: what is known of it; stays as it is if it is none
 *
 * Context: probe.
 */
void iob_crypto_copied(const struct bio *bio, struct iob_flow *flow)
{
	u32 at;
	const struct bio *source = source_of(bio, &at);

	if (!source)
		return;
	flow->is_copy = 1;
	flow->parent = (unsigned long)source;
	flow->parent_sector = at >> SECTOR_SHIFT;
}

/**
 * iob_crypto_source_at() - Where in its source a part of a copy comes from
 * @flow:   of the copy
 * @sector: where the part begins
 * @bytes:  how long it is
 * @iter:   set to that place in the source
 *
 * Context: probe; the copy is under IO.
 * Return: the source.
 */
struct bio *iob_crypto_source_at(const struct iob_flow *flow, u64 sector,
				 u32 bytes, struct bvec_iter *iter)
{
	struct bio *source = (struct bio *)flow->parent;
	u64 at = sector - flow->sector + flow->parent_sector;

	iter_at(source, iter, at << SECTOR_SHIFT, bytes);
	iter->bi_sector = sector;
	return source;
}
