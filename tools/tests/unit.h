/* SPDX-License-Identifier: GPL-2.0 */
/* Unit tests in TAP: a case returns whether it passed, EXPECT says where not. */
#ifndef IOBLAME_UNIT_H
#define IOBLAME_UNIT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit_case {
	const char *name;
	bool (*run)(void);
};

#define EXPECT(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("# %s:%d: %s\n", __FILE__, __LINE__,	\
			       #condition);				\
			return false;					\
		}							\
	} while (0)

extern const struct unit_case text_cases[], table_cases[], report_cases[],
	params_cases[], pack_cases[], recording_cases[],
	rotation_cases[], session_cases[], top_cases[], store_cases[], flight_cases[],
	trigger_cases[], names_cases[];

/* The tables of tests/root, or of another directory. */
struct iob_tables;
struct iob_tables *unit_tables(void);
const char *unit_dir(void);

/* The same sequence on every machine. */
static inline unsigned int unit_random(unsigned int *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

#endif /* IOBLAME_UNIT_H */
