// SPDX-License-Identifier: GPL-2.0
/*
 * Interning: equal keys get equal ids, in bounded memory, from any context.
 *
 * No reference counts. An object is freed by mark and sweep, in steps that
 * keep a probe from ever reading a stranger:
 *
 *  1. iob_intern_advance() starts a new epoch; the caller waits for all
 *     running probes. Every probe that holds an id from before has now stored
 *     it where the marking finds it.
 *  2. iob_intern_mark() for every id found in memory.
 *  3. iob_intern_unlink_unmarked() takes out what is neither marked nor was
 *     handed out in the new epoch, and raises its generation: old ids stop
 *     resolving. The caller waits for probes again: whoever had looked it up
 *     is done.
 *  4. iob_intern_recycle() makes the memory available.
 */
#include "intern.h"

/* Unlinked in step 3, waiting for step 4: node.live of such a node. */
#define IOB_NODE_DEAD	2

static struct iob_node *node_at(const struct iob_intern *t, u32 index)
{
	return iob_array_at(&t->nodes, index);
}

static void *payload_of(struct iob_node *node)
{
	return node + 1;
}

static raw_spinlock_t *shard_of(struct iob_intern *t, u32 hash)
{
	return &t->shard[hash & t->mask & (IOB_INTERN_SHARDS - 1)];
}

/**
 * iob_intern_init() - Make an empty table
 * @t:            table
 * @max:          most objects, at most 1 << IOB_ID_INDEX_BITS
 * @reserved:     first indexes that are never handed out, at least 1
 * @payload_size: bytes of an object's key and value
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for impossible sizes, -ENOMEM.
 */
int iob_intern_init(struct iob_intern *t, u32 max, u32 reserved,
		    u32 payload_size)
{
	u32 nr_buckets = IOB_INTERN_SHARDS;
	int i, err;

	memset(t, 0, sizeof(*t));
	if (!reserved || max <= reserved || max > 1u << IOB_ID_INDEX_BITS)
		return -EINVAL;
	while (nr_buckets < max)
		nr_buckets *= 2;

	t->max = max;
	t->reserved = reserved;
	t->fresh = reserved;
	t->epoch = 1;
	t->mask = nr_buckets - 1;
	raw_spin_lock_init(&t->free_lock);
	for (i = 0; i < IOB_INTERN_SHARDS; i++)
		raw_spin_lock_init(&t->shard[i]);

	err = iob_array_init(&t->nodes, max, sizeof(struct iob_node) +
			     ((payload_size + 7) & ~7u));
	if (err)
		return err;
	t->buckets = iob_table_alloc(nr_buckets, sizeof(u32));
	t->marks = iob_table_alloc(BITS_TO_LONGS(max), sizeof(long));
	if (!t->buckets || !t->marks) {
		iob_intern_exit(t);
		return -ENOMEM;
	}
	return 0;
}

/**
 * iob_intern_exit() - Free a table
 * @t: table, initialised or zeroed; no probe may be using it
 */
void iob_intern_exit(struct iob_intern *t)
{
	iob_array_exit(&t->nodes);
	iob_table_free(t->buckets);
	iob_table_free(t->marks);
	memset(t, 0, sizeof(*t));
}

/*
 * A free index; 0 if there is none, or no memory. Context: shard lock held,
 * interrupts off.
 */
static u32 take_index(struct iob_intern *t)
{
	u32 index = 0;

	raw_spin_lock(&t->free_lock);
	if (t->free) {
		index = t->free;
		t->free = node_at(t, index)->next;
	} else if (t->fresh < t->max && node_at(t, t->fresh)) {
		index = t->fresh;
		/* pairs with iob_intern_end(): the node there is zeroed */
		WRITE_ONCE(t->fresh, index + 1);
	}
	if (index)
		WRITE_ONCE(t->nr, t->nr + 1);
	raw_spin_unlock(&t->free_lock);
	return index;
}

static void touch(struct iob_intern *t, struct iob_node *node)
{
	u32 epoch = READ_ONCE(t->epoch);

	if (READ_ONCE(node->used) != epoch)
		WRITE_ONCE(node->used, epoch);
}

/* Index of a key, 0 if it is new. Context: shard lock held. */
static u32 find(struct iob_intern *t, u32 hash, const void *key, u32 key_len)
{
	struct iob_node *node;
	u32 index;

	for (index = t->buckets[hash & t->mask]; index; index = node->next) {
		node = node_at(t, index);
		if (node->hash == hash && node->key_len == key_len &&
		    !memcmp(payload_of(node), key, key_len)) {
			touch(t, node);
			return index;
		}
	}
	return 0;
}

/**
 * iob_intern_find() - Id of a key if it is known
 * @t:       table
 * @key:     as for iob_intern_get()
 * @key_len: its length
 *
 * Context: any but NMI; takes a raw spinlock with interrupts off.
 * Return: the id; 0 when the key is new.
 */
u32 iob_intern_find(struct iob_intern *t, const void *key, u32 key_len)
{
	u32 hash = iob_hash(key, key_len / 8);
	raw_spinlock_t *lock = shard_of(t, hash);
	unsigned long flags;
	u32 index, id = 0;

	raw_spin_lock_irqsave(lock, flags);
	index = find(t, hash, key, key_len);
	if (index)
		id = IOB_ID(index, node_at(t, index)->gen);
	raw_spin_unlock_irqrestore(lock, flags);
	return id;
}

/**
 * iob_intern_get() - Id of a key, making it known when it is new
 * @t:           table
 * @key:         the key; a multiple of 8 bytes, 8 byte aligned
 * @key_len:     its length
 * @payload:     what to store for a new object, beginning with the key
 * @payload_len: its length
 * @fresh:       set to whether the object is new
 *
 * Context: any but NMI; takes a raw spinlock with interrupts off.
 * Return: the id; 0 when the table is full, or there is no memory for one more.
 */
u32 iob_intern_get(struct iob_intern *t, const void *key, u32 key_len,
		   const void *payload, u32 payload_len, bool *fresh)
{
	u32 hash = iob_hash(key, key_len / 8);
	u32 *head = &t->buckets[hash & t->mask];
	raw_spinlock_t *lock = shard_of(t, hash);
	struct iob_node *node;
	unsigned long flags;
	u32 index, id = 0;

	*fresh = false;
	raw_spin_lock_irqsave(lock, flags);
	index = find(t, hash, key, key_len);
	if (index) {
		id = IOB_ID(index, node_at(t, index)->gen);
		goto out;
	}
	index = take_index(t);
	if (!index)
		goto out;
	node = node_at(t, index);
	memset(payload_of(node), 0, t->nodes.stride - sizeof(*node));
	memcpy(payload_of(node), payload, payload_len);
	node->hash = hash;
	node->key_len = key_len;
	node->next = *head;
	touch(t, node);
	/* the payload before the word that makes lookups believe it */
	smp_store_release(&node->live, 1);
	*head = index;
	id = IOB_ID(index, node->gen);
	*fresh = true;
out:
	raw_spin_unlock_irqrestore(lock, flags);
	if (*fresh || !id)
		iob_array_ahead(&t->nodes, iob_intern_end(t));
	return id;
}

/**
 * iob_intern_touch() - An object is used that was not used in this epoch yet
 * @t:    table
 * @node: its node
 *
 * Context: as for iob_intern_lookup().
 * Return: the payload; NULL if it is being taken out.
 */
void *iob_intern_touch(struct iob_intern *t, struct iob_node *node)
{
	touch(t, node);
	/* pairs with unlink_node(): it sees the use, or we the end */
	smp_mb();
	return READ_ONCE(node->live) == 1 ? payload_of(node) : NULL;
}

/**
 * iob_intern_again() - Is this still the id of a key?
 * @t:       table
 * @id:      what a caller remembers, or anything at all
 * @key:     as for iob_intern_get()
 * @key_len: its length
 *
 * Takes no lock: for who sees the same key again and again.
 *
 * Context: as for iob_intern_lookup().
 * Return: @id, or 0 if it is not the key's.
 */
u32 iob_intern_again(struct iob_intern *t, u32 id, const void *key,
		     u32 key_len)
{
	const u64 *known = iob_intern_lookup(t, id), *word = key;
	u32 i;

	if (!known || node_at(t, IOB_ID_INDEX(id))->key_len != key_len)
		return 0;
	for (i = 0; i < key_len / 8; i++)
		if (known[i] != word[i])
			return 0;
	return id;
}

/**
 * iob_intern_end() - One past the highest index ever used
 * @t: table
 *
 * Return: the bound for a walk with iob_intern_at().
 */
u32 iob_intern_end(const struct iob_intern *t)
{
	return READ_ONCE(t->fresh);
}

/**
 * iob_intern_nr() - Number of live objects
 * @t: table
 *
 * Return: the number, reserved ones not counted.
 */
u32 iob_intern_nr(const struct iob_intern *t)
{
	return READ_ONCE(t->nr);
}

/**
 * iob_intern_is_filling() - Would a sweep be of use soon?
 * @t: table
 *
 * Context: the sweeper.
 * Return: true if it is more than three quarters full and half of the room
 * that the last sweep left is used up.
 */
bool iob_intern_is_filling(const struct iob_intern *t)
{
	u32 nr = iob_intern_nr(t), room = t->max - t->reserved;

	return nr > room / 4 * 3 && nr > t->kept + (room - t->kept) / 2;
}

/**
 * iob_intern_at() - Object at an index, for walks
 * @t:     table
 * @index: from t->reserved up to iob_intern_end()
 * @id:    set to the object's id
 *
 * Does not count as a use: a walk keeps nothing from being swept.
 *
 * Context: RCU read section.
 * Return: the payload or NULL.
 */
void *iob_intern_at(struct iob_intern *t, u32 index, u32 *id)
{
	struct iob_node *node = node_at(t, index);

	/* pairs with the release in iob_intern_get() */
	if (smp_load_acquire(&node->live) != 1)
		return NULL;
	*id = IOB_ID(index, READ_ONCE(node->gen));
	return payload_of(node);
}

/**
 * iob_intern_advance() - Step 1 of a sweep: a new epoch, no marks
 * @t: table
 *
 * Context: the sweeper; wait for all probes afterwards.
 */
void iob_intern_advance(struct iob_intern *t)
{
	memset(t->marks, 0, BITS_TO_LONGS(t->max) * sizeof(long));
	/* pairs with iob_objects_epoch() */
	smp_store_release(&t->epoch, t->epoch + 1);
}

/**
 * iob_intern_mark() - Step 2 of a sweep: this id is in use
 * @t:  table
 * @id: any id; stale and reserved ones are ignored
 *
 * Context: the sweeper.
 */
void iob_intern_mark(struct iob_intern *t, u32 id)
{
	u32 index = IOB_ID_INDEX(id);
	struct iob_node *node;

	if (index < t->reserved || index >= t->max)
		return;
	node = node_at(t, index);
	if (node && READ_ONCE(node->gen) == IOB_ID_GEN(id))
		t->marks[index / BITS_PER_LONG] |= 1UL << index % BITS_PER_LONG;
}

static bool is_marked(const struct iob_intern *t, u32 index)
{
	return t->marks[index / BITS_PER_LONG] >> index % BITS_PER_LONG & 1;
}

/*
 * Take @index out of its chain; not if it was handed out in this epoch, which
 * a lookup may do without the lock. Context: its shard's lock held.
 */
static bool unlink_node(struct iob_intern *t, u32 index)
{
	struct iob_node *node = node_at(t, index);
	u32 *link = &t->buckets[node->hash & t->mask];

	WRITE_ONCE(node->live, IOB_NODE_DEAD);
	/* pairs with iob_intern_lookup() */
	smp_mb();
	if (READ_ONCE(node->used) == t->epoch) {
		WRITE_ONCE(node->live, 1);
		return false;
	}
	while (*link != index)
		link = &node_at(t, *link)->next;
	*link = node->next;
	WRITE_ONCE(node->gen, node->gen + 1);
	return true;
}

/**
 * iob_intern_unlink_unmarked() - Step 3 of a sweep: old ids stop resolving
 * @t: table
 *
 * Context: the sweeper, between the marking and a wait for all probes.
 * Return: how many objects were taken out.
 */
u32 iob_intern_unlink_unmarked(struct iob_intern *t)
{
	u32 index, end = iob_intern_end(t), nr = 0;

	for (index = t->reserved; index < end; index++) {
		struct iob_node *node = node_at(t, index);
		raw_spinlock_t *lock;
		unsigned long flags;

		/* acquire: its hash is that of its present key */
		if (smp_load_acquire(&node->live) != 1 || is_marked(t, index) ||
		    READ_ONCE(node->used) == t->epoch)
			continue;
		lock = shard_of(t, node->hash);
		raw_spin_lock_irqsave(lock, flags);
		nr += unlink_node(t, index);
		raw_spin_unlock_irqrestore(lock, flags);
	}
	return nr;
}

/**
 * iob_intern_recycle() - Step 4 of a sweep: the memory can be used again
 * @t: table
 *
 * Context: the sweeper, after all probes that ran at step 3 have ended.
 */
void iob_intern_recycle(struct iob_intern *t)
{
	u32 index, end = iob_intern_end(t);

	for (index = t->reserved; index < end; index++) {
		struct iob_node *node = node_at(t, index);
		unsigned long flags;

		if (READ_ONCE(node->live) != IOB_NODE_DEAD)
			continue;
		raw_spin_lock_irqsave(&t->free_lock, flags);
		WRITE_ONCE(node->live, 0);
		node->next = t->free;
		t->free = index;
		WRITE_ONCE(t->nr, t->nr - 1);
		raw_spin_unlock_irqrestore(&t->free_lock, flags);
	}
	t->kept = iob_intern_nr(t);
}
