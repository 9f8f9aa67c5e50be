/* SPDX-License-Identifier: GPL-2.0 */
/* The module's log2 histograms of times. */
#ifndef IOBLAME_HIST_H
#define IOBLAME_HIST_H

#include <stdint.h>

#include "text.h"

/* Only the buckets between the first and the last that count are kept. */
struct iob_hist {
	uint8_t first;
	uint8_t nr;
	uint64_t *n;
};

int iob_hist_add(struct iob_hist *h, unsigned int bucket, uint64_t count);
int iob_hist_merge(struct iob_hist *to, const struct iob_hist *from);
void iob_hist_subtract(struct iob_hist *from, const struct iob_hist *what);
int iob_hist_parse(struct iob_hist *h, struct iob_field f);
void iob_hist_free(struct iob_hist *h);
unsigned int iob_hist_bucket(uint64_t ns);
uint64_t iob_hist_upper_ns(unsigned int bucket);
uint64_t iob_hist_total(const struct iob_hist *h);
int iob_hist_last(const struct iob_hist *h);
uint64_t iob_hist_percentile(const struct iob_hist *h, unsigned int percent,
			     uint64_t max_ns);

#endif /* IOBLAME_HIST_H */
