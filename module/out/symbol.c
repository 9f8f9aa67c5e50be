// SPDX-License-Identifier: GPL-2.0
/* Symbols: return addresses become names here, and leave only as names. */
#include <linux/kernel.h>

#include "symbol.h"

/**
 * iob_symbol_name() - Name of a return address
 * @ip:   the address
 * @buf:  filled with "symbol+0xoff/0xsize [module]"; "unknown" for an address
 *        that no symbol covers (its module is gone), never with the address
 * @size: of @buf
 *
 * Context: any.
 */
void iob_symbol_name(u64 ip, char *buf, size_t size)
{
	scnprintf(buf, size, "%pB", (void *)(unsigned long)ip);
	if (buf[0] == '0' && buf[1] == 'x')
		strscpy(buf, "unknown", size);
}

/**
 * iob_symbol_frames() - A stack as text
 * @stack: the stack
 * @buf:   filled with names, innermost first, ";" between; ends with a whole
 *         frame
 * @size:  of @buf
 *
 * Context: any.
 */
void iob_symbol_frames(const struct iob_stack *stack, char *buf, size_t size)
{
	size_t at = 0, len;
	u32 i;

	buf[0] = '\0';
	for (i = 0; i < stack->nr; i++) {
		if (at + 2 >= size)
			break;
		iob_symbol_name(stack->ip[i], buf + at + !!at,
				size - at - !!at);
		len = strlen(buf + at + !!at);
		if (at + len + 2 >= size) {
			/* may be cut: leave it out */
			buf[at] = '\0';
			break;
		}
		if (at)
			buf[at] = ';';
		at += len + !!at;
	}
}
