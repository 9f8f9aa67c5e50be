// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "writer.h"

static uint64_t of_bytes(const struct iob_row *row)
{
	return row->bytes;
}

static uint64_t of_ios(const struct iob_row *row)
{
	return row->ios;
}

static uint64_t of_cancelled(const struct iob_row *row)
{
	return row->cancelled;
}

static uint64_t of_unused(const struct iob_row *row)
{
	return row->read[IOB_READ_UNUSED];
}

static uint64_t of_device(const struct iob_row *row)
{
	return row->sum_ns[IOB_TIME_DEVICE];
}

static uint64_t of_queue(const struct iob_row *row)
{
	return row->sum_ns[IOB_TIME_QUEUE];
}

static bool knows_reads(const struct iob_report *r)
{
	return r->tells_reads;
}

static bool knows_times(const struct iob_report *r)
{
	return r->tells_times;
}

#define RECORDING \
	"totals do not have each IO's times; take a recording (ioblame record, then -i FILE)"

/* The first is taken when none is asked for. */
const struct iob_metric iob_metrics[] = {
	{ "bytes", "bytes", "bytes", of_bytes, NULL, NULL, false,
	  IOB_PHRASE_DONE, "the bytes ", "", "come" },
	{ "ios", "ios", "count", of_ios, NULL, NULL, false,
	  IOB_PHRASE_OP, "the ", " IOs", "come" },
	{ "cancelled", "cancelled", "bytes", of_cancelled, NULL, NULL, false,
	  IOB_PHRASE_PLAIN, "the bytes cancelled before they were written", "",
	  "come" },
	{ "unused", "unused", "bytes", of_unused, knows_reads,
	  "only what was watched or recorded with --readahead has it", false,
	  IOB_PHRASE_PLAIN, "the bytes read and left unused", "", "come" },
	{ "device-time", "device_time", "nanoseconds", of_device, knows_times,
	  RECORDING, true, IOB_PHRASE_OP, "the device time of ", " IOs", "comes" },
	{ "queue-time", "queue_time", "nanoseconds", of_queue, knows_times,
	  RECORDING, true, IOB_PHRASE_OP, "the queue time of ", " IOs", "comes" },
	{}
};

/**
 * iob_metric_find - a metric by its name
 * @name: the name
 * @err: error text, with a suggestion
 *
 * Return: the metric, or NULL.
 */
const struct iob_metric *iob_metric_find(const char *name, struct iob_err *err)
{
	const char *names[16];
	size_t nr = 0;

	for (const struct iob_metric *m = iob_metrics; m->name; m++) {
		if (!strcmp(m->name, name))
			return m;
		names[nr++] = m->name;
	}
	iob_unknown(err, "metric", name, names, nr, NULL);
	return NULL;
}

/**
 * iob_metric_known - whether a report has a metric
 * @m: the metric
 * @r: the report
 *
 * Return: false if its zeros would be inventions.
 */
bool iob_metric_known(const struct iob_metric *m, const struct iob_report *r)
{
	return !m->known || m->known(r);
}

/**
 * iob_metric_check - refuse a metric that a report does not have
 * @m: the metric
 * @r: the report
 * @err: error text
 *
 * Return: 0 or -ENODATA.
 */
int iob_metric_check(const struct iob_metric *m, const struct iob_report *r,
		     struct iob_err *err)
{
	if (iob_metric_known(m, r))
		return 0;
	return iob_fail(err, -ENODATA, "there is no %s here: %s", m->name,
			m->source);
}

static const char *done(const char *op)
{
	static const struct {
		const char *op, *done;
	} words[] = {
		{ "read", "read" }, { "write", "written" },
		{ "discard", "discarded" }, { "flush", "flushed" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].op, op))
			return words[i].done;
	return op;
}

/**
 * iob_metric_what - say what a sum is of
 * @m: the metric
 * @buf: "the bytes written"
 * @size: room in @buf
 * @op: the operation, or NULL if not known
 */
void iob_metric_what(const struct iob_metric *m, char *buf, size_t size,
		     const char *op)
{
	const char *word = "";

	if (!op)
		op = "other";
	if (m->phrase == IOB_PHRASE_OP)
		word = op;
	else if (m->phrase == IOB_PHRASE_DONE)
		word = done(op);
	snprintf(buf, size, "%s%s%s", m->before, word, m->after);
}

/**
 * iob_metric_format - a value as people read it
 * @m: the metric
 * @buf: the text
 * @size: room in @buf
 * @value: the value
 * @exact: not rounded
 */
void iob_metric_format(const struct iob_metric *m, char *buf, size_t size,
		       uint64_t value, bool exact)
{
	if (!strcmp(m->unit, "bytes"))
		iob_format_bytes(buf, size, value, exact);
	else if (!strcmp(m->unit, "nanoseconds"))
		iob_format_ns(buf, size, value, exact);
	else
		snprintf(buf, size, "%" PRIu64, value);
}
