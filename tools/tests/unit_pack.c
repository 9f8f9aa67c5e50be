// SPDX-License-Identifier: GPL-2.0
/* Packed chunks: there and back, and what only an enemy writes. */
#include <errno.h>
#include <stdlib.h>

#include "pack.h"
#include "recording.h"
#include "unit.h"

static char sample[5000];

/* Text that packs to about a half; good until the next. */
static size_t pack_sample(struct iob_packer *p, uint32_t type, const void **to)
{
	unsigned int seed = 3;

	for (size_t i = 0; i < sizeof(sample); i++)
		sample[i] = "0123456789abcdef"[unit_random(&seed) & 15];
	return iob_packer_pack(p, type, sample, sizeof(sample), to);
}

static bool there_and_back(void)
{
	for (int level = 1; level <= IOB_PACK_LEVELS; level += 6) {
		struct iob_packer *p = iob_packer_create(level);
		struct iob_pack_head head;
		struct iob_blob b;
		const void *to;

		for (int again = 0; again < 2; again++) {
			size_t n = pack_sample(p, 7, &to);

			EXPECT(n && n < sizeof(sample));
			EXPECT(!iob_pack_head(&head, to, n));
			EXPECT(head.type == 7 && head.len == sizeof(sample));
			EXPECT(!iob_unpack(&b, to, n, sizeof(sample)));
			EXPECT(b.len == sizeof(sample) && !b.p[b.len]);
			EXPECT(!memcmp(b.p, sample, b.len));
			iob_blob_free(&b);
		}
		iob_packer_destroy(p);
	}
	return true;
}

/* What gains nothing, and what nobody would believe, is not packed. */
static bool left_alone(void)
{
	struct iob_packer *p = iob_packer_create(1);
	char *zeroes = calloc(1, 1 << 20);
	unsigned int seed = 9;
	const void *to;

	EXPECT(!iob_packer_pack(p, 1, "", 0, &to));
	EXPECT(!iob_packer_pack(p, 1, "short", 5, &to));
	EXPECT(!iob_packer_pack(p, 1, zeroes, 1 << 20, &to));
	for (size_t i = 0; i < sizeof(sample); i++)
		sample[i] = unit_random(&seed);
	EXPECT(!iob_packer_pack(p, 1, sample, sizeof(sample), &to));
	free(zeroes);
	iob_packer_destroy(p);
	return true;
}

static bool cut_and_flipped(void)
{
	struct iob_packer *p = iob_packer_create(1);
	struct iob_blob b;
	const void *to;
	size_t n = pack_sample(p, 1, &to);
	char *bad = malloc(n);

	for (size_t len = 0; len < n; len++) {
		/* Of exactly this size, so that reading beyond is seen. */
		char *cut = malloc(len + !len);

		memcpy(cut, to, len);
		EXPECT(iob_unpack(&b, cut, len, sizeof(sample)) == -EBADMSG);
		EXPECT(!b.p && !b.len);
		free(cut);
	}
	/* Checksums are the file's: here no crash and no length but the claimed. */
	for (size_t i = 0; i < 8 * n; i++) {
		memcpy(bad, to, n);
		bad[i / 8] ^= 1 << i % 8;
		if (!iob_unpack(&b, bad, n, sizeof(sample)))
			EXPECT(b.len == sizeof(sample));
		iob_blob_free(&b);
	}
	free(bad);
	iob_packer_destroy(p);
	return true;
}

static bool claims_too_much(void)
{
	struct iob_packer *p = iob_packer_create(1);
	struct iob_pack_head head;
	struct iob_blob b;
	const void *to;
	size_t n = pack_sample(p, 1, &to);
	char *bad = malloc(n);
	static const uint32_t claims[] = {
		0, 1, sizeof(sample) - 1, sizeof(sample) + 1, 1u << 20,
		1u << 30, 0x7fffffff, 0xffffffff,
	};

	EXPECT(iob_unpack(&b, to, n, sizeof(sample) - 1) == -EBADMSG);
	memcpy(bad, to, n);
	memcpy(&head, to, sizeof(head));
	for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
		head.len = claims[i];
		memcpy(bad, &head, sizeof(head));
		EXPECT(iob_unpack(&b, bad, n, IOB_CHUNK_MAX) == -EBADMSG);
	}
	free(bad);
	iob_packer_destroy(p);
	return true;
}

/* One chunk, whole by its checksum, between two that say something. */
static bool read_with(struct iob_recording *rec, uint32_t type, const void *p,
		      size_t len)
{
	struct iob_recording_head head = { IOB_RECORDING_MAGIC,
					   IOB_RECORDING_ORDER,
					   IOB_RECORDING_FORMAT };
	static const uint32_t info = IOB_CHUNK_INFO;
	struct iob_blob file = { malloc(sizeof(head) + 3 * 12 + len + 8), 0 };
	struct iob_err err;

	memcpy(file.p, &head, sizeof(head));
	file.len = sizeof(head);
	for (int i = 0; i < 3; i++) {
		struct iob_chunk_head c = { i == 1 ? type : info, i == 1 ? len : 4 };
		const char *bytes = i == 1 ? p : i ? "z\t1\n" : "a\t1\n";

		c.crc = iob_chunk_crc(&c, bytes);
		memcpy(file.p + file.len, &c, sizeof(c));
		if (c.len)
			memcpy(file.p + file.len + sizeof(c), bytes, c.len);
		file.len += sizeof(c) + c.len;
	}
	EXPECT(!iob_recording_read(rec, &file, &err));
	EXPECT(iob_recording_number(rec, "a") == 1);
	return true;
}

static bool in_a_file(void)
{
	struct iob_pack_head claim = { IOB_CHUNK_EVTS, IOB_EVENTS_MAX + 1 };
	struct iob_packer *p = iob_packer_create(1);
	struct iob_recording rec;
	const void *to;
	char *big = calloc(1, 16 + (IOB_EVENTS_MAX + 1) / IOB_PACK_RATIO);
	size_t n;

	/* Of a kind that nobody knows: told, and the rest is read. */
	EXPECT(read_with(&rec, 0x12345678, "x", 1));
	EXPECT(rec.nr_unknown == 1 && iob_recording_number(&rec, "z") == 1);
	iob_recording_free(&rec);
	n = pack_sample(p, 0x12345678, &to);
	EXPECT(read_with(&rec, IOB_CHUNK_PACK, to, n));
	EXPECT(rec.nr_unknown == 1 && iob_recording_number(&rec, "z") == 1);
	iob_recording_free(&rec);
	/* No packer made these: good up to there. */
	n = pack_sample(p, IOB_CHUNK_PACK, &to);
	EXPECT(read_with(&rec, IOB_CHUNK_PACK, to, n));
	EXPECT(!iob_recording_number(&rec, "z") && rec.good_bytes == 16 + 12 + 4);
	iob_recording_free(&rec);
	EXPECT(read_with(&rec, IOB_CHUNK_PACK, NULL, 0));
	EXPECT(!iob_recording_number(&rec, "z") && !rec.unpacked_bytes);
	iob_recording_free(&rec);
	memcpy(big, &claim, sizeof(claim));
	EXPECT(read_with(&rec, IOB_CHUNK_PACK, big,
			 16 + claim.len / IOB_PACK_RATIO));
	EXPECT(!iob_recording_number(&rec, "z") && !rec.unpacked_bytes);
	iob_recording_free(&rec);
	free(big);
	iob_packer_destroy(p);
	return true;
}

const struct unit_case pack_cases[] = {
	{ "pack: there and back", there_and_back },
	{ "pack: left alone where it gains nothing", left_alone },
	{ "pack: cut off at every byte, every bit flipped", cut_and_flipped },
	{ "pack: a claimed size that is too big, or wrong", claims_too_much },
	{ "pack: chunks of strangers in a file", in_a_file },
	{}
};
