// SPDX-License-Identifier: GPL-2.0
/* Fields, escapes, histograms: what everything else is read with. */
#include <errno.h>
#include <stdlib.h>

#include "escape.h"
#include "hist.h"
#include "intern.h"
#include "map.h"
#include "text.h"
#include "uapi/ioblame.h"
#include "unit.h"
#include "writer.h"

static struct iob_field field(const char *s)
{
	return (struct iob_field){ s, strlen(s) };
}

static bool numbers(void)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{ "0", true, 0 }, { "42", true, 42 },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false }, { "", false },
		{ "-1", false }, { "1x", false }, { " 1", false }, { "+1", false },
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		EXPECT(iob_field_u64(field(cases[i].text), &v) == cases[i].good);
		EXPECT(!cases[i].good || v == cases[i].value);
	}
	return true;
}

static bool devices(void)
{
	uint32_t dev;

	EXPECT(iob_field_dev(field("254:16"), &dev) && dev == (254u << 20 | 16));
	EXPECT(iob_field_dev(field("4095:1048575"), &dev));
	EXPECT(!iob_field_dev(field("4096:0"), &dev));
	EXPECT(!iob_field_dev(field("1"), &dev));
	EXPECT(!iob_field_dev(field("1:"), &dev));
	EXPECT(!iob_field_dev(field(":1"), &dev));
	EXPECT(!iob_field_dev(field("1:2:3"), &dev));
	return true;
}

static bool unescaping(void)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "plain", "plain" }, { "-", "" }, { "\\x2d", "-" },
		{ "a\\x09b", "a\tb" }, { "\\xff\\x5c", "\xff\\" },
		{ "\\x00", "\\x00" }, { "\\x0", "\\x0" }, { "\\", "\\" },
		{ "\\xZZ", "\\xZZ" }, { "\\x5", "\\x5" }, { "", "" },
	};
	char buf[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		iob_field_unescape(field(cases[i].from), buf, sizeof(buf));
		EXPECT(!strcmp(buf, cases[i].to));
	}
	EXPECT(iob_field_unescape(field("abcdef"), buf, 4) == 3);
	EXPECT(!strcmp(buf, "abc"));
	return true;
}

static bool escaping_is_reversible(void)
{
	unsigned int seed = 1;

	for (int i = 0; i < 20000; i++) {
		char name[24];
		size_t len = unit_random(&seed) % 23;
		char *there, *back;

		for (size_t k = 0; k < len; k++)
			name[k] = 1 + unit_random(&seed) % 255;
		/* Often something that looks like an escape already. */
		if (len > 4 && i % 3 == 0)
			memcpy(name, "\\x41", 4);
		name[len] = '\0';
		there = iob_escape(name);
		back = iob_unescape(there);
		EXPECT(!strcmp(back, name));
		for (char *p = there; *p; p += iob_utf8_length(p))
			EXPECT(iob_utf8_length(p));
		free(there);
		free(back);
	}
	return true;
}

static bool escaping_hides_nothing(void)
{
	char *s = iob_escape("a\nb\x1b[1m\xe2\x80\xae" "c");

	EXPECT(!strcmp(s, "a\\x0ab\\x1b[1m\\xe2\\x80\\xaec"));
	free(s);
	s = iob_escape("caf\xc3\xa9");
	EXPECT(!strcmp(s, "caf\xc3\xa9"));
	free(s);
	return true;
}

static bool columns_by_name(void)
{
	static const char *const want[] = { "b", "a", NULL };
	static const char text[] = "a\tnew\tb\n1\tx\t2\nshort\n3\ty\t4";
	struct iob_text t;
	struct iob_err err;

	EXPECT(!iob_text_open(&t, text, sizeof(text) - 1, want, "t", &err));
	EXPECT(iob_text_next(&t) == 1);
	EXPECT(iob_field_is(t.f[0], "2") && iob_field_is(t.f[1], "1"));
	EXPECT(iob_text_next(&t) == -EPROTO);
	EXPECT(iob_text_next(&t) == 1);
	EXPECT(iob_field_is(t.f[0], "4"));
	EXPECT(iob_text_next(&t) == 0);
	EXPECT(iob_text_open(&t, "a\tc\n", 4, want, "t", &err) == -EPROTO);
	EXPECT(strstr(err.text, "'b'"));
	EXPECT(iob_text_open(&t, "", 0, want, "t", &err) == -ENODATA);
	return true;
}

static bool hist_buckets(void)
{
	EXPECT(iob_hist_bucket(0) == 0 && iob_hist_bucket(1023) == 0);
	EXPECT(iob_hist_bucket(1024) == 1 && iob_hist_bucket(2047) == 1);
	EXPECT(iob_hist_bucket(2048) == 2);
	EXPECT(iob_hist_bucket(UINT64_MAX) == IOB_HIST_BUCKETS - 1);
	for (unsigned int b = 0; b < IOB_HIST_BUCKETS - 1; b++) {
		EXPECT(iob_hist_bucket(iob_hist_upper_ns(b) - 1) == b);
		EXPECT(iob_hist_bucket(iob_hist_upper_ns(b)) == b + 1);
	}
	return true;
}

static bool hist_percentiles(void)
{
	struct iob_hist h = {}, g = {};

	EXPECT(iob_hist_percentile(&h, 50, 7) == 0);
	EXPECT(!iob_hist_parse(&h, field("3:98,10:1,39:1")));
	EXPECT(iob_hist_total(&h) == 100 && iob_hist_last(&h) == 39);
	EXPECT(iob_hist_percentile(&h, 50, 0) == iob_hist_upper_ns(3));
	EXPECT(iob_hist_percentile(&h, 98, 0) == iob_hist_upper_ns(3));
	EXPECT(iob_hist_percentile(&h, 99, 0) == iob_hist_upper_ns(10));
	EXPECT(iob_hist_percentile(&h, 100, 123456789) == 123456789);
	EXPECT(iob_hist_percentile(&h, 100, 0) == iob_hist_upper_ns(38));
	EXPECT(!iob_hist_merge(&g, &h) && !iob_hist_merge(&g, &h));
	EXPECT(iob_hist_total(&g) == 200);
	iob_hist_subtract(&g, &h);
	EXPECT(iob_hist_total(&g) == 100);
	iob_hist_subtract(&g, &h);
	EXPECT(iob_hist_total(&g) == 0 && iob_hist_last(&g) == -1);
	iob_hist_free(&g);
	iob_hist_free(&h);
	return true;
}

static bool hist_garbage(void)
{
	static const char *const bad[] = {
		"40:1", "x", "1", "1:", ":1", "1:2,", ",", "1:-2", "1:2:3",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct iob_hist h = {};

		EXPECT(iob_hist_parse(&h, field(bad[i])) == -EPROTO);
		iob_hist_free(&h);
	}
	return true;
}

static bool interning(void)
{
	struct iob_strings *s = iob_strings_create();
	const char *first[5000];
	char buf[16];

	for (int i = 0; i < 5000; i++) {
		snprintf(buf, sizeof(buf), "%d", i);
		first[i] = iob_strings_intern(s, buf, strlen(buf));
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(buf, sizeof(buf), "%d", i);
		EXPECT(iob_strings_intern(s, buf, strlen(buf)) == first[i]);
		EXPECT(!strcmp(first[i], buf));
	}
	iob_strings_destroy(s);
	return true;
}

static bool mapping(void)
{
	struct iob_map m = {};
	uint32_t v;

	EXPECT(!iob_map_get(&m, 0, &v));
	for (uint32_t i = 0; i < 10000; i++)
		EXPECT(!iob_map_set(&m, i * 64ull, i));
	for (uint32_t i = 0; i < 10000; i++)
		EXPECT(iob_map_get(&m, i * 64ull, &v) && v == i);
	EXPECT(!iob_map_get(&m, 1, &v) && m.nr == 10000);
	iob_map_free(&m);
	return true;
}

static bool telling_frames(void)
{
	char buf[256];

	iob_format_telling(buf, sizeof(buf),
		"filemap_dirty_folio+0x1;ext4_da_write_end+0x2 [ext4];generic_perform_write+0x3;a+0x1;ksys_write+0x4;do_syscall_64+0x5");
	EXPECT(!strcmp(buf, "ext4_da_write_end < generic_perform_write < write()"));
	iob_format_telling(buf, sizeof(buf), "vfs_write+0x1;do_syscall_64+0x2");
	EXPECT(!strcmp(buf, "vfs_write"));
	iob_format_telling(buf, sizeof(buf), "__block_commit_write.isra.0+0x1;f.constprop.0+0x2");
	EXPECT(!strcmp(buf, "f"));
	iob_format_telling(buf, sizeof(buf), "");
	EXPECT(!strcmp(buf, ""));
	iob_format_telling(buf, 8, "very_long_function_name+0x1;another+0x2");
	EXPECT(strlen(buf) == 7);
	return true;
}

/* The frames that are marked are those that are told. */
static bool frames_tell(void)
{
	static const char frames[] =
		"submit_bio+0x1;f+0x2;vfs_write+0x3;g.isra.0+0x1;h+0x1;ksys_write+0x4;k+0x5";
	struct iob_field rest = { frames, strlen(frames) }, frame, name;
	struct iob_telling t = {};
	char told[64] = "";
	bool call;

	while (iob_split(&rest, ';', &frame)) {
		if (!iob_frame_tells(&t, frame, &name, &call))
			continue;
		strncat(told, name.p, name.len);
		strcat(told, call ? "()" : " ");
	}
	EXPECT(!strcmp(told, "f g write()"));
	return true;
}

static bool words_are_plain(void)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "write", "write" },
		{ "a\033[31m\n\x7f", "a\\x1b[31m\\x0a\\x7f" },
		{ "\303\244", "\\xc3\\xa4" },
		{ "a\\x1b b", "a\\x1b b" },	/* so that it is made plain once */
		{ "", "" },
	};
	struct iob_strings *s = iob_strings_create();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT(!strcmp(iob_strings_word(s, cases[i].text,
						strlen(cases[i].text)),
			       cases[i].word));
	EXPECT(!strcmp(iob_strings_word(s, "a\0b", 3), "a\\x00b"));
	iob_strings_destroy(s);
	return true;
}

/* One byte less each time: never half a character, nor more than there is room for. */
static bool cut_between_characters(void)
{
	static const char name[] = "a\303\244\342\202\254\360\237\230\200";
	static const char *const cuts[] = {
		"", "a", "a", "a\303\244", "a\303\244", "a\303\244",
		"a\303\244\342\202\254", "a\303\244\342\202\254",
		"a\303\244\342\202\254", "a\303\244\342\202\254", name,
	};
	char buf[sizeof(name)];

	for (size_t size = 1; size <= sizeof(name); size++) {
		iob_escape_to(buf, size, name);
		EXPECT(!strcmp(buf, cuts[size - 1]));
	}
	return true;
}

const struct unit_case text_cases[] = {
	{ "text: numbers", numbers },
	{ "text: device numbers", devices },
	{ "text: escapes are undone", unescaping },
	{ "text: escaping is reversible for any bytes", escaping_is_reversible },
	{ "text: nothing invisible is printed", escaping_hides_nothing },
	{ "text: words are made plain, once", words_are_plain },
	{ "text: names are cut between characters", cut_between_characters },
	{ "text: columns are found by name", columns_by_name },
	{ "hist: buckets as in the ABI", hist_buckets },
	{ "hist: percentiles are upper bounds", hist_percentiles },
	{ "hist: garbage is refused", hist_garbage },
	{ "intern: equal text is the same pointer", interning },
	{ "map: keys that collide", mapping },
	{ "format: telling frames", telling_frames },
	{ "format: telling frames, one by one", frames_tell },
	{}
};
