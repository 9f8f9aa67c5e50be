// SPDX-License-Identifier: GPL-2.0
/*
 * Collapsed stacks, as flamegraph.pl and its kin read them: a line for each path,
 * "task;outermost;...;innermost value".
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "diff.h"
#include "flame.h"

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

/* A line for each path that has something; with both values of two reports. */
static int put_paths(const struct iob_flame *f, FILE *out, bool both,
		     struct iob_err *err)
{
	uint32_t *path = calloc(f->max_depth + 1, sizeof(*path));

	if (!path)
		return iob_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < f->nodes.nr; i++) {
		const struct iob_flame_node *n = &f->nodes.v[i];
		uint32_t nr;

		if (!n->self && !n->other_self)
			continue;
		nr = iob_flame_path(f, i, path);
		for (uint32_t k = 0; k < nr; k++) {
			fputs(k ? ";" : "", out);
			put_name(out, f->nodes.v[path[k]].name);
		}
		if (both)
			fprintf(out, " %" PRIu64, n->other_self);
		fprintf(out, " %" PRIu64 "\n", n->self);
	}
	free(path);
	return 0;
}

static int write_folded(const struct iob_report *r,
			const struct iob_write_options *o, struct iob_err *err)
{
	struct iob_flame f;
	int ret = iob_flame_make(&f, r, o->metric, err);

	if (!ret)
		ret = put_paths(&f, o->out, false, err);
	iob_flame_free(&f);
	return ret;
}

/* A's value, then B's, as flamegraph.pl takes them. */
static int diff_folded(const struct iob_diff *d,
		       const struct iob_write_options *o, struct iob_err *err)
{
	struct iob_flame f;
	int ret = iob_flame_compare(&f, d->side[IOB_SIDE_B],
				    d->side[IOB_SIDE_A], d->both, d->metric, err);

	if (!ret)
		ret = put_paths(&f, o->out, true, err);
	iob_flame_free(&f);
	return ret;
}

const struct iob_writer iob_folded_writer = {
	.name = "folded",
	.default_fields = IOB_FLAME_FIELDS,
	.counts_once = true,
	.write = write_folded,
	.diff = diff_folded,
};
