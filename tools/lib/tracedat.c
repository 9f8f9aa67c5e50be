// SPDX-License-Identifier: GPL-2.0
/*
 * libtracecmd knows the file, its versions and its compression; it does not survive
 * every file that is damaged. So a child reads it and writes a recording into memory,
 * which is then read as all recordings are. A trace.dat has what happened while it was
 * recorded: no tables of the module, no mounts, no ABI number.
 */
#include <errno.h>
#include <string.h>

#include "tracedat.h"

/* As much of it as is looked at, see IOB_BLOB_BEGIN: it goes on with "ng". */
#define MAGIC "\x17\x08\x44traci"

/**
 * iob_is_tracedat - whether trace-cmd wrote a file
 * @file: the file
 *
 * Return: true if it begins as one of those.
 */
bool iob_is_tracedat(const struct iob_blob *file)
{
	return file->len >= sizeof(MAGIC) - 1 &&
	       !memcmp(file->p, MAGIC, sizeof(MAGIC) - 1);
}

#ifdef IOB_HAVE_TRACECMD
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "event.h"
#include "recording.h"

/* How the child ends. */
enum { DONE, DAMAGED, NO_EVENTS, NO_MEMORY, NR_ENDS };

struct reading {
	struct iob_recorder w;
	int ids[IOB_NR_EVENTS];
	uint64_t start_ns, end_ns, nr, nr_lost;
	struct iob_err err;
};

static void put_fields(FILE *out, const struct tep_format_field *f)
{
	for (; f; f = f->next) {
		char count[16] = "";

		if (f->flags & TEP_FIELD_IS_ARRAY)
			snprintf(count, sizeof(count), "[%u]", f->arraylen);
		fprintf(out, "\tfield:%.*s %s%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n",
			(int)strcspn(f->type, "["), f->type, f->name, count,
			f->offset, f->size, !!(f->flags & TEP_FIELD_IS_SIGNED));
	}
}

/* As the kernel writes it, apart from how to print it. */
static int put_format(struct reading *r, const struct tep_event *event)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int ret;

	if (!out)
		return -ENOMEM;
	fprintf(out, "name: %s\nID: %d\nformat:\n", event->name, event->id);
	put_fields(out, event->format.common_fields);
	fputc('\n', out);
	put_fields(out, event->format.fields);
	fputs("\nprint fmt: \"\"\n", out);
	ret = fclose(out) ? -ENOMEM :
	      iob_recorder_chunk(&r->w, IOB_CHUNK_FORM, text, len, &r->err);
	free(text);
	return ret;
}

static int put_formats(struct reading *r, struct tep_handle *tep)
{
	int ret = 0;

	for (int i = 0; !ret && i < IOB_NR_EVENTS; i++) {
		struct tep_event *event = tep_find_event_by_name(tep, "ioblame",
							iob_event_names[i]);

		r->ids[i] = event ? event->id : -1;
		if (event)
			ret = put_format(r, event);
	}
	return ret;
}

static int put_record(struct tracecmd_input *input, struct tep_record *record,
		      int cpu, void *arg)
{
	struct reading *r = arg;
	uint16_t id;

	(void)input;
	/* Below 0: some, nobody knows how many. */
	if (record->missed_events)
		r->nr_lost += record->missed_events > 0 ?
			      record->missed_events : 1;
	if (record->size < (int)sizeof(id))
		return 0;
	memcpy(&id, record->data, sizeof(id));
	for (int i = 0; i < IOB_NR_EVENTS; i++) {
		if (r->ids[i] != id)
			continue;
		if (!r->nr++)
			r->start_ns = record->ts;
		r->end_ns = record->ts;
		return iob_recorder_event(&r->w, record->ts, cpu, record->data,
					  record->size, &r->err);
	}
	return 0;
}

static int put_end(struct reading *r)
{
	char text[128];
	int n = snprintf(text, sizeof(text),
			 "start_ns\t%" PRIu64 "\nend_ns\t%" PRIu64
			 "\nlost_events\t%" PRIu64 "\n",
			 r->start_ns, r->end_ns, r->nr_lost);
	int ret = iob_recorder_flush(&r->w, &r->err);

	return ret ? ret : iob_recorder_chunk(&r->w, IOB_CHUNK_END, text, n,
					      &r->err);
}

/* In the child. What it leaves open and allocated goes with it. */
static int convert(const char *from, const char *to)
{
	struct reading r = {};
	struct tracecmd_input *input;

	/* What it thinks of the file, we say. Plugins show events of others. */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	input = tracecmd_open(from, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!input)
		return DAMAGED;
	if (iob_recorder_open(&r.w, to, 0, &r.err) ||
	    put_formats(&r, tracecmd_get_tep(input)))
		return NO_MEMORY;
	if (tracecmd_iterate_events(input, NULL, 0, put_record, &r))
		return *r.err.text ? NO_MEMORY : DAMAGED;
	if (!r.nr)
		return NO_EVENTS;
	return put_end(&r) ? NO_MEMORY : DONE;
}

static void quiet(void)
{
	const struct rlimit none = {};
	int fd = open("/dev/null", O_RDWR);

	/* A library that falls over is no news here. */
	setrlimit(RLIMIT_CORE, &none);
	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
}

static int run(const char *from, const char *to, struct iob_err *err)
{
	static const char *const ends[NR_ENDS] = {
		[DAMAGED] = "cannot be read as a trace.dat: is it whole?",
		[NO_EVENTS] = "no event of ioblame in there: it takes trace-cmd record -e ioblame, with the module enabled",
		[NO_MEMORY] = "out of memory reading the trace.dat",
	};
	int status, how = DAMAGED;
	pid_t child = fork();

	if (child < 0)
		return iob_fail(err, -errno, "cannot fork: %s", strerror(errno));
	if (!child) {
		quiet();
		_exit(convert(from, to));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return iob_fail(err, -errno, "lost sight of a child");
	if (WIFEXITED(status) && WEXITSTATUS(status) < NR_ENDS)
		how = WEXITSTATUS(status);
	return how == DONE ? 0 : iob_fail(err, -EBADMSG, "%s", ends[how]);
}

/* A file in memory, whose name is in @path. */
static int memory_file(char path[32], struct iob_err *err)
{
	int fd = memfd_create("ioblame", MFD_CLOEXEC);

	if (fd < 0)
		return iob_fail(err, -errno, "no memory for the trace.dat: %s",
				strerror(errno));
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static int put_blob(int fd, const struct iob_blob *blob, struct iob_err *err)
{
	ssize_t n;

	for (size_t at = 0; at < blob->len; at += n) {
		n = write(fd, blob->p + at, blob->len - at);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return iob_fail(err, n ? -errno : -EIO,
					"no memory for the trace.dat: %s",
					strerror(n ? errno : EIO));
	}
	return 0;
}

/**
 * iob_tracedat_convert - read the module's events of a trace.dat
 * @file: what is in it; afterwards what a recording of them would be, or empty
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_tracedat_convert(struct iob_blob *file, struct iob_err *err)
{
	char from[32], to[32];
	int in = memory_file(from, err), out, ret;

	ret = in < 0 ? in : put_blob(in, file, err);
	iob_blob_free(file);
	out = ret ? ret : memory_file(to, err);
	if (!ret)
		ret = out < 0 ? out : run(from, to, err);
	if (!ret)
		ret = iob_blob_read(file, to, IOB_UNPACKED_MAX, err);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return ret;
}
#else
int iob_tracedat_convert(struct iob_blob *file, struct iob_err *err)
{
	iob_blob_free(file);
	return iob_fail(err, -EOPNOTSUPP,
			"a trace.dat, and this ioblame was built without libtracecmd");
}
#endif
