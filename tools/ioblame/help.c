// SPDX-License-Identifier: GPL-2.0
/* --help, the man pages and the completion, all made from the two tables. */
#include <errno.h>
#include <string.h>

#include "command.h"
#include "diff.h"
#include "formats.h"
#include "metric.h"
#include "version.h"

#define WIDTH 78
#define HELP_COLUMN 26

/* Fill lines up to WIDTH; @column: where the text stands, also at first. */
static void fill(FILE *out, const char *text, size_t column)
{
	size_t at = column;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (at + len > WIDTH && at > column) {
			fprintf(out, "\n%*s", (int)column, "");
			at = column;
		}
		fprintf(out, "%.*s", (int)len, text);
		at += len;
		text += len;
		if (*text == '\n') {
			fprintf(out, "\n%*s", text[1] == '\n' ? 0 : (int)column,
				"");
			at = column;
			text++;
		} else if (*text == ' ') {
			text++;
			if (at + 1 + strcspn(text, " \n") <= WIDTH)
				fputc(' ', out);
			at++;
		}
	}
	fputc('\n', out);
}

static void option_head(char *buf, size_t size, const struct option_def *o)
{
	char letter[8] = "    ";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(buf, size, "%s--%s%s%s", letter, o->name,
		 o->arg && *o->arg != '[' ? " " : "", o->arg ? o->arg : "");
}

/**
 * help_overview - what there is
 * @out: where to
 */
void help_overview(FILE *out)
{
	fputs("usage: ioblame COMMAND [OPTIONS]\n\n"
	      "Tells which task, file and call path each byte written to a disk comes from.\n\n"
	      "commands:\n", out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->summary);
	fputs("\n'ioblame COMMAND --help' tells more; ioblame-report is ioblame report.\n",
	      out);
}

/**
 * help_command - how to use one command
 * @out: where to
 * @cmd: the command
 */
void help_command(FILE *out, const struct command *cmd)
{
	fprintf(out, "usage: ioblame %s%s%s\n\n", cmd->name, *cmd->usage ? " " : "",
		cmd->usage);
	fill(out, cmd->text, 0);
	fputs("\noptions:\n", out);
	for (const struct option_def *o = options; o->name; o++) {
		char head[64];

		if (!(o->commands & cmd->bit))
			continue;
		option_head(head, sizeof(head), o);
		fprintf(out, "  %-*s", HELP_COLUMN - 2, head);
		fill(out, o->help, HELP_COLUMN);
	}
	if (!cmd->examples)
		return;
	fputs("\nexamples:\n  ", out);
	for (const char *p = cmd->examples; *p; p++) {
		fputc(*p, out);
		if (*p == '\n')
			fputs("  ", out);
	}
	fputc('\n', out);
}

/* roff has its own meaning for these. */
static void roff(FILE *out, const char *text)
{
	bool start = true;

	for (; *text; text++) {
		if (text[0] == '\n' && text[1] == '\n') {
			fputs("\n.PP", out);
			start = true;
			continue;
		}
		if (start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
		start = *text == '\n';
	}
	fputc('\n', out);
}

static void man_exit_status(FILE *out)
{
	fputs(".SH EXIT STATUS\n"
	      "0: done; 1: failed, with one line on standard error that says what and what to\n"
	      "do; 2: wrong usage. A reader that closes the pipe is no failure.\n", out);
}

static void man_files(FILE *out)
{
	fputs(".SH FILES\n.TP\n.I /run/ioblame.lock\n"
	      "Held by the ioblame that runs. Says what has to be put back, so that the next run\n"
	      "does it for one that was killed.\n.TP\n.I /sys/kernel/debug/ioblame/\n"
	      "The module's tables and knobs.\n", out);
}

static void man_overview(FILE *out)
{
	fprintf(out, ".TH IOBLAME 1 \"\" \"ioblame %s\"\n.SH NAME\n"
		"ioblame \\- tell who wrote what to a disk\n"
		".SH SYNOPSIS\n.B ioblame\n.I COMMAND\n[OPTIONS]\n"
		".SH DESCRIPTION\n"
		"Tells which task, file and call path each byte written to a disk comes from, also\n"
		"when a kernel thread wrote it.\n.SH COMMANDS\n", IOBLAME_VERSION);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, ".TP\n.BR ioblame\\-%s (1)\n%s\n", c->name, c->summary);
	man_exit_status(out);
	man_files(out);
}

/**
 * help_man - write a man page
 * @out: where to
 * @name: ``ioblame`` or a command
 * @err: error text
 *
 * Return: 0 or -EINVAL.
 */
int help_man(FILE *out, const char *name, struct iob_err *err)
{
	const struct command *cmd = command_find(name);

	fputs(".\\\" SPDX-License-Identifier: GPL-2.0\n"
	      ".\\\" Made from the tables in tools/ioblame; do not edit.\n", out);
	if (!strcmp(name, "ioblame")) {
		man_overview(out);
		return 0;
	}
	if (!cmd)
		return command_unknown(name, err);
	fprintf(out, ".TH IOBLAME\\-%s 1 \"\" \"ioblame %s\"\n.SH NAME\n"
		"ioblame\\-%s \\- %s\n.SH SYNOPSIS\n.B ioblame %s\n",
		cmd->name, IOBLAME_VERSION, cmd->name, cmd->summary, cmd->name);
	roff(out, cmd->usage);
	fputs(".SH DESCRIPTION\n", out);
	roff(out, cmd->text);
	fputs(".SH OPTIONS\n", out);
	for (const struct option_def *o = options; o->name; o++) {
		char head[64];

		if (!(o->commands & cmd->bit))
			continue;
		option_head(head, sizeof(head), o);
		fputs(".TP\n.B ", out);
		roff(out, head + strspn(head, " "));
		roff(out, o->help);
	}
	if (cmd->examples) {
		fputs(".SH EXAMPLES\n.nf\n", out);
		roff(out, cmd->examples);
		fputs(".fi\n", out);
	}
	man_exit_status(out);
	man_files(out);
	fputs(".SH SEE ALSO\n.BR ioblame (1)\n", out);
	return 0;
}

static void complete_options(FILE *out, const struct command *cmd)
{
	fprintf(out, "\t%s) words=\"", cmd->name);
	for (const struct option_def *o = options; o->name; o++)
		if (o->commands & cmd->bit)
			fprintf(out, "--%s ", o->name);
	fputs("\" ;;\n", out);
}

/* The words that an option takes, from the tables that check them. */
static void complete_names(FILE *out)
{
	fputs("\t-f|--format) COMPREPLY=($(compgen -W \"", out);
	for (const struct format *f = formats; f->name; f++)
		fprintf(out, "%s ", f->name);
	fputs("\" -- \"$cur\")); return ;;\n", out);
	fputs("\t-m|--metric) COMPREPLY=($(compgen -W \"", out);
	for (const struct iob_metric *m = iob_metrics; m->name; m++)
		fprintf(out, "%s ", m->name);
	fputs("\" -- \"$cur\")); return ;;\n", out);
	fputs("\t--scale) COMPREPLY=($(compgen -W \"", out);
	for (int i = 0; i < IOB_NR_SCALES; i++)
		fprintf(out, "%s ", iob_scale_words[i]);
	fputs("\" -- \"$cur\")); return ;;\n", out);
}

/**
 * help_complete - write the completion for bash
 * @out: where to
 */
void help_complete(FILE *out)
{
	fputs("# SPDX-License-Identifier: GPL-2.0\n"
	      "# Made from the tables in tools/ioblame; do not edit.\n"
	      "_ioblame()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal cmd=${COMP_WORDS[1]} words=\n\n"
	      "\t[[ ${COMP_WORDS[0]##*/} == ioblame-report ]] && cmd=report\n"
	      "\tcase $prev in\n"
	      "\t-i|-o|--input|--output) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
	      "\t--op) COMPREPLY=($(compgen -W \"read write discard flush\" -- \"$cur\")); return ;;\n"
	      , out);
	complete_names(out);
	fputs("\tesac\n"
	      "\tif [[ $COMP_CWORD == 1 && $cmd != report ]] ||\n"
	      "\t   [[ $COMP_CWORD == 1 && ${COMP_WORDS[0]##*/} == ioblame ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"", out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "%s ", c->name);
	fputs("help\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase $cmd in\n", out);
	for (const struct command *c = commands; c->name; c++)
		complete_options(out, c);
	fputs("\tesac\n\t[[ $cmd == diff && $cur != -* ]] &&\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\")) && return\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
	      "complete -F _ioblame ioblame ioblame-report\n", out);
}
