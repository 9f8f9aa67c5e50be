// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the formats of a real recording: a byte for the type and one for how
 * many bytes follow; the rest of the record is zeroes, or missing.
 */
#include <string.h>

#include "event.h"
#include "fuzz.h"
#include "names.h"
#include "recording.h"
#include "replay.h"
#include "report.h"
#include "source.h"

#define REAL "tests/data/record.data"
#define RECORD_SIZE 8192
#define IS_SHORT 0x80

static uint16_t ids[IOB_NR_EVENTS];

static void find_ids(const struct iob_recording *rec)
{
	for (size_t i = 0; i < rec->formats.nr; i++) {
		char text[64] = "", name[64];
		unsigned int id;

		memcpy(text, rec->formats.v[i].p, sizeof(text) - 1);
		MUST(sscanf(text, "name: %63s ID: %u", name, &id) == 2);
		for (int t = 0; t < IOB_NR_EVENTS; t++)
			if (!strcmp(name, iob_event_names[t]))
				ids[t] = id;
	}
}

/* Learned once; libFuzzer takes what stays reachable for no leak. */
static struct iob_events *known_formats(void)
{
	static struct iob_events *e;
	struct iob_recording rec;
	struct iob_err err;

	if (e)
		return e;
	e = iob_events_create();
	if (iob_source_recording(&rec, e, REAL, &err)) {
		fprintf(stderr, "%s: run this in tools/\n", err.text);
		exit(2);
	}
	find_ids(&rec);
	iob_recording_free(&rec);
	return e;
}

/* Return: how many bytes of the input it took; 0 at the end. */
static size_t next_record(const uint8_t *data, size_t size, uint8_t *record,
			  size_t *len)
{
	size_t n;

	if (size < 2)
		return 0;
	n = data[1] < size - 2 ? data[1] : size - 2;
	memset(record, 0, RECORD_SIZE);
	memcpy(record, &ids[data[0] % 8 % IOB_NR_EVENTS], 2);
	memcpy(record + 8, data + 2, n);
	*len = data[0] & IS_SHORT ? n + 8 : RECORD_SIZE;
	return n + 2;
}

void fuzz_events(const uint8_t *data, size_t size)
{
	struct iob_events *e = known_formats();
	struct iob_tables *t = iob_tables_create(), *lines = iob_tables_create();
	struct iob_replay replay = { .t = t };
	struct iob_report *r = iob_report_create();
	struct iob_names *names = iob_names_create("/nonexistent");
	struct script *s = script_create(lines, names);
	uint8_t record[RECORD_SIZE];
	struct iob_event ev;
	struct iob_err err;
	uint64_t ts_ns = 0;
	size_t len, n;

	for (; (n = next_record(data, size, record, &len)); data += n, size -= n) {
		if (iob_events_decode(e, record, len, &ev))
			continue;
		MUST(!iob_replay_event(&replay, &ev));
		script_event(s, ts_ns += 1000, &ev);
	}
	script_end(s);
	MUST(!iob_report_from_tables(r, t, NULL, &err));
	must_write(r);
	iob_report_destroy(r);
	iob_replay_free(&replay);
	iob_tables_destroy(lines);
	iob_names_destroy(names);
	iob_tables_destroy(t);
}
