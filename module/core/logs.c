// SPDX-License-Identifier: GPL-2.0
/*
 * Logs: which checkpoints of a file system a write of its log holds. Several
 * small checkpoints may share a log buffer, and a large one spans many, of
 * which only the first and the last are announced.
 */
#include "logs.h"

#define NUMBER_BITS	40
#define MAX_NUMBER	((1ull << NUMBER_BITS) - 1)

/* A second mount counts from 1 again; a delayed probe is not that late. */
#define MAX_BACKWARD	64

/**
 * iob_logs_init() - No file systems
 * @l:        table
 * @counters: where losses are counted
 */
void iob_logs_init(struct iob_logs *l, struct iob_counters *counters)
{
	int i;

	memset(l, 0, sizeof(*l));
	l->counters = counters;
	for (i = 0; i < IOB_NR_LOGS; i++)
		raw_spin_lock_init(&l->log[i].lock);
}

static struct iob_log *find(struct iob_logs *l, u32 dev)
{
	u32 i;

	for (i = 0; i < IOB_NR_LOGS; i++) {
		u32 it = READ_ONCE(l->log[i].dev);

		if (it == dev)
			return &l->log[i];
		if (!it)
			break;
	}
	return NULL;
}

/* The file system, made known if need be. NULL: there is no room. */
static struct iob_log *get(struct iob_logs *l, u32 dev)
{
	u32 i, it;

	for (i = 0; dev && i < IOB_NR_LOGS; i++) {
		it = READ_ONCE(l->log[i].dev);
		if (!it)
			it = cmpxchg(&l->log[i].dev, 0u, dev);
		if (!it || it == dev)
			return &l->log[i];
	}
	iob_count(l->counters, IOB_CNT_LOST_JOINS, 1);
	return NULL;
}

static u64 tid_of(const struct iob_log *log, u64 number)
{
	if (!number)
		return 0;
	return log->mount << NUMBER_BITS | (number & MAX_NUMBER);
}

static void forget_mount(struct iob_log *log)
{
	log->mount++;
	WRITE_ONCE(log->is_mounted, false);
	log->number = 0;
	log->started = 0;
	log->start = 0;
	log->end = 0;
	memset(log->buffer, 0, sizeof(log->buffer));
}

/**
 * iob_logs_know() - There is a file system, whether anybody changes it or not
 * @l:   table
 * @dev: its device
 *
 * Context: any but NMI.
 */
void iob_logs_know(struct iob_logs *l, u32 dev)
{
	struct iob_log *log = get(l, dev);

	if (log && !READ_ONCE(log->is_mounted))
		WRITE_ONCE(log->is_mounted, true);
}

/**
 * iob_logs_join() - A task changes something in a checkpoint
 * @l:      table
 * @dev:    the file system's device
 * @number: of the checkpoint, not 0
 *
 * Context: any but NMI.
 * Return: its id for iob_joins_add(); 0 if there is no room.
 */
u64 iob_logs_join(struct iob_logs *l, u32 dev, u64 number)
{
	struct iob_log *log = get(l, dev);
	unsigned long flags;
	u64 tid;

	if (!log)
		return 0;
	raw_spin_lock_irqsave(&log->lock, flags);
	if (number + MAX_BACKWARD < log->number)
		forget_mount(log);
	if (number > log->number)
		log->number = number;
	WRITE_ONCE(log->is_mounted, true);
	tid = tid_of(log, number);
	raw_spin_unlock_irqrestore(&log->lock, flags);
	return tid;
}

/**
 * iob_logs_join_epoch() - A task changes something, in whichever checkpoint
 * @l:   table
 * @dev: the file system's device
 *
 * Context: any but NMI.
 * Return: id of the epoch for iob_joins_add(); 0 if there is no room.
 */
u64 iob_logs_join_epoch(struct iob_logs *l, u32 dev)
{
	struct iob_log *log = get(l, dev);
	unsigned long flags;
	u64 tid;

	if (!log)
		return 0;
	raw_spin_lock_irqsave(&log->lock, flags);
	WRITE_ONCE(log->is_mounted, true);
	log->is_epochs = true;
	log->is_joined = true;
	if (!log->number)
		log->number = 1;
	tid = tid_of(log, log->number);
	raw_spin_unlock_irqrestore(&log->lock, flags);
	return tid;
}

/**
 * iob_logs_place() - Where the log of a file system lies
 * @l:     table
 * @dev:   the file system's device
 * @disk:  the log's disk
 * @start: first sector
 * @end:   one past the last
 *
 * Context: any but NMI.
 */
void iob_logs_place(struct iob_logs *l, u32 dev, u32 disk, u64 start, u64 end)
{
	struct iob_log *log = get(l, dev);
	unsigned long flags;

	if (!log || (READ_ONCE(log->end) == end && READ_ONCE(log->start) == start))
		return;
	raw_spin_lock_irqsave(&log->lock, flags);
	log->disk = disk;
	WRITE_ONCE(log->start, start);
	WRITE_ONCE(log->end, end);
	raw_spin_unlock_irqrestore(&log->lock, flags);
}

/**
 * iob_logs_fill() - A checkpoint begins or ends in a log buffer
 * @l:      table
 * @dev:    the file system's device
 * @buffer: address of the buffer, only compared
 * @number: of the checkpoint
 *
 * Context: any but NMI.
 */
void iob_logs_fill(struct iob_logs *l, u32 dev, u64 buffer, u64 number)
{
	struct iob_log *log = find(l, dev);
	struct iob_log_buffer *b, *free = NULL;
	unsigned long flags;
	u32 i;

	if (!log)
		return;
	raw_spin_lock_irqsave(&log->lock, flags);
	if (number > log->started)
		log->started = number;
	for (i = 0; i < IOB_LOG_BUFFERS; i++) {
		b = &log->buffer[i];
		if (b->buffer == buffer)
			break;
		if (!b->buffer && !free)
			free = b;
	}
	if (i < IOB_LOG_BUFFERS) {
		b->first = min_t(u64, b->first, number);
		b->last = max_t(u64, b->last, number);
	} else if (free) {
		free->buffer = buffer;
		free->first = number;
		free->last = number;
	}
	raw_spin_unlock_irqrestore(&log->lock, flags);
}

/**
 * iob_logs_unmount() - A file system is gone
 * @l:   table
 * @dev: its device
 *
 * Context: any but NMI.
 */
void iob_logs_unmount(struct iob_logs *l, u32 dev)
{
	struct iob_log *log = find(l, dev);
	unsigned long flags;

	if (!log)
		return;
	raw_spin_lock_irqsave(&log->lock, flags);
	forget_mount(log);
	raw_spin_unlock_irqrestore(&log->lock, flags);
}

/* Checkpoints in a log buffer that is being written; it will be filled anew. */
static void empty(struct iob_log *log, u64 buffer, u64 *first, u64 *last)
{
	u32 i;

	/* the middle of a checkpoint that is being written */
	*first = log->started;
	*last = log->started;
	for (i = 0; i < IOB_LOG_BUFFERS; i++) {
		struct iob_log_buffer *b = &log->buffer[i];

		if (b->buffer != buffer)
			continue;
		*first = b->first;
		*last = b->last;
		b->buffer = 0;
		break;
	}
}

static void end_epoch(struct iob_log *log)
{
	if (!log->is_joined)
		return;
	log->started = log->number++;
	log->is_joined = false;
}

static bool is_inside(const struct iob_log *log, u32 disk, u64 sector)
{
	return log->disk == disk && sector >= log->start && sector < log->end;
}

/**
 * iob_logs_ask() - What does a write of metadata hold?
 * @l:      table
 * @dev:    device it was submitted to
 * @disk:   the disk of that
 * @sector: first sector on the disk
 * @buffer: address of the log buffer, should it be one; 0: not known
 * @of:     set to the file system
 * @first:  set to the id of the first transaction concerned, 0: nobody has been
 *          seen to join any
 * @last:   and of the last; the same but for a log buffer with several. Home:
 *          the one to ask where a block is not remembered
 *
 * Context: any but NMI.
 * Return: what it is; nothing is set for IOB_LOG_STRANGE.
 */
enum iob_log_write iob_logs_ask(struct iob_logs *l, u32 dev, u32 disk,
				u64 sector, u64 buffer, u32 *of, u64 *first,
				u64 *last)
{
	enum iob_log_write write = IOB_LOG_STRANGE;
	unsigned long flags;
	u32 i;

	for (i = 0; i < IOB_NR_LOGS && write == IOB_LOG_STRANGE; i++) {
		struct iob_log *log = &l->log[i];
		u32 it = READ_ONCE(log->dev);

		if (!it)
			break;
		if (it != dev && !(READ_ONCE(log->end) && log->disk == disk))
			continue;
		raw_spin_lock_irqsave(&log->lock, flags);
		if (!log->is_mounted) {
			/* not mounted, as far as was seen */
		} else if (is_inside(log, disk, sector)) {
			write = IOB_LOG_LOG;
			empty(log, buffer, first, last);
		} else if (it == dev) {
			write = IOB_LOG_HOME;
			if (log->is_epochs)
				end_epoch(log);
			*first = log->is_epochs ? log->started : log->number;
			*last = *first;
		}
		if (write != IOB_LOG_STRANGE) {
			*of = it;
			*first = tid_of(log, *first);
			*last = tid_of(log, *last);
		}
		raw_spin_unlock_irqrestore(&log->lock, flags);
	}
	return write;
}
