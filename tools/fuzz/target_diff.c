// SPDX-License-Identifier: GPL-2.0
/* Two reports saved as JSON, a form feed between. */
#include <string.h>

#include "diff.h"
#include "fuzz.h"
#include "load_json.h"

void fuzz_diff(const uint8_t *data, size_t size)
{
	static const char *const names[IOB_NR_SIDES] = { "a", "b" };
	struct iob_diff *d = iob_diff_create(iob_metrics, size % IOB_NR_SCALES);
	struct iob_err err;
	bool ok = true;

	MUST(d);
	for (int s = 0; s < IOB_NR_SIDES; s++) {
		char *text = next_part(&data, &size, '\f');

		d->path[s] = names[s];
		ok = ok && text &&
		     !iob_report_load(d->side[s], text, strlen(text), &err);
		free(text);
	}
	if (ok)
		must_compare(d);
	iob_diff_destroy(d);
}
