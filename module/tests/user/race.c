// SPDX-License-Identifier: GPL-2.0
/* Two threads of which exactly one runs at any time; see race.h. */
#include <stdio.h>
#include <stdlib.h>

#include "race.h"

enum side { FIRST, SECOND };

struct iob_race {
	pthread_mutex_t lock;
	pthread_cond_t turned;
	enum side turn;
	bool waits[2];		/* for a lock of the other's */
	bool ended[2];
	int countdown;		/* points until the second side starts */
	bool started;
	void (*fn[2])(void *ctx);
	void *ctx;
};

__thread struct iob_race *iob_race_current;

static __thread enum side side;

/* Let the other side run until it lets us. Context: race lock held. */
static void turn_over(struct iob_race *race)
{
	race->turn = !side;
	pthread_cond_broadcast(&race->turned);
	while (race->turn != side)
		pthread_cond_wait(&race->turned, &race->lock);
}

void iob_race_point(void)
{
	struct iob_race *race = iob_race_current;

	pthread_mutex_lock(&race->lock);
	if (side == FIRST && !race->started && race->countdown-- == 0) {
		race->started = true;
		turn_over(race);
	}
	pthread_mutex_unlock(&race->lock);
}

void iob_race_wait(void)
{
	struct iob_race *race = iob_race_current;

	pthread_mutex_lock(&race->lock);
	if (race->ended[!side] || race->waits[!side]) {
		fprintf(stderr, "race: both sides wait for locks\n");
		abort();
	}
	race->waits[side] = true;
	turn_over(race);
	race->waits[side] = false;
	pthread_mutex_unlock(&race->lock);
}

void iob_race_released(void)
{
	struct iob_race *race = iob_race_current;

	pthread_mutex_lock(&race->lock);
	if (race->waits[!side]) {
		race->waits[!side] = false;
		turn_over(race);
	}
	pthread_mutex_unlock(&race->lock);
}

static void run(struct iob_race *race, enum side me)
{
	side = me;
	iob_race_current = race;
	race->fn[me](race->ctx);
	iob_race_current = NULL;

	pthread_mutex_lock(&race->lock);
	race->ended[me] = true;
	race->turn = !me;
	pthread_cond_broadcast(&race->turned);
	pthread_mutex_unlock(&race->lock);
}

static void *second(void *arg)
{
	struct iob_race *race = arg;

	iob_shim_cpu = 1;
	pthread_mutex_lock(&race->lock);
	while (race->turn != SECOND)
		pthread_cond_wait(&race->turned, &race->lock);
	pthread_mutex_unlock(&race->lock);
	run(race, SECOND);
	return NULL;
}

bool iob_race(int nth, void (*a)(void *ctx), void (*b)(void *ctx), void *ctx)
{
	struct iob_race race = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turned = PTHREAD_COND_INITIALIZER,
		.countdown = nth,
		.fn = { a, b },
		.ctx = ctx,
	};
	pthread_t thread;
	bool started;

	if (pthread_create(&thread, NULL, second, &race)) {
		fprintf(stderr, "race: no thread\n");
		abort();
	}
	run(&race, FIRST);
	started = race.started;
	pthread_join(thread, NULL);
	return started;
}
