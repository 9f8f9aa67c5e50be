/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that all tasks of the machine have executed between two moments.
 *
 * For guests with one processor that QEMU runs with -icount shift=0: their clock
 * advances by a nanosecond an instruction, and so does the time that tasks are said to
 * have run, /proc/schedstat. Everybody is counted: the caller, kernel threads, readers of
 * a trace, interrupts that come while a task runs. An idle processor is not; its clock
 * jumps to the next timer.
 */
#ifndef _SELFTESTS_METER_H
#define _SELFTESTS_METER_H

#include "work.h"

#include <fcntl.h>
#include <stdint.h>
#include <time.h>

#define METER_NAP_NS	1000000

struct meter {
	uint64_t start, own;		/* what it takes to look is taken off */
};

/*
 * A task's time is added when it leaves the processor, so leave it: for longer than it
 * takes to fall asleep, or the timer has run out before.
 */
static inline void meter_leave(void)
{
	struct timespec t = { .tv_nsec = METER_NAP_NS };

	nanosleep(&t, NULL);
}

/* Of a line "cpuN", the seventh number. */
static inline uint64_t meter_read(void)
{
	static char text[1 << 16];
	unsigned long long ns, sum = 0;
	size_t len = 0;
	ssize_t n;
	char *line;
	int found = 0, fd = open("/proc/schedstat", O_RDONLY);

	if (fd < 0)
		die("/proc/schedstat");
	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	text[len] = '\0';
	for (line = strstr(text, "\ncpu"); line; line = strstr(line + 1, "\ncpu")) {
		if (sscanf(line, " cpu%*u %*u %*u %*u %*u %*u %*u %llu", &ns) != 1)
			continue;
		sum += ns;
		found++;
	}
	if (!found) {
		errno = EPROTO;
		die("/proc/schedstat");
	}
	return sum;
}

static inline void meter_start(struct meter *m)
{
	meter_leave();
	m->start = meter_read();
}

static inline uint64_t meter_stop(const struct meter *m)
{
	meter_leave();
	return meter_read() - m->start - m->own;
}

static inline void meter_init(struct meter *m)
{
	uint64_t count, least = UINT64_MAX;
	int i;

	m->own = 0;
	for (i = 0; i < 5; i++) {
		meter_start(m);
		count = meter_stop(m);
		if (count < least)
			least = count;
	}
	m->own = least;
}

#endif /* _SELFTESTS_METER_H */
