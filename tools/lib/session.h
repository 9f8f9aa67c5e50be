/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracing session: the module found or loaded, every knob we turn written
 * down, and put back in the end, by us or by the next run.
 */
#ifndef IOBLAME_SESSION_H
#define IOBLAME_SESSION_H

#include <limits.h>
#include <stdbool.h>

#include "errtext.h"
#include "snapshot.h"
#include "vec.h"

struct iob_undo {
	char what;			/* see session.c */
	char *name, *value;
};

struct iob_session {
	char root[256];			/* stands for "/": "" for the real one */
	char debugfs[PATH_MAX / 2];	/* the module's directory */
	char tracefs[PATH_MAX / 2];	/* empty: there is none */
	int lock_fd;
	bool was_enabled;		/* by somebody else: not ours to change */
	bool enabled;			/* by us */
	bool owes_module;		/* a killed run loaded it */
	long taken_over;		/* pid of a killed run cleaned up after */
	IOB_VEC(struct iob_undo) undo;
};

int iob_session_open(struct iob_session *s, const char *root,
		     const char *module, struct iob_err *err);
int iob_session_set(struct iob_session *s, const char *knob, const char *value,
		    struct iob_err *err);
int iob_session_enable(struct iob_session *s, struct iob_err *err);
int iob_session_instance(struct iob_session *s, const char *name,
			 struct iob_err *err);
int iob_session_snapshot(struct iob_session *s, struct iob_snapshot *snap,
			 struct iob_err *err);
int iob_session_close(struct iob_session *s, struct iob_err *err);

int iob_find_tracefs(const char *root, char *dir, size_t size);
int iob_find_debugfs(const char *root, char *dir, size_t size, bool *mounted,
		     struct iob_err *err);

#endif /* IOBLAME_SESSION_H */
