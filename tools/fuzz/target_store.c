// SPDX-License-Identifier: GPL-2.0
/* The bytes as details of a row and, if they begin as one, as a whole store. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "store.h"
#include "store_impl.h"

static void as_details(const uint8_t *data, size_t size)
{
	uint8_t packed[STORE_DETAIL_MAX], again[STORE_DETAIL_MAX];
	struct iob_row row = {}, second = {};
	bool times = true, second_times = true;
	size_t len;

	if (!store_detail_add(&row, data, size, &times)) {
		len = store_detail_pack(&row, times, packed);
		MUST(len <= sizeof(packed));
		MUST(!store_detail_add(&second, packed, len, &second_times));
		MUST(store_detail_pack(&second, second_times, again) == len);
		MUST(!memcmp(packed, again, len));
	}
	iob_row_free(&row);
	iob_row_free(&second);
}

static void as_store(const char *path)
{
	struct iob_report *r = iob_report_create();
	struct iob_store *s;
	struct iob_err err;

	MUST(r);
	if (!iob_store_open_reader(&s, path, &err)) {
		if (!iob_store_query(s, 0, 4000000000, r, &err))
			must_write(r);
		iob_store_close(s);
	}
	iob_report_destroy(r);
}

void fuzz_store(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/fuzz-store.XXXXXX", beside[64];
	static const char *const suffixes[] = { "", "-journal", "-wal", "-shm" };
	int fd;

	as_details(data, size);
	if (size < 16 || memcmp(data, "SQLite format 3", 16))
		return;
	fd = mkstemp(path);
	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	as_store(path);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(beside, sizeof(beside), "%s%s", path, suffixes[i]);
		unlink(beside);
	}
}
