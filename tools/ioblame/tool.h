/* SPDX-License-Identifier: GPL-2.0 */
/* One run of a command: what all of them share, and what each adds. */
#ifndef IOBLAME_TOOL_H
#define IOBLAME_TOOL_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "aggregate.h"
#include "names.h"
#include "output.h"
#include "params.h"
#include "session.h"

struct tool {
	const struct params *params;
	const struct tool_ops *ops;
	const char *root;
	struct iob_names *names;
	struct iob_session session;
	bool has_session;
	struct iob_filter filter;	/* in user space */
	struct iob_strings *strings;	/* of the filter */
	struct output output;
	FILE *out;			/* of the output */
	sigset_t old_mask;
	int signal_fd;
	int input_fd;			/* keys, or -1 */
	bool interrupted;
	unsigned int nr_usr1;		/* SIGUSR1 came so often */
	bool done;			/* the command has had enough */
	uint64_t start_ns, end_ns;
	void *data;			/* of the command */
};

struct tool_ops {
	/* Reads the live module; else show() alone has all the work. */
	bool (*live)(const struct params *p);
	int (*check)(struct tool *t, struct iob_err *err);	/* nothing is touched yet */
	int (*prepare)(struct tool *t, struct iob_err *err);	/* before enable */
	int (*start)(struct tool *t, struct iob_err *err);	/* tracing is on */
	int (*turn)(struct tool *t, struct iob_err *err);	/* now and then */
	int (*stop)(struct tool *t, struct iob_err *err);	/* it still is on */
	void (*close)(struct tool *t);	/* done with the session, also failed */
	int (*show)(struct tool *t, struct iob_err *err);	/* all is put back */
	void (*free)(struct tool *t);
};

int tool_run(const struct params *p, struct iob_err *err);
bool tool_is_live(const struct params *p);
void tool_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned int tool_width(FILE *out);
void tool_speak(bool locally);
bool tool_colour(const struct params *p, FILE *out);
int watch(struct tool *t, struct iob_err *err);
int filters_resolve(struct tool *t, struct iob_err *err);
int filters_apply(struct tool *t, struct iob_err *err);

#endif /* IOBLAME_TOOL_H */
