// SPDX-License-Identifier: GPL-2.0
/* Arguments: what is understood, and what is said to what is not. */
#include <errno.h>

#include "../ioblame/command.h"
#include "metric.h"
#include "row.h"
#include "top_model.h"
#include "unit.h"
#include "writer.h"

#define MAX_ARGS 12

static int parse(struct params *p, const char *line, struct iob_err *err)
{
	static char copy[256];
	static char *argv[MAX_ARGS + 1];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok(copy, " "); w && argc < MAX_ARGS;
	     w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	memset(err, 0, sizeof(*err));
	return params_parse(p, command_find(argv[0]), argc, argv, err);
}

static bool understood(void)
{
	struct iob_err err;
	struct params p;

	EXPECT(!parse(&p, "report", &err));
	EXPECT(!p.argv && !p.input && p.settle == 5 && !strcmp(p.sort, "bytes"));
	params_free(&p);
	EXPECT(!parse(&p, "report -d 2.5 --by comm,file --sort ios --top 3 --json --no-sync", &err));
	EXPECT(p.duration == 2.5 && p.top == 3 && p.no_sync);
	EXPECT(p.writer == &iob_json_writer && p.by & IOB_ROW_BIT(COMM));
	params_free(&p);
	EXPECT(!parse(&p, "report --settle 0 --stacks -- ls -l --json", &err));
	EXPECT(!p.writer && p.stacks && p.settle == 0);
	EXPECT(!strcmp(p.argv[0], "ls") && !strcmp(p.argv[2], "--json"));
	params_free(&p);
	EXPECT(!parse(&p, "report --dev vdb --dev 8:0 --pid 1 --op write --comm x", &err));
	EXPECT(p.devs.nr == 2 && p.pids.nr == 1 && p.ops.nr == 1 && p.comms.nr == 1);
	params_free(&p);
	EXPECT(!parse(&p, "report --readahead --sort unused", &err));
	EXPECT(p.readahead && !strcmp(p.sort, "unused"));
	params_free(&p);
	EXPECT(!parse(&p, "top -b -d 0.5 -n 3 --sort device --top 5 --dev vdb", &err));
	EXPECT(p.batch && p.interval == 0.5 && p.count == 3 && p.top == 5);
	EXPECT(!p.duration && !strcmp(p.sort, "device") && p.devs.nr == 1);
	params_free(&p);
	EXPECT(!parse(&p, "top", &err) && p.interval == 1 && !p.count && !p.batch);
	params_free(&p);
	EXPECT(!parse(&p, "record", &err) && !p.readahead);
	EXPECT(!strcmp(p.output, "ioblame.data") && p.pack_level == 1);
	params_free(&p);
	EXPECT(!parse(&p, "record --max-size 1.5k --max-age 2h --keep 3", &err));
	EXPECT(p.max_size == 1536 && p.max_age == 7200 && p.keep == 3);
	params_free(&p);
	EXPECT(!parse(&p, "record --max-size 2G --max-age 90", &err));
	EXPECT(p.max_size == 2ull << 30 && p.max_age == 90 && p.keep == 10);
	params_free(&p);
	EXPECT(!parse(&p, "record --compress none", &err) && !p.pack_level);
	params_free(&p);
	EXPECT(!parse(&p, "record --compress 19", &err) && p.pack_level == 19);
	params_free(&p);
	EXPECT(!parse(&p, "stacks --metric ios -i x", &err) && p.top == 10);
	EXPECT(!strcmp(p.metric->name, "ios"));
	params_free(&p);
	EXPECT(!parse(&p, "report --help --nonsense", &err) && p.help);
	params_free(&p);
	return true;
}

static bool refused(void)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{ "report --by com", "did you mean 'comm'" },
		{ "report --by xyzzy", "keys are dev, op, comm" },
		{ "report --by comm,", "unknown key ''" },
		{ "report --sort byte", "did you mean 'bytes'" },
		{ "report --sort xyzzy", "take bytes, ios" },
		{ "report --op wirte", "did you mean 'write'" },
		{ "stacks --metric byte", "did you mean 'bytes'" },
		{ "stacks --metric xyzzy", "metrics are bytes, ios" },
		{ "stacks --metric device-time", "needs a recording" },
		{ "stacks --json", "unknown option" },
		{ "report --metric ios", "unknown option" },
		{ "report --jsn", "did you mean '--json'" },
		{ "report --nonsense", "see 'ioblame report --help'" },
		{ "report -x", "unknown option '-x'" },
		{ "report --json=3", "--json takes no argument" },
		{ "report -d", "needs an argument" },
		{ "report --duration", "--duration needs an argument" },
		{ "report -d x", "number of seconds" },
		{ "report -d -1", "number of seconds" },
		{ "report -d 0", "more than 0" },
		{ "report -d nan", "number of seconds" },
		{ "report --top 0", "above 0" },
		{ "report --pid 0", "process id" },
		{ "report --pid 99999999999", "process id" },
		{ "report --json --csv", "exclude each other" },
		{ "report ls", "goes after '--'" },
		{ "report --", "no COMMAND" },
		{ "report -i a -- ls", "exclude each other" },
		{ "report -i a -d 1", "exclude each other" },
		{ "report -d 1 -- ls", "exclude each other" },
		{ "record --json", "unknown option" },
		{ "report --self -d 1", "--input" },
		{ "record --self", "unknown option" },
		{ "record --keep 3", "--keep needs" },
		{ "record --max-size 0", "takes bytes" },
		{ "record --max-size 5x", "takes bytes" },
		{ "record --max-size 5kk", "takes bytes" },
		{ "record --max-size -5k", "takes bytes" },
		{ "record --max-size k", "takes bytes" },
		{ "record --max-size nan", "takes bytes" },
		{ "record --max-age 0", "takes seconds" },
		{ "record --max-age 5w", "takes seconds" },
		{ "record --max-age 1e9d", "takes seconds" },
		{ "record --max-size 1M --keep 0", "above 0" },
		{ "record --compress 0", "none or a level from 1 to 19" },
		{ "record --compress 20", "none or a level" },
		{ "record --compress fast", "none or a level" },
		{ "report --compress 1", "unknown option" },
		{ "version x", "takes no argument" },
		{ "top -d 0", "0.1 to 86400" },
		{ "top -d x", "number of seconds" },
		{ "top -n 0", "above 0" },
		{ "top --sort bites", "did you mean 'bytes'" },
		{ "top --sort nothing", "see 'ioblame top --help'" },
		{ "top --json", "unknown option" },
		{ "top -- ls", "takes no argument" },
		{ "report -n 3", "unknown option" },
		{ "check -- ls", "takes no argument" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct iob_err err;
		struct params p;
		int ret = parse(&p, cases[i].line, &err);

		params_free(&p);
		if (ret != -EINVAL || !strstr(err.text, cases[i].said))
			printf("# '%s' -> %d '%s'\n", cases[i].line, ret, err.text);
		EXPECT(ret == -EINVAL && strstr(err.text, cases[i].said));
	}
	return true;
}

/* The option table and the keys must not drift apart. */
static bool help_names_every_key(void)
{
	const struct option_def *by = options;

	while (strcmp(by->name, "by"))
		by++;
	for (const struct iob_key *k = iob_keys; k->name; k++) {
		if (!strstr(by->help, k->name))
			printf("# --by does not tell of %s\n", k->name);
		EXPECT(strstr(by->help, k->name));
	}
	return true;
}

static bool help_names_every_metric(void)
{
	const struct option_def *metric = options;

	while (strcmp(metric->name, "metric"))
		metric++;
	for (const struct iob_metric *m = iob_metrics; m->name; m++) {
		EXPECT(strstr(metric->help, m->name));
		EXPECT(!m->known == !m->source && m->of && m->before && m->after);
	}
	return true;
}

static bool help_names_every_column(void)
{
	const struct option_def *sort = options;

	while (strcmp(sort->name, "sort") || !(sort->commands & CMD_TOP))
		sort++;
	for (int i = 0; i < IOB_NR_TOP_COLUMNS; i++)
		EXPECT(strstr(sort->help, iob_top_column_words[i]));
	return true;
}

static bool commands_are_whole(void)
{
	for (const struct command *c = commands; c->name; c++) {
		EXPECT(c->summary && c->text && c->usage && c->ops && c->bit);
		EXPECT(c->ops != &report_ops || c->writer || c->bit == CMD_EXPORT);
		for (const struct command *d = c + 1; d->name; d++)
			EXPECT(d->bit != c->bit && strcmp(d->name, c->name));
	}
	for (const struct option_def *o = options; o->name; o++)
		EXPECT(o->help && o->set && o->commands);
	return true;
}

const struct unit_case params_cases[] = {
	{ "params: understood", understood },
	{ "params: refused, with a hint", refused },
	{ "params: --by's help names every key", help_names_every_key },
	{ "params: --metric's help names every metric", help_names_every_metric },
	{ "params: top --sort's help names every column", help_names_every_column },
	{ "params: the tables of commands and options are whole", commands_are_whole },
	{}
};
