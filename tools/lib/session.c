// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "knob.h"
#include "lock.h"
#include "module.h"
#include "session.h"
#include "text.h"
#include "uapi/ioblame.h"

#define MODULE_NAME "ioblame"

/* Kinds of change to put back: also the first letter of lines in the lock. */
enum { UNDO_KNOB = 'k', UNDO_MODULE = 'm', UNDO_INSTANCE = 'i',
       UNDO_MOUNT = 'u' };

static int undo_one(const struct iob_undo *u, struct iob_err *err)
{
	int ret = 0;

	switch (u->what) {
	case UNDO_KNOB:
		ret = iob_knob_write(u->name, u->value, err);
		/* A module that is gone has nothing left to be put back. */
		return ret == -ENOENT ? 0 : ret;
	case UNDO_MODULE:
		ret = iob_module_unload();
		if (ret && ret != -ENOENT)
			return iob_fail(err, ret,
					"cannot unload the module again: %s",
					strerror(-ret));
		return 0;
	case UNDO_INSTANCE:
		if (rmdir(u->name) && errno != ENOENT)
			ret = iob_fail(err, -errno, "cannot remove %s: %s",
				       u->name, strerror(errno));
		return ret;
	case UNDO_MOUNT:
		/* In use by somebody meanwhile: then it may stay. */
		umount(u->name);
		return 0;
	}
	return 0;
}

static void free_undo(struct iob_undo *u)
{
	free(u->name);
	free(u->value);
}

/* Latest change first. Go on after an error; report the first. */
static int undo_all(struct iob_session *s, struct iob_err *err)
{
	int ret = 0;

	while (s->undo.nr) {
		struct iob_undo *u = &s->undo.v[--s->undo.nr];
		struct iob_err this;
		int r = undo_one(u, &this);

		free_undo(u);
		if (r && !ret) {
			ret = r;
			iob_fail(err, r, "%s", this.text);
		}
	}
	iob_vec_free(&s->undo);
	return ret;
}

static int push_undo(struct iob_session *s, char what, const char *name,
		     const char *value)
{
	struct iob_undo *u = iob_vec_add(&s->undo);

	if (!u)
		return -ENOMEM;
	u->what = what;
	u->name = strdup(name);
	u->value = strdup(value);
	if (!u->name || !u->value) {
		free_undo(u);
		s->undo.nr--;
		return -ENOMEM;
	}
	return 0;
}

/* Before the change is made: write it down, then remember it. */
static int will_change(struct iob_session *s, char what, const char *name,
		       const char *value, struct iob_err *err)
{
	int ret = iob_lock_note(s->lock_fd, "%c\t%s\t%s\n", what, name, value);

	if (!ret)
		ret = push_undo(s, what, name, value);
	if (ret)
		return iob_fail(err, ret, "cannot note what to put back: %s",
				strerror(-ret));
	return 0;
}

static bool is_ours(const struct iob_session *s, const char *path)
{
	size_t len = strlen(s->root);

	return !strncmp(path, s->root, len) &&
	       !strncmp(path + len, "/sys/kernel/", 12) && !strstr(path, "/../");
}

static int take_over(struct iob_session *s, const struct iob_blob *left,
		     struct iob_err *err)
{
	struct iob_field rest = { left->p, left->len }, line, what, name;
	int ret;

	while (iob_split(&rest, '\n', &line)) {
		char n[PATH_MAX], v[IOB_KNOB_MAX];

		/* A line that was cut off was never acted upon. */
		if (!rest.p || !iob_split(&line, '\t', &what) ||
		    !iob_split(&line, '\t', &name) || !line.p || what.len != 1)
			continue;
		snprintf(n, sizeof(n), "%.*s", (int)name.len, name.p);
		snprintf(v, sizeof(v), "%.*s", (int)line.len, line.p);
		/* We need it ourselves: it goes when we do. */
		if (*what.p == UNDO_MODULE)
			s->owes_module = !*s->root;
		/* We never turn anything elsewhere, whatever the file says. */
		if (*what.p == UNDO_MODULE || !is_ours(s, n))
			continue;
		if (push_undo(s, *what.p, n, v))
			return iob_fail(err, -ENOMEM, "out of memory");
	}
	if (left->len > 4)
		s->taken_over = strtol(left->p + 4, NULL, 10);
	ret = undo_all(s, err);
	/* What cannot be put back now cannot be later: do not stay stuck. */
	if (ftruncate(s->lock_fd, 0))
		return iob_fail(err, -errno, "cannot write the lock file: %s",
				strerror(errno));
	return ret;
}

static int lock(struct iob_session *s, struct iob_err *err)
{
	struct iob_blob left;
	int ret = iob_lock_take(s->root, &s->lock_fd, &left, err);

	if (ret)
		return ret;
	if (left.len)
		ret = take_over(s, &left, err);
	iob_blob_free(&left);
	if (!ret)
		ret = iob_lock_note(s->lock_fd, "pid %ld\n", (long)getpid());
	if (!ret && s->owes_module)
		ret = will_change(s, UNDO_MODULE, MODULE_NAME, "", err);
	return ret;
}

static int check_abi(struct iob_session *s, struct iob_err *err)
{
	char path[PATH_MAX], value[64];
	int ret;

	snprintf(path, sizeof(path), "%s/abi", s->debugfs);
	ret = iob_knob_read(path, value, sizeof(value), err);
	if (ret == -EPERM)
		return iob_fail(err, ret,
				"the kernel does not let even root read %s: boot without lockdown=confidentiality",
				path);
	if (ret)
		return ret;
	if (strtol(value, NULL, 10) != IOB_ABI)
		return iob_fail(err, -EPROTO,
				"the module loaded has ABI %.20s, this program needs %d: install both from the same version",
				value, IOB_ABI);
	return 0;
}

static int find_module(struct iob_session *s, const char *module,
		       struct iob_err *err)
{
	char dir[PATH_MAX / 4];
	bool mounted;
	int ret = iob_find_debugfs(s->root, dir, sizeof(dir), &mounted, err);

	if (ret)
		return ret;
	if (mounted)
		push_undo(s, UNDO_MOUNT, dir, "");
	snprintf(s->debugfs, sizeof(s->debugfs), "%s/ioblame", dir);
	if (!access(s->debugfs, F_OK))
		return 0;
	if (*s->root)
		return iob_fail(err, -ENOENT, "no module below %s", s->root);
	ret = will_change(s, UNDO_MODULE, MODULE_NAME, "", err);
	if (!ret)
		ret = iob_module_load(module, err);
	if (!ret && access(s->debugfs, F_OK))
		ret = iob_fail(err, -ENODEV,
			       "the module is loaded but %s is not there: is it another module?",
			       s->debugfs);
	return ret;
}

static int find(struct iob_session *s, const char *module, struct iob_err *err)
{
	char path[PATH_MAX], value[64];
	int ret = find_module(s, module, err);

	if (!ret)
		ret = check_abi(s, err);
	if (ret)
		return ret;
	iob_find_tracefs(s->root, s->tracefs, sizeof(s->tracefs));
	snprintf(path, sizeof(path), "%s/enable", s->debugfs);
	ret = iob_knob_read(path, value, sizeof(value), err);
	s->was_enabled = !ret && !strcmp(value, "1");
	return ret;
}

/**
 * iob_session_open - find or load the module, and become its only user
 * @s: the session
 * @root: directory that stands for ``/``; "" for the real one
 * @module: the file to load if no module is loaded; NULL: the installed one
 * @err: error text
 *
 * A session that a killed run left behind is cleaned up first.
 *
 * Return: 0 or a negative errno.
 */
int iob_session_open(struct iob_session *s, const char *root,
		     const char *module, struct iob_err *err)
{
	struct iob_err ignored;
	int ret;

	memset(s, 0, sizeof(*s));
	s->lock_fd = -1;
	if (!*root && geteuid())
		return iob_fail(err, -EPERM,
				"tracing needs root: run it as root (sudo)");
	if (strlen(root) >= sizeof(s->root))
		return iob_fail(err, -ENAMETOOLONG, "root directory too long");
	strcpy(s->root, root);
	ret = lock(s, err);
	if (!ret)
		ret = find(s, module, err);
	if (ret)
		iob_session_close(s, &ignored);
	return ret;
}

/**
 * iob_session_set - turn a knob of the module
 * @s: the session
 * @knob: its name, as ``filter/dev``
 * @value: its new value
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_session_set(struct iob_session *s, const char *knob, const char *value,
		    struct iob_err *err)
{
	char path[PATH_MAX], old[IOB_KNOB_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", s->debugfs, knob);
	ret = iob_knob_read(path, old, sizeof(old), err);
	/* The lock file and the knob both know lines only. */
	for (char *p = old; !ret && *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	if (!ret && !strcmp(old, value))
		return 0;
	if (!ret)
		ret = will_change(s, UNDO_KNOB, path, old, err);
	if (!ret)
		ret = iob_knob_write(path, value, err);
	return ret;
}

/* Which hooks kept tracing from starting. */
static int why_not_enabled(struct iob_session *s, int ret, struct iob_err *err)
{
	static const char *const cols[] = { "name", "need", "state", NULL };
	char path[PATH_MAX], names[256] = "";
	struct iob_blob hooks;
	struct iob_text x;
	size_t at = 0;

	snprintf(path, sizeof(path), "%s/hooks", s->debugfs);
	if (iob_blob_read(&hooks, path, IOB_TABLE_MAX, NULL))
		return ret;
	if (!iob_text_open(&x, hooks.p, hooks.len, cols, "hooks", NULL))
		while (iob_text_next(&x) > 0)
			if (iob_field_is(x.f[1], "required") &&
			    (iob_field_is(x.f[2], "missing") ||
			     iob_field_is(x.f[2], "failed")) && at < 200)
				at += snprintf(names + at, sizeof(names) - at,
					       "%s%.*s", at ? ", " : "",
					       (int)x.f[0].len, x.f[0].p);
	iob_blob_free(&hooks);
	if (!at)
		return ret;
	return iob_fail(err, ret,
			"this kernel lacks what tracing needs: %s (see 'ioblame check')",
			names);
}

/**
 * iob_session_enable - start tracing, unless somebody has already
 * @s: the session; filters are set
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_session_enable(struct iob_session *s, struct iob_err *err)
{
	int ret;

	if (s->was_enabled)
		return 0;
	ret = iob_session_set(s, "enable", "1", err);
	if (ret == -ENOENT)
		return why_not_enabled(s, ret, err);
	if (ret == -ENOMEM)
		return iob_fail(err, ret,
				"the kernel has not enough memory for tracing: lower limits/memory_kb in %s",
				s->debugfs);
	s->enabled = !ret;
	return ret;
}

/**
 * iob_session_instance - name a tracefs instance that has to go in the end
 * @s: the session
 * @name: of the instance, to be created after this
 * @err: error text
 *
 * Return: 0, or -ENODEV without tracefs.
 */
int iob_session_instance(struct iob_session *s, const char *name,
			 struct iob_err *err)
{
	char path[PATH_MAX];

	if (!*s->tracefs)
		return iob_fail(err, -ENODEV,
				"tracefs is not there: mount -t tracefs tracefs /sys/kernel/tracing");
	snprintf(path, sizeof(path), "%s/instances/%s", s->tracefs, name);
	return will_change(s, UNDO_INSTANCE, path, "", err);
}

/**
 * iob_session_snapshot - read all tables
 * @s: the session
 * @snap: the tables
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_session_snapshot(struct iob_session *s, struct iob_snapshot *snap,
			 struct iob_err *err)
{
	return iob_snapshot_read(snap, s->debugfs, err);
}

/**
 * iob_session_close - put everything back and let others go on
 * @s: the session
 * @err: error text
 *
 * Return: 0, or the first error; what could be put back is.
 */
int iob_session_close(struct iob_session *s, struct iob_err *err)
{
	int ret = undo_all(s, err);

	iob_lock_drop(s->lock_fd);
	s->lock_fd = -1;
	return ret;
}
