// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "flame.h"
#include "writer.h"

struct path {
	size_t first, nr;		/* in build.names */
	uint64_t value;
	bool is_other;			/* of the report to compare with */
};

struct build {
	struct iob_flame *f;
	const struct iob_report *stacks;	/* has the frames of stacks */
	const struct iob_metric *m;
	IOB_VEC(const char *) names;	/* interned: equal is the same pointer */
	IOB_VEC(struct path) paths;
};

static int add_name(struct build *b, const char *text)
{
	char *escaped = iob_escape(text);
	const char **name = escaped ? iob_vec_add(&b->names) : NULL;

	if (name)
		*name = iob_strings_intern(b->f->strings, escaped,
					   strlen(escaped));
	free(escaped);
	return name && *name ? 0 : -ENOMEM;
}

static int add_task(struct build *b, const struct iob_row *row)
{
	const char *comm = iob_row_text(row, IOB_ROW_COMM);
	const char *unknown = iob_row_text(row, IOB_ROW_UNKNOWN);
	char word[64];

	if (comm && *comm)
		return add_name(b, comm);
	snprintf(word, sizeof(word), "[%s]", unknown ? unknown : "unknown");
	return add_name(b, word);
}

/* They come innermost first and are to lie outermost first. */
static int add_frames(struct build *b, const char *frames)
{
	struct iob_field rest = { frames, strlen(frames) }, frame;
	size_t first = b->names.nr, last;
	char name[512];
	int ret = 0;

	while (!ret && iob_split(&rest, ';', &frame)) {
		iob_format_function(name, sizeof(name), frame);
		if (*name)
			ret = add_name(b, name);
	}
	for (last = b->names.nr; first + 1 < last; first++) {
		const char *tmp = b->names.v[first];

		b->names.v[first] = b->names.v[--last];
		b->names.v[last] = tmp;
	}
	return ret;
}

static int add_row(struct build *b, const struct iob_row *row, bool is_other)
{
	const char *frames = NULL;
	struct path *p;
	int ret;

	if (row->known & IOB_ROW_BIT(STACK))
		frames = iob_report_frames(b->stacks, row->v[IOB_ROW_STACK]);
	p = iob_vec_add(&b->paths);
	if (!p)
		return -ENOMEM;
	p->first = b->names.nr;
	p->value = b->m->of(row);
	p->is_other = is_other;
	ret = add_task(b, row);
	if (!ret && frames)
		ret = add_frames(b, frames);
	p->nr = b->names.nr - p->first;
	if (!ret && p->nr == 1) {
		ret = add_name(b, IOB_FLAME_NO_STACK);
		p->nr++;
	}
	return ret;
}

static int compare(const void *pa, const void *pb, void *arg)
{
	const struct path *x = pa, *y = pb;
	const struct build *b = arg;

	for (size_t i = 0; i < x->nr && i < y->nr; i++) {
		const char *a = b->names.v[x->first + i];
		const char *c = b->names.v[y->first + i];

		if (a != c)
			return strcmp(a, c);
	}
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/*
 * Of paths in order, each shares its start with the one before it: what is new
 * hangs below that, and all nodes come out parents first.
 */
static int grow(struct build *b)
{
	struct iob_flame *f = b->f;
	IOB_VEC(uint32_t) way = {};	/* the nodes of the path before */
	const struct path *before = NULL;
	struct iob_flame_node *n;
	uint64_t at = 0;
	uint32_t *step;

	for (size_t i = 0; i < b->paths.nr; i++) {
		const struct path *p = &b->paths.v[i];
		size_t k = 0;

		while (before && k < p->nr && k < before->nr &&
		       b->names.v[p->first + k] == b->names.v[before->first + k])
			k++;
		for (way.nr = k; k < p->nr; k++) {
			step = iob_vec_add(&way);
			n = step ? iob_vec_add(&f->nodes) : NULL;
			if (!n) {
				iob_vec_free(&way);
				return -ENOMEM;
			}
			*step = f->nodes.nr - 1;
			n->name = b->names.v[p->first + k];
			n->parent = k ? way.v[k - 1] : 0;
			n->depth = k + 1;
			n->at = at;
			if (n->depth > f->max_depth)
				f->max_depth = n->depth;
		}
		n = &f->nodes.v[way.v[p->nr - 1]];
		n->self += p->is_other ? 0 : p->value;
		n->other_self += p->is_other ? p->value : 0;
		at += p->is_other ? 0 : p->value;
		before = p;
	}
	iob_vec_free(&way);
	for (size_t i = f->nodes.nr; i-- > 0;) {
		n = &f->nodes.v[i];
		n->total += n->self;
		n->other += n->other_self;
		if (!i)
			break;
		f->nodes.v[n->parent].total += n->total;
		f->nodes.v[n->parent].other += n->other;
	}
	return 0;
}

static int add_rows(struct build *b, const struct iob_report *r, bool is_other)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < r->rows.nr; i++)
		if (b->m->of(&r->rows.v[i]))
			ret = add_row(b, &r->rows.v[i], is_other);
	return ret;
}

static int make(struct build *b, const struct iob_report *r,
		const struct iob_report *other)
{
	struct iob_flame_node *root = iob_vec_add(&b->f->nodes);
	int ret = root ? 0 : -ENOMEM;

	if (root)
		root->name = "all";
	if (!ret)
		ret = add_rows(b, r, false);
	if (!ret && other)
		ret = add_rows(b, other, true);
	if (!ret && b->paths.nr)
		qsort_r(b->paths.v, b->paths.nr, sizeof(*b->paths.v), compare, b);
	return ret ? ret : grow(b);
}

/**
 * iob_flame_compare - add the rows of two reports up by task and stack
 * @f: the tree; to be freed also after an error
 * @r: the report whose sums are self and total of the nodes
 * @other: the one whose sums are other; may be NULL
 * @names: has the frames of the stacks of both
 * @m: what is added up; rows that have none of it are left out
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_flame_compare(struct iob_flame *f, const struct iob_report *r,
		      const struct iob_report *other,
		      const struct iob_report *names,
		      const struct iob_metric *m, struct iob_err *err)
{
	struct build b = { .f = f, .stacks = names, .m = m };
	int ret = -ENOMEM;

	memset(f, 0, sizeof(*f));
	f->strings = iob_strings_create();
	if (f->strings)
		ret = make(&b, r, other);
	iob_vec_free(&b.names);
	iob_vec_free(&b.paths);
	return ret ? iob_fail(err, ret, "out of memory adding stacks up") : 0;
}

/**
 * iob_flame_make - add the rows of a report up by task and stack
 * @f: the tree; to be freed also after an error
 * @r: the report
 * @m: what is added up; rows that have none of it are left out
 * @err: error text
 *
 * Return: 0 or -ENOMEM.
 */
int iob_flame_make(struct iob_flame *f, const struct iob_report *r,
		   const struct iob_metric *m, struct iob_err *err)
{
	return iob_flame_compare(f, r, NULL, r, m, err);
}

/**
 * iob_flame_free - free a tree
 * @f: the tree
 */
void iob_flame_free(struct iob_flame *f)
{
	iob_vec_free(&f->nodes);
	iob_strings_destroy(f->strings);
	f->strings = NULL;
}

/**
 * iob_flame_path - the nodes from a task to a node
 * @f: the tree
 * @node: index of the node
 * @path: their indices, without the root's; room for @f->max_depth
 *
 * Return: how many they are.
 */
uint32_t iob_flame_path(const struct iob_flame *f, uint32_t node,
			uint32_t *path)
{
	uint32_t nr = f->nodes.v[node].depth;

	for (uint32_t i = nr; i-- > 0; node = f->nodes.v[node].parent)
		path[i] = node;
	return nr;
}
