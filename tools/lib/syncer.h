/* SPDX-License-Identifier: GPL-2.0 */
/* Brings files to their disk beside the work, in a thread of its own. */
#ifndef IOBLAME_SYNCER_H
#define IOBLAME_SYNCER_H

struct iob_syncer;

struct iob_syncer *iob_syncer_create(void);
int iob_syncer_destroy(struct iob_syncer *s);
int iob_syncer_ask(struct iob_syncer *s, int fd);
void iob_syncer_take(struct iob_syncer *s, int fd);
void iob_syncer_take_dir(struct iob_syncer *s, const char *path);

#endif /* IOBLAME_SYNCER_H */
