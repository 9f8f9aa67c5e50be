// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "chapter.h"
#include "escape.h"
#include "uapi/ioblame.h"
#include "version.h"

static int add_info(struct chapter *c, enum iob_chunk type, struct iob_err *err,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static int add_info(struct chapter *c, enum iob_chunk type, struct iob_err *err,
		    const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return iob_recorder_chunk(&c->recorder, type, text, len, err);
}

static int add_description(struct chapter *c, struct iob_err *err)
{
	char name[IOB_COMM_LEN + 1] = "", *comm;
	struct utsname u;
	int ret;

	uname(&u);
	prctl(PR_GET_NAME, name);
	comm = iob_escape(name);
	if (!comm)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = add_info(c, IOB_CHUNK_INFO, err,
		       "version\t%s\nabi\t%d\nkernel\t%s\nmachine\t%s\nhost\t%s\n"
		       "clock\tboot\nrecorder_pid\t%ld\nrecorder_comm\t%s\n",
		       IOBLAME_VERSION, IOB_ABI, u.release, u.machine,
		       u.nodename, (long)getpid(), comm);
	free(comm);
	return ret;
}

/* What the module cannot filter is left out when the file is read. */
static int add_wishes(struct chapter *c, struct iob_err *err)
{
	const struct iob_filter *f = &c->t->filter;
	int ret = 0;

	for (size_t i = 0; !ret && i < f->comms.nr; i++) {
		char *comm = iob_escape(f->comms.v[i]);

		if (!comm)
			return iob_fail(err, -ENOMEM, "out of memory");
		ret = add_info(c, IOB_CHUNK_INFO, err, "only comm\t%.255s\n",
			       comm);
		free(comm);
	}
	for (size_t i = 0; !ret && i < f->tgids.nr; i++)
		ret = add_info(c, IOB_CHUNK_INFO, err, "only tgid\t%" PRIu64 "\n",
			       f->tgids.v[i]);
	return ret;
}

struct adding {
	struct chapter *c;
	struct iob_err *err;
};

static int add_alias(struct adding *a, uint32_t dev, const char *alias)
{
	char *escaped = iob_escape(alias);
	int ret;

	if (!escaped)
		return iob_fail(a->err, -ENOMEM, "out of memory");
	ret = add_info(a->c, IOB_CHUNK_INFO, a->err, "alias %u\t%.900s\n", dev,
		       escaped);
	free(escaped);
	return ret;
}

/* What only this machine knows of a disk: name, what is above and below. */
static int add_disk(void *arg, uint32_t dev, const char *name)
{
	struct adding *a = arg;
	const struct iob_names *names = a->c->t->names;
	uint32_t above = iob_names_above(names, dev);
	char alias[PATH_MAX];
	int ret = add_info(a->c, IOB_CHUNK_INFO, a->err, "disk %u\t%s\n", dev,
			   name);

	if (!ret && iob_names_stacked(names, dev))
		ret = add_info(a->c, IOB_CHUNK_INFO, a->err, "stacked %u\t1\n",
			       dev);
	if (!ret && iob_names_alias(names, dev, alias, sizeof(alias)))
		ret = add_alias(a, dev, alias);
	if (!ret && above)
		ret = add_info(a->c, IOB_CHUNK_INFO, a->err, "above %u\t%u\n",
			       dev, above);
	return ret;
}

/* What is mounted, and the disks: at the end also those that came meanwhile. */
static int add_surroundings(struct chapter *c, struct iob_err *err)
{
	struct adding a = { c, err };
	char *text;
	int ret = iob_names_look_around(c->t->names);

	text = ret ? NULL : iob_names_mountinfo(c->t->names);
	if (!text)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = iob_recorder_chunk(&c->recorder, IOB_CHUNK_MNTS, text,
				 strlen(text), err);
	free(text);
	return ret ? ret : iob_names_each_disk(c->t->names, add_disk, &a);
}

/**
 * chapter_open - make a file and say who records what
 * @c: the chapter; its recorder is to be closed also after an error
 * @t: the run
 * @path: the file
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int chapter_open(struct chapter *c, struct tool *t, const char *path,
		 struct iob_err *err)
{
	int ret;

	memset(c, 0, sizeof(*c));
	c->t = t;
	ret = iob_recorder_open(&c->recorder, path, t->params->pack_level, err);
	if (!ret)
		ret = add_description(c, err);
	return ret ? ret : add_wishes(c, err);
}

/**
 * chapter_note - say something of the recording
 * @c: the chapter
 * @name: what is said
 * @text: its value
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int chapter_note(struct chapter *c, const char *name, const char *text,
		 struct iob_err *err)
{
	char *escaped = iob_escape(text);
	int ret;

	if (!escaped)
		return iob_fail(err, -ENOMEM, "out of memory");
	ret = add_info(c, IOB_CHUNK_INFO, err, "%s\t%.512s\n", name, escaped);
	free(escaped);
	return ret;
}

/**
 * chapter_formats - say what events look like
 * @c: the chapter
 * @f: tracefs' own words
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int chapter_formats(struct chapter *c, const struct chapter_formats *f,
		    struct iob_err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < f->nr; i++)
		ret = iob_recorder_chunk(&c->recorder, f->v[i].type,
					 f->v[i].text, f->v[i].len, err);
	return ret;
}

/**
 * chapter_begin - say what there is before the first event
 * @c: the chapter
 * @start_ns: when that is
 * @snap: the module's tables then; NULL: it has seen nothing yet
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int chapter_begin(struct chapter *c, uint64_t start_ns,
		  const struct iob_snapshot *snap, struct iob_err *err)
{
	int ret = add_info(c, IOB_CHUNK_INFO, err, "start_ns\t%" PRIu64 "\n",
			   start_ns);

	if (!ret)
		ret = add_surroundings(c, err);
	if (!ret && snap)
		ret = iob_recorder_tables(&c->recorder, "start", snap, err);
	return ret;
}

/**
 * chapter_end - the last events, then what there is in the end
 * @c: the chapter
 * @end_ns: when that is
 * @nr_lost: events that were lost until then, by all files
 * @snap: the module's tables; NULL: the events have to do
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int chapter_end(struct chapter *c, uint64_t end_ns, uint64_t nr_lost,
		const struct iob_snapshot *snap, struct iob_err *err)
{
	int ret = iob_recorder_flush(&c->recorder, err);

	if (!ret)
		ret = add_surroundings(c, err);
	if (!ret && snap)
		ret = iob_recorder_tables(&c->recorder, "end", snap, err);
	if (!ret)
		ret = add_info(c, IOB_CHUNK_END, err,
			       "end_ns\t%" PRIu64 "\nlost_events\t%" PRIu64 "\n",
			       end_ns, nr_lost - c->lost_before);
	return ret;
}
