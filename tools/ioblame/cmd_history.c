// SPDX-License-Identifier: GPL-2.0
/* ioblame history: a report of what 'ioblame watch' has stored. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "history.h"
#include "store.h"
#include "tool.h"

static const struct {
	char letter;
	unsigned int seconds;
} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };

/* "90m", "2h30m": so long ago */
static bool parse_ago(const char *text, uint64_t *seconds)
{
	*seconds = 0;
	if (!*text)
		return false;
	while (*text) {
		char *end;
		unsigned long long n = strtoull(text, &end, 10);
		size_t i = 0;

		if (end == text || *text == '-' || *text == '+' || n > UINT32_MAX)
			return false;
		while (i < 4 && units[i].letter != *end)
			i++;
		if (i == 4)
			return false;
		*seconds += n * units[i].seconds;
		text = end + 1;
	}
	return true;
}

static bool parse_clock(const char *text, time_t now, uint64_t *t)
{
	static const char *const formats[] = {
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S",
		"%Y-%m-%d", "%H:%M:%S", "%H:%M"
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct tm tm;
		const char *end;
		time_t time;

		localtime_r(&now, &tm);
		tm.tm_sec = 0;
		if (formats[i][1] == 'Y')
			tm.tm_hour = tm.tm_min = 0;
		end = strptime(text, formats[i], &tm);
		if (!end || *end)
			continue;
		tm.tm_isdst = -1;
		time = mktime(&tm);
		*t = time > 0 ? time : 0;
		return time != (time_t)-1;
	}
	return false;
}

/**
 * history_time - a time as people say it
 * @text: ``2h`` (ago), ``14:05``, ``2026-01-31 14:05``, ``@SECONDS`` or ``now``
 * @now: the time now
 * @t: the time, on the clock on the wall
 *
 * Return: false if it is none.
 */
bool history_time(const char *text, uint64_t now, uint64_t *t)
{
	uint64_t ago;
	char *end;

	*t = now;
	if (!strcmp(text, "now"))
		return true;
	if (*text == '@') {
		*t = strtoull(text + 1, &end, 10);
		return end != text + 1 && !*end && text[1] != '-' &&
		       *t < INT64_MAX / 1000000000;
	}
	if (parse_ago(text, &ago)) {
		*t = ago < now ? now - ago : 0;
		return true;
	}
	return parse_clock(text, now, t);
}

static int check_keys(uint32_t by, struct iob_err *err)
{
	for (const struct iob_key *k = iob_keys; k->name; k++)
		if (k->fields & ~IOB_STORE_FIELDS & by)
			return iob_fail(err, -EINVAL,
					"the store does not keep %s: leave it out of --by, or record",
					k->name);
	return 0;
}

/**
 * history_fill - a report from the store
 * @t: the run
 * @r: the report, empty
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int history_fill(struct tool *t, struct iob_report *r, struct iob_err *err)
{
	const struct params *p = t->params;
	uint64_t now = time(NULL), since, until;
	struct iob_store *s;
	int ret = check_keys(p->by, err);

	if (ret)
		return ret;
	history_time(p->since, now, &since);
	history_time(p->until, now, &until);
	if (since >= until)
		return iob_fail(err, -EINVAL,
				"--since %s is not before --until %s", p->since,
				p->until);
	ret = iob_store_open_reader(&s, p->input, err);
	if (!ret)
		ret = iob_store_query(s, since, until, r, err);
	iob_store_close(s);
	return ret;
}
