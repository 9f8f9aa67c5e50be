/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Races on demand: one function is interrupted at a chosen point by another
 * CPU that runs a second function, to its end or until it has to wait for a
 * lock the first one holds. Trying every point tries every interleaving with
 * one switch; a test that fails does so every time.
 */
#ifndef IOB_TESTS_RACE_H
#define IOB_TESTS_RACE_H

#include <stdbool.h>

#include "shim.h"

/**
 * iob_race() - Run two functions, the second at one point of the first
 * @nth: the point: 0 is before the first access that others may see
 * @a:   the function that is interrupted
 * @b:   the one that interrupts it; runs after @a if there are fewer points
 * @ctx: for both
 *
 * Return: false if @a had fewer points: all have been tried.
 */
bool iob_race(int nth, void (*a)(void *ctx), void (*b)(void *ctx), void *ctx);

/* For shim.c: the lock is another's; a lock was released. */
void iob_race_wait(void);
void iob_race_released(void);

#endif /* IOB_TESTS_RACE_H */
