/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every small workload needs: sizes, and telling the tests who it is.
 */
#ifndef _SELFTESTS_WORK_H
#define _SELFTESTS_WORK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NSEC_PER_SEC	1000000000ULL
#define BLOCK_BYTES	4096ULL		/* unit of charging, and of direct IO */
#define ALIGN_DOWN(x, to) ((x) / (to) * (to))

__attribute__((noreturn))
static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* "4096", "64k", "3m"; 0 for anything else, which no caller accepts. */
static inline unsigned long long parse_bytes(const char *text)
{
	char *end;
	unsigned long long bytes = strtoull(text, &end, 10);

	if (*end == 'k')
		bytes <<= 10, end++;
	else if (*end == 'm')
		bytes <<= 20, end++;
	return *end ? 0 : bytes;
}

/*
 * Start of the calling thread in ns of boot time, as /proc tells it: cut to
 * whole clock ticks. The name, field 2, may hold anything: count from its end.
 */
static inline unsigned long long thread_start_ns(void)
{
	char text[1024], *field;
	FILE *stat = fopen("/proc/thread-self/stat", "r");
	size_t len;
	int n;

	if (!stat)
		die("/proc/thread-self/stat");
	len = fread(text, 1, sizeof(text) - 1, stat);
	fclose(stat);
	text[len] = '\0';
	field = strrchr(text, ')');
	for (n = 2; field && n < 22; n++)
		field = strchr(field + 1, ' ');
	if (!field) {
		errno = EPROTO;
		die("/proc/thread-self/stat");
	}
	return strtoull(field, NULL, 10) *
	       (NSEC_PER_SEC / (unsigned long long)sysconf(_SC_CLK_TCK));
}

/* The ground truth the tests compare with: who is about to move @bytes. */
static inline void print_identity(unsigned long long bytes)
{
	char comm[17] = "";

	prctl(PR_GET_NAME, comm);
	printf("%d %ld %llu %s %llu\n", getpid(), syscall(SYS_gettid),
	       thread_start_ns(), comm, bytes);
	if (fflush(stdout))
		die("stdout");
}

#endif /* _SELFTESTS_WORK_H */
