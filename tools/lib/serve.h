/* SPDX-License-Identifier: GPL-2.0 */
/* Metrics on a port of this machine. */
#ifndef IOBLAME_SERVE_H
#define IOBLAME_SERVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "errtext.h"

struct iob_serve;

int iob_serve_address(const char *text, struct sockaddr_storage *addr,
		      struct iob_err *err);
int iob_serve_create(struct iob_serve **s, const char *address,
		     struct iob_err *err);
void iob_serve_put(struct iob_serve *s, char *text, size_t len);
void iob_serve_destroy(struct iob_serve *s);

#endif /* IOBLAME_SERVE_H */
