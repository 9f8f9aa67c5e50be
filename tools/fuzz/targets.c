// SPDX-License-Identifier: GPL-2.0
/* The table of targets, and what they share. */
#include <string.h>

#include "fuzz.h"

#define ENTRY(name, what) { #name, what, fuzz_##name },

const struct fuzz_target fuzz_targets[] = { FUZZ_TARGETS(ENTRY) {} };

void out_open(struct fuzz_out *o)
{
	memset(o, 0, sizeof(*o));
	o->file = open_memstream(&o->text, &o->len);
	MUST(o->file);
}

void out_close(struct fuzz_out *o)
{
	MUST(!fclose(o->file));
	o->file = NULL;
}

void out_free(struct fuzz_out *o)
{
	free(o->text);
	o->text = NULL;
}

char *next_part(const uint8_t **data, size_t *size, char end)
{
	const uint8_t *at;
	size_t len;
	char *part;

	if (!*data)
		return NULL;
	at = *size ? memchr(*data, end, *size) : NULL;
	len = at ? (size_t)(at - *data) : *size;
	part = malloc(len + 1);
	MUST(part);
	memcpy(part, *data, len);
	part[len] = '\0';
	*data = at ? at + 1 : NULL;
	*size = at ? *size - len - 1 : 0;
	return part;
}
