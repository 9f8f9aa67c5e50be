/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOBLAME_DECODE_H
#define IOBLAME_DECODE_H

#include "snapshot.h"
#include "tables.h"

int iob_decode(struct iob_tables *t, const struct iob_snapshot *snap,
	       struct iob_err *err);

#endif /* IOBLAME_DECODE_H */
