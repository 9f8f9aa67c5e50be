// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

/**
 * iob_mix - fold one more number into a hash
 * @hash: so far
 * @value: the number
 *
 * Return: the hash of both.
 */
uint64_t iob_mix(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
	hash ^= hash >> 33;
	hash *= 0xff51afd7ed558ccdull;
	return hash ^ hash >> 29;
}

static struct iob_map_slot *find(const struct iob_map *m, uint64_t key)
{
	size_t i = iob_mix(0, key) & (m->nr_slots - 1);

	while (m->slots[i].value_1 && m->slots[i].key != key)
		i = (i + 1) & (m->nr_slots - 1);
	return &m->slots[i];
}

/**
 * iob_map_get - look a key up
 * @m: the map; all zeroes is an empty one
 * @key: what to look for
 * @value: what was set for it
 *
 * Return: whether the key is there.
 */
bool iob_map_get(const struct iob_map *m, uint64_t key, uint32_t *value)
{
	struct iob_map_slot *slot;

	if (!m->nr_slots)
		return false;
	slot = find(m, key);
	if (!slot->value_1)
		return false;
	*value = slot->value_1 - 1;
	return true;
}

static int grow(struct iob_map *m)
{
	struct iob_map bigger = { .nr_slots = m->nr_slots ? m->nr_slots * 2 : 64 };

	bigger.slots = calloc(bigger.nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_slots; i++)
		if (m->slots[i].value_1)
			*find(&bigger, m->slots[i].key) = m->slots[i];
	bigger.nr = m->nr;
	free(m->slots);
	*m = bigger;
	return 0;
}

/**
 * iob_map_set - set the value of a key
 * @m: the map
 * @key: the key
 * @value: replaces what was set before
 *
 * Return: 0 or -ENOMEM.
 */
int iob_map_set(struct iob_map *m, uint64_t key, uint32_t value)
{
	struct iob_map_slot *slot;

	if (m->nr * 2 >= m->nr_slots && grow(m))
		return -ENOMEM;
	slot = find(m, key);
	if (!slot->value_1)
		m->nr++;
	slot->key = key;
	slot->value_1 = value + 1;
	return 0;
}

/**
 * iob_map_free - free the slots; the map is empty afterwards
 * @m: the map
 */
void iob_map_free(struct iob_map *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}
