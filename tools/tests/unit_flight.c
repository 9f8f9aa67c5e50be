// SPDX-License-Identifier: GPL-2.0
/* The flight recorder's memory: so old, so big, and in order. */
#include <stdlib.h>
#include <unistd.h>

#include "flight.h"
#include "recording.h"
#include "unit.h"

#define MS 1000000ull

static bool fill(struct iob_flight *f, uint64_t from_ms, uint64_t to_ms,
		 bool random)
{
	unsigned int seed = 1;
	char event[200] = "event";
	struct iob_err err;

	for (uint64_t t = from_ms; t < to_ms; t++) {
		for (size_t i = 8; random && i < sizeof(event); i++)
			event[i] = unit_random(&seed);
		if (iob_flight_event(f, t * MS, t % 3, event, sizeof(event), &err))
			return false;
	}
	return true;
}

/* Write it, read it: the times of the first and the last event, and how many. */
static size_t written(struct iob_flight *f, uint64_t *first_ms,
		      uint64_t *last_ms, bool *ordered)
{
	struct iob_recording rec = {};
	struct iob_recorder w;
	struct iob_blob blob;
	struct iob_err err;
	char path[300];
	size_t nr = 0;

	snprintf(path, sizeof(path), "%s/flight.data", unit_dir());
	*first_ms = *last_ms = 0;
	*ordered = true;
	if (!iob_recorder_open(&w, path, 1, &err) &&
	    !iob_flight_write(f, &w, &err) && !iob_recorder_close(&w, &err) &&
	    !iob_blob_read(&blob, path, 1 << 30, &err) &&
	    !iob_recording_read(&rec, &blob, &err)) {
		nr = rec.records.nr;
		for (size_t i = 1; i < nr; i++)
			*ordered &= rec.records.v[i].ts_ns ==
				    rec.records.v[i - 1].ts_ns + MS;
		*first_ms = nr ? rec.records.v[0].ts_ns / MS : 0;
		*last_ms = nr ? rec.records.v[nr - 1].ts_ns / MS : 0;
	}
	iob_recording_free(&rec);
	unlink(path);
	return nr;
}

static bool test_age(void)
{
	struct iob_flight f;
	struct iob_err err;
	uint64_t first, last;
	bool ordered;

	EXPECT(!iob_flight_init(&f, 2000 * MS, 64 << 20, &err));
	EXPECT(!iob_flight_start(&f) && !written(&f, &first, &last, &ordered));
	EXPECT(fill(&f, 1000, 11000, false));
	EXPECT(written(&f, &first, &last, &ordered) == last - first + 1 && ordered);
	/* All of two seconds, and no more than a piece besides. */
	EXPECT(last == 10999 && first <= 9000 && first >= 8400);
	EXPECT(iob_flight_start(&f) == first * MS && !f.nr_early);
	/* It goes on after that. */
	EXPECT(fill(&f, 11000, 11100, false));
	EXPECT(written(&f, &first, &last, &ordered) && last == 11099 && ordered);
	/* Also when nothing happens. */
	EXPECT(!iob_flight_tick(&f, 20000 * MS, &err));
	EXPECT(!written(&f, &first, &last, &ordered) && !f.bytes);
	iob_flight_deinit(&f);
	return true;
}

static bool test_size(void)
{
	struct iob_flight f;
	struct iob_err err;
	uint64_t first, last;
	bool ordered;

	EXPECT(!iob_flight_init(&f, 1000000 * MS, 1 << 20, &err));
	for (uint64_t t = 0; t < 20000; t += 1000) {
		EXPECT(fill(&f, t, t + 1000, true));
		EXPECT(f.bytes <= (1 << 20));
	}
	EXPECT(f.nr_early > 0);
	EXPECT(written(&f, &first, &last, &ordered) > 3000 && ordered);
	EXPECT(last == 19999);
	iob_flight_deinit(&f);
	return true;
}

static bool test_odd(void)
{
	static char big[200 << 10];
	struct iob_flight f;
	struct iob_err err;

	EXPECT(!iob_flight_init(&f, MS, 1 << 20, &err));
	EXPECT(iob_flight_event(&f, 1, 0, big, sizeof(big), &err));
	EXPECT(!iob_flight_event(&f, 1, 0, big, 0, &err));
	/* Two CPUs' clocks may differ a little. */
	EXPECT(!iob_flight_event(&f, 0, 0, big, 8, &err));
	iob_flight_deinit(&f);
	return true;
}

const struct unit_case flight_cases[] = {
	{ "flight: keeps what is new enough", test_age },
	{ "flight: keeps its size", test_size },
	{ "flight: odd events", test_odd },
	{}
};
