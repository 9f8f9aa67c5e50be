// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "pack.h"

struct iob_packer {
	ZSTD_CCtx *ctx;
	int level;
	char *out;
	size_t room;
};

/**
 * iob_packer_create - something that packs
 * @level: how hard it tries, 1 to IOB_PACK_LEVELS
 *
 * Return: the packer, or NULL without memory.
 */
struct iob_packer *iob_packer_create(int level)
{
	struct iob_packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->level = level;
	p->ctx = ZSTD_createCCtx();
	if (!p->ctx) {
		free(p);
		return NULL;
	}
	return p;
}

/**
 * iob_packer_destroy - free
 * @p: the packer, or NULL
 */
void iob_packer_destroy(struct iob_packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->ctx);
	free(p->out);
	free(p);
}

/**
 * iob_packer_pack - pack the bytes of one chunk
 * @p: the packer
 * @type: of the chunk
 * @from: its bytes
 * @len: how many
 * @to: what they became; good until the next is packed
 *
 * Return: how many bytes are at @to; 0 if the chunk is better left as it is:
 * packed it is no smaller, or so much smaller that no reader would believe it,
 * or there is no memory to find out.
 */
size_t iob_packer_pack(struct iob_packer *p, uint32_t type, const void *from,
		       size_t len, const void **to)
{
	struct iob_pack_head head = { type, len };
	size_t need = sizeof(head) + ZSTD_compressBound(len), n;

	if (need > p->room) {
		char *out = realloc(p->out, need);

		if (!out)
			return 0;
		p->out = out;
		p->room = need;
	}
	memcpy(p->out, &head, sizeof(head));
	n = ZSTD_compressCCtx(p->ctx, p->out + sizeof(head),
			      p->room - sizeof(head), from, len, p->level);
	if (ZSTD_isError(n))
		return 0;
	n += sizeof(head);
	if (n >= len || len / IOB_PACK_RATIO > n)
		return 0;
	*to = p->out;
	return n;
}

/**
 * iob_pack_head - what packed bytes say of themselves
 * @head: takes it
 * @from: the packed bytes
 * @len: how many
 *
 * Return: 0 or -EBADMSG.
 */
int iob_pack_head(struct iob_pack_head *head, const void *from, size_t len)
{
	if (len < sizeof(*head))
		return -EBADMSG;
	memcpy(head, from, sizeof(*head));
	return 0;
}

/**
 * iob_unpack - the bytes of a chunk that was packed
 * @to: takes them; NUL-terminated beyond their length
 * @from: the packed bytes
 * @len: how many
 * @max: more than this is refused
 *
 * What the bytes claim to become is judged before memory is taken for it, and
 * is the end of what is written there.
 *
 * Return: 0, -EBADMSG for bytes that no packer made, -ENOMEM.
 */
int iob_unpack(struct iob_blob *to, const void *from, size_t len, size_t max)
{
	struct iob_pack_head head;
	size_t n;

	memset(to, 0, sizeof(*to));
	if (iob_pack_head(&head, from, len) || head.len > max ||
	    head.len / IOB_PACK_RATIO > len)
		return -EBADMSG;
	to->p = malloc((size_t)head.len + 1);
	if (!to->p)
		return -ENOMEM;
	n = ZSTD_decompress(to->p, head.len, (const char *)from + sizeof(head),
			    len - sizeof(head));
	if (ZSTD_isError(n) || n != head.len) {
		iob_blob_free(to);
		return -EBADMSG;
	}
	to->len = n;
	to->p[n] = '\0';
	return 0;
}
