// SPDX-License-Identifier: GPL-2.0
/*
 * ioblame_kunit.ko: the suites of this folder with a copy of core/ of their
 * own. KUnit finds the suites by itself and runs them when the module loads.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of ioblame");
MODULE_LICENSE("GPL");
