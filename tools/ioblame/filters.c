// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: in the module as far as it has them, which also saves its memory;
 * in user space what it has not, and what comes from a file.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "knob.h"
#include "tool.h"
#include "uapi/ioblame.h"
#include "writer.h"

#define add_to(vec, value) \
	({ typeof((vec)->v) p_ = iob_vec_add(vec); if (p_) *p_ = (value); p_; })

static uint64_t number(const char *text)
{
	struct iob_field f = { text, strlen(text) };
	uint64_t v = 0;

	iob_field_u64(f, &v);
	return v;
}

static int resolve_devs(struct tool *t, bool live, struct iob_err *err)
{
	for (size_t i = 0; i < t->params->devs.nr; i++) {
		const char *what = t->params->devs.v[i];
		uint32_t dev;

		/* The disks of a file are not ours: compare what they are called. */
		if (!live && !strncmp(what, "/dev/", 5))
			what += 5;
		if (!live && !strncmp(what, "mapper/", 7))
			what += 7;
		if (!live && !strchr(what, ':')) {
			add_to(&t->filter.dev_names, what);
			continue;
		}
		if (!iob_names_find_device(t->names, what, &dev))
			return iob_fail(err, -ENODEV,
					"no disk '%.60s': take a name as vdb, /dev/vdb or 254:16 (see lsblk)",
					what);
		if (!add_to(&t->filter.devs, dev))
			return iob_fail(err, -ENOMEM, "out of memory");
	}
	return 0;
}

/* A path that cannot be found may be of another machine: a file's. */
static int resolve_cgroups(struct tool *t, bool live, struct iob_err *err)
{
	for (size_t i = 0; i < t->params->cgroups.nr; i++) {
		const char *what = t->params->cgroups.v[i];
		static const char mount[] = "/sys/fs/cgroup";
		struct iob_err why;
		uint64_t id;

		if (!iob_names_cgroup_id(t->names, what, &id, &why))
			add_to(&t->filter.cgroup_ids, id);
		else if (live)
			return iob_fail(err, -ENOENT, "%s", why.text);
		if (!strncmp(what, mount, sizeof(mount) - 1))
			what += sizeof(mount) - 1;
		if (*what == '/' || !*what) {
			add_to(&t->filter.cgroups, what);
		} else if (!number(what)) {
			char path[4096];
			int len = snprintf(path, sizeof(path), "/%s", what);

			if (len < (int)sizeof(path))
				add_to(&t->filter.cgroups,
				       iob_strings_intern(t->strings, path, len));
		}
	}
	return 0;
}

/**
 * filters_resolve - find what the filters name
 * @t: the run
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int filters_resolve(struct tool *t, struct iob_err *err)
{
	const struct params *p = t->params;
	bool live = tool_is_live(p);
	int ret = resolve_devs(t, live, err);

	if (!ret)
		ret = resolve_cgroups(t, live, err);
	/* Children are the module's to know: live, --pid is left to it. */
	for (size_t i = 0; !ret && i < p->tgids.nr && (!live || !p->pids.nr); i++)
		add_to(&t->filter.tgids, number(p->tgids.v[i]));
	for (size_t i = 0; !ret && !live && i < p->pids.nr; i++)
		add_to(&t->filter.tgids, number(p->pids.v[i]));
	for (size_t i = 0; !ret && i < p->comms.nr; i++)
		add_to(&t->filter.comms, p->comms.v[i]);
	for (size_t i = 0; !ret && i < p->ops.nr; i++)
		add_to(&t->filter.ops, p->ops.v[i]);
	return ret;
}

static int set_words(struct tool *t, const char *knob, const struct texts *a,
		     const struct texts *b, struct iob_err *err)
{
	char value[IOB_KNOB_MAX] = "";
	size_t at = 0;

	for (size_t i = 0; i < a->nr + (b ? b->nr : 0); i++) {
		const char *word = i < a->nr ? a->v[i] : b->v[i - a->nr];

		at += snprintf(value + at, sizeof(value) - at, "%s%s",
			       at ? " " : "", word);
		if (at >= sizeof(value))
			return iob_fail(err, -E2BIG, "too many values for %s",
					knob);
	}
	return at ? iob_session_set(&t->session, knob, value, err) : 0;
}

static int set_devs(struct tool *t, struct iob_err *err)
{
	char value[IOB_KNOB_MAX] = "", dev[32];
	size_t at = 0;

	for (size_t i = 0; i < t->filter.devs.nr && at < sizeof(value); i++) {
		iob_format_dev(dev, sizeof(dev), t->filter.devs.v[i]);
		at += snprintf(value + at, sizeof(value) - at, "%s%s",
			       at ? " " : "", dev);
	}
	return at ? iob_session_set(&t->session, "filter/dev", value, err) : 0;
}

static int set_cgroups(struct tool *t, struct iob_err *err)
{
	char value[IOB_KNOB_MAX] = "";
	size_t at = 0;
	int ret;

	for (size_t i = 0; i < t->filter.cgroup_ids.nr && at < sizeof(value); i++)
		at += snprintf(value + at, sizeof(value) - at, "%s%llu",
			       at ? " " : "",
			       (unsigned long long)t->filter.cgroup_ids.v[i]);
	if (!at)
		return 0;
	ret = iob_session_set(&t->session, "filter/cgroup", value, err);
	/* It knows the descendants better than paths do, also moved ones. */
	t->filter.cgroup_ids.nr = 0;
	t->filter.cgroups.nr = 0;
	return ret;
}

/* Whoever has enabled tracing before may have asked for it, too. */
static int set_readahead(struct tool *t, struct iob_err *err)
{
	static const char knob[] = "track/readahead";
	char path[PATH_MAX], value[IOB_KNOB_MAX];

	if (!t->params->readahead)
		return 0;
	if (!t->session.was_enabled)
		return iob_session_set(&t->session, knob, "1", err);
	snprintf(path, sizeof(path), "%s/%s", t->session.debugfs, knob);
	if (!iob_knob_read(path, value, sizeof(value), err) &&
	    !strcmp(value, "1"))
		return 0;
	return iob_fail(err, -EBUSY,
			"tracing is enabled already, without %s: leave --readahead, or echo 0 > %s/enable",
			knob, t->session.debugfs);
}

/**
 * filters_apply - hand the filters, and what else is wanted, to the module
 * @t: the run; its session is open, tracing not yet enabled by us
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int filters_apply(struct tool *t, struct iob_err *err)
{
	const struct params *p = t->params;
	int ret = set_readahead(t, err);

	if (ret)
		return ret;
	if (t->session.was_enabled) {
		if (p->pids.nr)
			return iob_fail(err, -EBUSY,
					"tracing is enabled already, so the module's filter for --pid cannot be set: use --tgid, or echo 0 > %s/enable",
					t->session.debugfs);
		return 0;
	}
	ret = set_devs(t, err);
	if (!ret)
		ret = set_words(t, "filter/tgid", &p->pids, &p->tgids, err);
	if (!ret)
		ret = set_cgroups(t, err);
	if (!ret)
		ret = set_words(t, "filter/op", &p->ops, NULL, err);
	return ret;
}
