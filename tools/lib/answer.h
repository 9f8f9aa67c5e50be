/* SPDX-License-Identifier: GPL-2.0 */
/* The answer to what most people ask, before the table. */
#ifndef IOBLAME_ANSWER_H
#define IOBLAME_ANSWER_H

#include "report.h"

#define IOB_MAX_ANSWERS 3

int iob_report_answer(struct iob_report *r, bool exact);

#endif /* IOBLAME_ANSWER_H */
