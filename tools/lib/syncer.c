// SPDX-License-Identifier: GPL-2.0
/*
 * A disk that is busy may take seconds over fdatasync(), and the ring buffers
 * fill meanwhile: so it is another thread that waits. It lives from before
 * COMMAND starts and touches nothing but its queue and the files in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "syncer.h"

/* Files given away for good; more wait until there is room. */
#define QUEUE_MAX 16

struct iob_syncer {
	pthread_t thread;
	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t changed;
	int queue[QUEUE_MAX];
	size_t nr;
	bool busy, stop;
	int error;			/* the first; told once */
};

/* Not every file has a disk below it: a pipe, /dev/null. */
static int bring_to_disk(int fd)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	ret = S_ISDIR(st.st_mode) ? fsync(fd) : fdatasync(fd);
	return ret && errno != EINVAL && errno != EROFS ? -errno : 0;
}

static int bring_and_close(int fd)
{
	int ret = bring_to_disk(fd);

	/* Some file systems tell only here that there was no room. */
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static void *work(void *arg)
{
	struct iob_syncer *s = arg;
	int fd, ret;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->nr && !s->stop)
			pthread_cond_wait(&s->changed, &s->lock);
		if (!s->nr)
			break;
		fd = s->queue[0];
		memmove(s->queue, s->queue + 1, --s->nr * sizeof(*s->queue));
		s->busy = true;
		pthread_mutex_unlock(&s->lock);
		ret = bring_and_close(fd);
		pthread_mutex_lock(&s->lock);
		s->busy = false;
		if (ret && !s->error)
			s->error = ret;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/**
 * iob_syncer_create - start the thread
 *
 * Signals are blocked already: it takes none of them.
 *
 * Return: the syncer, or NULL.
 */
struct iob_syncer *iob_syncer_create(void)
{
	struct iob_syncer *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	if (pthread_create(&s->thread, NULL, work, s)) {
		free(s);
		return NULL;
	}
	return s;
}

/**
 * iob_syncer_destroy - wait for what was asked for, and end
 * @s: the syncer, or NULL
 *
 * Return: 0, or the first error that was not told yet.
 */
int iob_syncer_destroy(struct iob_syncer *s)
{
	int ret;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	ret = s->error;
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return ret;
}

static int tell_error(struct iob_syncer *s)
{
	int ret = s->error;

	s->error = 0;
	return ret;
}

/**
 * iob_syncer_ask - bring what was written so far to the disk, some time soon
 * @s: the syncer
 * @fd: the file; stays the caller's
 *
 * Does not wait. While the disk is at it still, nothing is asked for: the next
 * time brings that, too.
 *
 * Return: 0, or what went wrong earlier.
 */
int iob_syncer_ask(struct iob_syncer *s, int fd)
{
	int ret, copy = -1;

	pthread_mutex_lock(&s->lock);
	ret = tell_error(s);
	if (!ret && !s->busy && !s->nr) {
		copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (copy < 0)
			ret = -errno;
		else
			s->queue[s->nr++] = copy;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/**
 * iob_syncer_take - bring a file to the disk and close it
 * @s: the syncer
 * @fd: the file or directory; the syncer's from now on
 *
 * Waits only for a disk that is many files behind.
 */
void iob_syncer_take(struct iob_syncer *s, int fd)
{
	pthread_mutex_lock(&s->lock);
	while (s->nr == QUEUE_MAX)
		pthread_cond_wait(&s->changed, &s->lock);
	s->queue[s->nr++] = fd;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/**
 * iob_syncer_take_dir - bring to the disk what files are called
 * @s: the syncer
 * @path: of a file that is new there, or was renamed
 */
void iob_syncer_take_dir(struct iob_syncer *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";
	int fd;

	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path) + 1, path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		iob_syncer_take(s, fd);
}
