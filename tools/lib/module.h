/* SPDX-License-Identifier: GPL-2.0 */
/* Whether ioblame.ko is there, and getting it there. */
#ifndef IOBLAME_MODULE_H
#define IOBLAME_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "errtext.h"

bool iob_module_installed(void);
int iob_module_load(const char *path, struct iob_err *err);
int iob_module_unload(void);
bool iob_lockdown(const char *root, char *level, size_t size);

#endif /* IOBLAME_MODULE_H */
