// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "tree.h"

struct build {
	struct iob_tree *t;
	struct iob_map by_key;		/* hash of parent and key -> node */
	const struct iob_key *const *keys;
	size_t nr_keys;
	const char *sort;
};

static bool agrees(const struct iob_row *a, const struct iob_row *b,
		   uint32_t fields)
{
	if ((a->known ^ b->known) & fields)
		return false;
	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (a->known & fields & 1u << f && a->v[f] != b->v[f])
			return false;
	return true;
}

static uint64_t hash_of(const struct iob_row *row, uint32_t fields,
			size_t parent_1, unsigned int level)
{
	uint64_t h = iob_mix(iob_mix(parent_1, level), row->known & fields);

	for (int f = 0; f < IOB_NR_ROW_FIELDS; f++)
		if (row->known & fields & 1u << f)
			h = iob_mix(h, row->v[f]);
	return h;
}

/* Who a row is and how much: its histograms are the other's. */
static int copy_row(struct iob_row *to, const struct iob_row *from)
{
	*to = *from;
	memset(to->hist, 0, sizeof(to->hist));
	for (int k = 0; k < IOB_NR_TIMES; k++)
		if (iob_hist_merge(&to->hist[k], &from->hist[k]))
			return -ENOMEM;
	return 0;
}

/* The node of a row on a level, with the row added to it. */
static int add(struct build *b, const struct iob_row *row, unsigned int level,
	       size_t parent_1, size_t *node_1)
{
	uint32_t fields = b->keys[level]->fields, at;
	uint64_t h = hash_of(row, fields, parent_1, level);
	struct iob_tree_node *n;

	while (iob_map_get(&b->by_key, h, &at)) {
		n = &b->t->nodes.v[at];
		if (n->parent_1 == parent_1 && n->level == level &&
		    agrees(&n->row, row, fields)) {
			*node_1 = at + 1;
			return iob_row_merge(&n->row, row);
		}
		h++;
	}
	n = iob_vec_add(&b->t->nodes);
	if (!n)
		return -ENOMEM;
	n->parent_1 = parent_1;
	n->level = level;
	*node_1 = b->t->nodes.nr;
	if (copy_row(&n->row, row))
		return -ENOMEM;
	return iob_map_set(&b->by_key, h, b->t->nodes.nr - 1);
}

/* @shown: else only the sums above it know of the row. */
static int add_row(struct build *b, const struct iob_row *row, bool shown)
{
	size_t node_1 = 0;
	int ret = 0;

	for (size_t level = 0; !ret && level < b->nr_keys; level++) {
		ret = add(b, row, level, node_1, &node_1);
		if (!ret)
			b->t->nodes.v[node_1 - 1].shown |= shown;
	}
	return ret;
}

struct place {
	size_t node;
	const struct build *b;
};

static int by_parent(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	const struct iob_tree_node *nodes = a->b->t->nodes.v;
	const struct iob_tree_node *x = &nodes[a->node], *y = &nodes[b->node];
	int ret;

	if (x->parent_1 != y->parent_1)
		return x->parent_1 < y->parent_1 ? -1 : 1;
	ret = iob_row_compare(&x->row, &y->row, a->b->sort);
	return ret ? ret : a->node < b->node ? -1 : a->node > b->node;
}

/*
 * Level by level: those below one node lie together, in order; and a level lies behind
 * the one above it, as its nodes' parents do.
 */
static int order(struct build *b)
{
	size_t nr = b->t->nodes.nr;
	struct place *places = calloc(nr + 1, sizeof(*places));
	struct iob_tree_node *sorted = calloc(nr + 1, sizeof(*sorted));
	size_t *now = calloc(nr + 1, sizeof(*now)), at = 0;

	if (!places || !sorted || !now) {
		free(places);
		free(sorted);
		free(now);
		return -ENOMEM;
	}
	for (size_t level = 0; level < b->nr_keys; level++) {
		size_t first = at;

		for (size_t i = 0; i < nr; i++)
			if (b->t->nodes.v[i].level == level)
				places[at++] = (struct place){ i, b };
		qsort(places + first, at - first, sizeof(*places), by_parent);
	}
	for (size_t i = 0; i < nr; i++)
		now[places[i].node + 1] = i + 1;
	for (size_t i = 0; i < nr; i++) {
		sorted[i] = b->t->nodes.v[places[i].node];
		sorted[i].parent_1 = now[sorted[i].parent_1];
	}
	if (nr)
		memcpy(b->t->nodes.v, sorted, nr * sizeof(*sorted));
	free(places);
	free(sorted);
	free(now);
	return 0;
}

/**
 * iob_tree_make - hang rows below what they agree in
 * @t: the tree; to be freed also after an error
 * @r: the report, grouped by all of @keys and sorted
 * @keys: the levels, the highest first
 * @nr_keys: how many
 * @sort: what siblings are sorted by, as iob_report_sort() is told
 * @top: how many rows are shown; 0: all. The others are in the sums above them.
 *
 * Return: 0 or -ENOMEM.
 */
int iob_tree_make(struct iob_tree *t, const struct iob_report *r,
		  const struct iob_key *const *keys, size_t nr_keys,
		  const char *sort, size_t top)
{
	struct build b = { .t = t, .keys = keys, .nr_keys = nr_keys, .sort = sort };
	int ret = 0;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; !ret && i < r->rows.nr; i++) {
		const struct iob_row *row = &r->rows.v[i];
		bool shown = !top || i < top;

		ret = add_row(&b, row, shown);
		if (shown)
			continue;
		t->nr_omitted++;
		t->omitted.bytes += row->bytes;
		t->omitted.ios += row->ios;
	}
	iob_map_free(&b.by_key);
	return ret ? ret : order(&b);
}

/**
 * iob_tree_free - free a tree
 * @t: the tree
 */
void iob_tree_free(struct iob_tree *t)
{
	for (size_t i = 0; i < t->nodes.nr; i++)
		iob_row_free(&t->nodes.v[i].row);
	iob_vec_free(&t->nodes);
}
