/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: everything needed to read it anywhere, in chunks that each
 * prove themselves, so that a file that was cut off or damaged is good up to
 * there.
 *
 * The file is IOB_RECORDING_MAGIC and then chunks: struct iob_chunk_head and
 * len bytes. Numbers are of the machine that recorded; its byte order shows
 * in the magic's order word. The last chunk of a recording that ended well is
 * IOB_CHUNK_END.
 *
 * A chunk of type IOB_CHUNK_PACK is another one, packed by itself: struct
 * iob_pack_head has that one's type and length. It is what makes format 2.
 * Programs that know format 1 skip such a chunk without a word, so a file that
 * may have one says 2 and they refuse it; one that has none says 1 still.
 */
#ifndef IOBLAME_RECORDING_H
#define IOBLAME_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errtext.h"
#include "snapshot.h"
#include "vec.h"

struct iob_packer;
struct iob_syncer;

#define IOB_RECORDING_MAGIC	"IOBLAME\n"
#define IOB_RECORDING_FORMAT	2	/* the newest that is understood */
#define IOB_RECORDING_PLAIN	1	/* without IOB_CHUNK_PACK */
#define IOB_RECORDING_ORDER	0x01020304u
#define IOB_CHUNK_MAX		(IOB_TABLE_MAX + 4096)
#define IOB_EVENTS_MAX		(1u << 20)	/* of an IOB_CHUNK_EVTS that was packed */
#define IOB_UNPACKED_MAX	((uint64_t)8 << 30)	/* of a file */

enum iob_chunk {
	IOB_CHUNK_INFO	= 0x4f464e49,	/* "name\tvalue\n" lines */
	IOB_CHUNK_HEAD	= 0x44414548,	/* events/header_page */
	IOB_CHUNK_FORM	= 0x4d524f46,	/* a format file */
	IOB_CHUNK_TABL	= 0x4c424154,	/* "start|end NAME\n", then the table */
	IOB_CHUNK_MNTS	= 0x53544e4d,	/* mountinfo */
	IOB_CHUNK_EVTS	= 0x53545645,	/* records */
	IOB_CHUNK_PACK	= 0x4b434150,	/* any of the above, see pack.h */
	IOB_CHUNK_END	= 0x444e4520,	/* "name\tvalue\n" lines */
};

struct iob_recording_head {
	char magic[8];
	uint32_t order, format;
};

struct iob_chunk_head {
	uint32_t type, len;
	uint32_t crc;			/* of type, len and the bytes */
};

uint32_t iob_chunk_crc(const struct iob_chunk_head *head, const void *p);

/* In IOB_CHUNK_EVTS; followed by size bytes, padded to 8. */
struct iob_record_head {
	uint64_t ts_ns;
	uint32_t cpu, size;
};

#define IOB_PADDED(size) (((size) + 7u) & ~7u)

/* Writing. */
struct iob_recorder {
	int fd;
	char *path;
	char *events;			/* records not yet written */
	size_t nr_bytes;
	struct iob_packer *packer;	/* NULL: nothing is packed */
	struct iob_syncer *syncer;	/* another's; NULL: the kernel takes its time */
	uint64_t file_bytes;		/* written, in whole chunks */
	uint64_t plain_bytes;		/* what they would be, were none packed */
};

int iob_recorder_open(struct iob_recorder *w, const char *path, int level,
		      struct iob_err *err);
int iob_recorder_chunk(struct iob_recorder *w, enum iob_chunk type,
		       const void *p, size_t len, struct iob_err *err);
int iob_recorder_packed(struct iob_recorder *w, const void *p, size_t len,
			size_t plain, struct iob_err *err);
int iob_recorder_tables(struct iob_recorder *w, const char *when,
			const struct iob_snapshot *snap, struct iob_err *err);
int iob_recorder_event(struct iob_recorder *w, uint64_t ts_ns, uint32_t cpu,
		       const void *p, uint32_t size, struct iob_err *err);
int iob_recorder_flush(struct iob_recorder *w, struct iob_err *err);
int iob_recorder_sync(struct iob_recorder *w, struct iob_err *err);
int iob_recorder_rename(struct iob_recorder *w, const char *path,
			struct iob_err *err);
int iob_recorder_cannot(const char *path, int ret, struct iob_err *err);
int iob_recorder_close(struct iob_recorder *w, struct iob_err *err);

/* Reading: the whole file is in memory, and the rest points there. */
struct iob_record {
	uint64_t ts_ns;
	uint32_t cpu, size;
	uint32_t seq;			/* as they lie in the file */
	const void *data;
};

struct iob_info {
	char *name, *value;
};

struct iob_recording {
	struct iob_blob file;
	IOB_VEC(struct iob_info) info;
	const char *head_page;
	size_t head_page_len;
	IOB_VEC(struct iob_blob) unpacked;	/* chunks */
	uint64_t unpacked_bytes;
	IOB_VEC(struct iob_blob) formats;	/* into the file or a chunk */
	IOB_VEC(struct iob_blob) mounts;
	IOB_VEC(struct iob_record) records;	/* in the order of time */
	struct iob_snapshot start, end;		/* into the file or a chunk */
	bool has_start, has_end;
	bool complete;			/* its end was reached */
	size_t good_bytes;		/* readable up to there */
	size_t nr_unknown;		/* good chunks of a kind not known here */
};

bool iob_is_recording(const struct iob_blob *file);
int iob_recording_read(struct iob_recording *rec, struct iob_blob *file,
		       struct iob_err *err);
void iob_recording_free(struct iob_recording *rec);
const char *iob_recording_info(const struct iob_recording *rec,
			       const char *name);
uint64_t iob_recording_number(const struct iob_recording *rec,
			      const char *name);

#endif /* IOBLAME_RECORDING_H */
