// SPDX-License-Identifier: GPL-2.0
/* The one runner: open, enable, watch, stop, put back, show. */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "command.h"
#include "escape.h"
#include "formats.h"
#include "progress.h"
#include "tool.h"

/**
 * tool_is_live - whether a command watches the module
 * @p: its parameters
 *
 * Return: false if it reads a file.
 */
bool tool_is_live(const struct params *p)
{
	return !p->input;
}

/**
 * tool_warn - say on stderr what went wrong, or what is no reason to stop
 * @fmt: one line
 */
void tool_warn(const char *fmt, ...)
{
	char *text = NULL, *escaped = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	/* It may quote a name, an argument or a file. */
	if (text)
		escaped = iob_escape(text);
	progress_clear();
	fprintf(stderr, "ioblame: %s\n", escaped ? escaped : "out of memory");
	free(escaped);
	free(text);
}

/**
 * tool_width - how wide a table may be
 * @out: where it goes to
 *
 * Return: the columns of the terminal; 0 where there is none.
 */
unsigned int tool_width(FILE *out)
{
	struct winsize ws;
	const char *columns = getenv("COLUMNS");
	int fd = fileno(out);

	if (fd < 0 || !isatty(fd))
		return 0;
	if (columns && atoi(columns) > 0)
		return atoi(columns);
	if (!ioctl(fd, TIOCGWINSZ, &ws) && ws.ws_col)
		return ws.ws_col;
	return 80;
}

/**
 * tool_speak - write numbers as the user's language does
 * @locally: or, in the end, as programs read them
 *
 * Of this thread alone, and only around what is for people.
 */
void tool_speak(bool locally)
{
	locale_t users = locally ? newlocale(LC_CTYPE_MASK | LC_NUMERIC_MASK, "",
					     (locale_t)0) : (locale_t)0, before;

	before = uselocale(users ? users : LC_GLOBAL_LOCALE);
	if (before != LC_GLOBAL_LOCALE)
		freelocale(before);
}

/*
 * Signals become something to read: there is no handler that could interrupt
 * the putting back, and nothing is forgotten between two looks.
 */
static int take_signals(struct tool *t, struct iob_err *err)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGQUIT);
	sigaddset(&mask, SIGCHLD);
	if (t->params->cmd->bit == CMD_WATCH)
		sigaddset(&mask, SIGUSR1);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &mask, &t->old_mask);
	t->signal_fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (t->signal_fd < 0)
		return iob_fail(err, -errno, "cannot receive signals: %s",
				strerror(errno));
	return 0;
}

/* Lines that come one by one are to be seen as they come, also in a file. */
static int open_output(struct tool *t, struct iob_err *err)
{
	const struct params *p = t->params;
	bool own = p->cmd->bit & (CMD_RECORD | CMD_WATCH);
	int ret = output_open(&t->output, own ? NULL : p->output,
			      p->cmd->bit != CMD_SCRIPT, err);

	t->out = t->output.file;
	return ret;
}

static int trace(struct tool *t, struct iob_err *err)
{
	int ret = filters_apply(t, err);

	if (!ret && t->ops->prepare)
		ret = t->ops->prepare(t, err);
	if (!ret)
		ret = iob_session_enable(&t->session, err);
	t->start_ns = iob_boot_ns();
	if (!ret && t->ops->start)
		ret = t->ops->start(t, err);
	if (!ret)
		ret = watch(t, err);
	t->end_ns = iob_boot_ns();
	if (!ret && t->ops->stop)
		ret = t->ops->stop(t, err);
	return ret;
}

static int run_live(struct tool *t, struct iob_err *err)
{
	struct iob_err undo;
	int ret = iob_session_open(&t->session, t->root, t->params->module,
				   err), r;

	if (ret)
		return ret;
	t->has_session = true;
	if (t->session.taken_over)
		tool_warn("cleaned up after a killed run (pid %ld)",
			  t->session.taken_over);
	ret = trace(t, err);
	if (t->ops->close)
		t->ops->close(t);
	r = iob_session_close(&t->session, &undo);
	/* One line for one failure: the first is the one that explains. */
	if (r && !ret)
		ret = iob_fail(err, r, "%s", undo.text);
	return ret;
}

static int run(struct tool *t, struct iob_err *err)
{
	int ret = t->ops->check ? t->ops->check(t, err) : 0;

	/* Reading a file there is nothing to put back: whoever wants may end it. */
	if (!ret && (!t->params->input || t->params->output))
		ret = take_signals(t, err);
	if (!ret)
		ret = filters_resolve(t, err);
	if (!ret)
		ret = open_output(t, err);
	if (!ret && t->ops->live && t->ops->live(t->params))
		ret = run_live(t, err);
	if (!ret && t->ops->show)
		ret = t->ops->show(t, err);
	return output_close(&t->output, ret, err);
}

/**
 * tool_run - run a command
 * @p: what was asked for
 * @err: error text
 *
 * Return: 0 or a negative errno; -EPIPE for a reader that went away, which is
 * no failure.
 */
int tool_run(const struct params *p, struct iob_err *err)
{
	bool other = p->format && p->cmd->bit == CMD_EXPORT;
	struct tool t = { .params = p, .ops = other ? p->format->ops : p->cmd->ops,
			  .signal_fd = -1, .input_fd = -1 };
	int ret = -ENOMEM;

	/* For tests: a directory that stands for "/". */
	t.root = getenv("IOBLAME_ROOT");
	if (!t.root)
		t.root = "";
	/* What a file tells of has its own names, not those of this machine. */
	t.names = iob_names_create(p->input ? "/nonexistent" : t.root);
	t.strings = iob_strings_create();
	if (t.names && t.strings)
		ret = run(&t, err);
	else
		iob_fail(err, ret, "out of memory");
	if (t.ops->free)
		t.ops->free(&t);
	if (t.signal_fd >= 0)
		close(t.signal_fd);
	iob_filter_free(&t.filter);
	iob_strings_destroy(t.strings);
	iob_names_destroy(t.names);
	return ret;
}
