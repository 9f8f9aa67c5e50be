// SPDX-License-Identifier: GPL-2.0
/* Reading a recording, as far as it is good. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pack.h"
#include "recording.h"
#include "text.h"

/**
 * iob_is_recording - whether a file is a recording
 * @file: the file
 *
 * Return: true if it begins as one.
 */
bool iob_is_recording(const struct iob_blob *file)
{
	return file->len >= 8 && !memcmp(file->p, IOB_RECORDING_MAGIC, 8);
}

/**
 * iob_chunk_crc - the checksum of a chunk
 * @head: its head, of which the checksum is left out
 * @p: its bytes
 *
 * Return: the CRC of Ethernet and zip.
 */
uint32_t iob_chunk_crc(const struct iob_chunk_head *head, const void *p)
{
	uLong crc = crc32(0, (const Bytef *)head,
			  offsetof(struct iob_chunk_head, crc));

	return crc32(crc, p, head->len);
}

/**
 * iob_recording_info - what a recording says of itself
 * @rec: the recording
 * @name: for example ``kernel``
 *
 * Return: the value, or NULL.
 */
const char *iob_recording_info(const struct iob_recording *rec,
			       const char *name)
{
	for (size_t i = 0; i < rec->info.nr; i++)
		if (!strcmp(rec->info.v[i].name, name))
			return rec->info.v[i].value;
	return NULL;
}

/**
 * iob_recording_number - a number a recording says of itself
 * @rec: the recording
 * @name: for example ``start_ns``
 *
 * Return: the value; 0 if there is none.
 */
uint64_t iob_recording_number(const struct iob_recording *rec,
			      const char *name)
{
	const char *value = iob_recording_info(rec, name);
	struct iob_field f = { value, value ? strlen(value) : 0 };
	uint64_t v = 0;

	if (value)
		iob_field_u64(f, &v);
	return v;
}

static int add_info(struct iob_recording *rec, const char *p, size_t len)
{
	struct iob_field rest = { p, len }, line, name;

	while (iob_split(&rest, '\n', &line)) {
		struct iob_info *i;

		if (!iob_split(&line, '\t', &name) || !line.p)
			continue;
		i = iob_vec_add(&rec->info);
		if (!i)
			return -ENOMEM;
		i->name = strndup(name.p, name.len);
		i->value = strndup(line.p, line.len);
		if (!i->name || !i->value)
			return -ENOMEM;
	}
	return 0;
}

static int add_table(struct iob_recording *rec, char *p, size_t len)
{
	char *nl = memchr(p, '\n', len);
	struct iob_snapshot *snap;
	const char *name;
	bool end;

	if (!nl)
		return 0;
	end = !strncmp(p, "end ", 4);
	name = p + (end ? 4 : 6);
	if (!end && strncmp(p, "start ", 6))
		return 0;
	snap = end ? &rec->end : &rec->start;
	for (int t = 0; t < IOB_NR_TABLES; t++) {
		if (strlen(iob_table_names[t]) != (size_t)(nl - name) ||
		    memcmp(iob_table_names[t], name, nl - name))
			continue;
		snap->text[t].p = nl + 1;
		snap->text[t].len = len - (nl + 1 - p);
		/* They are written in this order: the last proves all. */
		if (t == IOB_NR_TABLES - 1)
			*(end ? &rec->has_end : &rec->has_start) = true;
	}
	return 0;
}

static int add_events(struct iob_recording *rec, const char *p, size_t len)
{
	while (len >= sizeof(struct iob_record_head)) {
		struct iob_record_head head;
		struct iob_record *r;

		memcpy(&head, p, sizeof(head));
		p += sizeof(head);
		len -= sizeof(head);
		if (head.size > len || IOB_PADDED(head.size) > len)
			return 0;
		r = iob_vec_add(&rec->records);
		if (!r)
			return -ENOMEM;
		*r = (struct iob_record){ head.ts_ns, head.cpu, head.size,
					  rec->records.nr - 1, p };
		p += IOB_PADDED(head.size);
		len -= IOB_PADDED(head.size);
	}
	return 0;
}

static int add_blob(void *vec, char *p, size_t len)
{
	IOB_VEC(struct iob_blob) *v = vec;
	struct iob_blob *b = iob_vec_add(v);

	if (!b)
		return -ENOMEM;
	*b = (struct iob_blob){ p, len };
	return 0;
}

static int add_chunk(struct iob_recording *rec, uint32_t type, char *p,
		     size_t len);

/*
 * Whoever made the file may wish us ill: a packed chunk within a packed one, or
 * one that claims more than any recorder packs, is as good as damage.
 */
static int add_packed(struct iob_recording *rec, const char *p, size_t len)
{
	struct iob_pack_head head;
	struct iob_blob *b;
	int ret;

	if (iob_pack_head(&head, p, len) || head.type == IOB_CHUNK_PACK)
		return -EBADMSG;
	if (rec->unpacked_bytes + head.len > IOB_UNPACKED_MAX)
		return -EFBIG;
	b = iob_vec_add(&rec->unpacked);
	if (!b)
		return -ENOMEM;
	ret = iob_unpack(b, p, len, head.type == IOB_CHUNK_EVTS ?
				    IOB_EVENTS_MAX : IOB_CHUNK_MAX);
	if (ret)
		return ret;
	rec->unpacked_bytes += b->len;
	return add_chunk(rec, head.type, b->p, b->len);
}

static int add_chunk(struct iob_recording *rec, uint32_t type, char *p,
		     size_t len)
{
	switch (type) {
	case IOB_CHUNK_INFO:
		return add_info(rec, p, len);
	case IOB_CHUNK_END:
		rec->complete = true;
		return add_info(rec, p, len);
	case IOB_CHUNK_HEAD:
		rec->head_page = p;
		rec->head_page_len = len;
		return 0;
	case IOB_CHUNK_FORM:
		return add_blob(&rec->formats, p, len);
	case IOB_CHUNK_MNTS:
		return add_blob(&rec->mounts, p, len);
	case IOB_CHUNK_TABL:
		return add_table(rec, p, len);
	case IOB_CHUNK_EVTS:
		return add_events(rec, p, len);
	case IOB_CHUNK_PACK:
		return add_packed(rec, p, len);
	default:
		/* Of a later version, and whole: not ours to judge, but to tell. */
		rec->nr_unknown++;
		return 0;
	}
}

/* The next chunk, if it is there in full and proves itself. */
static bool next_chunk(struct iob_recording *rec, struct iob_chunk_head *head,
		       char **p)
{
	size_t at = rec->good_bytes, left = rec->file.len - at;

	if (left < sizeof(*head))
		return false;
	memcpy(head, rec->file.p + at, sizeof(*head));
	if (head->len > left - sizeof(*head))
		return false;
	*p = rec->file.p + at + sizeof(*head);
	return iob_chunk_crc(head, *p) == head->crc;
}

static int by_time(const void *a, const void *b)
{
	const struct iob_record *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	/* Of one moment: as they were recorded. */
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int check_head(struct iob_recording *rec, struct iob_err *err)
{
	struct iob_recording_head head;

	if (!iob_is_recording(&rec->file) || rec->file.len < sizeof(head))
		return iob_fail(err, -EINVAL, "no recording");
	memcpy(&head, rec->file.p, sizeof(head));
	if (head.order != IOB_RECORDING_ORDER)
		return iob_fail(err, -EINVAL,
				"recorded on a machine of another byte order: read it there, with --json, and take that");
	if (head.format < IOB_RECORDING_PLAIN ||
	    head.format > IOB_RECORDING_FORMAT)
		return iob_fail(err, -EINVAL,
				"a recording of format %u, this program reads up to %d",
				head.format, IOB_RECORDING_FORMAT);
	rec->good_bytes = sizeof(head);
	return 0;
}

static int cannot_hold(int ret, struct iob_err *err)
{
	if (ret == -EFBIG)
		return iob_fail(err, ret,
				"unpacked, the recording is more than %llu GiB: record less at once, see --max-size",
				(unsigned long long)(IOB_UNPACKED_MAX >> 30));
	return iob_fail(err, ret, "out of memory reading the recording");
}

/**
 * iob_recording_read - read a recording
 * @rec: the recording
 * @file: the file; belongs to @rec afterwards
 * @err: error text
 *
 * What comes after damage is left out: @rec->complete is false then and
 * @rec->good_bytes says how far it was good.
 *
 * Return: 0, -EINVAL if it is no recording, -EFBIG, -ENOMEM.
 */
int iob_recording_read(struct iob_recording *rec, struct iob_blob *file,
		       struct iob_err *err)
{
	struct iob_chunk_head head;
	char *p;
	int ret;

	memset(rec, 0, sizeof(*rec));
	rec->file = *file;
	memset(file, 0, sizeof(*file));
	ret = check_head(rec, err);
	while (!ret && next_chunk(rec, &head, &p)) {
		ret = add_chunk(rec, head.type, p, head.len);
		if (ret == -EBADMSG) {
			ret = 0;
			break;
		}
		if (ret)
			return cannot_hold(ret, err);
		rec->good_bytes += sizeof(head) + head.len;
	}
	if (rec->records.nr)
		qsort(rec->records.v, rec->records.nr, sizeof(*rec->records.v),
		      by_time);
	return ret;
}

/**
 * iob_recording_free - free
 * @rec: the recording
 */
void iob_recording_free(struct iob_recording *rec)
{
	for (size_t i = 0; i < rec->info.nr; i++) {
		free(rec->info.v[i].name);
		free(rec->info.v[i].value);
	}
	for (size_t i = 0; i < rec->unpacked.nr; i++)
		iob_blob_free(&rec->unpacked.v[i]);
	iob_vec_free(&rec->unpacked);
	iob_vec_free(&rec->info);
	iob_vec_free(&rec->formats);
	iob_vec_free(&rec->mounts);
	iob_vec_free(&rec->records);
	iob_blob_free(&rec->file);
	memset(rec, 0, sizeof(*rec));
}
