/* SPDX-License-Identifier: GPL-2.0 */
/* The one table of commands. */
#ifndef IOBLAME_COMMAND_H
#define IOBLAME_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "params.h"

struct iob_writer;
struct tool_ops;

struct command {
	const char *name;
	enum command_bit bit;
	bool runs;			/* takes "-- COMMAND" */
	unsigned int nr_files;		/* that it takes, before or after options */
	const char *usage;
	const char *summary;
	const char *text;		/* paragraphs; an empty line between */
	const char *examples;
	const struct tool_ops *ops;
	const struct iob_writer *writer;	/* unless another is asked for */
};

extern const struct command commands[];
extern const struct tool_ops report_ops, record_ops, script_ops, check_ops,
	version_ops, top_ops, watch_ops, diff_ops;

const struct command *command_find(const char *name);
int command_unknown(const char *name, struct iob_err *err);

void help_overview(FILE *out);
void help_command(FILE *out, const struct command *cmd);
int help_man(FILE *out, const char *name, struct iob_err *err);
void help_complete(FILE *out);

#endif /* IOBLAME_COMMAND_H */
