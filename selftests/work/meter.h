/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that the whole machine has executed between two moments.
 *
 * For guests with one processor that QEMU runs with -icount shift=0,sleep=off: its
 * time stamp counter advances by one an instruction. While the processor is idle the
 * counter jumps to the next timer, so what the kernel knows to have been idle is taken
 * off. Everybody is counted: the caller, kernel threads, interrupts, readers of a trace.
 */
#ifndef _SELFTESTS_METER_H
#define _SELFTESTS_METER_H

#include "work.h"

#include <fcntl.h>
#include <stdint.h>
#include <x86intrin.h>

struct meter {
	uint64_t tsc, idle;
};

/* Nanoseconds, which are ticks here; the sleep of one that waits for IO has a line of its own. */
static inline uint64_t meter_idle(void)
{
	static const char *const words[] = {
		".idle_sleeptime", ".iowait_sleeptime",
	};
	static char text[1 << 18];
	size_t len = 0, i;
	ssize_t n;
	uint64_t sum = 0;
	char *at;
	int found = 0, fd = open("/proc/timer_list", O_RDONLY);

	if (fd < 0)
		die("/proc/timer_list");
	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	text[len] = '\0';
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		at = strstr(text, words[i]);
		if (!at || !(at = strchr(at, ':')))
			continue;
		sum += strtoull(at + 1, NULL, 10);
		found++;
	}
	if (!found) {
		errno = EPROTO;
		die("idle time in /proc/timer_list");
	}
	return sum;
}

static inline void meter_start(struct meter *m)
{
	m->idle = meter_idle();
	m->tsc = __rdtsc();
}

static inline uint64_t meter_stop(const struct meter *m)
{
	uint64_t ticks = __rdtsc() - m->tsc;

	return ticks - (meter_idle() - m->idle);
}

#endif /* _SELFTESTS_METER_H */
