/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_CORE_SWEEP_H
#define IOB_CORE_SWEEP_H

#include "state.h"

/**
 * struct iob_sweep_ops - what the sweep needs of its surroundings
 * @wait:  returns when every probe that was running has ended
 * @relax: called now and then in long walks; may sleep
 */
struct iob_sweep_ops {
	void (*wait)(void);
	void (*relax)(void);
};

bool iob_sweep_is_due(const struct iob_state *s);
u32 iob_sweep(struct iob_state *s, const struct iob_sweep_ops *ops);

#endif /* IOB_CORE_SWEEP_H */
