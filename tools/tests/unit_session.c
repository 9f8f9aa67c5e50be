// SPDX-License-Identifier: GPL-2.0
/* Sessions: knobs put back, one at a time, taken over from the dead. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knob.h"
#include "session.h"
#include "unit.h"

static char root[256];

static bool fresh_root(void)
{
	char cmd[1024];

	snprintf(root, sizeof(root), "%s/session-root", unit_dir());
	snprintf(cmd, sizeof(cmd), "rm -rf '%s' && cp -r tests/root '%s'", root,
		 root);
	return !system(cmd);
}

static const char *knob(const char *name)
{
	static char value[IOB_KNOB_MAX];
	char path[1024];
	struct iob_err err;

	snprintf(path, sizeof(path), "%s/sys/kernel/debug/ioblame/%s", root,
		 name);
	return iob_knob_read(path, value, sizeof(value), &err) ? "?" : value;
}

static bool puts_back(void)
{
	struct iob_session s;
	struct iob_err err;

	EXPECT(fresh_root());
	EXPECT(!iob_session_open(&s, root, NULL, &err));
	EXPECT(!s.was_enabled && !s.taken_over);
	EXPECT(!iob_session_set(&s, "filter/dev", "254:16", &err));
	EXPECT(!iob_session_set(&s, "filter/dev", "254:32", &err));
	EXPECT(!iob_session_enable(&s, &err));
	EXPECT(!strcmp(knob("enable"), "1"));
	EXPECT(!strcmp(knob("filter/dev"), "254:32"));
	EXPECT(!iob_session_close(&s, &err));
	EXPECT(!strcmp(knob("enable"), "0"));
	EXPECT(!strcmp(knob("filter/dev"), ""));
	return true;
}

static bool one_at_a_time(void)
{
	struct iob_session s, second;
	struct iob_err err;
	char pid[32];

	EXPECT(fresh_root());
	EXPECT(!iob_session_open(&s, root, NULL, &err));
	EXPECT(iob_session_open(&second, root, NULL, &err) == -EBUSY);
	snprintf(pid, sizeof(pid), "(pid %ld)", (long)getpid());
	EXPECT(strstr(err.text, "another ioblame") && strstr(err.text, pid));
	EXPECT(!iob_session_close(&s, &err));
	EXPECT(!iob_session_open(&second, root, NULL, &err));
	EXPECT(!iob_session_close(&second, &err));
	return true;
}

/* A child turns knobs and dies without a word. */
static pid_t die_tracing(void)
{
	pid_t pid = fork();

	if (!pid) {
		struct iob_session s;
		struct iob_err err;

		if (iob_session_open(&s, root, NULL, &err) ||
		    iob_session_set(&s, "filter/op", "write read", &err) ||
		    iob_session_enable(&s, &err))
			_exit(1);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	return pid;
}

static bool takes_over(void)
{
	struct iob_session s;
	struct iob_err err;
	pid_t pid;

	EXPECT(fresh_root());
	pid = die_tracing();
	EXPECT(!strcmp(knob("enable"), "1"));
	EXPECT(!strcmp(knob("filter/op"), "write read"));
	EXPECT(!iob_session_open(&s, root, NULL, &err));
	EXPECT(s.taken_over == pid && !s.was_enabled);
	EXPECT(!strcmp(knob("enable"), "0"));
	EXPECT(!strcmp(knob("filter/op"), ""));
	EXPECT(!iob_session_close(&s, &err));
	EXPECT(!iob_session_open(&s, root, NULL, &err) && !s.taken_over);
	EXPECT(!iob_session_close(&s, &err));
	return true;
}

static bool leaves_others_tracing(void)
{
	struct iob_session s;
	struct iob_err err;
	char path[1024];

	EXPECT(fresh_root());
	snprintf(path, sizeof(path), "%s/sys/kernel/debug/ioblame/enable", root);
	EXPECT(!iob_knob_write(path, "1", &err));
	EXPECT(!iob_session_open(&s, root, NULL, &err));
	EXPECT(s.was_enabled && !iob_session_enable(&s, &err) && !s.enabled);
	EXPECT(!iob_session_close(&s, &err));
	EXPECT(!strcmp(knob("enable"), "1"));
	return true;
}

static bool refuses_another_abi(void)
{
	struct iob_session s;
	struct iob_err err;
	char path[1024];

	EXPECT(fresh_root());
	snprintf(path, sizeof(path), "%s/sys/kernel/debug/ioblame/abi", root);
	EXPECT(!iob_knob_write(path, "999", &err));
	EXPECT(iob_session_open(&s, root, NULL, &err) == -EPROTO);
	EXPECT(strstr(err.text, "ABI 999"));
	return true;
}

static bool damaged_lock(void)
{
	static const char *const texts[] = {
		"garbage", "pid x\n", "pid 1\nk\n", "k\t/nonexistent\t1\n",
		"pid 4\nk\t\t\nz\ta\tb\n", "\n\n\n", "pid 1\nk\t/etc/nope",
	};
	char path[512];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct iob_session s;
		struct iob_err err;
		FILE *f;

		EXPECT(fresh_root());
		snprintf(path, sizeof(path), "%s/run/ioblame.lock", root);
		f = fopen(path, "w");
		fputs(texts[i], f);
		fclose(f);
		if (!iob_session_open(&s, root, NULL, &err))
			EXPECT(!iob_session_close(&s, &err));
	}
	return true;
}

const struct unit_case session_cases[] = {
	{ "session: every knob is put back", puts_back },
	{ "session: one at a time", one_at_a_time },
	{ "session: what a killed run left is put back", takes_over },
	{ "session: somebody else's tracing stays", leaves_others_tracing },
	{ "session: another ABI is refused", refuses_another_abi },
	{ "session: a damaged lock file", damaged_lock },
	{}
};
