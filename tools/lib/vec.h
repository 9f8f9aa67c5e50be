/* SPDX-License-Identifier: GPL-2.0 */
/* An array that grows: struct { T *v; size_t nr, max; }. */
#ifndef IOBLAME_VEC_H
#define IOBLAME_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define IOB_VEC(type) struct { type *v; size_t nr, max; }

static inline bool iob_vec_reserve(void **v, size_t *max, size_t want,
				   size_t size)
{
	size_t n = *max ? *max : 16;
	void *p;

	if (want <= *max)
		return true;
	while (n < want) {
		if (n > (size_t)-1 / 2 / size)
			return false;
		n *= 2;
	}
	p = realloc(*v, n * size);
	if (!p)
		return false;
	*v = p;
	*max = n;
	return true;
}

/* Room for one more element, zeroed; NULL without memory. */
#define iob_vec_add(vec)						\
	(iob_vec_reserve((void **)&(vec)->v, &(vec)->max, (vec)->nr + 1, \
			 sizeof(*(vec)->v)) ?				\
	 memset(&(vec)->v[(vec)->nr++], 0, sizeof(*(vec)->v)) : NULL)

#define iob_vec_free(vec)						\
	do {								\
		free((vec)->v);						\
		memset((vec), 0, sizeof(*(vec)));			\
	} while (0)

#endif /* IOBLAME_VEC_H */
