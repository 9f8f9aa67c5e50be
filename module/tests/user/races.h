/* SPDX-License-Identifier: GPL-2.0 */
/* Cases of races: two operations on one session, and what holds after them. */
#ifndef IOB_TESTS_RACES_H
#define IOB_TESTS_RACES_H

#include "../fixture.h"

/**
 * struct races - the world of a race
 * @f:        the session, made anew for every point
 * @test:     the case
 * @id:       ids that the operations are about
 * @got:      what they returned
 * @row:      likewise
 * @folio_dirty: the kernel's mark
 * @in_probe: per side: a sweep has to wait for it
 */
struct races {
	struct iob_fixture *f;
	struct kunit *test;
	u32 id[4];
	u32 got[4];
	struct iob_total row;
	bool folio_dirty;
	bool in_probe[2];
};

/**
 * struct race - two operations, and what must hold after them
 * @limits: of the session, NULL: enough
 * @setup:  what has happened before, NULL: nothing
 */
struct race {
	const char *name;
	const struct iob_limits *limits;
	void (*setup)(struct races *r);
	void (*a)(void *ctx);
	void (*b)(void *ctx);
	void (*check)(struct races *r);
};

void iob_races_both_ways(struct kunit *test, const struct race *race);

/* A write of page IOB_RACES_PFN completes: the act that is charged. */
#define IOB_RACES_PFN	5
#define IOB_RACES_UNIT	(1ull << IOB_PAGE_TIME_SHIFT)

u32 iob_races_complete(struct races *r, bool still_dirty);

#endif /* IOB_TESTS_RACES_H */
