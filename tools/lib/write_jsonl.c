// SPDX-License-Identifier: GPL-2.0
/* One object a line for each origin, as in a report, with its stack's frames. */
#include <errno.h>
#include <json-c/json.h>

#include "writer.h"

static int write_jsonl(const struct iob_report *r,
		       const struct iob_write_options *o, struct iob_err *err)
{
	for (size_t i = 0; i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		struct json_object *line = iob_row_to_json(r, row);
		const char *frames = NULL, *s;

		if (row->known & IOB_ROW_BIT(STACK))
			frames = iob_report_frames(r, row->v[IOB_ROW_STACK]);
		json_object_object_add(line, "frames",
				       frames ? iob_frames_to_json(frames) : NULL);
		s = json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
						   JSON_C_TO_STRING_NOSLASHESCAPE);
		if (s) {
			fputs(s, o->out);
			fputc('\n', o->out);
		}
		json_object_put(line);
		if (!s)
			return iob_fail(err, -ENOMEM, "out of memory writing JSON");
	}
	return 0;
}

const struct iob_writer iob_jsonl_writer = {
	.name = "jsonl",
	.default_fields = IOB_ALL_FIELDS,
	.write = write_jsonl,
};
