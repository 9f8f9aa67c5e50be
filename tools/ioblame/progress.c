// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "progress.h"
#include "writer.h"

/* Something has to be cleared before anything else is said there. */
static bool shown;

/**
 * progress_is_wanted - whether anybody looks
 *
 * Return: true if standard error is a terminal.
 */
bool progress_is_wanted(void)
{
	return isatty(STDERR_FILENO);
}

/**
 * progress_text - the line
 * @p: how far it is
 * @buf: the text
 * @size: room in @buf
 */
void progress_text(const struct progress *p, char *buf, size_t size)
{
	uint64_t s = p->elapsed_ns / 1000000000;
	char lost[48] = "", bytes[32], plain[32], ratio[384] = "", files[32] = "";

	if (p->nr_lost)
		snprintf(lost, sizeof(lost), "LOST %" PRIu64 " events, ",
			 p->nr_lost);
	iob_format_bytes(bytes, sizeof(bytes), p->bytes, false);
	iob_format_bytes(plain, sizeof(plain), p->plain_bytes, false);
	if (p->bytes && p->plain_bytes > p->bytes)
		snprintf(ratio, sizeof(ratio), " (of %s, %.1fx)", plain,
			 (double)p->plain_bytes / p->bytes);
	if (p->nr_files > 1)
		snprintf(files, sizeof(files), ", file %" PRIu64, p->nr_files);
	snprintf(buf, size, "%s%" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " %" PRIu64
		 " IOs, %" PRIu64 " events, %s written%s%s", lost, s / 3600,
		 s / 60 % 60, s % 60, p->nr_ios, p->nr_events, bytes, ratio,
		 files);
}

static int terminal_width(void)
{
	struct winsize ws;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		return ws.ws_col;
	return 80;
}

/**
 * progress_show - show the line in the place of the one before
 * @p: how far it is
 *
 * Cut where it would wrap: a line that wrapped cannot be taken back.
 */
void progress_show(const struct progress *p)
{
	char text[256];

	progress_text(p, text, sizeof(text));
	fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, text);
	fflush(stderr);
	shown = true;
}

/**
 * progress_clear - take the line back, if there is one
 */
void progress_clear(void)
{
	if (!shown)
		return;
	shown = false;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
