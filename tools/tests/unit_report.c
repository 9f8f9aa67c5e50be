// SPDX-License-Identifier: GPL-2.0
/* Reports: sums that hold, grouping, sorting, JSON there and back. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "aggregate.h"
#include "load_json.h"
#include "unit.h"
#include "writer.h"

static struct iob_report *make(void)
{
	struct iob_tables *t = unit_tables();
	struct iob_report *r = iob_report_create();
	struct iob_names *n = iob_names_create("tests/root");
	struct iob_err err;

	iob_names_refresh(n);
	iob_report_from_tables(r, t, n, &err);
	iob_names_destroy(n);
	iob_tables_destroy(t);
	return r;
}

static uint64_t sum(const struct iob_report *r)
{
	uint64_t bytes = r->filtered.bytes + r->omitted.bytes;

	for (size_t i = 0; i < r->rows.nr; i++)
		bytes += r->rows.v[i].bytes;
	return bytes;
}

static uint64_t device_sum(const struct iob_report *r)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < r->devices.nr; i++)
		for (size_t k = 0; k < r->devices.v[i].ops.nr; k++)
			bytes += r->devices.v[i].ops.v[k].sum.bytes;
	return bytes;
}

static bool conserves_bytes(void)
{
	struct iob_report *r = make();
	struct iob_filter f = {};
	struct iob_err err;
	const char *comm = "writer-a";

	EXPECT(sum(r) == 34304 && device_sum(r) == 34304);
	*(const char **)iob_vec_add(&f.comms) = comm;
	iob_report_filter(r, &f);
	EXPECT(sum(r) == 34304 && r->rows.nr == 2);
	EXPECT(!iob_report_group(r, iob_key_find("comm")->fields, &err));
	EXPECT(sum(r) == 34304 && r->rows.nr == 1);
	iob_filter_free(&f);
	iob_report_destroy(r);
	return true;
}

static bool counts_unattributed(void)
{
	struct iob_report *r = make();

	/* preexisting 4096, and 1024 that the module folded */
	EXPECT(r->unattributed.bytes == 5120);
	EXPECT(r->basis_bytes[IOB_BASIS_PAGE] == 12288 + 4096 + 8192 + 512);
	EXPECT(r->cancelled_bytes == 4096);
	EXPECT(r->lost[IOB_LOSS_ACTS] == 2 && r->lost[IOB_LOSS_FOLDS] == 1);
	iob_report_destroy(r);
	return true;
}

static bool merged_processes_have_no_pid(void)
{
	struct iob_report *r = iob_report_create();
	struct iob_names *n = iob_names_create("tests/root");
	struct iob_tables *t = unit_tables();
	struct iob_role *role;
	struct iob_err err;
	size_t nr = 0;

	for (uint32_t id = 1; id < 100; id++) {
		role = iob_tables_role(t, id, false);
		if (role && !strcmp(role->comm, "writer-a"))
			role->flags = "merged";
	}
	EXPECT(!iob_report_from_tables(r, t, n, &err));
	for (size_t i = 0; i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		const char *comm = iob_row_text(row, IOB_ROW_COMM);

		if (!comm || strcmp(comm, "writer-a"))
			continue;
		EXPECT(!(row->known & (IOB_ROW_BIT(PID) | IOB_ROW_BIT(TID) |
				       IOB_ROW_BIT(START))));
		nr++;
	}
	EXPECT(nr == 2 && sum(r) == 34304);
	iob_names_destroy(n);
	iob_tables_destroy(t);
	iob_report_destroy(r);
	return true;
}

static bool groups(void)
{
	struct iob_report *r = make();
	struct iob_err err;
	uint32_t fields;
	const struct iob_row *row;

	EXPECT(!iob_keys_parse("comm,op", &fields, &err));
	EXPECT(!iob_report_group(r, fields, &err));
	iob_report_sort(r, "bytes");
	row = &r->rows.v[0];
	EXPECT(!strcmp(iob_row_text(row, IOB_ROW_COMM), "writer-a"));
	EXPECT(row->bytes == 16384 && row->ios == 4 && row->cancelled == 4096);
	/* Both rows agree in the file, not in the reason. */
	EXPECT(iob_row_text(row, IOB_ROW_FILE_PATH));
	EXPECT(!iob_row_text(row, IOB_ROW_REASON));
	EXPECT(row->mixed & IOB_ROW_BIT(REASON));
	EXPECT(row->max[IOB_TIME_AGE] == 3000000);
	EXPECT(iob_hist_total(&row->hist[IOB_TIME_AGE]) == 4);
	iob_report_destroy(r);
	return true;
}

static bool groups_by_device_and_op_alone(void)
{
	struct iob_report *r = make();
	struct iob_err err;
	uint32_t fields;

	EXPECT(!iob_keys_parse("dev,op", &fields, &err));
	EXPECT(!iob_report_group(r, fields, &err));
	EXPECT(r->rows.nr == 2);
	iob_report_destroy(r);
	return true;
}

static bool top_keeps_the_sum(void)
{
	struct iob_report *r = make();

	iob_report_sort(r, "bytes");
	iob_report_top(r, 2);
	EXPECT(r->rows.nr == 2 && r->nr_omitted == 6);
	EXPECT(sum(r) == 34304);
	iob_report_destroy(r);
	return true;
}

static bool sorts_the_same_way(void)
{
	struct iob_report *a = make(), *b = make();

	for (size_t i = 0; i < b->rows.nr / 2; i++) {
		struct iob_row tmp = b->rows.v[i];

		b->rows.v[i] = b->rows.v[b->rows.nr - 1 - i];
		b->rows.v[b->rows.nr - 1 - i] = tmp;
	}
	iob_report_sort(a, "comm");
	iob_report_sort(b, "comm");
	for (size_t i = 0; i < a->rows.nr; i++)
		EXPECT(a->rows.v[i].bytes == b->rows.v[i].bytes &&
		       a->rows.v[i].ios == b->rows.v[i].ios);
	iob_report_destroy(a);
	iob_report_destroy(b);
	return true;
}

static bool stacked_disks_count_once(void)
{
	struct iob_report *r = make();

	EXPECT(iob_report_drop_stacked(r) == 0);
	r->devices.v[0].stacked = true;
	iob_report_settle(r);
	EXPECT(r->unattributed.bytes == 0 && !r->basis_bytes[IOB_BASIS_PAGE]);
	/* What was cancelled is told nowhere else. */
	EXPECT(iob_report_drop_stacked(r) == 7 && r->rows.nr == 1);
	EXPECT(r->rows.v[0].cancelled == 4096 && !r->rows.v[0].bytes);
	iob_report_destroy(r);
	return true;
}

/* One row of the report has read, and the disk with it. */
static struct iob_report *make_with_reads(void)
{
	struct iob_report *r = make();
	struct iob_row *row = &r->rows.v[1];

	row->tells_reads = true;
	row->read[IOB_READ_USED] = 1024;
	row->read[IOB_READ_UNUSED] = 2048;
	row->read[IOB_READ_UNSEEN] = 512;
	iob_report_settle(r);
	return r;
}

static bool reads_have_ends(void)
{
	struct iob_report *r = make_with_reads();
	struct iob_err err;

	EXPECT(r->tells_reads && r->read_bytes[IOB_READ_UNUSED] == 2048);
	iob_report_sort(r, "unused");
	EXPECT(r->rows.v[0].tells_reads && !r->rows.v[1].tells_reads);
	EXPECT(!iob_report_group(r, iob_key_find("dev")->fields, &err));
	EXPECT(r->rows.nr == 1 && r->rows.v[0].tells_reads);
	EXPECT(r->rows.v[0].read[IOB_READ_USED] == 1024);
	EXPECT(r->rows.v[0].read[IOB_READ_UNSEEN] == 512);
	iob_report_destroy(r);
	return true;
}

/* The disk below tells of the same bytes. */
static bool ends_on_stacked_disks_are_left_out(void)
{
	struct iob_report *r = make_with_reads();

	r->devices.v[0].stacked = true;
	iob_report_settle(r);
	EXPECT(r->tells_reads && !r->read_bytes[IOB_READ_USED]);
	iob_report_drop_stacked(r);
	for (size_t i = 0; i < r->rows.nr; i++)
		EXPECT(!r->rows.v[i].tells_reads &&
		       !r->rows.v[i].read[IOB_READ_USED]);
	iob_report_destroy(r);
	return true;
}

static bool paths_have_their_mount(void)
{
	struct iob_report *r = make();
	const char *path;

	iob_report_sort(r, "bytes");
	path = iob_row_text(&r->rows.v[0], IOB_ROW_FILE_PATH);
	EXPECT(path && !strcmp(path, "/mnt/the disk/a.dat"));
	iob_report_destroy(r);
	return true;
}

static bool mounts_of_parts(void)
{
	static const char text[] =
		"1 0 8:1 /sub /a rw - ext4 x rw\n"
		"2 0 8:1 /sub/deep /b rw - ext4 x rw\n"
		"3 0 8:2 /x / rw - ext4 x rw\n"
		"bad line\n4 0 8:9\n";
	struct iob_names *n = iob_names_create("/nowhere");
	char path[64];

	EXPECT(!iob_names_add_mounts(n, text, strlen(text)));
	iob_names_path(n, 8u << 20 | 1, "/sub/f", path, sizeof(path));
	EXPECT(!strcmp(path, "/a/f"));
	iob_names_path(n, 8u << 20 | 1, "/sub/deep/f", path, sizeof(path));
	EXPECT(!strcmp(path, "/b/f"));
	iob_names_path(n, 8u << 20 | 1, "/subway", path, sizeof(path));
	EXPECT(!strcmp(path, "/subway"));
	iob_names_path(n, 8u << 20 | 2, "/x/f", path, sizeof(path));
	EXPECT(!strcmp(path, "/f"));
	iob_names_destroy(n);
	return true;
}

static char *to_json(struct iob_report *r)
{
	struct json_object *o = iob_report_to_json(r);
	char *s = strdup(json_object_to_json_string(o));

	json_object_put(o);
	return s;
}

static bool there_and_back(struct iob_report *a)
{
	struct iob_report *b = iob_report_create();
	char *first, *second;
	struct iob_err err;

	iob_report_sort(a, "bytes");
	first = to_json(a);
	EXPECT(!iob_report_load(b, first, strlen(first), &err));
	second = to_json(b);
	EXPECT(!strcmp(first, second));
	free(first);
	free(second);
	iob_report_destroy(a);
	iob_report_destroy(b);
	return true;
}

static bool json_there_and_back(void)
{
	return there_and_back(make()) && there_and_back(make_with_reads());
}

static bool json_truncated(void)
{
	struct iob_report *a = make();
	char *s = to_json(a);
	size_t len = strlen(s);

	for (size_t i = 0; i < len; i += 7) {
		struct iob_report *b = iob_report_create();
		struct iob_err err = {};

		EXPECT(iob_report_load(b, s, i, &err) == -EINVAL && *err.text);
		iob_report_destroy(b);
	}
	free(s);
	iob_report_destroy(a);
	return true;
}

static bool json_damaged(void)
{
	struct iob_report *a = make();
	char *s = to_json(a), *copy = strdup(s);
	size_t len = strlen(s);
	unsigned int seed = 3;

	for (int i = 0; i < 3000; i++) {
		struct iob_report *b = iob_report_create();
		struct iob_err err;
		int ret;

		memcpy(copy, s, len);
		for (int k = 0; k < 4; k++)
			copy[unit_random(&seed) % len] =
				"0\"{}[]:,nt-9"[unit_random(&seed) % 12];
		ret = iob_report_load(b, copy, len, &err);
		EXPECT(!ret || ret == -EINVAL);
		if (!ret)
			free(to_json(b));
		iob_report_destroy(b);
	}
	free(copy);
	free(s);
	iob_report_destroy(a);
	return true;
}

static bool json_of_wrong_types(void)
{
	static const char *const texts[] = {
		"{\"schema\":\"ioblame.report/1\"}",
		"{\"schema\":\"ioblame.report/1\",\"origins\":{},\"devices\":3,\"stacks\":[],\"lost\":\"x\",\"hooks\":[1,null,{}],\"notes\":[null,{}]}",
		"{\"schema\":\"ioblame.report/1\",\"origins\":[null,3,{\"bytes\":-4,\"dev\":7,\"file\":\"x\",\"dirty_age_ns\":{\"hist\":{\"99\":1,\"x\":2,\"3\":\"y\",\"4\":-1}}}]}",
		"{\"schema\":\"ioblame.report/1\",\"end_ns\":1,\"start_ns\":5,\"stacks\":{\"x\":[],\"1\":[null,{\"a\":1}],\"99999999999\":[]}}",
	};
	static const char *const bad[] = {
		"", "null", "[]", "{}", "{\"schema\":\"ioblame.report/2\"}",
		"{\"schema\":7}", "garbage",
	};
	struct iob_err err;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct iob_report *r = iob_report_create();

		EXPECT(!iob_report_load(r, texts[i], strlen(texts[i]), &err));
		free(to_json(r));
		iob_report_destroy(r);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct iob_report *r = iob_report_create();

		EXPECT(iob_report_load(r, bad[i], strlen(bad[i]), &err) == -EINVAL);
		iob_report_destroy(r);
	}
	return true;
}

/* Nor does a file that somebody made up keep us for hours. */
static bool too_many_disks(void)
{
	struct iob_report *r = iob_report_create();
	struct iob_err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("{\"schema\":\"" IOB_REPORT_SCHEMA "\",\"devices\":[", out);
	for (int i = 0; i <= IOB_REPORT_MAX_DISKS; i++)
		fprintf(out, "%s{\"dev\":\"1:%d\"}", i ? "," : "", i);
	fputs("]}", out);
	fclose(out);
	EXPECT(iob_report_load(r, text, size, &err) == -E2BIG);
	EXPECT(strstr(err.text, "more disks"));
	free(text);
	iob_report_destroy(r);
	return true;
}

const struct unit_case report_cases[] = {
	{ "report: rows add up to the devices, filtered and grouped", conserves_bytes },
	{ "report: what is not attributed, cancelled, lost", counts_unattributed },
	{ "report: processes the module could not tell apart", merged_processes_have_no_pid },
	{ "report: grouping keeps what agrees and marks what differs", groups },
	{ "report: one row per device and operation", groups_by_device_and_op_alone },
	{ "report: --top keeps the sum", top_keeps_the_sum },
	{ "report: order does not depend on the order before", sorts_the_same_way },
	{ "report: bytes of stacked disks count once", stacked_disks_count_once },
	{ "report: what becomes of what is read", reads_have_ends },
	{ "report: likewise, on stacked disks", ends_on_stacked_disks_are_left_out },
	{ "report: paths have their mount point", paths_have_their_mount },
	{ "names: mounts of parts of a file system", mounts_of_parts },
	{ "json: there and back", json_there_and_back },
	{ "json: truncated", json_truncated },
	{ "json: damaged", json_damaged },
	{ "json: members of wrong types", json_of_wrong_types },
	{ "json: more disks than there can be", too_many_disks },
	{}
};
