// SPDX-License-Identifier: GPL-2.0
/*
 * A profile leaves the outbox when the server has said that it has it. If the
 * server dies after it took a profile and before it says so, nobody can know:
 * the profile is sent again, with the same number in a header of ours, by which
 * somebody in between can tell.
 */
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "outbox.h"
#include "push.h"

#define LOOK_MS		500		/* for new profiles */
#define BACK_OFF_MIN_MS	500
#define BACK_OFF_MAX_MS	60000
#define CONNECT_MS	5000
#define ANSWER_MS	30000
#define LAST_MS		3000		/* to send the rest in the end */

struct iob_push {
	char *url, *path;
	struct iob_store_limits limits;
	struct iob_store *store;
	CURL *curl;
	pthread_t thread;
	pthread_mutex_t lock;		/* what is below */
	pthread_cond_t change;
	bool stop;
	struct timespec last;		/* after stop: no longer than this */
	struct iob_push_state state;
};

static void after_ms(struct timespec *t, unsigned int ms)
{
	clock_gettime(CLOCK_MONOTONIC, t);
	t->tv_sec += ms / 1000;
	t->tv_nsec += ms % 1000 * 1000000l;
	if (t->tv_nsec >= 1000000000) {
		t->tv_sec++;
		t->tv_nsec -= 1000000000;
	}
}

static bool is_over(struct iob_push *p)
{
	struct timespec now;
	bool over;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&p->lock);
	over = p->stop && (now.tv_sec > p->last.tv_sec ||
			   (now.tv_sec == p->last.tv_sec &&
			    now.tv_nsec >= p->last.tv_nsec));
	pthread_mutex_unlock(&p->lock);
	return over;
}

static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c,
		       curl_off_t d)
{
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return is_over(arg);
}

static size_t ignore(char *data, size_t size, size_t nr, void *arg)
{
	(void)data;
	(void)arg;
	return size * nr;
}

static char *make_url(struct iob_push *p, const struct iob_profile *profile)
{
	char *name = curl_easy_escape(p->curl, profile->name, 0), *url = NULL;
	size_t len = strlen(p->url);

	while (len && p->url[len - 1] == '/')
		len--;
	if (name && asprintf(&url, "%.*s/ingest?name=%s&from=%" PRIu64
			     "&until=%" PRIu64 "&format=pprof&spyName=ioblame",
			     (int)len, p->url, name, profile->since_s,
			     profile->until_s) < 0)
		url = NULL;
	curl_free(name);
	return url;
}

/* The server's answer, 0 if there is none */
static long post(struct iob_push *p, const struct iob_profile *profile,
		 CURLcode *why)
{
	char *url = make_url(p, profile), header[96];
	struct curl_slist *headers;
	long status = 0;

	snprintf(header, sizeof(header), "X-Ioblame-Profile: %016" PRIx64 "-%" PRId64,
		 iob_store_id(p->store), profile->id);
	headers = curl_slist_append(NULL, header);
	headers = curl_slist_append(headers, "Content-Type: application/octet-stream");
	headers = curl_slist_append(headers, "Expect:");
	*why = CURLE_OUT_OF_MEMORY;
	if (url && headers) {
		curl_easy_setopt(p->curl, CURLOPT_URL, url);
		curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, headers);
		curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, profile->body);
		curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)profile->len);
		*why = curl_easy_perform(p->curl);
	}
	if (*why == CURLE_OK)
		curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	free(url);
	return status;
}

static void fail(struct iob_push *p, const char *what)
{
	pthread_mutex_lock(&p->lock);
	p->state.nr_failures++;
	p->state.failing = true;
	snprintf(p->state.failure, sizeof(p->state.failure), "%s", what);
	pthread_mutex_unlock(&p->lock);
}

static void wait_s(struct iob_push *p, const struct iob_err *err)
{
	fail(p, err->text);
	nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
}

/* What the server will not take at any other time either */
static bool is_refusal(long status)
{
	return status == 400 || status == 413 || status == 422;
}

/* 0: one is sent; -ENOENT: there is none; else try again later. */
static int send_one(struct iob_push *p)
{
	struct iob_profile profile;
	struct iob_err err;
	CURLcode why;
	long status;
	int ret = p->store ? 0 : iob_store_open(&p->store, p->path, &p->limits,
						&err);

	if (!ret)
		ret = iob_outbox_next(p->store, &profile, &err);
	if (ret) {
		if (ret != -ENOENT)
			fail(p, err.text);
		if (ret == -EBADMSG) {
			iob_store_close(p->store);
			p->store = NULL;
		}
		return ret;
	}
	status = post(p, &profile, &why);
	if (status / 100 == 2 || is_refusal(status)) {
		/* It must not be sent again: nothing else is, until that is written. */
		while ((ret = iob_outbox_done(p->store, &profile,
					      status / 100 != 2, &err)) &&
		       !is_over(p))
			wait_s(p, &err);
		pthread_mutex_lock(&p->lock);
		p->state.failing = false;
		if (status / 100 == 2)
			p->state.nr_sent++;
		else
			p->state.nr_refused++;
		pthread_mutex_unlock(&p->lock);
	} else {
		if (status)
			snprintf(err.text, sizeof(err.text), "the server says %ld",
				 status);
		fail(p, status ? err.text : curl_easy_strerror(why));
		ret = -EAGAIN;
	}
	iob_profile_free(&profile);
	return ret;
}

static void *work(void *arg)
{
	struct iob_push *p = arg;
	unsigned int wait = BACK_OFF_MIN_MS;

	for (;;) {
		struct timespec until;
		bool stop;
		int ret;

		pthread_mutex_lock(&p->lock);
		stop = p->stop;
		pthread_mutex_unlock(&p->lock);
		ret = send_one(p);
		if (stop && (ret || is_over(p)))
			return NULL;
		if (!ret) {
			wait = BACK_OFF_MIN_MS;
			continue;
		}
		after_ms(&until, ret == -ENOENT ? LOOK_MS : wait);
		if (ret != -ENOENT)
			wait = wait * 2 < BACK_OFF_MAX_MS ? wait * 2 :
							    BACK_OFF_MAX_MS;
		pthread_mutex_lock(&p->lock);
		while (!p->stop && pthread_cond_timedwait(&p->change, &p->lock,
							  &until) != ETIMEDOUT)
			;
		pthread_mutex_unlock(&p->lock);
	}
}

static void set_up(struct iob_push *p)
{
	curl_easy_setopt(p->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(p->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(p->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(p->curl, CURLOPT_TIMEOUT_MS, (long)ANSWER_MS);
	curl_easy_setopt(p->curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(p->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(p->curl, CURLOPT_XFERINFODATA, p);
	curl_easy_setopt(p->curl, CURLOPT_WRITEFUNCTION, ignore);
	curl_easy_setopt(p->curl, CURLOPT_USERAGENT, "ioblame");
}

/**
 * iob_push_create - begin to send
 * @pp: the pusher; NULL after an error
 * @url: of the server, without /ingest
 * @store: the store with the outbox; it is there
 * @limits: of the store
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_push_create(struct iob_push **pp, const char *url, const char *store,
		    const struct iob_store_limits *limits, struct iob_err *err)
{
	struct iob_push *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;

	*pp = p;
	if (!p)
		return iob_fail(err, -ENOMEM, "out of memory");
	curl_global_init(CURL_GLOBAL_DEFAULT);
	p->url = strdup(url);
	p->path = strdup(store);
	p->limits = *limits;
	p->curl = curl_easy_init();
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->change, &attr);
	pthread_condattr_destroy(&attr);
	if (p->url && p->path && p->curl) {
		set_up(p);
		if (!pthread_create(&p->thread, NULL, work, p))
			return 0;
	}
	p->thread = 0;
	iob_push_destroy(p);
	*pp = NULL;
	return iob_fail(err, -ENOMEM, "cannot send to %s: out of memory", url);
}

/**
 * iob_push_state - how it goes
 * @p: the pusher
 * @state: takes it
 */
void iob_push_state(struct iob_push *p, struct iob_push_state *state)
{
	pthread_mutex_lock(&p->lock);
	*state = p->state;
	pthread_mutex_unlock(&p->lock);
}

/**
 * iob_push_destroy - send what can be sent soon, and end
 * @p: the pusher, or NULL
 */
void iob_push_destroy(struct iob_push *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	after_ms(&p->last, LAST_MS);
	pthread_cond_signal(&p->change);
	pthread_mutex_unlock(&p->lock);
	if (p->thread)
		pthread_join(p->thread, NULL);
	iob_store_close(p->store);
	curl_easy_cleanup(p->curl);
	pthread_cond_destroy(&p->change);
	pthread_mutex_destroy(&p->lock);
	free(p->url);
	free(p->path);
	free(p);
	curl_global_cleanup();
}
