// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "load_json.h"
#include "snapshot.h"
#include "source.h"

#define INPUT_MAX (1u << 30)

/**
 * iob_source_load - a report from a file
 * @r: the report, empty
 * @path: a report saved with --json, or a recording
 * @names: takes the mounts of a recording
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_source_load(struct iob_report *r, const char *path,
		    struct iob_names *names, struct iob_err *err)
{
	struct iob_blob blob;
	struct iob_err why;
	int ret = iob_blob_read(&blob, path, INPUT_MAX, err);

	(void)names;
	if (ret)
		return ret;
	ret = iob_report_load(r, blob.p, blob.len, &why);
	if (ret)
		iob_fail(err, ret, "%s: %s", path, why.text);
	iob_blob_free(&blob);
	return ret;
}
