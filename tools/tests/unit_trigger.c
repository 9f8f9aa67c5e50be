// SPDX-License-Identifier: GPL-2.0
/* What fires the flight recorder, and what does not. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trigger.h"
#include "unit.h"

static bool test_forms(void)
{
	static const char *const good[] = {
		"io-latency:20ms", "fsync-latency:1.5s", "writes:dd:100M",
		"writes:a:b c:1", "psi:some:150ms:2s", "psi:full:1s:1s:/sys/fs/cgroup/x",
	}, *const bad[] = {
		"", "io-latency", "io-latency:", "io-latency:0s", "io-latency:5",
		"io-latency:-5s", "io-latency:nans", "io-latency:5x", "writes:dd",
		"writes::5M", "writes:0123456789012345678901234567890123456789:5M",
		"psi:some", "psi:some:1s", "psi:most:1s:2s", "psi:some:3s:2s",
		"psi:some:1s:60s", "psi:some:1ms:100ms", "psi:some:1s:2s:x",
		"sigusr1:", "psi:some:1s:2s:",
	};
	struct iob_trigger t;
	struct iob_err err;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		EXPECT(!iob_trigger_parse(&t, good[i], &err));
	EXPECT(t.limit == 1000000000 && t.window_us == 1000000);
	EXPECT(!strcmp(t.what, "full") && !strcmp(t.path, "/sys/fs/cgroup/x"));
	EXPECT(!iob_trigger_parse(&t, good[3], &err) && t.limit == 1 &&
	       !strcmp(t.comm, "a:b c"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (!iob_trigger_parse(&t, bad[i], &err))
			printf("# '%s'\n", bad[i]);
		EXPECT(iob_trigger_parse(&t, bad[i], &err) == -EINVAL);
	}
	return true;
}

static bool test_ios(void)
{
	struct iob_event_io io = { .queue_ns = 6000000, .device_ns = 5000000,
				   .nr_origins = 2 };
	struct iob_triggers ts = {};
	struct iob_err err;

	EXPECT(!iob_triggers_io(&ts, &io) && !iob_triggers_want_ios(&ts));
	EXPECT(!iob_triggers_add(&ts, "writes:dd:1", &err));
	EXPECT(!iob_triggers_want_ios(&ts));
	EXPECT(!iob_triggers_add(&ts, "fsync-latency:10ms", &err));
	EXPECT(iob_triggers_want_ios(&ts));
	/* Nobody waits for it. */
	EXPECT(!iob_triggers_io(&ts, &io));
	io.reason[1] = IOB_REASON_FSYNC;
	EXPECT(iob_triggers_io(&ts, &io) == &ts.v[1]);
	io.device_ns = 4000000;
	EXPECT(!iob_triggers_io(&ts, &io));
	EXPECT(!iob_triggers_add(&ts, "io-latency:9ms", &err));
	EXPECT(iob_triggers_io(&ts, &io) == &ts.v[2]);
	iob_triggers_free(&ts);
	return true;
}

static bool test_writes(void)
{
	struct iob_report *r = iob_report_create();
	struct iob_triggers ts = {};
	struct iob_err err;

	for (int i = 0; i < 4; i++) {
		struct iob_row *row = iob_vec_add(&r->rows);

		iob_row_set(row, IOB_ROW_DEV, i);
		iob_row_set_text(row, IOB_ROW_COMM,
				 iob_report_intern(r, i == 3 ? "cp" : "dd"));
		iob_row_set_text(row, IOB_ROW_OP,
				 iob_report_intern(r, i == 2 ? "read" : "write"));
		row->bytes = 100;
	}
	EXPECT(!iob_triggers_add(&ts, "writes:dd:200", &err));
	EXPECT(!iob_triggers_report(&ts, r));
	r->rows.v[0].bytes++;
	EXPECT(iob_triggers_report(&ts, r) == &ts.v[0]);
	/* The disk below has the same bytes. */
	iob_report_device(r, 0)->stacked = true;
	EXPECT(!iob_triggers_report(&ts, r));
	iob_triggers_free(&ts);
	iob_report_destroy(r);
	return true;
}

/* Urgent data is what the kernel's pressure files say, too: POLLPRI. */
static bool test_pressure(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0), fd;
	struct iob_triggers ts = {};
	struct pollfd p = { .events = POLLPRI };
	struct iob_err err;
	char byte;

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	EXPECT(!bind(server, (struct sockaddr *)&addr, len) && !listen(server, 1));
	getsockname(server, (struct sockaddr *)&addr, &len);
	EXPECT(!connect(client, (struct sockaddr *)&addr, len));
	fd = accept(server, NULL, NULL);
	EXPECT(!iob_triggers_add(&ts, "psi:some:1s:2s", &err));
	EXPECT(!iob_triggers_poll(&ts));
	ts.v[0].fd = fd;
	EXPECT(!iob_triggers_poll(&ts));
	EXPECT(send(client, "x", 1, MSG_OOB) == 1);
	p.fd = fd;
	EXPECT(poll(&p, 1, 10000) == 1);
	EXPECT(iob_triggers_poll(&ts) == &ts.v[0]);
	EXPECT(recv(fd, &byte, 1, MSG_OOB) == 1 && !iob_triggers_poll(&ts));
	iob_triggers_free(&ts);
	close(client);
	close(server);
	/* And what a kernel without it says. */
	EXPECT(!iob_triggers_add(&ts, "psi:some:1s:2s:/no/cgroup", &err));
	EXPECT(iob_triggers_open(&ts, "", &err) == -ENOENT);
	EXPECT(strstr(err.text, "/no/cgroup/io.pressure"));
	iob_triggers_free(&ts);
	return true;
}

/* The kernel's own, where it has it and we may ask. */
static bool test_real_pressure(void)
{
	struct iob_triggers ts = {};
	struct iob_err err;
	int ret;

	EXPECT(!iob_triggers_add(&ts, "psi:some:1s:2s", &err));
	ret = access("/proc/pressure/io", W_OK) ? 0 : iob_triggers_open(&ts, "", &err);
	if (ret && ret != -EOPNOTSUPP && ret != -EPERM && ret != -EINVAL)
		printf("# %s\n", err.text);
	EXPECT(!ret || ret == -EOPNOTSUPP || ret == -EPERM);
	iob_triggers_free(&ts);
	return true;
}

const struct unit_case trigger_cases[] = {
	{ "trigger: what can be written", test_forms },
	{ "trigger: slow IOs", test_ios },
	{ "trigger: who writes too much", test_writes },
	{ "trigger: pressure", test_pressure },
	{ "trigger: pressure as this kernel has it", test_real_pressure },
	{}
};
