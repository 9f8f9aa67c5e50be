// SPDX-License-Identifier: GPL-2.0
/* A command by its number, then arguments with a NUL between. */
#include <string.h>

#include "../ioblame/command.h"
#include "../ioblame/tool.h"
#include "fuzz.h"

#define MAX_ARGS 32

static void must_resolve(const struct params *p)
{
	struct tool t = { .params = p };
	struct iob_err err = {};

	t.names = iob_names_create("/nonexistent");
	t.strings = iob_strings_create();
	MUST(t.names && t.strings);
	if (filters_resolve(&t, &err))
		MUST(*err.text);
	iob_filter_free(&t.filter);
	iob_strings_destroy(t.strings);
	iob_names_destroy(t.names);
}

static void must_be_sane(const struct params *p)
{
	MUST(p->duration >= 0 && p->duration <= 1e9);
	MUST(p->settle >= 0 && p->settle <= 1e9);
	MUST(p->interval >= 0.1 && p->interval <= 86400);
	MUST(p->max_age >= 0 && p->max_age <= 1e9);
	MUST(p->pack_level >= 0 && p->pack_level <= 19);
	MUST(p->keep && p->buffer_kb);
	MUST(!p->argv || (p->cmd->runs && !p->input));
}

void fuzz_options(const uint8_t *data, size_t size)
{
	char *parts[MAX_ARGS], *argv[MAX_ARGS + 2];
	const struct command *cmd = commands;
	struct iob_err err = {};
	struct params p;
	int nr = 0;

	if (!size)
		return;
	for (int i = *data % 32; i && cmd[1].name; i--)
		cmd++;
	data++;
	size--;
	argv[0] = (char *)cmd->name;
	while (nr < MAX_ARGS && (parts[nr] = next_part(&data, &size, '\0'))) {
		argv[nr + 1] = parts[nr];
		nr++;
	}
	argv[nr + 1] = NULL;
	if (params_parse(&p, cmd, nr + 1, argv, &err)) {
		MUST(*err.text);
	} else if (!p.help) {
		must_be_sane(&p);
		must_resolve(&p);
	}
	params_free(&p);
	while (nr)
		free(parts[--nr]);
}
