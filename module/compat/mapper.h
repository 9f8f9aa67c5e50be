/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_MAPPER_H
#define IOB_COMPAT_MAPPER_H

/* Made by offsets.py while building; empty where there is no BTF. */
#include "offsets.h"

/* A clone is read at the places BTF tells; one that is not there: none is read. */
#if defined(IOB_OFF_dm_io_orig_bio) &&			\
	defined(IOB_OFF_dm_target_io_clone) &&		\
	defined(IOB_OFF_dm_target_io_io) &&		\
	defined(IOB_OFF_dm_target_io_old_sector)
#define IOB_MAPPER_KNOWN
#endif

#endif /* IOB_COMPAT_MAPPER_H */
