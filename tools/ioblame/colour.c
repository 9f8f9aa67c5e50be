// SPDX-License-Identifier: GPL-2.0
/* Whether colours are wanted, asked where other programs of util-linux ask, too. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

/* terminal-colors.d(5): a file of that name switches them off. */
static bool is_off_in(const char *dir, const char *below)
{
	static const char *const names[] = { "ioblame.disable", "disable" };
	char path[PATH_MAX];

	for (size_t i = 0; dir && i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s%s/terminal-colors.d/%s", dir, below,
			 names[i]);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static bool is_off(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");

	if (config && *config ? is_off_in(config, "") :
				is_off_in(getenv("HOME"), "/.config"))
		return true;
	return is_off_in("/etc", "");
}

/**
 * tool_colour - whether what is written has colours
 * @p: the parameters
 * @out: where it goes to
 *
 * Return: true if so.
 */
bool tool_colour(const struct params *p, FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	int fd = fileno(out);

	if (p->colour != COLOUR_AUTO)
		return p->colour == COLOUR_ALWAYS;
	if ((no && *no) || !term || !strcmp(term, "dumb") || is_off())
		return false;
	return fd >= 0 && isatty(fd);
}
