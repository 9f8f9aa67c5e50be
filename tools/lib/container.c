// SPDX-License-Identifier: GPL-2.0
/*
 * Containers by the cgroups that those who run them make. A cgroup has an id of a
 * container or pod in its path, seldom a name; the table below says where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "escape.h"
#include "report.h"

#define ID_MIN 32		/* hex digits; what is shorter is a name like any other */
#define ID_SHOWN 12		/* as docker ps shows it */
#define POD_SHOWN 8

enum what { WHAT_ID, WHAT_NAME, WHAT_POD };

/* A directory "prefix<id or name>suffix", below another one if that is named. */
static const struct pattern {
	const char *engine, *below, *prefix, *suffix;
	enum what what;
} patterns[] = {
	{ "docker", NULL, "docker-", ".scope" },
	{ "podman", NULL, "libpod-", ".scope" },
	{ "podman", NULL, "libpod-", "" },
	{ "crio", NULL, "crio-", ".scope" },
	{ "crio", NULL, "crio-", "" },
	{ "containerd", NULL, "cri-containerd-", ".scope" },
	{ "nerdctl", NULL, "nerdctl-", ".scope" },
	{ "docker", "docker", "", "" },
	{ "container", "pod", "", "" },
	{ "docker", NULL, ":docker:", "" },
	{ "containerd", NULL, ":cri-containerd:", "" },
	{ "crio", NULL, ":crio:", "" },
	{ "lxc", NULL, "lxc.payload.", "", WHAT_NAME },
	{ "lxc", NULL, "lxc.monitor.", "", WHAT_NAME },
	{ "lxc", "lxc", "", "", WHAT_NAME },
	{ "machine", NULL, "machine-", ".scope", WHAT_NAME },
	{ "machine", NULL, "systemd-nspawn@", ".service", WHAT_NAME },
	{ "pod", NULL, "-pod", ".slice", WHAT_POD },
	{ "pod", NULL, "pod", "", WHAT_POD },
};

static bool ends_in(struct iob_field f, const char *suffix)
{
	size_t len = strlen(suffix);

	return f.len >= len && !memcmp(f.p + f.len - len, suffix, len);
}

static bool is_hex(struct iob_field f)
{
	for (size_t i = 0; i < f.len; i++)
		if (!strchr("0123456789abcdef", f.p[i]))
			return false;
	return f.len >= ID_MIN;
}

/* 8-4-4-4-12 digits; systemd has '_' for '-'; pods of files have 32 digits. */
static bool is_uid(struct iob_field f)
{
	if (f.len != 36)
		return f.len == 32 && is_hex(f);
	for (size_t i = 0; i < f.len; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? !strchr("-_", f.p[i]) : !strchr("0123456789abcdef", f.p[i]))
			return false;
	}
	return true;
}

/* What begins with a delimiter may have anything before it. */
static bool cut(const struct pattern *p, struct iob_field *f)
{
	size_t prefix = strlen(p->prefix), suffix = strlen(p->suffix), at = 0;

	if (prefix && strchr(":-", *p->prefix)) {
		const char *found = memmem(f->p, f->len, p->prefix, prefix);

		if (!found)
			return false;
		at = found - f->p;
	}
	if (f->len <= at + prefix + suffix || !ends_in(*f, p->suffix) ||
	    memcmp(f->p + at, p->prefix, prefix))
		return false;
	f->p += at + prefix;
	f->len -= at + prefix + suffix;
	return true;
}

static bool is_pod(struct iob_field f)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		struct iob_field id = f;

		if (patterns[i].what == WHAT_POD && cut(&patterns[i], &id) &&
		    is_uid(id))
			return true;
	}
	return false;
}

static bool lies_below(const struct pattern *p, struct iob_field dir)
{
	if (!p->below)
		return true;
	if (!dir.p)
		return false;
	return !strcmp(p->below, "pod") ? is_pod(dir) : iob_field_is(dir, p->below);
}

static const struct pattern *match(struct iob_field dir, struct iob_field above,
				   struct iob_field *id)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		const struct pattern *p = &patterns[i];

		*id = dir;
		if (!lies_below(p, above) || !cut(p, id))
			continue;
		if (p->what == WHAT_NAME || (p->what == WHAT_ID && is_hex(*id)) ||
		    (p->what == WHAT_POD && is_uid(*id)))
			return p;
	}
	return NULL;
}

static void name_it(char *buf, size_t size, const struct pattern *p,
		    struct iob_field id)
{
	size_t len = p->what == WHAT_ID ? ID_SHOWN : p->what == WHAT_POD ?
		     POD_SHOWN : id.len;
	char *name = strndup(id.p, len < id.len ? len : id.len);
	/* systemd writes what cannot be in a unit's name as \xNN. */
	char *plain = name ? iob_unescape(name) : NULL;

	snprintf(buf, size, "%s:%s", p->engine, plain ? plain : "?");
	free(plain);
	free(name);
}

static bool is_unit(struct iob_field dir, const char *type)
{
	return ends_in(dir, type) && dir.len > strlen(type);
}

/* The innermost service or scope; a slice where there is none. */
static bool unit_name(const char *cgroup, char *buf, size_t size)
{
	struct iob_field rest = { cgroup, strlen(cgroup) }, dir;
	struct iob_field unit = {}, slice = {};

	while (iob_split(&rest, '/', &dir)) {
		if (is_unit(dir, ".service") || is_unit(dir, ".scope"))
			unit = dir;
		else if (is_unit(dir, ".slice"))
			slice = dir;
	}
	if (!unit.p)
		unit = slice;
	if (unit.p)
		snprintf(buf, size, "%.*s", (int)unit.len, unit.p);
	return unit.p;
}

/**
 * iob_container_name - what users call a cgroup
 * @cgroup: its path
 * @buf: the innermost container, behind its pod if it is in one, else the unit
 * @size: room in @buf
 *
 * Return: false if it is neither.
 */
bool iob_container_name(const char *cgroup, char *buf, size_t size)
{
	struct iob_field rest = { cgroup, strlen(cgroup) }, dir, above = {}, id;
	char pod[64] = "", inner[512] = "";

	while (iob_split(&rest, '/', &dir)) {
		const struct pattern *p = match(dir, above, &id);

		above = dir;
		if (!p)
			continue;
		if (p->what == WHAT_POD)
			name_it(pod, sizeof(pod), p, id);
		else
			name_it(inner, sizeof(inner), p, id);
		/* What a pod lies in is its machine. */
		if (p->what == WHAT_POD)
			*inner = '\0';
	}
	if (!*pod && !*inner)
		return unit_name(cgroup, buf, size);
	snprintf(buf, size, "%s%s%s", pod, *pod && *inner ? "/" : "", inner);
	return true;
}

/**
 * iob_container_set - say of a row what its cgroup is called
 * @r: its report
 * @row: the row, with its cgroup
 */
void iob_container_set(struct iob_report *r, struct iob_row *row)
{
	const char *cgroup = iob_row_text(row, IOB_ROW_CGROUP);
	char name[600];

	if (cgroup && iob_container_name(cgroup, name, sizeof(name)))
		iob_row_set_text(row, IOB_ROW_CONTAINER,
				 iob_report_intern(r, name));
}
