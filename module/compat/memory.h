/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOB_COMPAT_MEMORY_H
#define IOB_COMPAT_MEMORY_H

#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>

/**
 * iob_end_pfn() - One past the highest page frame there is now
 *
 * max_pfn is not exported; the nodes' spans are public.
 *
 * Return: the number.
 */
static inline u64 iob_end_pfn(void)
{
	u64 end = 0;
	int node;

	for_each_online_node(node)
		end = max_t(u64, end, node_end_pfn(node));
	return end;
}

#endif /* IOB_COMPAT_MEMORY_H */
