// SPDX-License-Identifier: GPL-2.0
/*
 * Watching: a COMMAND until its data is written back, a number of seconds, or
 * until the user has seen enough.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"
#include "writer.h"

#define TURN_MS		100
/* Turns without new IO after which it is taken to be over. */
#define QUIET_TURNS	3
#define KILL_AFTER_NS	2000000000ull

enum phase { PHASE_RUN, PHASE_SYNC, PHASE_SETTLE, PHASE_END };

struct watch {
	struct tool *t;
	enum phase phase;
	pid_t child;			/* COMMAND, then the one that syncs */
	uint64_t until_ns;		/* end of this phase; 0: none */
	unsigned int quiet;
	uint64_t dirty_kb;		/* before COMMAND */
	struct iob_blob devices;
};

/* Dirty and under writeback, in all of the machine. */
static uint64_t dirty_kb(struct tool *t)
{
	static const char *const names[] = { "\nDirty:", "\nWriteback:" };
	char path[PATH_MAX];
	struct iob_blob blob;
	uint64_t sum = 0;

	snprintf(path, sizeof(path), "%s/proc/meminfo", t->root);
	if (iob_blob_read(&blob, path, 1 << 20, NULL))
		return 0;
	for (int i = 0; i < 2; i++) {
		const char *p = strstr(blob.p, names[i]);

		if (p)
			sum += strtoull(p + strlen(names[i]), NULL, 10);
	}
	iob_blob_free(&blob);
	return sum;
}

/* In the child: become COMMAND. What fails is told through the pipe. */
static void become_command(struct tool *t, int report_fd)
{
	const struct params *p = t->params;
	int error;

	/* What we print on stdout for programs stays clean. */
	if ((p->format || (p->writer && !p->writer->for_people)) && !p->output)
		dup2(2, 1);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &t->old_mask, NULL);
	execvp(p->argv[0], p->argv);
	error = errno;
	while (write(report_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

static int start_command(struct watch *w, struct iob_err *err)
{
	int p[2], error = 0;
	ssize_t n;

	if (pipe2(p, O_CLOEXEC))
		return iob_fail(err, -errno, "cannot make a pipe: %s",
				strerror(errno));
	w->child = fork();
	if (!w->child)
		become_command(w->t, p[1]);
	close(p[1]);
	if (w->child < 0) {
		close(p[0]);
		return iob_fail(err, -errno, "cannot fork: %s", strerror(errno));
	}
	do {
		n = read(p[0], &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	close(p[0]);
	if (n != sizeof(error))
		return 0;
	waitpid(w->child, NULL, 0);
	w->child = 0;
	return iob_fail(err, -error, "cannot run %.200s: %s",
			w->t->params->argv[0], strerror(error));
}

/* sync() cannot be interrupted, but waiting for it can. */
static int start_sync(struct watch *w, struct iob_err *err)
{
	w->child = fork();
	if (!w->child) {
		/* Not the lock: it must not outlive us here. */
		close_range(3, ~0U, 0);
		/* What it writes back is told by this name in the report. */
		prctl(PR_SET_NAME, "ioblame-sync");
		sigprocmask(SIG_SETMASK, &w->t->old_mask, NULL);
		sync();
		_exit(0);
	}
	if (w->child < 0)
		return iob_fail(err, -errno, "cannot fork: %s", strerror(errno));
	w->phase = PHASE_SYNC;
	return 0;
}

static void start_settling(struct watch *w)
{
	w->phase = PHASE_SETTLE;
	w->until_ns = iob_boot_ns() + w->t->params->settle * 1e9;
}

static int after_command(struct watch *w, int status, struct iob_err *err)
{
	const char *name = w->t->params->argv[0];

	if (WIFSIGNALED(status))
		tool_warn("%s was killed by signal %d", name, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		tool_warn("%s exited with status %d", name,
			  WEXITSTATUS(status));
	if (w->t->interrupted)
		w->phase = PHASE_END;
	else if (w->t->params->no_sync)
		start_settling(w);
	else
		return start_sync(w, err);
	return 0;
}

static int on_child(struct watch *w, struct iob_err *err)
{
	int status;

	if (!w->child || waitpid(w->child, &status, WNOHANG) != w->child)
		return 0;
	w->child = 0;
	if (w->phase == PHASE_RUN)
		return after_command(w, status, err);
	if (w->phase == PHASE_SYNC)
		start_settling(w);
	return 0;
}

/*
 * The first signal ends COMMAND, if there is one (from the terminal it has
 * had the signal, too), and else the watching. The second does not wait.
 */
static void on_stop(struct watch *w, const struct signalfd_siginfo *si)
{
	bool again = w->t->interrupted;

	w->t->interrupted = true;
	if (w->phase != PHASE_RUN || !w->child) {
		w->phase = PHASE_END;
		return;
	}
	if (again) {
		w->until_ns = iob_boot_ns();
		return;
	}
	w->until_ns = iob_boot_ns() + KILL_AFTER_NS;
	if (si->ssi_code != SI_KERNEL)
		kill(w->child, si->ssi_signo == SIGINT ? SIGINT : SIGTERM);
}

static int on_signals(struct watch *w, struct iob_err *err)
{
	struct signalfd_siginfo si;
	int ret = 0;

	while (!ret && read(w->t->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			ret = on_child(w, err);
		else if (si.ssi_signo == SIGUSR1)
			w->t->nr_usr1++;
		else
			on_stop(w, &si);
	}
	return ret;
}

static void on_deadline(struct watch *w)
{
	/* An interrupted COMMAND that does not go is made to. */
	if (w->phase == PHASE_RUN && w->child) {
		kill(w->child, SIGKILL);
		waitpid(w->child, NULL, 0);
		w->child = 0;
	}
	w->phase = PHASE_END;
}

/* Has the last turn seen IO complete, or is there some left to be made? */
static void look_for_quiet(struct watch *w)
{
	char path[PATH_MAX];
	struct iob_blob now;

	snprintf(path, sizeof(path), "%s/devices", w->t->session.debugfs);
	if (iob_blob_read(&now, path, IOB_TABLE_MAX, NULL))
		return;
	if (w->devices.p && now.len == w->devices.len &&
	    !memcmp(now.p, w->devices.p, now.len))
		w->quiet++;
	else
		w->quiet = 0;
	iob_blob_free(&w->devices);
	w->devices = now;
	if (w->t->params->no_sync && dirty_kb(w->t) > w->dirty_kb)
		w->quiet = 0;
	if (w->quiet >= QUIET_TURNS)
		w->phase = PHASE_END;
}

static int next_wait_ms(const struct watch *w)
{
	uint64_t now = iob_boot_ns();
	bool turns = w->phase == PHASE_SETTLE || w->t->ops->turn;

	if (!w->until_ns)
		return turns ? TURN_MS : -1;
	if (w->until_ns <= now)
		return 0;
	if (turns || w->until_ns - now > 1000000000)
		return TURN_MS;
	return (w->until_ns - now) / 1000000 + 1;
}

static int turn(struct watch *w, struct iob_err *err)
{
	struct pollfd fds[3] = {
		{ .fd = w->t->signal_fd, .events = POLLIN },
		{ .fd = w->t->input_fd, .events = POLLIN },
		{ .fd = w->t->names->mountinfo_fd, .events = POLLPRI },
	};
	int ret = 0;

	if (poll(fds, *w->t->root ? 2 : 3, next_wait_ms(w)) < 0 && errno != EINTR)
		return iob_fail(err, -errno, "cannot wait: %s", strerror(errno));
	if (fds[2].revents)
		ret = iob_names_refresh(w->t->names);
	if (!ret)
		ret = on_signals(w, err);
	/* A terminal that is gone has no more keys. */
	if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		w->t->done = true;
	if (!ret && w->t->ops->turn && !w->t->done && w->phase != PHASE_END)
		ret = w->t->ops->turn(w->t, err);
	if (!ret && w->phase == PHASE_SETTLE)
		look_for_quiet(w);
	if (!ret && w->until_ns && iob_boot_ns() >= w->until_ns)
		on_deadline(w);
	if (w->t->done)
		w->phase = PHASE_END;
	return ret;
}

/**
 * watch - wait for what was asked to be watched
 * @t: the run
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int watch(struct tool *t, struct iob_err *err)
{
	struct watch w = { .t = t };
	int ret = iob_names_refresh(t->names);

	if (t->params->duration > 0)
		w.until_ns = iob_boot_ns() + t->params->duration * 1e9;
	if (!ret && t->params->argv) {
		w.dirty_kb = dirty_kb(t);
		ret = start_command(&w, err);
	}
	while (!ret && w.phase != PHASE_END)
		ret = turn(&w, err);
	if (w.child > 0 && ret) {
		kill(w.child, SIGTERM);
		waitpid(w.child, NULL, 0);
	}
	iob_blob_free(&w.devices);
	if (!ret)
		ret = iob_names_refresh(t->names);
	return ret;
}
