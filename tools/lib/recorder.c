// SPDX-License-Identifier: GPL-2.0
/* Writing a recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recording.h"

/* What is lost at most when the last chunk is cut off; also a second's worth. */
#define EVENTS_MAX (32u << 10)

static int cannot_write(struct iob_recorder *w, int ret, struct iob_err *err)
{
	if (ret == -ENOSPC || ret == -EDQUOT)
		return iob_fail(err, ret,
				"%s: no space left: what was recorded so far is kept, free some space or give another file with -o",
				w->path);
	return iob_fail(err, ret, "cannot write %s: %s", w->path,
			strerror(-ret));
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
			return cannot_write(w, n ? -errno : -EIO, err);
		from += n;
		len -= n;
	}
	return 0;
}

/**
 * iob_recorder_open - begin a recording
 * @w: the recorder
 * @path: the file; one that is there is replaced
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_recorder_open(struct iob_recorder *w, const char *path,
		      struct iob_err *err)
{
	struct iob_recording_head head = {
		.magic = IOB_RECORDING_MAGIC,
		.order = IOB_RECORDING_ORDER,
		.format = IOB_RECORDING_FORMAT,
	};

	memset(w, 0, sizeof(*w));
	w->fd = -1;
	w->path = strdup(path);
	w->events = malloc(EVENTS_MAX);
	if (!w->path || !w->events)
		return iob_fail(err, -ENOMEM, "out of memory");
	/* Call paths and file names of others are not for everybody. */
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd < 0)
		return iob_fail(err, -errno, "cannot create %s: %s", path,
				strerror(errno));
	return write_all(w, &head, sizeof(head), err);
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
	int ret;

	if (len > IOB_CHUNK_MAX)
		return iob_fail(err, -EFBIG, "a table is too big to record");
	head.crc = iob_chunk_crc(&head, p);
	ret = write_all(w, &head, sizeof(head), err);
	return ret ? ret : write_all(w, p, len, err);
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
 * iob_recorder_close - close the file
 * @w: the recorder
 * @err: error text
 *
 * Return: 0 or a negative errno: what close() says of the last bytes.
 */
int iob_recorder_close(struct iob_recorder *w, struct iob_err *err)
{
	int ret = 0;

	if (w->fd >= 0 && close(w->fd))
		ret = cannot_write(w, -errno, err);
	w->fd = -1;
	free(w->events);
	free(w->path);
	w->events = NULL;
	w->path = NULL;
	return ret;
}
