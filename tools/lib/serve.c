// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

#define CONTENT_TYPE \
	"application/openmetrics-text; version=1.0.0; charset=utf-8"
#define MAX_CLIENTS	8
#define TIMEOUT_S	10

struct iob_serve {
	struct MHD_Daemon *daemon;
	pthread_mutex_t lock;
	char *text;			/* the latest */
	size_t len;
};

static bool parse_port(const char *text, uint16_t *port)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	*port = htons(v);
	return *text >= '0' && *text <= '9' && !*end && v && v < 65536;
}

/**
 * iob_serve_address - read an address
 * @text: ``PORT``, ``ADDRESS:PORT`` or ``[ADDRESS]:PORT``
 * @addr: the address; that of this machine alone unless told
 * @err: error text
 *
 * Return: 0 or -EINVAL.
 */
int iob_serve_address(const char *text, struct sockaddr_storage *addr,
		      struct iob_err *err)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)addr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)addr;
	const char *colon = strrchr(text, ':');
	size_t len = colon ? colon - text : 0;
	char host[64];

	memset(addr, 0, sizeof(*addr));
	if (len >= sizeof(host))
		len = 0;
	memcpy(host, text, len);
	host[len] = '\0';
	if (len > 2 && *host == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		v6->sin6_family = AF_INET6;
		if (inet_pton(AF_INET6, host + 1, &v6->sin6_addr) == 1 &&
		    parse_port(colon + 1, &v6->sin6_port))
			return 0;
	} else if (!colon || len) {
		v4->sin_family = AF_INET;
		if (inet_pton(AF_INET, colon ? host : "127.0.0.1",
			      &v4->sin_addr) == 1 &&
		    parse_port(colon ? colon + 1 : text, &v4->sin_port))
			return 0;
	}
	return iob_fail(err, -EINVAL,
			"'%.60s' is no address: take PORT, 127.0.0.1:PORT or [::1]:PORT",
			text);
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c,
			      const char *url, const char *method,
			      const char *version, const char *data,
			      size_t *data_len, void **seen)
{
	struct iob_serve *s = arg;
	static const char none[] = "see /metrics\n";
	bool found = !strcmp(url, "/metrics");
	struct MHD_Response *r;
	enum MHD_Result ret;

	(void)version;
	(void)data;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return MHD_NO;
	/* The first call is for the head alone. */
	if (!*seen) {
		*seen = s;
		return MHD_YES;
	}
	*data_len = 0;
	pthread_mutex_lock(&s->lock);
	if (found)
		r = MHD_create_response_from_buffer(s->len, s->text ? s->text : "",
						    MHD_RESPMEM_MUST_COPY);
	else
		r = MHD_create_response_from_buffer(sizeof(none) - 1, (void *)none,
						    MHD_RESPMEM_PERSISTENT);
	pthread_mutex_unlock(&s->lock);
	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type",
				found ? CONTENT_TYPE : "text/plain");
	ret = MHD_queue_response(c, found ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND, r);
	MHD_destroy_response(r);
	return ret;
}

/**
 * iob_serve_create - listen
 * @sp: the server; NULL after an error
 * @address: as iob_serve_address() reads it
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_serve_create(struct iob_serve **sp, const char *address,
		     struct iob_err *err)
{
	struct sockaddr_storage addr;
	struct iob_serve *s;
	unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD;
	int ret = iob_serve_address(address, &addr, err);

	*sp = NULL;
	if (ret)
		return ret;
	s = calloc(1, sizeof(*s));
	if (!s)
		return iob_fail(err, -ENOMEM, "out of memory");
	pthread_mutex_init(&s->lock, NULL);
	if (addr.ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	errno = 0;
	s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, s,
				     MHD_OPTION_SOCK_ADDR, &addr,
				     MHD_OPTION_CONNECTION_LIMIT, MAX_CLIENTS,
				     MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S,
				     MHD_OPTION_END);
	if (!s->daemon) {
		ret = errno ? -errno : -EADDRINUSE;
		iob_serve_destroy(s);
		return iob_fail(err, ret, "cannot listen on %.60s: %s", address,
				strerror(-ret));
	}
	*sp = s;
	return 0;
}

/**
 * iob_serve_put - what is served from now on
 * @s: the server
 * @text: allocated; the server's from now on
 * @len: its length
 */
void iob_serve_put(struct iob_serve *s, char *text, size_t len)
{
	char *old;

	pthread_mutex_lock(&s->lock);
	old = s->text;
	s->text = text;
	s->len = len;
	pthread_mutex_unlock(&s->lock);
	free(old);
}

/**
 * iob_serve_destroy - end
 * @s: the server, or NULL
 */
void iob_serve_destroy(struct iob_serve *s)
{
	if (!s)
		return;
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	pthread_mutex_destroy(&s->lock);
	free(s->text);
	free(s);
}
