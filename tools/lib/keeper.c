// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "keeper.h"
#include "outbox.h"

#define BACK_OFF_MIN_S	1
#define BACK_OFF_MAX_S	60

struct iob_keeper {
	struct iob_keeper_wish wish;
	struct iob_store *store;
	pthread_t thread;
	pthread_mutex_t lock;		/* what is below */
	pthread_cond_t change;
	struct iob_report *report;	/* to be stored, or NULL */
	uint64_t now_s;
	bool stop;
	struct iob_keeper_state state;
};

/* A store that is damaged is put aside, for who wants to look at it. */
static int open_store(struct iob_keeper *k, struct iob_err *err)
{
	int ret = iob_store_open(&k->store, k->wish.path, &k->wish.limits, err);
	char aside[4096];

	if (ret != -EBADMSG)
		return ret;
	snprintf(aside, sizeof(aside), "%s.damaged", k->wish.path);
	if (rename(k->wish.path, aside))
		return ret;
	/* They belong to the file that is gone. */
	snprintf(aside, sizeof(aside), "%s-wal", k->wish.path);
	remove(aside);
	snprintf(aside, sizeof(aside), "%s-shm", k->wish.path);
	remove(aside);
	return iob_store_open(&k->store, k->wish.path, &k->wish.limits, err);
}

static int keep(struct iob_keeper *k, struct iob_report *r, uint64_t now_s,
		struct iob_err *err)
{
	int ret = k->store ? 0 : open_store(k, err);

	if (!ret)
		ret = iob_store_add(k->store, r, now_s, err);
	if (!ret && k->wish.push_s)
		ret = iob_outbox_fill(k->store, now_s, k->wish.push_s,
				      k->wish.push_name, err);
	if (ret == -EBADMSG) {
		iob_store_close(k->store);
		k->store = NULL;
	}
	return ret;
}

static void sleep_until(struct iob_keeper *k, uint64_t seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	while (!k->stop && pthread_cond_timedwait(&k->change, &k->lock, &until) !=
	       ETIMEDOUT)
		;
}

/*
 * What cannot be stored is kept and tried again; meanwhile no other report is
 * taken, and the next one will tell of all that has happened since.
 */
static void store_it(struct iob_keeper *k)
{
	struct iob_report *r = k->report;
	uint64_t now_s = k->now_s, wait = BACK_OFF_MIN_S;
	struct iob_err err;
	int ret;

	for (;;) {
		bool last = k->stop;

		pthread_mutex_unlock(&k->lock);
		ret = keep(k, r, now_s, &err);
		pthread_mutex_lock(&k->lock);
		k->state.failing = ret;
		if (!ret || last)
			break;
		k->state.nr_failures++;
		memcpy(k->state.failure, err.text, sizeof(err.text));
		sleep_until(k, wait);
		wait = wait * 2 < BACK_OFF_MAX_S ? wait * 2 : BACK_OFF_MAX_S;
	}
	if (ret)
		memcpy(k->state.failure, err.text, sizeof(err.text));
	else
		k->state.nr_stored++;
	k->report = NULL;
	k->state.busy = false;
	iob_report_destroy(r);
}

static void *work(void *arg)
{
	struct iob_keeper *k = arg;

	pthread_mutex_lock(&k->lock);
	for (;;) {
		if (k->report)
			store_it(k);
		else if (k->stop)
			break;
		else
			pthread_cond_wait(&k->change, &k->lock);
	}
	pthread_mutex_unlock(&k->lock);
	/* The rest of an interval is sent now, should we not come back. */
	if (k->store && k->wish.push_s && k->now_s)
		iob_outbox_fill(k->store, k->now_s, 0, k->wish.push_name, NULL);
	return NULL;
}

/**
 * iob_keeper_create - open the store and begin
 * @kp: the keeper; NULL after an error
 * @wish: which store, and how; its texts have to stay
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_keeper_create(struct iob_keeper **kp, const struct iob_keeper_wish *wish,
		      struct iob_err *err)
{
	struct iob_keeper *k = calloc(1, sizeof(*k));
	pthread_condattr_t attr;
	int ret;

	*kp = NULL;
	if (!k)
		return iob_fail(err, -ENOMEM, "out of memory");
	k->wish = *wish;
	pthread_mutex_init(&k->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&k->change, &attr);
	pthread_condattr_destroy(&attr);
	ret = open_store(k, err);
	if (!ret && pthread_create(&k->thread, NULL, work, k))
		ret = iob_fail(err, -EAGAIN, "cannot make a thread");
	if (!ret) {
		*kp = k;
		return 0;
	}
	iob_store_close(k->store);
	free(k);
	return ret;
}

/**
 * iob_keeper_state - how it goes
 * @k: the keeper
 * @state: takes it
 */
void iob_keeper_state(struct iob_keeper *k, struct iob_keeper_state *state)
{
	pthread_mutex_lock(&k->lock);
	*state = k->state;
	pthread_mutex_unlock(&k->lock);
}

/**
 * iob_keeper_give - have a report stored
 * @k: the keeper; it is not busy
 * @r: the report, the keeper's from now on
 * @now_s: when its interval ended, on the clock on the wall
 */
void iob_keeper_give(struct iob_keeper *k, struct iob_report *r, uint64_t now_s)
{
	pthread_mutex_lock(&k->lock);
	k->report = r;
	k->now_s = now_s;
	k->state.busy = true;
	pthread_cond_signal(&k->change);
	pthread_mutex_unlock(&k->lock);
}

/**
 * iob_keeper_destroy - store what there is, and end
 * @k: the keeper, or NULL
 * @err: error text
 *
 * Return: 0, or -EIO if the last could not be stored.
 */
int iob_keeper_destroy(struct iob_keeper *k, struct iob_err *err)
{
	int ret = 0;

	if (!k)
		return 0;
	pthread_mutex_lock(&k->lock);
	k->stop = true;
	pthread_cond_signal(&k->change);
	pthread_mutex_unlock(&k->lock);
	pthread_join(k->thread, NULL);
	if (k->state.failing)
		ret = iob_fail(err, -EIO, "%s", k->state.failure);
	iob_store_close(k->store);
	pthread_cond_destroy(&k->change);
	pthread_mutex_destroy(&k->lock);
	free(k);
	return ret;
}
