// SPDX-License-Identifier: GPL-2.0
/* State: the parts of a tracing session, made and freed together. */
#include "state.h"

/**
 * iob_state_init() - Make everything, empty
 * @s:       state
 * @limits:  how much of everything
 * @filter:  what is wanted; copied
 * @max_pfn: one past the highest page frame
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for limits that cannot be, -ENOMEM.
 */
int iob_state_init(struct iob_state *s, const struct iob_limits *limits,
		   const struct iob_filter *filter, u64 max_pfn)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->filter = *filter;
	iob_family_init(&s->family);
	err = iob_counters_init(&s->counters);
	if (err)
		return err;
	iob_marks_init(&s->marks, &s->counters);
	iob_logs_init(&s->logs, &s->counters);
	iob_marks_init(&s->commits, &s->counters);
	iob_loans_init(&s->loans);
	err = iob_devices_init(&s->devices, &s->counters);
	if (!err)
		err = iob_objects_init(&s->objects, &s->counters,
				       limits->stacks, limits->acts,
				       limits->files);
	if (!err)
		err = iob_flows_init(&s->flows, &s->counters, limits->flows);
	if (!err)
		err = iob_blocks_init(&s->blocks, &s->counters,
				      limits->blocks);
	if (!err)
		err = iob_keeps_init(&s->keeps, &s->counters, limits->blocks);
	if (!err)
		err = iob_joins_init(&s->joins, &s->counters);
	if (!err)
		err = iob_totals_init(&s->totals, limits->totals);
	if (!err)
		err = iob_pages_init(&s->pages, &s->counters, max_pfn,
				     limits->memory_kb << 10);
	if (!err && filter->readahead)
		err = iob_spans_init(&s->reads);
	if (err)
		iob_state_exit(s);
	return err;
}

/**
 * iob_state_exit() - Free everything
 * @s: state, initialised or zeroed; no probe may be using it
 */
void iob_state_exit(struct iob_state *s)
{
	iob_spans_exit(&s->reads);
	iob_pages_exit(&s->pages);
	iob_totals_exit(&s->totals);
	iob_joins_exit(&s->joins);
	iob_keeps_exit(&s->keeps);
	iob_blocks_exit(&s->blocks);
	iob_flows_exit(&s->flows);
	iob_objects_exit(&s->objects);
	iob_devices_exit(&s->devices);
	iob_counters_exit(&s->counters);
}

/**
 * iob_state_reset() - Sums to zero, memory of who dirtied what stays
 * @s: state
 *
 * An IO that completes at the same moment is counted before, after, or in part
 * before and in part after: reset while the disks are quiet to compare sums.
 *
 * Context: may run beside probes.
 */
void iob_state_reset(struct iob_state *s)
{
	iob_tallies_fold(&s->totals);
	iob_totals_reset(&s->totals);
	iob_devices_reset(&s->devices);
	iob_counters_reset(&s->counters);
}

/**
 * iob_state_table_bytes() - Memory that what is in the tables takes
 * @s: state
 *
 * Return: bytes.
 */
u64 iob_state_table_bytes(const struct iob_state *s)
{
	const struct iob_array *arrays[] = {
		&s->objects.stacks.nodes, &s->objects.groups.nodes,
		&s->objects.roles.nodes, &s->objects.files.nodes,
		&s->objects.acts.nodes, &s->flows.crowd.nodes,
		&s->flows.places.nodes, &s->blocks.map.nodes,
		&s->keeps.map.nodes, &s->totals.rows,
	};
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(arrays); i++)
		bytes += iob_array_bytes(arrays[i]);
	return bytes;
}
