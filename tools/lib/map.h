/* SPDX-License-Identifier: GPL-2.0 */
/* A hash from 64-bit keys to array indices. */
#ifndef IOBLAME_MAP_H
#define IOBLAME_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iob_map {
	struct iob_map_slot {
		uint64_t key;
		uint32_t value_1;	/* value + 1; 0: free */
	} *slots;
	size_t nr_slots;
	size_t nr;
};

bool iob_map_get(const struct iob_map *m, uint64_t key, uint32_t *value);
int iob_map_set(struct iob_map *m, uint64_t key, uint32_t value);
void iob_map_free(struct iob_map *m);
uint64_t iob_mix(uint64_t hash, uint64_t value);

#endif /* IOBLAME_MAP_H */
