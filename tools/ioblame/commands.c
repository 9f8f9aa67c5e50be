// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "command.h"
#include "row.h"

const struct command commands[] = {
	{
		.name = "report", .bit = CMD_REPORT, .runs = true,
		.ops = &report_ops,
		.usage = "[OPTIONS] [-i FILE | -d SECONDS | -- COMMAND...]",
		.summary = "who wrote what to which disk, and why",
		.text =
"Without --input, watches live: while COMMAND runs and until its data has been "
"written back (sync, then at most --settle seconds), for --duration seconds, or "
"until Ctrl-C. The report is the difference in the module's totals: no ring "
"buffer is involved and nothing can be lost. What happens on the whole machine "
"is reported, not COMMAND alone; filters narrow it.\n"
"\n"
"The first lines say how long, which disks, how many bytes of each operation, "
"which share is attributed on which basis, what is not attributed, what was "
"dirtied but deleted before being written (cancelled), and what detail was lost. "
"A kind of loss that occurred comes first.\n"
"\n"
"Each row is an origin: who made the data dirty (or asked for the IO), in which "
"file, by which path through the kernel. [preexisting], [lost], [stale], [folded] "
"in the place of a name say why the name is not known. '*' stands where the rows "
"of a group differ, '-' where nothing is known. ios of a row counts the completed "
"IOs in which it has a share, so one IO of two origins counts in two rows; bytes "
"add up exactly.\n"
"\n"
"Percentiles come from log2 histograms: each is the upper end of the bucket it "
"falls into, but at most the longest time seen; never too low, at most twice "
"too high. 'age p50' is the time from dirtying to completion, by pages; 'dev "
"p99' that from dispatch to completion, by IOs.\n"
"\n"
"With --json, --csv or --raw on standard output, COMMAND's standard output goes "
"to standard error, so that the report stays clean. Bytes of names that are not "
"printable (in JSON: that are not UTF-8), and backslashes, are written \\xNN.\n"
"\n"
"--dev, --pid, --tgid, --cgroup and --op filter in the module, --comm in the "
"program; what they leave out is shown as 'filtered out'. COMMAND's own exit "
"status is told on standard error and does not change that of ioblame.",
		.examples =
"ioblame report -- make install\n"
"ioblame report -d 10 --by comm,file --top 20\n"
"ioblame report --json -o before.json -- ./job\n"
"ioblame report -i before.json --by cgroup,reason",
	},
	{
		.name = "version", .bit = CMD_VERSION, .ops = &version_ops,
		.usage = "", .summary = "version of the program and of the ABI",
		.text =
"Prints the version of the program, and the number of the module's ABI that it "
"understands. A module of another number is refused.",
	},
	{}
};

/**
 * command_find - a command by its name
 * @name: the name
 *
 * Return: the command, or NULL.
 */
const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/**
 * command_unknown - say what somebody may have meant
 * @name: what they wrote
 * @err: error text
 *
 * Return: -EINVAL.
 */
int command_unknown(const char *name, struct iob_err *err)
{
	const char *names[32], *near;
	size_t nr = 0;

	for (const struct command *c = commands; c->name && nr < 32; c++)
		names[nr++] = c->name;
	near = iob_nearest(name, names, nr);
	if (near)
		return iob_fail(err, -EINVAL,
				"unknown command '%.40s': did you mean '%s'?",
				name, near);
	return iob_fail(err, -EINVAL,
			"unknown command '%.40s': see 'ioblame --help'", name);
}
