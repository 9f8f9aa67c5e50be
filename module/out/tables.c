// SPDX-License-Identifier: GPL-2.0
/*
 * The tables in debugfs: one reader for all of them. A table has columns, a
 * number of records, and a function that prints one. What they look like is in
 * Documentation/abi.rst.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../hook/hook.h"
#include "../probe/control.h"
#include "debugfs.h"
#include "symbol.h"
#include "text.h"

/**
 * struct iob_table - one file
 * @name:    of the file
 * @columns: its first line
 * @end:     one past the last record, asked anew at every read
 * @show:    print record @index, or nothing if there is none
 */
struct iob_table {
	const char *name;
	const char *columns;
	u32 (*end)(struct iob_state *s);
	void (*show)(struct seq_file *m, struct iob_state *s, u32 index);
};

static u32 stacks_end(struct iob_state *s)
{
	return iob_intern_end(&s->objects.stacks);
}

static void stacks_show(struct seq_file *m, struct iob_state *s, u32 index)
{
	static char symbol[KSYM_SYMBOL_LEN];	/* under the control mutex */
	const struct iob_stack *stack;
	u32 id, i;

	stack = iob_intern_at(&s->objects.stacks, index, &id);
	if (!stack)
		return;
	seq_printf(m, "%u\t%s\t", id, iob_reason_word(stack->reason));
	for (i = 0; i < stack->nr; i++) {
		iob_symbol_name(stack->ip[i], symbol, sizeof(symbol));
		seq_printf(m, "%s%s", i ? ";" : "", symbol);
	}
	seq_puts(m, stack->nr ? "\n" : "-\n");
}

static u32 roles_end(struct iob_state *s)
{
	return iob_intern_end(&s->objects.roles);
}

static void roles_show(struct seq_file *m, struct iob_state *s, u32 index)
{
	const struct iob_role *role;
	const struct iob_group *group;
	u32 id;

	role = iob_intern_at(&s->objects.roles, index, &id);
	if (!role)
		return;
	group = iob_intern_lookup(&s->objects.groups, role->key.group);
	seq_printf(m, "%u\t%u\t%u\t%llu\t", id, role->key.pid, role->key.tgid,
		   role->key.start_ns);
	iob_text_flags(m, role->key.flags, iob_role_flag_words,
		       IOB_NR_ROLE_BITS);
	seq_printf(m, "\t%llu\t", group ? group->cgroup_id : 0);
	iob_text_name(m, group ? group->path : "", IOB_PATH_LEN);
	seq_putc(m, '\t');
	iob_text_name(m, role->key.comm, IOB_COMM_LEN);
	seq_putc(m, '\n');
}

static u32 files_end(struct iob_state *s)
{
	return iob_intern_end(&s->objects.files);
}

static void files_show(struct seq_file *m, struct iob_state *s, u32 index)
{
	const struct iob_file *file;
	char path[IOB_PATH_LEN];
	u32 id, flags;

	file = iob_intern_at(&s->objects.files, index, &id);
	if (!file)
		return;
	iob_file_get_name(file, path, &flags);
	seq_printf(m, "%u\t%u:%u\t%llu\t%u\t", id, IOB_DEV_MAJOR(file->key.dev),
		   IOB_DEV_MINOR(file->key.dev), file->key.ino, file->key.gen);
	iob_text_flags(m, flags, iob_file_flag_words, IOB_NR_FILE_BITS);
	seq_putc(m, '\t');
	iob_text_name(m, file->fstype, sizeof(file->fstype));
	seq_putc(m, '\t');
	iob_text_name(m, path, IOB_PATH_LEN);
	seq_putc(m, '\n');
}

static u32 acts_end(struct iob_state *s)
{
	return iob_intern_end(&s->objects.acts);
}

static void acts_show(struct seq_file *m, struct iob_state *s, u32 index)
{
	const struct iob_act *act;
	u32 id;

	if (index < IOB_NR_RESERVED_ACTS) {
		seq_printf(m, "%u\t-\t-\t-\t%s\n", index,
			   iob_reserved_act_word(index));
		return;
	}
	act = iob_intern_at(&s->objects.acts, index, &id);
	if (act)
		seq_printf(m, "%u\t%u\t%u\t%u\t%s\n", id, act->role, act->stack,
			   act->file, iob_kind_word(act->kind));
}

/*
 * Rows, and behind them one record for each device and operation that had to
 * give up detail.
 */
static u32 totals_end(struct iob_state *s)
{
	return iob_totals_end(&s->totals) + IOB_MAX_DEVICES * IOB_NR_OPS;
}

static void folded_show(struct seq_file *m, struct iob_state *s, u32 index)
{
	const struct iob_device *d = &s->devices.device[index / IOB_NR_OPS];
	u32 op = index % IOB_NR_OPS;
	u64 ios = atomic64_read(&d->op[op].folded_ios);
	u64 bytes = atomic64_read(&d->op[op].folded_bytes);

	if (ios)
		seq_printf(m, "%u\t0\t%u:%u\t%s\t%s\t%s\t%llu\t%llu\t0\t0\t0\t0\t-\t-\t-\t-\t-\t-\n",
			   IOB_ACT_FOLDED, IOB_DEV_MAJOR(d->dev),
			   IOB_DEV_MINOR(d->dev), iob_op_word(op),
			   iob_reason_word(IOB_REASON_NONE),
			   iob_basis_word(IOB_BASIS_ISSUER), ios, bytes);
}

static void totals_show(struct seq_file *m, struct iob_state *s, u32 index)
{
	static struct iob_total row;	/* under the control mutex */
	u32 rows = iob_totals_end(&s->totals), end;

	if (index >= rows) {
		folded_show(m, s, index - rows);
		return;
	}
	if (!index) {
		/* rows are numbered from 1: this is before the first */
		iob_tallies_fold(&s->totals);
		return;
	}
	iob_totals_read(&s->totals, index, &row);
	if (iob_total_is_empty(&row))
		return;
	seq_printf(m, "%u\t%u\t%u:%u\t%s\t%s\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t",
		   row.key.act, row.key.issuer, IOB_DEV_MAJOR(row.key.dev),
		   IOB_DEV_MINOR(row.key.dev), iob_op_word(row.key.op),
		   iob_reason_word(row.key.reason),
		   iob_basis_word(row.key.basis), row.ios, row.bytes,
		   row.cancelled, row.age.max_ns, row.queue.max_ns,
		   row.device.max_ns);
	iob_text_hist(m, &row.age);
	seq_putc(m, '\t');
	iob_text_hist(m, &row.queue);
	seq_putc(m, '\t');
	iob_text_hist(m, &row.device);
	for (end = 0; end < IOB_NR_READ_ENDS; end++) {
		/* not asked for: not known */
		if (s->filter.readahead && row.key.op == IOB_OP_READ)
			seq_printf(m, "\t%llu", row.read[end]);
		else
			seq_puts(m, "\t-");
	}
	seq_putc(m, '\n');
}

static u32 devices_end(struct iob_state *s)
{
	return IOB_MAX_DEVICES * IOB_NR_OPS;
}

static void devices_show(struct seq_file *m, struct iob_state *s, u32 index)
{
	const struct iob_device *d = &s->devices.device[index / IOB_NR_OPS];
	const struct iob_device_op *op = &d->op[index % IOB_NR_OPS];
	u64 ios = atomic64_read(&op->ios), bytes = atomic64_read(&op->bytes);

	if (!ios && !bytes)
		return;
	seq_printf(m, "%u:%u\t", IOB_DEV_MAJOR(d->dev), IOB_DEV_MINOR(d->dev));
	iob_text_name(m, d->name, sizeof(d->name));
	seq_printf(m, "\t%s\t%llu\t%llu\t%llu\t%llu\n",
		   iob_op_word(index % IOB_NR_OPS), ios, bytes,
		   (u64)atomic64_read(&op->folded_ios),
		   (u64)atomic64_read(&op->folded_bytes));
}

static const struct iob_table tables[] = {
	{ "stacks", "id\treason\tframes", stacks_end, stacks_show },
	{ "roles", "id\tpid\ttgid\tstart_ns\tflags\tcgroup_id\tcgroup\tcomm",
	  roles_end, roles_show },
	{ "files", "id\tdev\tino\tgen\tflags\tfstype\tpath", files_end,
	  files_show },
	{ "acts", "id\trole\tstack\tfile\tkind", acts_end, acts_show },
	{ "totals",
	  "act\tissuer\tdev\top\treason\tbasis\tios\tbytes\tcancelled\tage_max\tqueue_max\tdevice_max\tage\tqueue\tdevice\tused\tunused\tunseen",
	  totals_end, totals_show },
	{ "devices", "dev\tname\top\tios\tbytes\tfolded_ios\tfolded_bytes",
	  devices_end, devices_show },
};

/* Position 0 is the line of column names, record i is at position i + 1. */
static void *table_start(struct seq_file *m, loff_t *pos)
{
	const struct iob_table *table = m->private;
	struct iob_state *s = iob_control_lock();

	if (!*pos)
		return SEQ_START_TOKEN;
	return s && *pos <= table->end(s) ? pos : NULL;
}

static void *table_next(struct seq_file *m, void *v, loff_t *pos)
{
	const struct iob_table *table = m->private;
	struct iob_state *s = iob_control_state();

	++*pos;
	return s && *pos <= table->end(s) ? pos : NULL;
}

static void table_stop(struct seq_file *m, void *v)
{
	iob_control_unlock();
}

static int table_show(struct seq_file *m, void *v)
{
	const struct iob_table *table = m->private;

	if (v == SEQ_START_TOKEN) {
		seq_printf(m, "%s\n", table->columns);
		return 0;
	}
	/* keeps objects from being recycled under the printing */
	rcu_read_lock();
	table->show(m, iob_control_state(), *(loff_t *)v - 1);
	rcu_read_unlock();
	return 0;
}

static const struct seq_operations table_seq_ops = {
	.start = table_start,
	.next = table_next,
	.stop = table_stop,
	.show = table_show,
};

static int table_open(struct inode *inode, struct file *file)
{
	int err = seq_open(file, &table_seq_ops);

	if (!err)
		((struct seq_file *)file->private_data)->private =
			inode->i_private;
	return err;
}

/* Readable when something happened since the last poll that said so. */
static __poll_t table_poll(struct file *file, poll_table *wait)
{
	struct seq_file *m = file->private_data;

	return iob_control_poll(file, wait, &m->poll_event) ?
	       EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations table_fops = {
	.owner = THIS_MODULE,
	.open = table_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
	.poll = table_poll,
};

/**
 * iob_tables_create() - Make the tables' files
 * @dir: where
 */
void iob_tables_create(struct dentry *dir)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		debugfs_create_file(tables[i].name, 0400, dir,
				    (void *)&tables[i], &table_fops);
}
