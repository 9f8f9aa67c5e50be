// SPDX-License-Identifier: GPL-2.0
/* What the cases of races share: every point is tried, in both directions. */
#include "race.h"
#include "races.h"

u32 iob_races_complete(struct races *r, bool still_dirty)
{
	struct iob_pages *p = &r->f->s.pages;

	return iob_slot_act(iob_pages_complete(p, IOB_RACES_PFN,
					       iob_pages_peek(p, IOB_RACES_PFN),
					       still_dirty, true, 0,
					       9 * IOB_RACES_UNIT));
}

/* Every point of @a; returns how many there were. */
static u32 try_all(struct kunit *test, const struct race *race,
		   void (*a)(void *ctx), void (*b)(void *ctx))
{
	bool was_failed = test->failed, more;
	u32 nth = 0;

	do {
		struct races r = {
			.f = iob_fixture_create(test, race->limits ?:
						&iob_test_limits, NULL),
			.test = test,
		};

		if (race->setup)
			race->setup(&r);
		more = iob_race(nth, a, b, &r);
		race->check(&r);
		iob_state_exit(&r.f->s);
		if (test->failed && !was_failed) {
			kunit_report(test, __FILE__, __LINE__,
				     "first at point %u of %s", nth,
				     a == race->a ? "the first" : "the second");
			break;
		}
		nth++;
	} while (more);
	return nth;
}

void iob_races_both_ways(struct kunit *test, const struct race *race)
{
	KUNIT_EXPECT_LT(test, 1u, try_all(test, race, race->a, race->b));
	KUNIT_EXPECT_LT(test, 1u, try_all(test, race, race->b, race->a));
}
