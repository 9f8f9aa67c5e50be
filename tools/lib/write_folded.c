// SPDX-License-Identifier: GPL-2.0
/*
 * Collapsed stacks, as flamegraph.pl and its kin read them: a line for each path,
 * "task;outermost;...;innermost value".
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "flame.h"
#include "writer.h"

/* A number after a blank would be a value, ';' another frame. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (*name == ';' ||
		    (*name == ' ' && isdigit((unsigned char)name[1])))
			fprintf(out, "\\x%02x", (unsigned char)*name);
		else
			fputc(*name, out);
	}
}

static int write_folded(const struct iob_report *r,
			const struct iob_write_options *o, struct iob_err *err)
{
	struct iob_flame f;
	uint32_t *path = NULL;
	int ret = iob_flame_make(&f, r, o->metric, err);

	if (!ret) {
		path = calloc(f.max_depth + 1, sizeof(*path));
		if (!path)
			ret = iob_fail(err, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; !ret && i < f.nodes.nr; i++) {
		uint32_t nr;

		if (!f.nodes.v[i].self)
			continue;
		nr = iob_flame_path(&f, i, path);
		for (uint32_t k = 0; k < nr; k++) {
			fputs(k ? ";" : "", o->out);
			put_name(o->out, f.nodes.v[path[k]].name);
		}
		fprintf(o->out, " %" PRIu64 "\n", f.nodes.v[i].self);
	}
	free(path);
	iob_flame_free(&f);
	return ret;
}

const struct iob_writer iob_folded_writer = {
	.name = "folded",
	.default_fields = IOB_FLAME_FIELDS,
	.counts_once = true,
	.write = write_folded,
};
