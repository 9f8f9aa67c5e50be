// SPDX-License-Identifier: GPL-2.0
/* Writing a recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pack.h"
#include "recording.h"
#include "syncer.h"

/*
 * What is lost at most when the last chunk is cut off; also a second's worth.
 * Each chunk is packed without what was learnt from others, so they should not
 * be small; packing one takes a millisecond or two.
 */
#define EVENTS_MAX (256u << 10)
/* What is shorter is left readable. */
#define PACK_MIN 512

_Static_assert(EVENTS_MAX <= IOB_EVENTS_MAX, "a reader would refuse it");

/**
 * iob_recorder_cannot - say why a file cannot be written
 * @path: the file
 * @ret: a negative errno
 * @err: error text
 *
 * Return: @ret.
 */
int iob_recorder_cannot(const char *path, int ret, struct iob_err *err)
{
	if (ret == -ENOSPC || ret == -EDQUOT)
		return iob_fail(err, ret,
				"%s: no space left: what was recorded so far is kept, free some space or give another file with -o",
				path);
	return iob_fail(err, ret, "cannot write %s: %s", path, strerror(-ret));
}

static int write_all(struct iob_recorder *w, const void *p, size_t len,
		     struct iob_err *err)
{
	const char *from = p;

	while (len) {
		ssize_t n = write(w->fd, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return iob_recorder_cannot(w->path, n ? -errno : -EIO, err);
		from += n;
		len -= n;
	}
	return 0;
}

/* A chunk, or none of it: what is there can be read to its end. */
static int write_whole(struct iob_recorder *w, const void *head, size_t head_len,
		       const void *p, size_t len, struct iob_err *err)
{
	int ret = write_all(w, head, head_len, err);

	if (!ret)
		ret = write_all(w, p, len, err);
	if (!ret)
		w->file_bytes += head_len + len;
	/* No file, or a disk that fails: the reader finds the end by itself. */
	else if (ftruncate(w->fd, w->file_bytes))
		return ret;
	return ret;
}

/**
 * iob_recorder_open - begin a recording
 * @w: the recorder
 * @path: the file; one that is there is replaced
 * @level: how hard to pack, see iob_packer_create(); 0: not at all
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_recorder_open(struct iob_recorder *w, const char *path, int level,
		      struct iob_err *err)
{
	const struct iob_recording_head head = {
		.magic = IOB_RECORDING_MAGIC,
		.order = IOB_RECORDING_ORDER,
		.format = level ? IOB_RECORDING_FORMAT : IOB_RECORDING_PLAIN,
	};

	memset(w, 0, sizeof(*w));
	w->fd = -1;
	w->path = strdup(path);
	w->events = malloc(EVENTS_MAX);
	w->packer = level ? iob_packer_create(level) : NULL;
	if (!w->path || !w->events || (level && !w->packer))
		return iob_fail(err, -ENOMEM, "out of memory");
	/* Call paths and file names of others are not for everybody. */
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd < 0)
		return iob_fail(err, -errno, "cannot create %s: %s", path,
				strerror(errno));
	return write_whole(w, &head, sizeof(head), NULL, 0, err);
}

/* Names and numbers of a few bytes stay as they are: strings(1) shows them. */
static bool is_packed(const struct iob_recorder *w, enum iob_chunk type,
		      size_t len)
{
	return w->packer && len >= PACK_MIN && type != IOB_CHUNK_INFO &&
	       type != IOB_CHUNK_END;
}

/**
 * iob_recorder_chunk - write one chunk
 * @w: the recorder
 * @type: what it is
 * @p: its bytes
 * @len: how many
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_recorder_chunk(struct iob_recorder *w, enum iob_chunk type,
		       const void *p, size_t len, struct iob_err *err)
{
	struct iob_chunk_head head = { .type = type, .len = len };
	size_t plain = sizeof(head) + len, packed = 0;

	if (len > IOB_CHUNK_MAX)
		return iob_fail(err, -EFBIG, "a table is too big to record");
	if (is_packed(w, type, len))
		packed = iob_packer_pack(w->packer, type, p, len, &p);
	if (packed) {
		len = packed;
		head.type = IOB_CHUNK_PACK;
		head.len = len;
	}
	w->plain_bytes += plain;
	head.crc = iob_chunk_crc(&head, p);
	return write_whole(w, &head, sizeof(head), p, len, err);
}

/**
 * iob_recorder_packed - write one chunk that was packed elsewhere
 * @w: the recorder, which packs
 * @p: what iob_packer_pack() made
 * @len: how many bytes
 * @plain: how many they were
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_recorder_packed(struct iob_recorder *w, const void *p, size_t len,
			size_t plain, struct iob_err *err)
{
	struct iob_chunk_head head = { .type = IOB_CHUNK_PACK, .len = len };

	w->plain_bytes += sizeof(head) + plain;
	head.crc = iob_chunk_crc(&head, p);
	return write_whole(w, &head, sizeof(head), p, len, err);
}

/**
 * iob_recorder_tables - write the module's tables
 * @w: the recorder
 * @when: ``start`` or ``end``
 * @snap: the tables
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_recorder_tables(struct iob_recorder *w, const char *when,
			const struct iob_snapshot *snap, struct iob_err *err)
{
	int ret = 0;

	for (int t = 0; !ret && t < IOB_NR_TABLES; t++) {
		size_t len = snap->text[t].len;
		char *chunk = malloc(len + 64);
		int n;

		if (!chunk)
			return iob_fail(err, -ENOMEM, "out of memory");
		n = snprintf(chunk, 64, "%s %s\n", when, iob_table_names[t]);
		if (len)
			memcpy(chunk + n, snap->text[t].p, len);
		ret = iob_recorder_chunk(w, IOB_CHUNK_TABL, chunk, n + len, err);
		free(chunk);
	}
	return ret;
}

/**
 * iob_recorder_flush - write the records that wait
 * @w: the recorder
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_recorder_flush(struct iob_recorder *w, struct iob_err *err)
{
	size_t len = w->nr_bytes;

	if (!len)
		return 0;
	w->nr_bytes = 0;
	return iob_recorder_chunk(w, IOB_CHUNK_EVTS, w->events, len, err);
}

/**
 * iob_recorder_event - record one event
 * @w: the recorder
 * @ts_ns: its time
 * @cpu: where it happened
 * @p: its raw bytes
 * @size: how many
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_recorder_event(struct iob_recorder *w, uint64_t ts_ns, uint32_t cpu,
		       const void *p, uint32_t size, struct iob_err *err)
{
	struct iob_record_head head = { ts_ns, cpu, size };
	size_t need = sizeof(head) + IOB_PADDED(size);
	char *to;
	int ret;

	if (need > EVENTS_MAX)
		return iob_fail(err, -EMSGSIZE, "an event of %u bytes", size);
	if (w->nr_bytes + need > EVENTS_MAX) {
		ret = iob_recorder_flush(w, err);
		if (ret)
			return ret;
	}
	to = w->events + w->nr_bytes;
	memset(to, 0, need);
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), p, size);
	w->nr_bytes += need;
	return 0;
}

/**
 * iob_recorder_sync - bring what is written to the disk, without waiting for it
 * @w: the recorder; it has a syncer
 * @err: error text
 *
 * Return: 0 or a negative errno: what the disk said of an earlier time.
 */
int iob_recorder_sync(struct iob_recorder *w, struct iob_err *err)
{
	int ret = iob_syncer_ask(w->syncer, w->fd);

	return ret ? iob_recorder_cannot(w->path, ret, err) : 0;
}

/**
 * iob_recorder_rename - the file has another name now
 * @w: the recorder
 * @path: the name
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_recorder_rename(struct iob_recorder *w, const char *path,
			struct iob_err *err)
{
	char *copy = strdup(path);

	if (!copy)
		return iob_fail(err, -ENOMEM, "out of memory");
	free(w->path);
	w->path = copy;
	return 0;
}

/**
 * iob_recorder_close - close the file
 * @w: the recorder
 * @err: error text
 *
 * With a syncer it is the one that closes, and is told what comes of it.
 *
 * Return: 0 or a negative errno: what close() says of the last bytes.
 */
int iob_recorder_close(struct iob_recorder *w, struct iob_err *err)
{
	int ret = 0;

	if (w->fd >= 0 && w->syncer)
		iob_syncer_take(w->syncer, w->fd);
	else if (w->fd >= 0 && close(w->fd))
		ret = iob_recorder_cannot(w->path, -errno, err);
	w->fd = -1;
	iob_packer_destroy(w->packer);
	free(w->events);
	free(w->path);
	w->packer = NULL;
	w->events = NULL;
	w->path = NULL;
	return ret;
}
