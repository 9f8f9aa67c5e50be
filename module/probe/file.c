// SPDX-License-Identifier: GPL-2.0
/*
 * Files: what was changed, and its name.
 *
 * A page is marked dirty under the page cache's lock, where no name can be
 * looked up. Right after that, in the same task and without that lock, the
 * kernel marks the inode dirty: there the name is read, without taking any
 * lock (RCU keeps dentries and names; the rename sequence count, which is only
 * looked at, tells whether they held still).
 */
#include <linux/blkdev.h>
#include <linux/dcache.h>
#include <linux/seqlock.h>
#include <linux/uaccess.h>
#include <trace/events/writeback.h>

#include "../compat/dcache.h"
#include "../compat/ftrace.h"
#include "../fs/fs.h"
#include "../out/events.h"
#include "probe.h"

#define IOB_MAX_PATH_DEPTH	64

/* The file this CPU has just seen dirtied and has no name of. */
static DEFINE_PER_CPU(const struct inode *, nameless);

/* The file that was last asked for on this CPU. */
static DEFINE_PER_CPU(u32, recent);

/* Id of a file that is known, 0 if it is not. */
static u32 find(const struct iob_file_key *key)
{
	u32 id = iob_intern_again(&iob_state.objects.files,
				  this_cpu_read(recent), key, sizeof(*key));

	if (id)
		return id;
	id = iob_intern_find(&iob_state.objects.files, key, sizeof(*key));
	this_cpu_write(recent, id);
	return id;
}

static void name_of_bdev(struct iob_file *file, const struct inode *inode)
{
	snprintf(file->path, sizeof(file->path), "/dev/%pg",
		 I_BDEV((struct inode *)inode));
	file->named = 2;
}

/**
 * iob_file_of() - Id of an inode
 * @scratch: of this probe
 * @inode:   the inode; the caller's context keeps it
 *
 * Context: probe.
 * Return: the id; 0 when there is no room.
 */
u32 iob_file_of(struct iob_scratch *scratch, const struct inode *inode)
{
	struct iob_file *file = &scratch->file;
	bool fresh;
	u32 id;

	iob_fs_file_key(inode, &file->key);
	id = find(&file->key);
	if (id)
		return id;
	file->named = 0;
	file->flags = 0;
	file->path[0] = '\0';
	strscpy_pad(file->fstype, inode->i_sb->s_type->name,
		    sizeof(file->fstype));
	if (S_ISBLK(inode->i_mode))
		name_of_bdev(file, inode);
	id = iob_objects_file(&iob_state.objects, file, &fresh);
	if (fresh && file->named)
		iob_event_file(id, file);
	return id;
}

/* A file that has a name may lose it later; the name it had stays. */
static void note_deleted(const struct inode *inode, u32 id,
			 struct iob_file *file)
{
	if (likely(READ_ONCE(inode->i_nlink)) ||
	    READ_ONCE(file->flags) & BIT(IOB_FILE_BIT_DELETED))
		return;
	WRITE_ONCE(file->flags, file->flags | BIT(IOB_FILE_BIT_DELETED));
	iob_event_file(id, file);
}

/**
 * iob_file_note() - A file that is changed has no name, or none any more
 * @inode: the inode
 * @id:    its file id
 * @file:  what that stands for
 *
 * Context: probe, under any lock; by iob_file_want_name().
 */
void iob_file_note(const struct inode *inode, u32 id, struct iob_file *file)
{
	if (!READ_ONCE(file->named))
		this_cpu_write(nameless, inode);
	else if (iob_file_named(file))
		note_deleted(inode, id, file);
}

#define NO_PATH		U32_MAX

/*
 * Prepend "/" and a name that may be changing. Returns where it begins;
 * NO_PATH if the name is not to be had.
 */
static u32 prepend(char *path, u32 at, const struct dentry *dentry,
		   bool *is_cut)
{
	const unsigned char *name = READ_ONCE(dentry->d_name.name);
	u32 len = READ_ONCE(dentry->d_name.len);
	u32 skip = 0;

	/* of a name that does not fit, the end; at least a letter of it */
	*is_cut = len > at - 1;
	if (at < 2)
		return at;
	if (*is_cut)
		skip = len - (at - 1);
	at -= len - skip;
	if (copy_from_kernel_nofault(path + at, name + skip, len - skip))
		return NO_PATH;
	path[--at] = '/';
	return at;
}

/* What stands for the part of a path that is not there. */
static const char cut_mark[] = "/...";

/* Put the mark before a path, or over its beginning where it fills the buffer. */
static u32 mark_cut(char *path, u32 at)
{
	const u32 len = sizeof(cut_mark) - 1;

	at = at > len ? at - len : 0;
	memcpy(path + at, cut_mark, len);
	return at;
}

/*
 * Path of a dentry from the root of its file system, at the end of @path.
 * Returns its start; the buffer's length if there is no name to be had now.
 */
static u32 read_path(const struct dentry *dentry, char *path, u32 size,
		     u32 *flags)
{
	const struct dentry *root = dentry->d_sb->s_root, *parent;
	u32 at = size - 1;
	bool is_cut = false;
	unsigned int seq;
	int depth;

	*flags = 0;
	path[at] = '\0';
	/* odd while somebody renames: look another time */
	seq = raw_read_seqcount(&rename_lock.seqcount);
	if (seq & 1)
		return size;
	if (d_unhashed(dentry))
		*flags |= BIT(IOB_FILE_BIT_DELETED);
	for (depth = 0; depth < IOB_MAX_PATH_DEPTH && !is_cut; depth++) {
		parent = READ_ONCE(dentry->d_parent);
		if (parent == dentry)
			break;
		at = prepend(path, at, dentry, &is_cut);
		if (at == NO_PATH)
			return size;
		dentry = parent;
	}
	if (read_seqcount_retry(&rename_lock.seqcount, seq))
		return size;
	if (dentry != root) {
		/* too long, too deep, or opened by handle with no path yet */
		if (at == size - 1)
			return size;
		is_cut = true;
	}
	if (at == size - 1)
		path[--at] = '/';
	if (!is_cut)
		return at;
	*flags |= BIT(IOB_FILE_BIT_CUT);
	return mark_cut(path, at);
}

/* @named: of the file when the caller looked; who comes first writes. */
static void give_name(struct iob_scratch *scratch, const struct dentry *dentry,
		      u32 id, struct iob_file *file, u32 named)
{
	char *path = scratch->file.path;
	u32 at, flags;

	at = read_path(dentry, path, sizeof(scratch->file.path), &flags);
	if (at < sizeof(scratch->file.path) &&
	    iob_file_set_name(file, named, path + at, flags))
		iob_event_file(id, file);
}

/* What is known of an inode, its file id in @id; NULL, 0 if nothing is. */
static struct iob_file *known(struct iob_scratch *scratch,
			      const struct inode *inode, u32 *id)
{
	struct iob_file_key *key = &scratch->file.key;

	iob_fs_file_key(inode, key);
	*id = find(key);
	return iob_intern_lookup(&iob_state.objects.files, *id);
}

/* The name of a file that has none yet, or none any more. */
static noinline void look(struct iob_scratch *scratch, const struct inode *inode,
			  u32 id, struct iob_file *file)
{
	const struct hlist_node *alias = READ_ONCE(inode->i_dentry.first);

	if (alias && !READ_ONCE(file->named))
		give_name(scratch, iob_dentry_of_alias(alias), id, file, 0);
	else if (iob_file_named(file))
		note_deleted(inode, id, file);
}

/**
 * iob_file_name_now() - Read the name of a known file if it has none yet
 * @scratch: of this probe
 * @inode:   the inode
 *
 * Context: probe; not under a lock that a rename takes with interrupts on.
 */
void iob_file_name_now(struct iob_scratch *scratch, const struct inode *inode)
{
	struct iob_file *file;
	u32 id;

	file = known(scratch, inode, &id);
	if (file && !iob_file_has_name(inode, file))
		look(scratch, inode, id, file);
}

static void on_inode_dirty(void *hook, struct inode *inode, int flags)
{
	int level;

	if (likely(raw_cpu_read(nameless) != inode))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	this_cpu_write(nameless, NULL);
	iob_file_name_now(iob_scratch(level), inode);
	iob_exit(level);
}

/*
 * d_instantiate(dentry, inode): a name is given to a file there is, by link(2)
 * too. One that was made without any (O_TMPFILE, so does overlayfs when it
 * copies up) has been called something it will never be found by.
 */
static void on_link(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct dentry *dentry = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct inode *inode = (void *)ftrace_regs_get_argument(fregs, 1);
	struct iob_scratch *scratch;
	struct iob_file *file;
	u32 id, named;
	int level;

	if (!inode || !S_ISREG(inode->i_mode) || d_unhashed(dentry))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	scratch = iob_scratch(level);
	file = known(scratch, inode, &id);
	named = file ? iob_file_named(file) : 0;
	if (named && READ_ONCE(file->flags) & BIT(IOB_FILE_BIT_DELETED))
		give_name(scratch, dentry, id, file, named);
	iob_exit(level);
}

static struct iob_hook hooks[] = {
	IOB_TRACEPOINT(writeback_mark_inode_dirty, on_inode_dirty, IOB_OPTIONAL,
		       "file names as at the time of dirtying"),
	IOB_FUNCTION(d_instantiate,
		     ((struct dentry *)NULL, (struct inode *)NULL), on_link,
		     IOB_OPTIONAL, "names of files that are made without one"),
};

const struct iob_hook_table iob_file_hooks = IOB_HOOK_TABLE(hooks);
