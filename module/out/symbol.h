/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_OUT_SYMBOL_H
#define IOB_OUT_SYMBOL_H

#include "../core/objects.h"

void iob_symbol_name(u64 ip, char *buf, size_t size);
void iob_symbol_frames(const struct iob_stack *stack, char *buf, size_t size);

#endif /* IOB_OUT_SYMBOL_H */
