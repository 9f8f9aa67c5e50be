// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "source.h"

/* A checksum keeps damage out, not those who can compute it. */
static void make_sums_right(char *p, size_t size)
{
	struct iob_chunk_head head;
	size_t at = sizeof(struct iob_recording_head);

	while (at <= size && size - at >= sizeof(head)) {
		memcpy(&head, p + at, sizeof(head));
		if (head.len > size - at - sizeof(head))
			return;
		head.crc = iob_chunk_crc(&head, p + at + sizeof(head));
		memcpy(p + at, &head, sizeof(head));
		at += sizeof(head) + head.len;
	}
}

static void as_report(const char *path, unsigned int wanted)
{
	struct iob_names *n = iob_names_create("/nonexistent");
	struct iob_report *r = iob_report_create();
	struct iob_err err;

	if (!iob_source_load(r, path, n, wanted, &err))
		must_write(r);
	iob_report_destroy(r);
	iob_names_destroy(n);
}

static void as_script(const char *path)
{
	struct iob_names *n = iob_names_create("/nonexistent");
	struct iob_events *e = iob_events_create();
	struct iob_tables *t = iob_tables_create();
	struct iob_strings *strings = iob_strings_create();
	struct iob_filter f = {};
	struct iob_recording rec;
	struct iob_event ev;
	struct iob_err err;

	if (!iob_source_recording(&rec, e, path, &err) &&
	    !iob_source_objects(&rec, e, t, &err)) {
		struct script *s = script_create(t, n);

		MUST(!iob_source_mounts(&rec, n));
		MUST(!iob_source_wishes(&rec, strings, &f));
		for (size_t i = 0; i < rec.records.nr; i++)
			if (!iob_events_decode(e, rec.records.v[i].data,
					       rec.records.v[i].size, &ev))
				script_event(s, rec.records.v[i].ts_ns, &ev);
		script_end(s);
	}
	iob_filter_free(&f);
	iob_recording_free(&rec);
	iob_strings_destroy(strings);
	iob_tables_destroy(t);
	iob_events_destroy(e);
	iob_names_destroy(n);
}

void fuzz_recording(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1), path[64];
	int fd = memfd_create("recording", MFD_CLOEXEC);

	MUST(copy && fd >= 0);
	memcpy(copy, data, size);
	make_sums_right(copy, size);
	MUST(write(fd, copy, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	as_report(path, 0);
	as_report(path, IOB_SOURCE_TIMES | IOB_SOURCE_OWN);
	as_script(path);
	close(fd);
	free(copy);
}
