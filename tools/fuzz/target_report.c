// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "fuzz.h"
#include "load_json.h"
#include "report.h"

void fuzz_report(const uint8_t *data, size_t size)
{
	struct iob_report *r = iob_report_create();
	char *text = next_part(&data, &size, '\0');
	struct iob_err err;

	MUST(r);
	if (!iob_report_load(r, text, strlen(text), &err))
		must_write(r);
	iob_report_destroy(r);
	free(text);
}
