// SPDX-License-Identifier: GPL-2.0
/* Map: a bounded hash table. */
#include "map.h"

struct iob_map_node {
	struct iob_map_key key;
	u32 next;
	u32 used;
	u64 value[];
};

/* Free nodes that a shard keeps at most. */
#define MAX_SPARE	4

static struct iob_map_node *node_at(const struct iob_map *m, u32 index)
{
	return iob_array_at(&m->nodes, index);
}

/**
 * iob_map_init() - Make an empty table
 * @m:    table
 * @max:  most values
 * @size: of a value; a multiple of 8
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int iob_map_init(struct iob_map *m, u32 max, u32 size)
{
	int i, err;

	memset(m, 0, sizeof(*m));
	if (!max || max >= IOB_ARRAY_MAX || size % 8)
		return -EINVAL;
	m->size = size;
	m->max = max + 1;	/* index 0 ends a chain */
	/* an eighth of the table at most: others get at it only with some trouble */
	m->spare = min_t(u32, MAX_SPARE, max / (8 * IOB_MAP_SHARDS));
	m->fresh = 1;
	raw_spin_lock_init(&m->free_lock);
	err = iob_array_init(&m->nodes, m->max,
			     sizeof(struct iob_map_node) + size);
	if (err)
		return err;
	m->shard = iob_table_alloc(IOB_MAP_SHARDS, sizeof(*m->shard));
	if (!m->shard) {
		iob_map_exit(m);
		return -ENOMEM;
	}
	for (i = 0; i < IOB_MAP_SHARDS; i++)
		raw_spin_lock_init(&m->shard[i].lock);
	return 0;
}

/**
 * iob_map_exit() - Free the table
 * @m: table, initialised or zeroed; no probe may be using it
 */
void iob_map_exit(struct iob_map *m)
{
	iob_array_exit(&m->nodes);
	iob_table_free(m->shard);
	memset(m, 0, sizeof(*m));
}

/* Keys are addresses and sectors. */
static __always_inline u32 *head_of(struct iob_map *m,
				    const struct iob_map_key *key,
				    struct iob_map_shard **shard)
{
	u32 hash = iob_spread(iob_spread(key->a) + key->b) >> 32;

	*shard = &m->shard[hash % IOB_MAP_SHARDS];
	return &(*shard)->head[hash / IOB_MAP_SHARDS %
			       ARRAY_SIZE((*shard)->head)];
}

/* Context: shard lock held. Returns the link that points at the node, or NULL. */
static u32 *find(struct iob_map *m, u32 *link, const struct iob_map_key *key)
{
	struct iob_map_node *node;

	for (; *link; link = &node->next) {
		node = node_at(m, *link);
		if (node->key.a == key->a && node->key.b == key->b)
			return link;
	}
	return NULL;
}

/* Nodes that no shard keeps. Context: interrupts off. */
static noinline u32 take_free(struct iob_map *m)
{
	u32 index = 0;

	raw_spin_lock(&m->free_lock);
	if (m->free) {
		index = m->free;
		m->free = node_at(m, index)->next;
	} else if (m->fresh < m->max && node_at(m, m->fresh)) {
		index = m->fresh;
		WRITE_ONCE(m->fresh, index + 1);
	}
	raw_spin_unlock(&m->free_lock);
	return index;
}

static noinline void put_free(struct iob_map *m, u32 index)
{
	raw_spin_lock(&m->free_lock);
	node_at(m, index)->next = m->free;
	m->free = index;
	raw_spin_unlock(&m->free_lock);
}

/* A free node that @shard keeps. Context: its lock held. */
static u32 take_kept(struct iob_map *m, struct iob_map_shard *shard)
{
	u32 index = shard->free;

	if (index) {
		shard->free = node_at(m, index)->next;
		WRITE_ONCE(shard->nr_free, shard->nr_free - 1);
	}
	return index;
}

/*
 * A node that some shard keeps, to where all find it: the table is full but for
 * these. False: no shard keeps any. Context: no shard's lock held.
 */
static noinline bool give_back(struct iob_map *m)
{
	struct iob_map_shard *shard;
	unsigned long flags;
	u32 index = 0;

	for (shard = m->shard; !index && shard < m->shard + IOB_MAP_SHARDS;
	     shard++) {
		if (!READ_ONCE(shard->nr_free))
			continue;
		raw_spin_lock_irqsave(&shard->lock, flags);
		index = take_kept(m, shard);
		if (index)
			put_free(m, index);
		raw_spin_unlock_irqrestore(&shard->lock, flags);
	}
	return index;
}

/* A node for a value of @shard, whose lock is held; 0 if there is none. */
static u32 node_get(struct iob_map *m, struct iob_map_shard *shard)
{
	u32 index = take_kept(m, shard);

	if (unlikely(!index))
		index = take_free(m);
	if (index)
		WRITE_ONCE(shard->nr, shard->nr + 1);
	return index;
}

/* The same back; @shared: any shard may want it. */
static __always_inline void node_put(struct iob_map *m,
				     struct iob_map_shard *shard, u32 index,
				     bool shared)
{
	struct iob_map_node *node = node_at(m, index);

	WRITE_ONCE(node->used, 0);
	WRITE_ONCE(shard->nr, shard->nr - 1);
	if (shared || shard->nr_free >= m->spare) {
		put_free(m, index);
		return;
	}
	node->next = shard->free;
	shard->free = index;
	WRITE_ONCE(shard->nr_free, shard->nr_free + 1);
}

static bool try_put(struct iob_map *m, const struct iob_map_key *key,
		    const void *value, bool replace)
{
	struct iob_map_shard *shard;
	u32 *head = head_of(m, key, &shard), *link, index;
	u32 fresh = READ_ONCE(m->fresh);
	struct iob_map_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(m, head, key);
	if (link) {
		if (replace)
			memcpy(node_at(m, *link)->value, value, m->size);
		raw_spin_unlock_irqrestore(&shard->lock, flags);
		return true;
	}
	index = node_get(m, shard);
	if (index) {
		node = node_at(m, index);
		node->key = *key;
		memcpy(node->value, value, m->size);
		node->next = *head;
		WRITE_ONCE(node->used, 1);
		*head = index;
	}
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	if (unlikely(!index || READ_ONCE(m->fresh) != fresh))
		iob_array_ahead(&m->nodes, READ_ONCE(m->fresh));
	return index;
}

static bool put(struct iob_map *m, const struct iob_map_key *key,
		const void *value, bool replace)
{
	return likely(try_put(m, key, value, replace)) ||
	       (m->spare && give_back(m) && try_put(m, key, value, replace));
}

/**
 * iob_map_set() - Remember a value, in place of an older one
 * @m:     table
 * @key:   its key
 * @value: copied
 *
 * Context: any but NMI.
 * Return: false if the table is full, or there is no memory for one more.
 */
bool iob_map_set(struct iob_map *m, const struct iob_map_key *key,
		 const void *value)
{
	return put(m, key, value, true);
}

/**
 * iob_map_add() - Remember a value unless there is one
 * @m:     table
 * @key:   its key
 * @value: copied
 *
 * Context: any but NMI.
 * Return: false if the table is full, or there is no memory for one more.
 */
bool iob_map_add(struct iob_map *m, const struct iob_map_key *key,
		 const void *value)
{
	return put(m, key, value, false);
}

/**
 * iob_map_lookup() - Read a value
 * @m:     table
 * @key:   its key
 * @value: filled
 *
 * Context: any but NMI.
 * Return: false if there is none.
 */
bool iob_map_lookup(struct iob_map *m, const struct iob_map_key *key,
		    void *value)
{
	struct iob_map_shard *shard;
	u32 *link = head_of(m, key, &shard);
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(m, link, key);
	if (link)
		memcpy(value, node_at(m, *link)->value, m->size);
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	return link;
}

/**
 * iob_map_take() - Read a value and forget it
 * @m:     table
 * @key:   its key
 * @value: filled; NULL if nobody wants to know
 *
 * Context: any but NMI.
 * Return: false if there is none.
 */
bool iob_map_take(struct iob_map *m, const struct iob_map_key *key,
		  void *value)
{
	struct iob_map_shard *shard;
	u32 *link = head_of(m, key, &shard), index;
	struct iob_map_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(m, link, key);
	if (link) {
		index = *link;
		node = node_at(m, index);
		if (value)
			memcpy(value, node->value, m->size);
		*link = node->next;
		node_put(m, shard, index, false);
	}
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	return link;
}

/**
 * iob_map_update() - Change a value
 * @m:   table
 * @key: its key
 * @fn:  changes it; called under the shard's lock
 * @arg: for @fn
 *
 * Context: any but NMI.
 * Return: false if there is none.
 */
bool iob_map_update(struct iob_map *m, const struct iob_map_key *key,
		    void (*fn)(void *value, const void *arg), const void *arg)
{
	struct iob_map_shard *shard;
	u32 *link = head_of(m, key, &shard);
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	link = find(m, link, key);
	if (link)
		fn(node_at(m, *link)->value, arg);
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	return link;
}

/**
 * iob_map_make_room() - Forget one value of a full table, an old one
 * @m: table
 *
 * A hand goes round the nodes, as in the clock algorithm of page replacement
 * without its second chance: what it finds was put there about a table's length
 * of additions ago.
 *
 * Context: any but NMI; no lock of the table held.
 * Return: false if none was found near the hand.
 */
bool iob_map_make_room(struct iob_map *m)
{
	struct iob_map_shard *shard;
	struct iob_map_node *node;
	struct iob_map_key key;
	u32 i, index, *link;
	unsigned long flags;
	bool found = false;

	for (i = 0; i < 8 && !found; i++) {
		/* unlocked: two who count at once make room twice in one place */
		index = READ_ONCE(m->hand) % (m->max - 1) + 1;
		WRITE_ONCE(m->hand, index);
		node = node_at(m, index);
		if (!node || !READ_ONCE(node->used))
			continue;
		/* it may be given back and used anew here: find() decides */
		key.a = READ_ONCE(node->key.a);
		key.b = READ_ONCE(node->key.b);
		link = head_of(m, &key, &shard);
		raw_spin_lock_irqsave(&shard->lock, flags);
		link = find(m, link, &key);
		if (link && *link == index) {
			*link = node->next;
			node_put(m, shard, index, true);
			found = true;
		}
		raw_spin_unlock_irqrestore(&shard->lock, flags);
	}
	return found;
}

/**
 * iob_map_nr() - Values in the table
 * @m: table
 *
 * Return: the number.
 */
u32 iob_map_nr(const struct iob_map *m)
{
	u32 i, nr = 0;

	for (i = 0; i < IOB_MAP_SHARDS; i++)
		nr += READ_ONCE(m->shard[i].nr);
	return nr;
}

/**
 * iob_map_for_each() - Call a function for every value
 * @m:   table
 * @fn:  called with @ctx and the value, under a shard's lock
 * @ctx: for @fn
 *
 * Context: the sweeper.
 */
void iob_map_for_each(struct iob_map *m,
		      void (*fn)(void *ctx, const void *value), void *ctx)
{
	u32 i, j, index;

	for (i = 0; i < IOB_MAP_SHARDS; i++) {
		struct iob_map_shard *shard = &m->shard[i];
		unsigned long flags;

		raw_spin_lock_irqsave(&shard->lock, flags);
		for (j = 0; j < ARRAY_SIZE(shard->head); j++)
			for (index = shard->head[j]; index;
			     index = node_at(m, index)->next)
				fn(ctx, node_at(m, index)->value);
		raw_spin_unlock_irqrestore(&shard->lock, flags);
	}
}
