// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "escape.h"
#include "fuzz.h"
#include "hist.h"
#include "text.h"
#include "width.h"

static void must_cut(const char *text, size_t cap, bool at_start)
{
	char buf[4096];
	size_t width;

	snprintf(buf, sizeof(buf), "%s", text);
	iob_width_cut(buf, cap, at_start);
	width = iob_width(buf);
	MUST(width <= (cap ? cap : 1));
	must_be_text(buf, strlen(buf), "");
	iob_width_pad(buf, sizeof(buf), cap + 5, at_start);
	MUST(iob_width(buf) == cap + 5 || strlen(buf) == sizeof(buf) - 1);
	must_be_text(buf, strlen(buf), "");
	iob_width_ascii(buf, sizeof(buf));
	for (const char *p = buf; *p; p++)
		MUST(*p >= ' ' && *p < 0x7f);
}

static void must_parse(const char *text)
{
	struct iob_field f = { text, strlen(text) };
	struct iob_hist h = {};
	uint32_t dev;
	uint64_t v;

	iob_field_u64(f, &v);
	iob_field_dev(f, &dev);
	if (!iob_hist_parse(&h, f))
		for (int percent = 0; percent <= 100; percent += 25)
			iob_hist_percentile(&h, percent, 0);
	iob_hist_free(&h);
}

void fuzz_escape(const uint8_t *data, size_t size)
{
	char *name = next_part(&data, &size, '\0');
	char *escaped = iob_escape(name), *back;

	MUST(escaped);
	must_be_text(escaped, strlen(escaped), "");
	back = iob_unescape(escaped);
	MUST(back && !strcmp(back, name));
	free(back);
	/* What others escaped may be anything. */
	free(iob_unescape(name));
	must_parse(name);
	if (strlen(escaped) < 1024)
		for (size_t cap = 0; cap < 12; cap++) {
			must_cut(escaped, cap, true);
			must_cut(escaped, cap, false);
		}
	free(escaped);
	free(name);
}
