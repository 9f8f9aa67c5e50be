/* SPDX-License-Identifier: GPL-2.0 */
/* What users call a cgroup: a container, a pod, a unit. */
#ifndef IOBLAME_CONTAINER_H
#define IOBLAME_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#include "row.h"

struct iob_report;

bool iob_container_name(const char *cgroup, char *buf, size_t size);
void iob_container_set(struct iob_report *r, struct iob_row *row);

#endif /* IOBLAME_CONTAINER_H */
