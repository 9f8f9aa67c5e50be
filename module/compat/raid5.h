/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_RAID5_H
#define IOB_COMPAT_RAID5_H

/* Made by offsets.py while building; empty where there is no BTF. */
#include "offsets.h"

/* A stripe is read at the places BTF tells; one that is not there: none is read. */
#if defined(IOB_OFF_r5dev_sector) &&		\
	defined(IOB_OFF_r5dev_sizeof) &&	\
	defined(IOB_OFF_r5dev_toread) &&	\
	defined(IOB_OFF_r5dev_towrite) &&	\
	defined(IOB_OFF_r5dev_written) &&	\
	defined(IOB_OFF_stripe_head_dev) &&	\
	defined(IOB_OFF_stripe_head_disks)
#define IOB_STRIPE_KNOWN
#endif

#endif /* IOB_COMPAT_RAID5_H */
