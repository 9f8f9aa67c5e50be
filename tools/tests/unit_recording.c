// SPDX-License-Identifier: GPL-2.0
/* Recordings: written and read, cut off anywhere, damaged anywhere. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "event.h"
#include "event_text.h"
#include "own.h"
#include "pack.h"
#include "recording.h"
#include "replay.h"
#include "source.h"
#include "unit.h"

#define REAL "tests/data/record.data"

static char path[512];

static bool write_sample(int level)
{
	struct iob_recorder w;
	struct iob_snapshot snap;
	struct iob_err err;

	snprintf(path, sizeof(path), "%s/sample.data", unit_dir());
	EXPECT(!iob_snapshot_read(&snap, "tests/root/sys/kernel/debug/ioblame",
				  &err));
	EXPECT(!iob_recorder_open(&w, path, level, &err));
	EXPECT(!iob_recorder_chunk(&w, IOB_CHUNK_INFO, "kernel\tk\nabi\t1\n", 15,
				   &err));
	for (int i = 0; i < 50; i++)
		EXPECT(!iob_recorder_event(&w, 1000 - i, i & 3, "0123456789abcdef",
					   i % 17, &err));
	EXPECT(!iob_recorder_flush(&w, &err));
	EXPECT(!iob_recorder_tables(&w, "end", &snap, &err));
	EXPECT(!iob_recorder_chunk(&w, IOB_CHUNK_END, "end_ns\t9\n", 9, &err));
	EXPECT(!iob_recorder_close(&w, &err));
	iob_snapshot_free(&snap);
	return true;
}

static struct iob_blob copy_of(const struct iob_blob *b, size_t len)
{
	struct iob_blob copy = { malloc(len + 1), len };

	memcpy(copy.p, b->p, len);
	copy.p[len] = '\0';
	return copy;
}

static bool there_and_back(int level)
{
	struct iob_recording rec;
	struct iob_blob file;
	struct iob_err err;

	EXPECT(write_sample(level));
	EXPECT(!iob_blob_read(&file, path, 1 << 20, &err));
	EXPECT(!iob_recording_read(&rec, &file, &err));
	EXPECT(rec.complete && rec.has_end && !rec.has_start);
	EXPECT(rec.good_bytes == rec.file.len);
	EXPECT(rec.records.nr == 50);
	/* In the order of time, whatever order they came in. */
	EXPECT(rec.records.v[0].ts_ns == 951 && rec.records.v[49].ts_ns == 1000);
	EXPECT(rec.records.v[49 - 16].size == 16);
	EXPECT(!strcmp(iob_recording_info(&rec, "kernel"), "k"));
	EXPECT(iob_recording_number(&rec, "end_ns") == 9);
	EXPECT(rec.end.text[IOB_TABLE_STATS].len > 10);
	EXPECT(!rec.nr_unknown && !!rec.unpacked.nr == !!level);
	iob_recording_free(&rec);
	return true;
}

/* Every length: never a crash, never more than is there, never less again. */
static bool cut_anywhere(int level)
{
	struct iob_blob file;
	struct iob_err err;
	size_t before = 0;

	EXPECT(write_sample(level));
	EXPECT(!iob_blob_read(&file, path, 1 << 20, &err));
	for (size_t len = 0; len < file.len; len++) {
		struct iob_blob cut = copy_of(&file, len);
		struct iob_recording rec;
		int ret = iob_recording_read(&rec, &cut, &err);

		EXPECT(ret == (len < sizeof(struct iob_recording_head) ?
			       -EINVAL : 0));
		EXPECT(!rec.complete);
		if (!ret) {
			EXPECT(rec.good_bytes <= len && rec.good_bytes >= before);
			before = rec.good_bytes;
		}
		iob_recording_free(&rec);
	}
	EXPECT(before > file.len / 2);
	iob_blob_free(&file);
	return true;
}

static bool damaged_anywhere(int level)
{
	struct iob_blob file;
	struct iob_err err;

	EXPECT(write_sample(level));
	EXPECT(!iob_blob_read(&file, path, 1 << 20, &err));
	for (size_t at = sizeof(struct iob_recording_head); at < file.len; at++) {
		struct iob_blob bad = copy_of(&file, file.len);
		struct iob_recording rec;

		bad.p[at] ^= 0x20;
		EXPECT(!iob_recording_read(&rec, &bad, &err));
		/* The checksum finds each: it is good up to that chunk. */
		EXPECT(!rec.complete && rec.good_bytes <= at);
		iob_recording_free(&rec);
	}
	iob_blob_free(&file);
	return true;
}

static bool plain_there_and_back(void)
{
	return there_and_back(0);
}

static bool packed_there_and_back(void)
{
	return there_and_back(1) && there_and_back(IOB_PACK_LEVELS);
}

static bool plain_cut_anywhere(void)
{
	return cut_anywhere(0);
}

static bool packed_cut_anywhere(void)
{
	return cut_anywhere(1);
}

static bool plain_damaged_anywhere(void)
{
	return damaged_anywhere(0);
}

static bool packed_damaged_anywhere(void)
{
	return damaged_anywhere(1);
}

static bool another_machine(void)
{
	struct iob_blob file;
	struct iob_err err;
	struct iob_recording rec;

	EXPECT(write_sample(0));
	EXPECT(!iob_blob_read(&file, path, 1 << 20, &err));
	file.p[8] = 1;
	EXPECT(iob_recording_read(&rec, &file, &err) == -EINVAL);
	EXPECT(strstr(err.text, "byte order"));
	iob_recording_free(&rec);
	return true;
}

static bool full_disk(void)
{
	struct iob_recorder w;
	struct iob_err err;
	char big[4096] = "";
	int ret = iob_recorder_open(&w, "/dev/full", 0, &err);

	if (!ret)
		ret = iob_recorder_chunk(&w, IOB_CHUNK_MNTS, big, sizeof(big), &err);
	EXPECT(ret == -ENOSPC && strstr(err.text, "no space left"));
	iob_recorder_close(&w, &err);
	return true;
}

/* What a guest with the module recorded: the sums of both ways agree. */
static bool keeps_wishes(void)
{
	struct iob_strings *s = iob_strings_create();
	struct iob_recording rec;
	struct iob_filter f = {};
	struct iob_recorder w;
	struct iob_blob file;
	struct iob_err err;
	static const char info[] = "only comm\ta\\x09b\nonly tgid\t77\nonly tgid\tx\n";

	snprintf(path, sizeof(path), "%s/wishes.data", unit_dir());
	EXPECT(!iob_recorder_open(&w, path, 0, &err));
	EXPECT(!iob_recorder_chunk(&w, IOB_CHUNK_INFO, info, sizeof(info) - 1, &err));
	EXPECT(!iob_recorder_close(&w, &err));
	EXPECT(!iob_blob_read(&file, path, 1 << 20, &err));
	EXPECT(!iob_recording_read(&rec, &file, &err));
	EXPECT(!iob_source_wishes(&rec, s, &f));
	EXPECT(f.comms.nr == 1 && !strcmp(f.comms.v[0], "a\tb"));
	EXPECT(f.tgids.nr == 1 && f.tgids.v[0] == 77);
	iob_filter_free(&f);
	iob_recording_free(&rec);
	iob_strings_destroy(s);
	return true;
}

static bool real_one_by_events(void)
{
	struct iob_events *e = iob_events_create();
	struct iob_tables *t = iob_tables_create();
	struct iob_replay r = { .t = t };
	struct iob_recording rec;
	struct iob_event ev;
	struct iob_err err = {};
	uint64_t ios = 0, totals = 0, devices = 0;

	EXPECT(!iob_source_recording(&rec, e, REAL, &err));
	EXPECT(rec.complete && rec.has_end && rec.records.nr > 10);
	EXPECT(!iob_source_objects(&rec, e, t, &err));
	for (size_t i = 0; i < rec.records.nr; i++) {
		EXPECT(!iob_events_decode(e, rec.records.v[i].data,
					  rec.records.v[i].size, &ev));
		EXPECT(!iob_replay_event(&r, &ev));
		if (ev.type == IOB_EVENT_IO)
			ios += ev.io.bytes;
	}
	for (size_t i = 0; i < t->totals.nr; i++)
		totals += t->totals.v[i].bytes;
	for (size_t i = 0; i < t->devices.nr; i++)
		devices += t->devices.v[i].bytes;
	EXPECT(ios && ios == totals && ios == devices);
	iob_replay_free(&r);
	iob_recording_free(&rec);
	iob_tables_destroy(t);
	iob_events_destroy(e);
	return true;
}

static uint64_t bytes_of(const struct iob_report *r)
{
	uint64_t bytes = r->filtered.bytes;

	for (size_t i = 0; i < r->rows.nr; i++)
		bytes += r->rows.v[i].bytes;
	return bytes;
}

/* A task of tests/root as the recorder: by pid, by pid and name, by neither. */
static bool own_rows_left_out(void)
{
	static const struct {
		const char *info;
		bool self, left_out;
	} cases[] = {
		{ "recorder_pid\t100\n", false, true },
		{ "recorder_pid\t100\nrecorder_comm\twriter-a\n", false, true },
		{ "recorder_pid\t100\nrecorder_comm\twriter-a\n", true, false },
		{ "recorder_pid\t100\nrecorder_comm\tioblame\n", false, false },
		{ "recorder_pid\t99999\n", false, false },
		{ "host\th\n", false, false },
	};
	struct iob_snapshot snap;
	struct iob_err err;
	uint64_t all = 0, before = 0;

	snprintf(path, sizeof(path), "%s/own.data", unit_dir());
	EXPECT(!iob_snapshot_read(&snap, "tests/root/sys/kernel/debug/ioblame",
				  &err));
	for (size_t i = sizeof(cases) / sizeof(*cases); i--;) {
		struct iob_report *r = iob_report_create();
		struct iob_names *n = iob_names_create("/nowhere");
		struct iob_recorder w;

		EXPECT(!iob_recorder_open(&w, path, 1, &err));
		EXPECT(!iob_recorder_chunk(&w, IOB_CHUNK_INFO, cases[i].info,
					   strlen(cases[i].info), &err));
		EXPECT(!iob_recorder_tables(&w, "end", &snap, &err));
		EXPECT(!iob_recorder_close(&w, &err));
		EXPECT(!iob_source_load(r, path, n, cases[i].self ?
					IOB_SOURCE_OWN : 0, &err));
		if (!all) {
			all = bytes_of(r);
			before = r->filtered.bytes;
		}
		EXPECT(all && bytes_of(r) == all);
		EXPECT((r->filtered.bytes > before) == cases[i].left_out);
		iob_names_destroy(n);
		iob_report_destroy(r);
	}
	iob_snapshot_free(&snap);
	return true;
}

/* An IO is the recorder's only if every byte of it is. */
static bool own_ios_told_apart(void)
{
	struct iob_tables *t = iob_tables_create();
	struct iob_own own = { 5, "ioblame" };
	struct iob_event_io io = { .nr_origins = 2, .act = { 20, 21 } };

	iob_tables_role(t, 1, true)->tgid = 5;
	iob_tables_role(t, 1, true)->comm = "ioblame";
	iob_tables_role(t, 2, true)->tgid = 6;
	iob_tables_role(t, 2, true)->comm = "ioblame";
	iob_tables_act(t, 20, true)->role = 1;
	iob_tables_act(t, 21, true)->role = 1;
	iob_tables_act(t, 22, true)->role = 2;
	EXPECT(iob_own_io(&own, t, &io));
	io.more_bytes = 1;
	EXPECT(!iob_own_io(&own, t, &io));
	io.more_bytes = 0;
	io.act[1] = 22;
	EXPECT(!iob_own_io(&own, t, &io));
	io.act[1] = 23;
	EXPECT(!iob_own_io(&own, t, &io));
	io.nr_origins = 1;
	EXPECT(iob_own_io(&own, t, &io));
	own.pid = 0;
	EXPECT(!iob_own_io(&own, t, &io));
	own.pid = 5;
	io.nr_origins = 0;
	EXPECT(!iob_own_io(&own, t, &io));
	iob_tables_destroy(t);
	return true;
}

static bool real_one_cut_and_reported(void)
{
	struct iob_blob file;
	struct iob_err err = {};
	char cut[512];

	snprintf(cut, sizeof(cut), "%s/cut.data", unit_dir());
	EXPECT(!iob_blob_read(&file, REAL, 16 << 20, &err));
	for (size_t len = 16; len < file.len; len += 997) {
		struct iob_report *r = iob_report_create();
		struct iob_names *n = iob_names_create("/nowhere");
		FILE *f = fopen(cut, "w");

		fwrite(file.p, 1, len, f);
		fclose(f);
		EXPECT(!iob_source_load(r, cut, n, IOB_SOURCE_TIMES, &err));
		EXPECT(r->notes.nr);
		iob_names_destroy(n);
		iob_report_destroy(r);
	}
	iob_blob_free(&file);
	return true;
}

static bool records_of_garbage(void)
{
	struct iob_events *e = iob_events_create();
	struct iob_recording rec;
	struct iob_event ev;
	struct iob_err err;
	unsigned int seed = 5;
	char data[2048];

	EXPECT(!iob_source_recording(&rec, e, REAL, &err));
	for (size_t i = 0; i < rec.records.nr * 50; i++) {
		const struct iob_record *r = &rec.records.v[i % rec.records.nr];
		size_t size = unit_random(&seed) % (sizeof(data) - 1);

		for (size_t k = 0; k < size; k++)
			data[k] = unit_random(&seed);
		/* Its own type, so that it is taken for one of ours. */
		memcpy(data, r->data, 2);
		if (!iob_events_decode(e, data, size, &ev) &&
		    ev.type == IOB_EVENT_ROLE)
			EXPECT(strlen(ev.role.comm) < sizeof(ev.role.comm));
	}
	iob_recording_free(&rec);
	iob_events_destroy(e);
	return true;
}

static bool formats_of_garbage(void)
{
	static const char *const texts[] = {
		"", "garbage", "name: ioblame_io\nID: 5\nformat:\n",
		"name: ioblame_io\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:u32 dev;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"x\"\n",
		"name: ioblame_act\nID: 6\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:u32 id;\toffset:8;\tsize:3;\tsigned:0;\n\tfield:u32 role;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"x\"\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct iob_events *e = iob_events_create();
		struct iob_err err = {};

		EXPECT(iob_events_format(e, texts[i], strlen(texts[i]), &err));
		EXPECT(*err.text);
		iob_events_destroy(e);
	}
	return true;
}

#define FORMAT_HEAD "name: x\nID: 5\nformat:\n"

/* What libtraceevent is given of a format: lines of fields, or nothing. */
static bool formats_made_harmless(void)
{
	static const struct {
		const char *line;
		bool good;
	} cases[] = {
		{ "\tfield:unsigned short a;\toffset:0;\tsize:2;\tsigned:0;", true },
		{ "\tfield: u64 a;\toffset:0;\tsize:8;", true },
		{ "\tfield:char a[16];\toffset:8;\tsize:16;\tsigned:0;", true },
		{ "\tfield:void *a;\toffset:8;\tsize:8;\tsigned:0;", true },
		{ "\tfield:a;\toffset:0;\tsize:2;\tsigned:0;", false },
		{ "\tfield:u32 a[0];\toffset:0;\tsize:2;\tsigned:0;", false },
		{ "\tfield:u32 a[];\toffset:0;\tsize:2;\tsigned:0;", false },
		{ "\tfield:u32 a[1;\toffset:0;\tsize:2;\tsigned:0;", false },
		{ "\tfield:u32 a[1]];\toffset:0;\tsize:2;\tsigned:0;", false },
		{ "\tfield:u32 a(;\toffset:0;\tsize:2;\tsigned:0;", false },
		{ "\tfield:u32 a;\toffset:-1;\tsize:2;\tsigned:0;", false },
		{ "\tfield:u32 a;\toffset:0;\tsize:65536;\tsigned:0;", false },
		{ "\tfield:u32 a;\toffset:0;\tsize:2;\tsigned:0; x", false },
		{ "\tfield:u32 a;\tsize:2;\toffset:0;", false },
		{ "field:u32 a;\toffset:0;\tsize:2;", false },
		{ "", false },
	};
	static const char print[] = "\n\nprint fmt: \"%d\", ((((\n";
	char name[IOB_EVENT_NAME_LEN + 1], text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int len = snprintf(text, sizeof(text), FORMAT_HEAD "%s%s",
				   cases[i].line, print);
		char *clean = iob_event_text(text, len, name);

		EXPECT(!!clean == cases[i].good);
		EXPECT(!strcmp(name, "x"));
		EXPECT(!clean || (strstr(clean, cases[i].line) &&
				  !strchr(strstr(clean, "print fmt"), '(')));
		free(clean);
	}
	EXPECT(!iob_event_text("name: a b\nID: 5\nformat:\n", 26, name));
	EXPECT(!iob_event_text("name: a\nID: 99999\nformat:\n", 28, name));
	return true;
}

const struct unit_case recording_cases[] = {
	{ "recording: there and back", plain_there_and_back },
	{ "recording: there and back, packed", packed_there_and_back },
	{ "recording: cut off at every byte", plain_cut_anywhere },
	{ "recording: cut off at every byte, packed", packed_cut_anywhere },
	{ "recording: damaged at every byte", plain_damaged_anywhere },
	{ "recording: damaged at every byte, packed", packed_damaged_anywhere },
	{ "recording: of a machine of another byte order", another_machine },
	{ "recording: a full disk", full_disk },
	{ "recording: keeps what was to be recorded", keeps_wishes },
	{ "recording: events add up to the disk", real_one_by_events },
	{ "recording: the recorder's own rows are left out", own_rows_left_out },
	{ "recording: the recorder's own IOs are told apart", own_ios_told_apart },
	{ "recording: a real one cut off, and reported", real_one_cut_and_reported },
	{ "event: records of garbage", records_of_garbage },
	{ "event: formats of garbage", formats_of_garbage },
	{ "event: formats are made harmless", formats_made_harmless },
	{}
};
