// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "save.h"

#define SUFFIX ".ioblame"

/**
 * saves_format - keep what events look like
 * @arg: the saves
 * @name: of the event, or header_page
 * @text: tracefs' words
 * @len: how many bytes
 *
 * Return: 0 or -ENOMEM.
 */
int saves_format(void *arg, const char *name, const char *text, size_t len)
{
	struct saves *s = arg;
	struct chapter_format *f = iob_vec_add(&s->formats);

	if (f)
		f->text = malloc(len + 1);
	if (!f || !f->text)
		return -ENOMEM;
	memcpy(f->text, text, len);
	f->len = len;
	f->type = strcmp(name, "header_page") ? IOB_CHUNK_FORM : IOB_CHUNK_HEAD;
	return 0;
}

/**
 * saves_check - whether there can be saves at all
 * @dir: where; is made
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int saves_check(const char *dir, struct iob_err *err)
{
	if (mkdir(dir, 0700) && errno != EEXIST)
		return iob_fail(err, -errno, "cannot make %s: %s", dir,
				strerror(errno));
	if (access(dir, W_OK | X_OK))
		return iob_fail(err, -errno, "cannot write to %s: %s", dir,
				strerror(errno));
	return 0;
}

/* Only letters, digits and dashes: a trigger may name anything. */
static int make_paths(struct saves *s, const char *trigger)
{
	char clock[32], name[64];
	time_t now = time(NULL);
	struct tm tm;
	size_t n = 0;

	for (; *trigger && n < 40; trigger++) {
		if (isalnum((unsigned char)*trigger))
			name[n++] = *trigger;
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	}
	name[n] = '\0';
	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%Y%m%d-%H%M%S", &tm);
	if (asprintf(&s->path, "%s/%s-%s" SUFFIX, s->dir, clock, name) < 0)
		s->path = NULL;
	if (asprintf(&s->tmp, "%s/%s-%s.new", s->dir, clock, name) < 0)
		s->tmp = NULL;
	return s->path && s->tmp ? 0 : -ENOMEM;
}

static void forget(struct saves *s)
{
	free(s->path);
	free(s->tmp);
	s->path = NULL;
	s->tmp = NULL;
}

/* What cannot be saved is no reason to stop watching. */
static void give_up(struct saves *s, const struct iob_err *err)
{
	tool_warn("cannot save what happened: %s", err->text);
	iob_recorder_close(&s->chapter.recorder, NULL);
	if (s->tmp)
		unlink(s->tmp);
	s->nr_failed++;
	forget(s);
}

static int begin(struct saves *s, struct iob_flight *f, const char *trigger,
		 uint64_t now_ns, struct iob_err *err)
{
	struct iob_snapshot snap = {};
	uint64_t start_ns = iob_flight_start(f);
	int ret = make_paths(s, trigger);

	if (ret)
		return iob_fail(err, ret, "out of memory");
	ret = chapter_open(&s->chapter, s->t, s->tmp, err);
	if (!ret)
		ret = chapter_note(&s->chapter, "trigger", trigger, err);
	if (!ret)
		ret = chapter_formats(&s->chapter, &s->formats, err);
	/*
	 * Who and what the events name; what came after the first is told by
	 * events. Its sums are of now, and so not the start of anything.
	 */
	if (!ret)
		ret = iob_session_snapshot(&s->t->session, &snap, err);
	if (!ret)
		ret = chapter_begin(&s->chapter, start_ns ? start_ns : now_ns,
				    &snap, err);
	iob_snapshot_free(&snap);
	return ret ? ret : iob_flight_write(f, &s->chapter.recorder, err);
}

/**
 * saves_begin - save what was, and then what comes
 * @s: the saves
 * @f: has what was
 * @trigger: why
 * @now_ns: the time
 * @lost: events lost so far
 */
void saves_begin(struct saves *s, struct iob_flight *f, const char *trigger,
		 uint64_t now_ns, uint64_t lost)
{
	const struct params *p = s->t->params;
	struct iob_err err;

	if (s->path || now_ns < s->quiet_until_ns) {
		s->nr_held_off++;
		return;
	}
	s->quiet_until_ns = now_ns + (p->after + p->hold_off) * 1e9;
	s->until_ns = now_ns + p->after * 1e9;
	s->lost_before = lost;
	if (begin(s, f, trigger, now_ns, &err))
		give_up(s, &err);
}

/**
 * saves_event - something that came after the trigger
 * @s: the saves
 * @ts_ns: its time
 * @cpu: where it happened
 * @data: its raw bytes
 * @size: how many
 */
void saves_event(struct saves *s, uint64_t ts_ns, uint32_t cpu,
		 const void *data, uint32_t size)
{
	struct iob_err err;

	if (s->path && iob_recorder_event(&s->chapter.recorder, ts_ns, cpu, data,
					  size, &err))
		give_up(s, &err);
}

static int is_save(const struct dirent *d)
{
	size_t len = strlen(d->d_name), suffix = strlen(SUFFIX);

	return len > suffix && !strcmp(d->d_name + len - suffix, SUFFIX) &&
	       isdigit((unsigned char)*d->d_name);
}

/* Their names begin with their time. */
static void remove_old(const struct saves *s)
{
	struct dirent **names;
	int nr = scandir(s->dir, &names, is_save, alphasort);

	for (int i = 0; i < nr; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", s->dir, names[i]->d_name);
		if ((uint64_t)(nr - i) > s->t->params->keep)
			unlink(path);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
}

/**
 * saves_end - the save that goes on, if one does, is whole
 * @s: the saves
 * @now_ns: the time
 * @lost: events lost so far
 */
void saves_end(struct saves *s, uint64_t now_ns, uint64_t lost)
{
	struct iob_err err;
	int ret;

	if (!s->path)
		return;
	s->chapter.lost_before = s->lost_before;
	ret = chapter_end(&s->chapter, now_ns, lost, NULL, &err);
	if (!ret)
		ret = iob_recorder_close(&s->chapter.recorder, &err);
	if (!ret && rename(s->tmp, s->path))
		ret = iob_fail(&err, -errno, "%s: %s", s->path, strerror(errno));
	if (ret) {
		give_up(s, &err);
		return;
	}
	s->nr_saved++;
	fprintf(stderr, "ioblame: saved %s: see ioblame script -i %s\n", s->path,
		s->path);
	forget(s);
	remove_old(s);
}

/**
 * saves_free - free; a save that goes on is dropped
 * @s: the saves
 */
void saves_free(struct saves *s)
{
	if (s->path) {
		iob_recorder_close(&s->chapter.recorder, NULL);
		unlink(s->tmp);
	}
	forget(s);
	for (size_t i = 0; i < s->formats.nr; i++)
		free(s->formats.v[i].text);
	iob_vec_free(&s->formats);
}
