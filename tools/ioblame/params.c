// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "command.h"
#include "flame.h"
#include "formats.h"
#include "metric.h"
#include "params.h"
#include "row.h"
#include "store.h"
#include "writer.h"

#define MAX_OPTIONS 64
#define FIRST_LONG 256

/* getopt_long()'s view of the table, for one command. */
struct getopt_table {
	struct option longs[MAX_OPTIONS];
	char shorts[2 * MAX_OPTIONS + 3];
};

static void make_table(struct getopt_table *t, const struct command *cmd)
{
	size_t nr = 0, s = 0;

	memset(t, 0, sizeof(*t));
	/* Stop at the first word that may begin a COMMAND; tell a missing argument. */
	if (!cmd->nr_files)
		t->shorts[s++] = '+';
	t->shorts[s++] = ':';
	for (int i = 0; options[i].name && nr < MAX_OPTIONS - 1; i++) {
		if (!(options[i].commands & cmd->bit))
			continue;
		t->longs[nr].name = options[i].name;
		t->longs[nr].has_arg = !options[i].arg ? no_argument :
				       *options[i].arg == '[' ?
				       optional_argument : required_argument;
		t->longs[nr++].val = FIRST_LONG + i;
		if (options[i].letter) {
			t->shorts[s++] = options[i].letter;
			if (options[i].arg)
				t->shorts[s++] = ':';
		}
	}
}

/* A letter may mean one thing here and another there. */
static const struct option_def *by_letter(const struct command *cmd, int c)
{
	if (c >= FIRST_LONG)
		return &options[c - FIRST_LONG];
	for (const struct option_def *o = options; o->name; o++)
		if (o->letter == c && o->commands & cmd->bit)
			return o;
	return NULL;
}

static int unknown_option(const struct command *cmd, const char *word,
			  struct iob_err *err)
{
	const char *names[MAX_OPTIONS], *near;
	size_t nr = 0;
	char name[64];

	for (const struct option_def *o = options; o->name; o++)
		if (o->commands & cmd->bit)
			names[nr++] = o->name;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	near = strncmp(name, "--", 2) ? NULL : iob_nearest(name + 2, names, nr);
	if (near)
		return iob_fail(err, -EINVAL,
				"unknown option '%s': did you mean '--%s'?",
				name, near);
	return iob_fail(err, -EINVAL,
			"unknown option '%s': see 'ioblame %s --help'", name,
			cmd->name);
}

static int bad_option(const struct command *cmd, int c, char **argv,
		      struct iob_err *err)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	bool is_long = optopt <= 0 || optopt >= FIRST_LONG;
	const char *word = is_long ? argv[optind - 1] : letter;

	if (c == ':')
		return iob_fail(err, -EINVAL, "%.60s needs an argument", word);
	/* "--flag=x" comes here, too, with the flag's number. */
	if (optopt >= FIRST_LONG)
		return iob_fail(err, -EINVAL, "--%s takes no argument",
				options[optopt - FIRST_LONG].name);
	return unknown_option(cmd, word, err);
}

static int take_files(struct params *p, int argc, char **argv,
		      struct iob_err *err)
{
	unsigned int nr = p->cmd->nr_files;

	if (argc - optind != (int)nr)
		return iob_fail(err, -EINVAL, "%s takes %u files, not %d: see 'ioblame %s --help'",
				p->cmd->name, nr, argc - optind, p->cmd->name);
	for (unsigned int i = 0; i < nr; i++)
		p->files[i] = argv[optind + i];
	p->input = p->files[0];
	return 0;
}

static int take_command(struct params *p, int argc, char **argv,
			struct iob_err *err)
{
	if (optind >= argc)
		return strcmp(argv[argc - 1], "--") || !p->cmd->runs ? 0 :
		       iob_fail(err, -EINVAL, "no COMMAND after '--'");
	if (!p->cmd->runs)
		return iob_fail(err, -EINVAL, "%s takes no argument '%.60s'",
				p->cmd->name, argv[optind]);
	if (strcmp(argv[optind - 1], "--"))
		return iob_fail(err, -EINVAL,
				"unexpected '%.60s': a COMMAND goes after '--'",
				argv[optind]);
	p->argv = argv + optind;
	return 0;
}

static int check_export(struct params *p, struct iob_err *err)
{
	char names[256];

	format_names(names, sizeof(names));
	if (!p->format)
		return iob_fail(err, -EINVAL, "export needs --format: one of %s",
				names);
	if (p->metric && !p->format->one_metric)
		return iob_fail(err, -EINVAL,
				"%s does not choose by --metric: leave it out",
				p->format->name);
	p->writer = p->format->writer;
	return 0;
}

static int check_diff(struct params *p, struct iob_err *err)
{
	const char *name = p->format ? p->format->name : p->writer ?
			   p->writer->name : NULL;

	if (p->format && p->writer)
		return iob_fail(err, -EINVAL, "--%s and --format exclude each other",
				p->writer->name);
	if (p->format)
		p->writer = p->format->writer;
	if (name && (!p->writer || !p->writer->diff))
		return iob_fail(err, -EINVAL,
				"diff does not write %s: take csv, folded, svg or --json",
				name);
	if (p->width_side && p->writer != &iob_svg_writer)
		return iob_fail(err, -EINVAL, "--width is about --format svg");
	/* What a graph adds up are tasks and stacks. */
	if (p->by && p->writer && p->writer->default_fields == IOB_FLAME_FIELDS)
		return iob_fail(err, -EINVAL,
				"--by and --format %s exclude each other", name);
	return 0;
}

static int check_views(const struct params *p, struct iob_err *err)
{
	if (p->tree && p->writer)
		return iob_fail(err, -EINVAL, "--tree and --%s exclude each other",
				p->writer->name);
	if (p->amplification && (p->writer == &iob_csv_writer ||
				 p->writer == &iob_raw_writer))
		return iob_fail(err, -EINVAL,
				"--amplification is for the table and --json, not --%s",
				p->writer->name);
	for (size_t i = 0; p->amplification && i < p->ops.nr; i++)
		if (strcmp(p->ops.v[i], "write"))
			return iob_fail(err, -EINVAL,
					"--amplification is about writes: leave --op %s out",
					p->ops.v[i]);
	return 0;
}

static int check(struct params *p, struct iob_err *err)
{
	if (p->input && p->argv)
		return iob_fail(err, -EINVAL, "--input and COMMAND exclude each other");
	if (p->input && p->duration > 0)
		return iob_fail(err, -EINVAL, "--input and --duration exclude each other");
	if (p->cmd->bit == CMD_RECORD && p->keep && !p->max_size &&
	    p->max_age <= 0)
		return iob_fail(err, -EINVAL, "--keep needs --max-size or --max-age");
	if (!p->keep)
		p->keep = 10;
	if (p->self && !p->input)
		return iob_fail(err, -EINVAL, "--self is about a recording: name it with --input");
	if (p->argv && p->duration > 0)
		return iob_fail(err, -EINVAL, "--duration and COMMAND exclude each other");
	if (p->cmd->bit == CMD_RECORD && !p->output)
		p->output = "ioblame.data";
	if (p->metric && p->metric->from_events && !p->input)
		return iob_fail(err, -EINVAL,
				"--metric %s needs a recording: ioblame record, then -i FILE",
				p->metric->name);
	if (p->cmd->bit == CMD_EXPORT) {
		int ret = check_export(p, err);

		if (ret)
			return ret;
	}
	if (p->cmd->bit == CMD_HISTORY && !p->input)
		p->input = IOB_STORE_PATH;
	if (p->cmd->bit == CMD_DIFF)
		return check_diff(p, err);
	if (p->tree || p->amplification)
		return check_views(p, err);
	if (p->cmd->bit == CMD_STACKS && !p->top)
		p->top = 10;
	return 0;
}

/**
 * params_parse - read the arguments of a command
 * @p: what was asked for; to be freed also after an error
 * @cmd: the command
 * @argc: how many, with the command's name
 * @argv: the arguments
 * @err: error text
 *
 * Return: 0 or -EINVAL.
 */
int params_parse(struct params *p, const struct command *cmd, int argc,
		 char **argv, struct iob_err *err)
{
	struct getopt_table table;
	int c, ret = 0;

	memset(p, 0, sizeof(*p));
	p->cmd = cmd;
	p->settle = 5;
	p->sort = "bytes";
	p->buffer_kb = 4096;
	p->interval = 1;
	p->pack_level = 1;
	p->since = "1h";
	p->until = "now";
	p->store = IOB_STORE_PATH;
	p->store_size = 256 << 20;
	p->flight = 30;
	p->flight_size = 64 << 20;
	p->saves = "/var/lib/ioblame/saves";
	p->after = 5;
	p->hold_off = 60;
	p->push_every = 60;
	make_table(&table, cmd);
	optind = 0;	/* glibc: start afresh */
	opterr = 0;
	while (!ret && (c = getopt_long(argc, argv, table.shorts, table.longs,
					NULL)) != -1) {
		const struct option_def *o = c == '?' || c == ':' ? NULL :
					     by_letter(cmd, c);

		ret = o ? o->set(p, o, optarg, err) :
			  bad_option(cmd, c, argv, err);
		if (p->help)
			return 0;
	}
	if (!ret)
		ret = cmd->nr_files ? take_files(p, argc, argv, err) :
				      take_command(p, argc, argv, err);
	return ret ? ret : check(p, err);
}

/**
 * params_free - free the lists
 * @p: the parameters
 */
void params_free(struct params *p)
{
	iob_vec_free(&p->devs);
	iob_vec_free(&p->pids);
	iob_vec_free(&p->tgids);
	iob_vec_free(&p->cgroups);
	iob_vec_free(&p->comms);
	iob_vec_free(&p->ops);
	iob_vec_free(&p->triggers);
}
