/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_PUNT_H
#define IOB_COMPAT_PUNT_H

/*
 * The function by which a bio is handed to a worker of its cgroup. Before it
 * was made public for btrfs only submit_bio() called it, by a private name.
 */
#ifdef IOB_HAVE_PUNT_BIO
#define iob_punt_bio	blkcg_punt_bio_submit
#else
#define iob_punt_bio	__blkcg_punt_bio_submit
#endif

#endif /* IOB_COMPAT_PUNT_H */
