// SPDX-License-Identifier: GPL-2.0
/* The unit tests, one after the other. Run from tools/. */
#include <stdlib.h>

#include "decode.h"
#include "unit.h"

static const struct unit_case *const suites[] = {
	text_cases, table_cases, report_cases, params_cases, pack_cases,
	recording_cases, rotation_cases, session_cases, top_cases,
	store_cases, flight_cases, trigger_cases,
	names_cases,
};

const char *unit_dir(void)
{
	const char *dir = getenv("UNIT_DIR");

	return dir ? dir : "/tmp";
}

struct iob_tables *unit_tables(void)
{
	struct iob_tables *t = iob_tables_create();
	struct iob_snapshot snap;
	struct iob_err err;

	if (iob_snapshot_read(&snap, "tests/root/sys/kernel/debug/ioblame",
			      &err) || iob_decode(t, &snap, &err)) {
		printf("# %s\n", err.text);
		exit(1);
	}
	iob_snapshot_free(&snap);
	return t;
}

int main(void)
{
	int nr = 0, nr_failed = 0;

	for (size_t s = 0; s < sizeof(suites) / sizeof(*suites); s++) {
		for (const struct unit_case *c = suites[s]; c->name; c++) {
			bool ok = c->run();

			nr_failed += !ok;
			printf("%sok %d - %s\n", ok ? "" : "not ", ++nr, c->name);
			fflush(stdout);
		}
	}
	printf("1..%d\n", nr);
	return nr_failed ? 1 : 0;
}
