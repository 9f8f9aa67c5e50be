// SPDX-License-Identifier: GPL-2.0
/* The small files in debugfs: knobs, counters, hooks. */
#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../hook/hook.h"
#include "../probe/control.h"
#include "debugfs.h"
#include "text.h"

/* Longest text a user may write into a knob. */
#define IOB_MAX_WRITE	4096

/**
 * struct iob_knob - one small file
 * @name:  of the file, below @dir
 * @dir:   "filter", "limits", "track" or NULL
 * @show:  prints it; NULL: cannot be read
 * @store: takes one text; NULL: cannot be written
 * @arg:   which of several like it
 */
struct iob_knob {
	const char *name;
	const char *dir;
	void (*show)(struct seq_file *m, const struct iob_knob *knob);
	int (*store)(const struct iob_knob *knob, char *text);
	size_t arg;
};

static void abi_show(struct seq_file *m, const struct iob_knob *knob)
{
	seq_printf(m, "%d\n", IOB_ABI);
}

static void enable_show(struct seq_file *m, const struct iob_knob *knob)
{
	bool on = iob_control_lock();

	iob_control_unlock();
	seq_printf(m, "%d\n", on);
}

static int enable_store(const struct iob_knob *knob, char *text)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return -EINVAL;
	return iob_control_enable(text[0] == '1');
}

static void verify_show(struct seq_file *m, const struct iob_knob *knob)
{
	seq_printf(m, "%d\n", iob_stack_verifies());
}

static int verify_store(const struct iob_knob *knob, char *text)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return -EINVAL;
	iob_stack_verify(text[0] == '1');
	return 0;
}

static int reset_store(const struct iob_knob *knob, char *text)
{
	struct iob_state *s = iob_control_lock();

	if (s)
		iob_state_reset(s);
	iob_control_unlock();
	return 0;
}

/* What a memory of so many objects costs is bounded here, not by luck. */
static const struct limit {
	size_t offset, size;
	u64 min, max;
} limits[] = {
#define LIMIT(field, min, max) \
	{ offsetof(struct iob_limits, field), \
	  sizeof_field(struct iob_limits, field), min, max }
	LIMIT(stacks, 2, 1 << 19),
	LIMIT(acts, 16, 1 << IOB_ID_INDEX_BITS),
	LIMIT(files, 2, 1 << 19),
	LIMIT(totals, 1, 1 << 19),
	LIMIT(flows, 1, 1 << 20),
	LIMIT(blocks, 1, 1 << 22),
	LIMIT(memory_kb, 4, U32_MAX),
#undef LIMIT
};

static u64 limit_read(const struct iob_limits *l, const struct limit *limit)
{
	const void *field = (const void *)l + limit->offset;

	return limit->size == sizeof(u64) ? *(const u64 *)field :
					    *(const u32 *)field;
}

static void limit_show(struct seq_file *m, const struct iob_knob *knob)
{
	struct iob_limits now;

	iob_control_limits(&now);
	seq_printf(m, "%llu\n", limit_read(&now, &limits[knob->arg]));
}

struct limit_change {
	const struct limit *limit;
	u64 value;
};

static int limit_change(struct iob_limits *l, struct iob_filter *f, void *arg)
{
	const struct limit_change *change = arg;
	void *field = (void *)l + change->limit->offset;

	if (change->limit->size == sizeof(u64))
		*(u64 *)field = change->value;
	else
		*(u32 *)field = change->value;
	return 0;
}

static int limit_store(const struct iob_knob *knob, char *text)
{
	struct limit_change change = { .limit = &limits[knob->arg] };
	int err = kstrtou64(text, 0, &change.value);

	if (err || change.value < change.limit->min ||
	    change.value > change.limit->max)
		return -EINVAL;
	return iob_control_change(limit_change, &change);
}

/* Filters: one list of numbers each, or words for operations. */
enum { FILTER_DEV, FILTER_TGID, FILTER_CGROUP, FILTER_OP };

static void filter_show(struct seq_file *m, const struct iob_knob *knob)
{
	struct iob_filter *f = kmalloc(sizeof(*f), GFP_KERNEL);
	const char *between = "";
	u32 i, nr;

	if (!f)
		return;
	iob_control_filter(f);
	nr = knob->arg == FILTER_DEV ? f->nr_dev :
	     knob->arg == FILTER_TGID ? f->nr_tgid :
	     knob->arg == FILTER_CGROUP ? f->nr_cgroup : IOB_NR_OPS;
	for (i = 0; i < nr; i++) {
		if (knob->arg == FILTER_OP && !(f->ops >> i & 1))
			continue;
		seq_puts(m, between);
		between = " ";
		switch (knob->arg) {
		case FILTER_DEV:
			seq_printf(m, "%u:%u", IOB_DEV_MAJOR(f->dev[i]),
				   IOB_DEV_MINOR(f->dev[i]));
			break;
		case FILTER_TGID:
			seq_printf(m, "%u", f->tgid[i]);
			break;
		case FILTER_CGROUP:
			seq_printf(m, "%llu", f->cgroup[i]);
			break;
		default:
			seq_puts(m, iob_op_word(i));
		}
	}
	seq_putc(m, '\n');
	kfree(f);
}

/* One word of a filter into @f. */
static int filter_parse(struct iob_filter *f, size_t which, const char *word)
{
	u32 major, minor;
	int op, used = 0;

	switch (which) {
	case FILTER_DEV:
		if (f->nr_dev == IOB_MAX_FILTER)
			return -E2BIG;
		if (sscanf(word, "%u:%u%n", &major, &minor, &used) < 2 ||
		    word[used] || major >= 1 << 12 || minor >= 1 << 20)
			return -EINVAL;
		f->dev[f->nr_dev++] = major << 20 | minor;
		return 0;
	case FILTER_TGID:
		if (f->nr_tgid == IOB_MAX_FILTER)
			return -E2BIG;
		return kstrtou32(word, 10, &f->tgid[f->nr_tgid++]);
	case FILTER_CGROUP:
		if (f->nr_cgroup == IOB_MAX_FILTER)
			return -E2BIG;
		return kstrtou64(word, 10, &f->cgroup[f->nr_cgroup++]);
	default:
		op = iob_op_of_word(word);
		if (op < 0)
			return op;
		f->ops |= BIT(op);
		return 0;
	}
}

struct filter_change {
	size_t which;
	const struct iob_filter *parsed;
};

static int filter_change(struct iob_limits *l, struct iob_filter *f, void *arg)
{
	const struct filter_change *change = arg;
	const struct iob_filter *p = change->parsed;

	switch (change->which) {
	case FILTER_DEV:
		f->nr_dev = p->nr_dev;
		memcpy(f->dev, p->dev, sizeof(f->dev));
		break;
	case FILTER_TGID:
		f->nr_tgid = p->nr_tgid;
		memcpy(f->tgid, p->tgid, sizeof(f->tgid));
		break;
	case FILTER_CGROUP:
		f->nr_cgroup = p->nr_cgroup;
		memcpy(f->cgroup, p->cgroup, sizeof(f->cgroup));
		break;
	default:
		f->ops = p->ops;
	}
	return 0;
}

static int filter_store(const struct iob_knob *knob, char *text)
{
	struct iob_filter *parsed = kzalloc(sizeof(*parsed), GFP_KERNEL);
	struct filter_change change = { knob->arg, parsed };
	char *word;
	int err = 0;

	if (!parsed)
		return -ENOMEM;
	while (!err && (word = strsep(&text, " \t\n")))
		if (*word)
			err = filter_parse(parsed, knob->arg, word);
	if (!err)
		err = iob_control_change(filter_change, &change);
	kfree(parsed);
	return err;
}

static void readahead_show(struct seq_file *m, const struct iob_knob *knob)
{
	seq_printf(m, "%d\n", iob_control_readahead());
}

static int readahead_change(struct iob_limits *l, struct iob_filter *f,
			    void *arg)
{
	f->readahead = *(const bool *)arg;
	return 0;
}

static int readahead_store(const struct iob_knob *knob, char *text)
{
	bool on = text[0] == '1';

	if (strcmp(text, "0") && strcmp(text, "1"))
		return -EINVAL;
	return iob_control_change(readahead_change, &on);
}

static void stats_show(struct seq_file *m, const struct iob_knob *knob)
{
	struct iob_state *s;
	int i;

	seq_puts(m, "name\tvalue\n");
	s = iob_control_lock();
	for (i = 0; i < IOB_NR_COUNTERS; i++)
		seq_printf(m, "%s\t%llu\n", iob_counters_word(i),
			   iob_control_counter(i));
	seq_printf(m, "lost_nested\t%llu\n", iob_hooks_nested());
	if (s) {
		const struct iob_objects *o = &s->objects;

		seq_printf(m, "lost_family\t%u\n", s->family.nr_lost);
		seq_printf(m, "stacks\t%u\nroles\t%u\nfiles\t%u\nacts\t%u\n",
			   iob_intern_nr(&o->stacks), iob_intern_nr(&o->roles),
			   iob_intern_nr(&o->files), iob_intern_nr(&o->acts));
		seq_printf(m, "flows\t%u\nblocks\t%u\ntotals\t%u\n",
			   iob_flows_nr(&s->flows), iob_blocks_nr(&s->blocks),
			   iob_totals_end(&s->totals) - 1);
		seq_printf(m, "page_memory_kb\t%lu\n",
			   atomic_read(&s->pages.nr_used) * (PAGE_SIZE >> 10));
		seq_printf(m, "table_memory_kb\t%llu\n",
			   iob_state_table_bytes(s) >> 10);
	}
	iob_control_unlock();
}

static void hook_show(void *ctx, const struct iob_hook *hook, u64 hits)
{
	seq_printf(ctx, "%s\t%s\t%s\t%s\t%llu\t%s\n", hook->name,
		   hook->type == IOB_HOOK_FTRACE ? "ftrace" : "tracepoint",
		   hook->required ? "required" : "optional",
		   iob_hook_state_word(hook->state), hits, hook->effect);
}

static void hooks_show(struct seq_file *m, const struct iob_knob *knob)
{
	seq_puts(m, "name\ttype\tneed\tstate\thits\teffect\n");
	iob_hooks_for_each(hook_show, m);
}

static const struct iob_knob knobs[] = {
	{ "abi", NULL, abi_show },
	{ "enable", NULL, enable_show, enable_store },
	{ "reset", NULL, NULL, reset_store },
	{ "verify", NULL, verify_show, verify_store },
	{ "stats", NULL, stats_show },
	{ "hooks", NULL, hooks_show },
	{ "dev", "filter", filter_show, filter_store, FILTER_DEV },
	{ "tgid", "filter", filter_show, filter_store, FILTER_TGID },
	{ "cgroup", "filter", filter_show, filter_store, FILTER_CGROUP },
	{ "op", "filter", filter_show, filter_store, FILTER_OP },
	{ "stacks", "limits", limit_show, limit_store, 0 },
	{ "acts", "limits", limit_show, limit_store, 1 },
	{ "files", "limits", limit_show, limit_store, 2 },
	{ "totals", "limits", limit_show, limit_store, 3 },
	{ "flows", "limits", limit_show, limit_store, 4 },
	{ "blocks", "limits", limit_show, limit_store, 5 },
	{ "memory_kb", "limits", limit_show, limit_store, 6 },
	{ "readahead", "track", readahead_show, readahead_store },
};

static int knob_show(struct seq_file *m, void *unused)
{
	const struct iob_knob *knob = m->private;

	/* root may open whatever the mode says */
	if (!knob->show)
		return -EINVAL;
	knob->show(m, knob);
	return 0;
}

static int knob_open(struct inode *inode, struct file *file)
{
	return single_open(file, knob_show, inode->i_private);
}

static ssize_t knob_write(struct file *file, const char __user *buf,
			  size_t size, loff_t *pos)
{
	const struct iob_knob *knob = file_inode(file)->i_private;
	char *text;
	int err;

	if (!knob->store)
		return -EINVAL;
	if (size > IOB_MAX_WRITE)
		return -E2BIG;
	text = memdup_user_nul(buf, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = knob->store(knob, strim(text));
	kfree(text);
	return err ?: size;
}

static const struct file_operations knob_fops = {
	.owner = THIS_MODULE,
	.open = knob_open,
	.read = seq_read,
	.write = knob_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * iob_knobs_create() - Make the small files
 * @dir: where
 */
void iob_knobs_create(struct dentry *dir)
{
	struct dentry *sub = NULL;
	const char *name = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		const struct iob_knob *knob = &knobs[i];
		umode_t mode = (knob->show ? 0400 : 0) |
			       (knob->store ? 0200 : 0);

		if (knob->dir && (!name || strcmp(name, knob->dir))) {
			name = knob->dir;
			sub = debugfs_create_dir(name, dir);
		}
		debugfs_create_file(knob->name, mode, knob->dir ? sub : dir,
				    (void *)knob, &knob_fops);
	}
}
