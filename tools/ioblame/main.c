// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "tool.h"

#define EXIT_USAGE 2

static int usage(const struct iob_err *err)
{
	tool_warn("%s", err->text);
	return EXIT_USAGE;
}

static int flush_stdout(void)
{
	if (!fflush(stdout) || errno == EPIPE)
		return 0;
	tool_warn("cannot write stdout: %s", strerror(errno));
	return 1;
}

/* Called as ioblame-report: the command's name is in our own. */
static const struct command *command_of_name(const char *argv0)
{
	const char *base = strrchr(argv0, '/');

	base = base ? base + 1 : argv0;
	return strncmp(base, "ioblame-", 8) ? NULL : command_find(base + 8);
}

/* "help", "--version" and what makes the documentation. */
static int special(int argc, char **argv, bool *done)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct command *cmd = argc > 2 ? command_find(argv[2]) : NULL;
	struct iob_err err;
	int ret = 0;

	*done = true;
	if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
	    (!strcmp(word, "help") && argc < 3))
		help_overview(stdout);
	else if (!strcmp(word, "help") && !cmd)
		ret = command_unknown(argv[2], &err);
	else if (!strcmp(word, "help"))
		help_command(stdout, cmd);
	else if (!strcmp(word, "__man"))
		ret = help_man(stdout, argc > 2 ? argv[2] : "ioblame", &err);
	else if (!strcmp(word, "__complete"))
		help_complete(stdout);
	else
		*done = false;
	return ret ? usage(&err) : *done ? flush_stdout() : 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct params p;
	struct iob_err err;
	int ret = params_parse(&p, cmd, argc, argv, &err);

	if (ret) {
		params_free(&p);
		return usage(&err);
	}
	if (p.help) {
		params_free(&p);
		help_command(stdout, cmd);
		return flush_stdout();
	}
	ret = tool_run(&p, &err);
	params_free(&p);
	if (!ret || ret == -EPIPE)
		return 0;
	tool_warn("%s", err.text);
	return 1;
}

/*
 * What we open must never be taken for stdin, stdout or stderr: one that is closed
 * becomes one that cannot be used, and is told as such.
 */
static void keep_standard_fds(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

int main(int argc, char **argv)
{
	const struct command *cmd = argc ? command_of_name(argv[0]) : NULL;
	struct iob_err err;
	bool done;
	int ret;

	keep_standard_fds();
	/* A reader that goes away is told by what cannot be written. */
	signal(SIGPIPE, SIG_IGN);
	setlocale(LC_CTYPE, "");
	if (cmd)
		return run(cmd, argc, argv);
	ret = special(argc, argv, &done);
	if (done)
		return ret;
	if (argc < 2) {
		help_overview(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version"))
		argv[1] = "version";
	cmd = command_find(argv[1]);
	if (!cmd) {
		command_unknown(argv[1], &err);
		return usage(&err);
	}
	return run(cmd, argc - 1, argv + 1);
}
