// SPDX-License-Identifier: GPL-2.0
/*
 * The one table of options: parsing, --help, the man pages and the completion
 * are made from it.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "diff.h"
#include "formats.h"
#include "history.h"
#include "metric.h"
#include "pack.h"
#include "params.h"
#include "store.h"
#include "serve.h"
#include "text.h"
#include "top_model.h"
#include "trigger.h"
#include "writer.h"

static void *at(struct params *p, const struct option_def *o)
{
	return (char *)p + o->offset;
}

static int set_flag(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	(void)value;
	(void)err;
	*(bool *)at(p, o) = true;
	return 0;
}

static int set_text(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	if (!*value)
		return iob_fail(err, -EINVAL, "--%s needs a %s", o->name, o->arg);
	*(const char **)at(p, o) = value;
	return 0;
}

static int set_seconds(struct params *p, const struct option_def *o,
		       const char *value, struct iob_err *err)
{
	char *end;
	double v = strtod(value, &end);

	/* A day's worth of years is more than any poll() takes. */
	if (end == value || *end || !isfinite(v) || v < 0 || v > 1e9)
		return iob_fail(err, -EINVAL,
				"--%s takes a number of seconds, not '%.40s'",
				o->name, value);
	*(double *)at(p, o) = v;
	return 0;
}

/* A duration of nothing would be no limit at all. */
static int set_duration(struct params *p, const struct option_def *o,
			const char *value, struct iob_err *err)
{
	int ret = set_seconds(p, o, value, err);

	if (!ret && *(double *)at(p, o) <= 0)
		return iob_fail(err, -EINVAL, "--%s must be more than 0", o->name);
	return ret;
}

static int set_count(struct params *p, const struct option_def *o,
		     const char *value, struct iob_err *err)
{
	struct iob_field f = { value, strlen(value) };

	if (!iob_field_u64(f, at(p, o)) || !*(uint64_t *)at(p, o))
		return iob_fail(err, -EINVAL,
				"--%s takes a number above 0, not '%.40s'",
				o->name, value);
	return 0;
}

struct unit {
	char letter;
	double factor;
};

/* A number and perhaps a unit; letters count in either case. */
static bool with_unit(const char *value, const struct unit *units, double *v)
{
	char *end;

	*v = strtod(value, &end);
	if (end == value || !isfinite(*v) || *v <= 0)
		return false;
	for (const struct unit *u = units; *end && u->letter; u++) {
		if (tolower((unsigned char)*end) != u->letter || end[1])
			continue;
		*v *= u->factor;
		return true;
	}
	return !*end;
}

static int set_size(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	static const struct unit units[] = {
		{ 'k', 1 << 10 }, { 'm', 1 << 20 }, { 'g', 1 << 30 },
		{ 't', 1099511627776.0 }, {}
	};
	double v;

	if (!with_unit(value, units, &v) || v < 1 || v > 1e18)
		return iob_fail(err, -EINVAL,
				"--%s takes bytes, or as 64k, 100M or 2G, not '%.40s'",
				o->name, value);
	*(uint64_t *)at(p, o) = v;
	return 0;
}

static int set_age(struct params *p, const struct option_def *o,
		   const char *value, struct iob_err *err)
{
	static const struct unit units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, {}
	};

	if (!with_unit(value, units, at(p, o)) || *(double *)at(p, o) > 1e9)
		return iob_fail(err, -EINVAL,
				"--%s takes seconds, or as 90s, 10m, 2h or 1d, not '%.40s'",
				o->name, value);
	return 0;
}

static int set_level(struct params *p, const struct option_def *o,
		     const char *value, struct iob_err *err)
{
	struct iob_field f = { value, strlen(value) };
	uint64_t level = 0;

	if (strcmp(value, "none") &&
	    (!iob_field_u64(f, &level) || !level || level > IOB_PACK_LEVELS))
		return iob_fail(err, -EINVAL,
				"--%s takes none or a level from 1 to %d, not '%.40s'",
				o->name, IOB_PACK_LEVELS, value);
	*(int *)at(p, o) = level;
	return 0;
}

static int add_text(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	struct texts *t = at(p, o);
	const char **v = *value ? iob_vec_add(t) : NULL;

	if (!v)
		return iob_fail(err, -EINVAL, "--%s needs a %s", o->name, o->arg);
	*v = value;
	return 0;
}

static int add_pid(struct params *p, const struct option_def *o,
		   const char *value, struct iob_err *err)
{
	struct iob_field f = { value, strlen(value) };
	uint64_t pid;

	if (!iob_field_u64(f, &pid) || !pid || pid > INT32_MAX)
		return iob_fail(err, -EINVAL,
				"--%s takes a process id, not '%.40s'", o->name,
				value);
	return add_text(p, o, value, err);
}

static int add_op(struct params *p, const struct option_def *o,
		  const char *value, struct iob_err *err)
{
	static const char *const words[] = { IOB_OPS(IOB_ENUM_WORD) };

	for (int i = 0; i < IOB_NR_OPS; i++)
		if (!strcmp(value, words[i]))
			return add_text(p, o, value, err);
	return iob_unknown(err, "operation", value, words, IOB_NR_OPS,
			   "take read, write, discard or flush");
}

static int set_keys(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	p->by_list = value;
	return iob_keys_parse(value, at(p, o), err);
}

/* "--color" alone asks for them, as elsewhere. */
static int set_colour(struct params *p, const struct option_def *o,
		      const char *value, struct iob_err *err)
{
	static const char *const words[] = { "auto", "always", "never" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(value ? value : "always", words[i]))
			continue;
		p->colour = i;
		return 0;
	}
	return iob_unknown(err, o->name, value, words, 3,
			   "take auto, always or never");
}

static int set_sort(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	*(const char **)at(p, o) = value;
	return iob_sort_check(value, err);
}

static int set_time(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	uint64_t t;

	*(const char **)at(p, o) = value;
	if (history_time(value, 0, &t))
		return 0;
	return iob_fail(err, -EINVAL,
			"--%s takes a time: 2h (ago), 14:05, '2026-01-31 14:05', @SECONDS or now, not '%.40s'",
			o->name, value);
}

static int add_trigger(struct params *p, const struct option_def *o,
		       const char *value, struct iob_err *err)
{
	struct iob_trigger t;
	int ret = iob_trigger_parse(&t, value, err);

	return ret ? ret : add_text(p, o, value, err);
}

static int set_url(struct params *p, const struct option_def *o,
		   const char *value, struct iob_err *err)
{
	*(const char **)at(p, o) = value;
	if ((!strncmp(value, "http://", 7) && value[7]) ||
	    (!strncmp(value, "https://", 8) && value[8]))
		return 0;
	return iob_fail(err, -EINVAL, "--%s takes a URL as http://HOST:4040, not '%.60s'",
			o->name, value);
}

static int set_address(struct params *p, const struct option_def *o,
		       const char *value, struct iob_err *err)
{
	struct sockaddr_storage addr;

	*(const char **)at(p, o) = value;
	return iob_serve_address(value, &addr, err);
}

/* More often than this the looking would be what is seen. */
#define LEAST_INTERVAL 0.1

static int set_interval(struct params *p, const struct option_def *o,
			const char *value, struct iob_err *err)
{
	int ret = set_seconds(p, o, value, err);

	if (!ret && (p->interval < LEAST_INTERVAL || p->interval > 86400))
		return iob_fail(err, -EINVAL, "--%s takes 0.1 to 86400 seconds",
				o->name);
	return ret;
}

static int set_column(struct params *p, const struct option_def *o,
		      const char *value, struct iob_err *err)
{
	*(const char **)at(p, o) = value;
	for (int i = 0; i < IOB_NR_TOP_COLUMNS; i++)
		if (!strcmp(value, iob_top_column_words[i]))
			return 0;
	return iob_unknown(err, "sort key", value, iob_top_column_words,
			   IOB_NR_TOP_COLUMNS,
			   "see 'ioblame top --help' for the columns");
}

static int set_writer(struct params *p, const struct option_def *o,
		      const char *value, struct iob_err *err)
{
	const struct iob_writer **w = at(p, o);

	(void)value;
	if (*w && *w != o->data)
		return iob_fail(err, -EINVAL, "--%s and --%s exclude each other",
				(*w)->name, o->name);
	*w = o->data;
	return 0;
}

static int set_word(int *at_word, const struct option_def *o, const char *value,
		    const char *const *words, int nr, struct iob_err *err)
{
	for (int i = 0; i < nr; i++) {
		if (strcmp(value, words[i]))
			continue;
		*at_word = i;
		return 0;
	}
	return iob_unknown(err, o->name, value, words, nr, NULL);
}

static int set_scale(struct params *p, const struct option_def *o,
		     const char *value, struct iob_err *err)
{
	return set_word(at(p, o), o, value, iob_scale_words, IOB_NR_SCALES, err);
}

static int set_side(struct params *p, const struct option_def *o,
		    const char *value, struct iob_err *err)
{
	static const char *const words[] = { "A", "B" };
	int ret = set_word(at(p, o), o, value, words, IOB_NR_SIDES, err);

	if (!ret)
		++*(int *)at(p, o);
	return ret;
}

#define IN(member) .offset = offsetof(struct params, member)
static int set_format(struct params *p, const struct option_def *o,
		      const char *value, struct iob_err *err)
{
	const struct format **f = at(p, o);

	*f = format_find(value, err);
	return *f ? 0 : -EINVAL;
}

static int set_metric(struct params *p, const struct option_def *o,
		      const char *value, struct iob_err *err)
{
	const struct iob_metric **m = at(p, o);

	*m = iob_metric_find(value, err);
	return *m ? 0 : -EINVAL;
}

/* What takes its data as report does, and what watches at all. */
#define REPORTS (CMD_REPORT | CMD_STACKS | CMD_EXPORT)
#define TEXTS (CMD_REPORT | CMD_STACKS | CMD_HISTORY)
#define ROWS (REPORTS | CMD_DIFF)
#define LIVE (REPORTS | CMD_RECORD | CMD_SCRIPT)
#define WATCHING (LIVE | CMD_TOP | CMD_WATCH)
#define FILTERS (WATCHING | CMD_HISTORY | CMD_DIFF)

const struct option_def options[] = {
	{ "input", 'i', "FILE", set_text, IN(input),
	  .commands = REPORTS | CMD_SCRIPT,
	  .help = "read a recording, a trace.dat of trace-cmd, or (not script) a report saved with --json, instead of watching" },
	{ "output", 'o', "FILE", set_text, IN(output),
	  .commands = LIVE | CMD_HISTORY | CMD_DIFF,
	  .help = "write to FILE; record: ioblame.data unless told" },
	{ "duration", 'd', "SECONDS", set_duration, IN(duration),
	  .commands = LIVE | CMD_WATCH, .help = "watch for SECONDS" },
	{ "interval", 'd', "SECONDS", set_interval, IN(interval),
	  .commands = CMD_TOP,
	  .help = "read every SECONDS (default 1, at least 0.1)" },
	{ "interval", 0, "SECONDS", set_interval, IN(interval),
	  .commands = CMD_WATCH,
	  .help = "read the totals every SECONDS (default 1, at least 0.1)" },
	{ "count", 'n', "COUNT", set_count, IN(count), .commands = CMD_TOP,
	  .help = "end after COUNT intervals" },
	{ "batch", 'b', NULL, set_flag, IN(batch), .commands = CMD_TOP,
	  .help = "write each interval as plain text; so it is where standard output is no terminal" },
	{ "by", 0, "KEYS", set_keys, IN(by),
	  .commands = CMD_REPORT | CMD_HISTORY | CMD_DIFF,
	  .help = "one row for what agrees in KEYS, with commas between: dev, op, comm, pid, tgid, tid, cgroup, container, file, stack, kind, reason, basis, issuer" },
	{ "sort", 0, "KEY", set_sort, IN(sort), .commands = CMD_REPORT | CMD_HISTORY,
	  .help = "sort by bytes (the default), ios, cancelled, age, queue, device or unused, most first, or by one of KEYS" },
	{ "sort", 0, "COLUMN", set_column, IN(sort), .commands = CMD_TOP,
	  .help = "begin sorted by bytes (the default), read, write, ios, share, dev, comm, pid, file, stack, reason, age, device or history" },
	{ "format", 'f', "FORMAT", set_format, IN(format), .commands = CMD_EXPORT,
	  .help = "write folded, svg, pprof, speedscope, perfetto, csv, jsonl or openmetrics" },
	{ "format", 'f', "FORMAT", set_format, IN(format), .commands = CMD_DIFF,
	  .help = "write csv, folded (both values of each call path, A's first) or svg (a flame graph, red where B has more and blue where it has less)" },
	{ "scale", 0, "SCALE", set_scale, IN(scale), .commands = CMD_DIFF,
	  .help = "compare the total (the default), what comes in a second, or each side's share of its whole" },
	{ "width", 0, "SIDE", set_side, IN(width_side), .commands = CMD_DIFF,
	  .help = "in an svg, frames are as wide as what A or B (the default) has" },
	{ "metric", 'm', "METRIC", set_metric, IN(metric),
	  .commands = CMD_STACKS | CMD_EXPORT | CMD_DIFF,
	  .help = "add up bytes (the default), ios, cancelled (bytes), unused (bytes, with --readahead), or, of a recording, device-time or queue-time" },
	{ "top", 0, "N", set_count, IN(top), .commands = CMD_DIFF,
	  .help = "show the N greatest changes, and how much the others are" },
	{ "top", 0, "N", set_count, IN(top), .commands = TEXTS | CMD_TOP,
	  .help = "show the first N rows or stacks (stacks: 10 unless told), and how much the others are; top: of each interval" },
	{ "json", 0, NULL, set_writer, IN(writer), .data = &iob_json_writer,
	  .commands = CMD_DIFF, .help = "one object of schema " IOB_DIFF_SCHEMA },
	{ "json", 0, NULL, set_writer, IN(writer), .data = &iob_json_writer,
	  .commands = CMD_REPORT | CMD_SCRIPT | CMD_HISTORY,
	  .help = "report: one object of schema " IOB_REPORT_SCHEMA "; script: one object a line" },
	{ "csv", 0, NULL, set_writer, IN(writer), .data = &iob_csv_writer,
	  .commands = CMD_REPORT | CMD_HISTORY | CMD_DIFF,
	  .help = "every field, exact, with commas between; rows only" },
	{ "raw", 0, NULL, set_writer, IN(writer), .data = &iob_raw_writer,
	  .commands = CMD_REPORT | CMD_HISTORY,
	  .help = "every field, exact, with TABs between; the first lines behind '#'" },
	{ "stacks", 0, NULL, set_flag, IN(stacks), .commands = TEXTS,
	  .help = "print the stacks whole" },
	{ "bytes", 0, NULL, set_flag, IN(exact), .commands = TEXTS | CMD_DIFF,
	  .help = "exact bytes and nanoseconds, not rounded" },
	{ "tree", 0, NULL, set_flag, IN(tree),
	  .commands = CMD_REPORT | CMD_HISTORY,
	  .help = "hang the rows below each other, a level for each of KEYS in their order (dev,op,comm,file unless told), with the sums of what is below" },
	{ "amplification", 0, NULL, set_flag, IN(amplification),
	  .commands = CMD_REPORT | CMD_HISTORY,
	  .help = "of what is written, how much is data, metadata, journal or other, and the ratio of all of it to the data; by comm unless told" },
	{ "color", 0, "[=WHEN]", set_colour,
	  .commands = CMD_REPORT | CMD_HISTORY | CMD_DIFF,
	  .help = "colours: auto (the default: on a terminal, unless NO_COLOR is set), always or never" },
	{ "settle", 0, "SECONDS", set_seconds, IN(settle), .commands = LIVE,
	  .help = "after COMMAND and sync, wait at most SECONDS for its IO (default 5)" },
	{ "no-sync", 0, NULL, set_flag, IN(no_sync), .commands = LIVE,
	  .help = "do not sync after COMMAND: wait for the kernel's own write-back, at most --settle" },
	{ "readahead", 0, NULL, set_flag, IN(readahead),
	  .commands = REPORTS | CMD_RECORD,
	  .help = "tell how much of what is read is used, and how much leaves the page cache unused; costs something at every read, also from memory" },
	{ "dev", 0, "DISK", add_text, IN(devs), .commands = FILTERS,
	  .help = "only this disk: vdb, /dev/vdb or 254:16; a partition stands for its disk" },
	{ "pid", 0, "PID", add_pid, IN(pids), .commands = FILTERS,
	  .help = "only this process and its children; with -i, and for history and diff, only the process" },
	{ "tgid", 0, "PID", add_pid, IN(tgids), .commands = WATCHING,
	  .help = "only this process, without its children" },
	{ "cgroup", 0, "CGROUP", add_text, IN(cgroups), .commands = FILTERS,
	  .help = "only this cgroup (path or id) and those below it" },
	{ "comm", 0, "NAME", add_text, IN(comms), .commands = FILTERS,
	  .help = "only tasks of this name" },
	{ "op", 0, "OP", add_op, IN(ops), .commands = FILTERS,
	  .help = "only this operation: read, write, discard or flush" },
	{ "load", 0, "FILE", set_text, IN(module), .commands = WATCHING | CMD_CHECK,
	  .help = "if no module is loaded, load FILE (an ioblame.ko) and unload it in the end; without this, the module that is installed" },
	{ "buffer", 0, "KIB", set_count, IN(buffer_kb),
	  .commands = CMD_RECORD | CMD_SCRIPT | CMD_WATCH,
	  .help = "ring buffer per CPU (default 4096)" },
	{ "max-size", 0, "SIZE", set_size, IN(max_size), .commands = CMD_RECORD,
	  .help = "begin another file when FILE has SIZE bytes (or as 64k, 100M, 2G); those before it are FILE.1, FILE.2 and so on" },
	{ "max-age", 0, "TIME", set_age, IN(max_age), .commands = CMD_RECORD,
	  .help = "begin another file after TIME, in seconds or as 10m, 2h, 1d" },
	{ "keep", 0, "N", set_count, IN(keep), .commands = CMD_RECORD,
	  .help = "with --max-size or --max-age, keep N files, FILE among them (default 10); the oldest are removed" },
	{ "no-progress", 0, NULL, set_flag, IN(no_progress), .commands = CMD_RECORD,
	  .help = "no line that says how far it is, also if standard error is a terminal" },
	{ "self", 0, NULL, set_flag, IN(self),
	  .commands = ROWS | CMD_SCRIPT,
	  .help = "of a recording, also the IO that ioblame record itself caused" },
	{ "compress", 0, "LEVEL", set_level, IN(pack_level), .commands = CMD_RECORD,
	  .help = "how hard zstd tries to make the file small, 1 (the default) to 19, or none, which programs before format 2 read, too" },
	{ "store", 0, "FILE", set_text, IN(input), .commands = CMD_HISTORY,
	  .help = "ask this store (default " IOB_STORE_PATH ")" },
	{ "store", 0, "FILE", set_text, IN(store), .commands = CMD_WATCH,
	  .help = "keep the sums in FILE (default " IOB_STORE_PATH ")" },
	{ "store-size", 0, "SIZE", set_size, IN(store_size), .commands = CMD_WATCH,
	  .help = "it and its journal never become bigger than this (default 256M, at least 1M)" },
	{ "flight", 0, "SECONDS", set_duration, IN(flight), .commands = CMD_WATCH,
	  .help = "remember the IOs of the last SECONDS (default 30), to be saved when a trigger fires" },
	{ "flight-size", 0, "SIZE", set_size, IN(flight_size), .commands = CMD_WATCH,
	  .help = "in so much memory at most (default 64M): then less time is remembered" },
	{ "no-flight", 0, NULL, set_flag, IN(no_flight), .commands = CMD_WATCH,
	  .help = "do not, and read no events at all" },
	{ "trigger", 0, "TRIGGER", add_trigger, IN(triggers), .commands = CMD_WATCH,
	  .help = "save when this happens, one of " IOB_TRIGGER_FORMS "; may be given several times; SIGUSR1 always does" },
	{ "after", 0, "SECONDS", set_seconds, IN(after), .commands = CMD_WATCH,
	  .help = "go on saving for SECONDS after the trigger (default 5)" },
	{ "hold-off", 0, "SECONDS", set_seconds, IN(hold_off), .commands = CMD_WATCH,
	  .help = "after a save no other begins for SECONDS (default 60)" },
	{ "saves", 0, "DIRECTORY", set_text, IN(saves), .commands = CMD_WATCH,
	  .help = "where saves go (default /var/lib/ioblame/saves)" },
	{ "keep", 0, "N", set_count, IN(keep), .commands = CMD_WATCH,
	  .help = "keep N saves (default 10); the oldest are removed" },
	{ "push", 0, "URL", set_url, IN(push_url), .commands = CMD_WATCH,
	  .help = "send profiles to the Pyroscope server at URL" },
	{ "push-every", 0, "SECONDS", set_count, IN(push_every), .commands = CMD_WATCH,
	  .help = "each of SECONDS (default 60)" },
	{ "listen", 0, "ADDRESS", set_address, IN(listen), .commands = CMD_WATCH,
	  .help = "serve OpenMetrics at http://ADDRESS/metrics: PORT (of this machine alone), ADDRESS:PORT or [ADDRESS]:PORT" },
	{ "since", 0, "TIME", set_time, IN(since), .commands = CMD_HISTORY,
	  .help = "from TIME on: 2h, 90m or 3d (ago), 14:05, '2026-01-31 14:05' or @SECONDS since 1970 (default 1h)" },
	{ "until", 0, "TIME", set_time, IN(until), .commands = CMD_HISTORY,
	  .help = "up to TIME (default now)" },
	{ "help", 'h', NULL, set_flag, IN(help), .commands = ~0u,
	  .help = "show this text" },
	{}
};
