// SPDX-License-Identifier: GPL-2.0
/* ioblame check: what is there of what tracing needs. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "decode.h"
#include "escape.h"
#include "module.h"
#include "tool.h"
#include "uapi/ioblame.h"

struct checks {
	FILE *out;
	unsigned int nr_bad;
};

enum verdict { GOOD, BAD, NOTE };

static void say(struct checks *c, enum verdict v, const char *what,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void say(struct checks *c, enum verdict v, const char *what,
		const char *fmt, ...)
{
	static const char *const words[] = { "ok", "BAD", "note" };
	char text[1024], *escaped;
	va_list ap;

	if (v == BAD)
		c->nr_bad++;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	escaped = iob_escape(text);
	fprintf(c->out, "%-4s %-28s %s\n", words[v], what,
		escaped ? escaped : "?");
	free(escaped);
}

static void check_system(struct tool *t, struct checks *c)
{
	char path[PATH_MAX], level[32], dir[PATH_MAX / 2];

	if (geteuid() && !*t->root)
		say(c, BAD, "root", "not root: run it as root (sudo)");
	else
		say(c, GOOD, "root", "yes");
	if (iob_lockdown(t->root, level, sizeof(level)))
		say(c, NOTE, "lockdown",
		    "%s: only a signed module can be loaded%s", level,
		    strcmp(level, "confidentiality") ? "" :
		    ", and debugfs is closed");
	else
		say(c, GOOD, "lockdown", "none");
	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", t->root);
	if (access(path, F_OK))
		say(c, NOTE, "BTF", "none: private structs of file systems are not read");
	else
		say(c, GOOD, "BTF", "%s", path);
	if (iob_find_tracefs(t->root, dir, sizeof(dir)))
		say(c, NOTE, "tracefs", "not there: record and script need it");
	else
		say(c, GOOD, "tracefs", "%s", dir);
}

static void check_hook(struct checks *c, const struct iob_hook *h)
{
	bool needed = !strcmp(h->need, "required");

	if (!strcmp(h->state, "attached") || !strcmp(h->state, "found")) {
		say(c, GOOD, h->name, "%s", h->state);
		return;
	}
	if (!strcmp(h->state, "waiting")) {
		say(c, GOOD, h->name, "waiting for its module to be loaded");
		return;
	}
	if (!strcmp(h->state, "off")) {
		say(c, GOOD, h->name, "off: for --readahead only");
		return;
	}
	say(c, needed ? BAD : NOTE, h->name, "%s%s%s", h->state,
	    h->effect ? "; not seen without it: " : "",
	    h->effect ? h->effect : "");
}

/* Which columns stay empty, in the report's words. */
static void check_hooks(struct tool *t, struct checks *c)
{
	struct iob_snapshot snap;
	struct iob_tables *tables;
	struct iob_err err;
	unsigned int nr_attached = 0;

	if (iob_session_enable(&t->session, &err)) {
		say(c, BAD, "enable", "%s", err.text);
	} else {
		say(c, GOOD, "enable", t->session.was_enabled ?
		    "enabled already" : "can be enabled");
	}
	if (iob_session_snapshot(&t->session, &snap, &err)) {
		say(c, BAD, "tables", "%s", err.text);
		return;
	}
	tables = iob_tables_create();
	if (!tables || iob_decode(tables, &snap, &err)) {
		say(c, BAD, "tables", "%s", tables ? err.text : "out of memory");
	} else {
		say(c, GOOD, "tables", "can be read");
		for (size_t i = 0; i < tables->hooks.nr; i++) {
			check_hook(c, &tables->hooks.v[i]);
			nr_attached += !strcmp(tables->hooks.v[i].state,
					       "attached");
		}
		say(c, nr_attached ? GOOD : BAD, "hooks", "%u of %zu attached",
		    nr_attached, tables->hooks.nr);
	}
	iob_tables_destroy(tables);
	iob_snapshot_free(&snap);
}

static int show(struct tool *t, struct iob_err *err)
{
	struct checks c = { .out = t->out };
	struct iob_err why;

	check_system(t, &c);
	if (iob_session_open(&t->session, t->root, t->params->module, &why)) {
		say(&c, BAD, "module", "%s", why.text);
	} else {
		say(&c, GOOD, "module", "loaded, ABI %d", IOB_ABI);
		check_hooks(t, &c);
		if (iob_session_close(&t->session, &why))
			say(&c, BAD, "putting back", "%s", why.text);
	}
	if (c.nr_bad)
		return iob_fail(err, -ENODEV,
				"tracing does not work here: see the line%s with BAD",
				c.nr_bad == 1 ? "" : "s");
	return 0;
}

const struct tool_ops check_ops = { .show = show };
