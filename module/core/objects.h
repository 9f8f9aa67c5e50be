/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an act is made of. Every object is its key first (padding zeroed, it is
 * compared as bytes), then what is remembered with it.
 */
#ifndef IOB_CORE_OBJECTS_H
#define IOB_CORE_OBJECTS_H

#include "counters.h"
#include "intern.h"

/**
 * struct iob_stack - a kernel call path
 * @nr:     frames used
 * @ip:     return addresses, innermost first; the key is @nr and @nr of these
 * @reason: why a task on this path makes IO, IOB_REASON_NONE if it does not
 *          tell
 * @traits: bits of enum iob_trait
 *
 * @reason and @traits are worked out once, from symbols, when the stack is new.
 */
struct iob_stack {
	u64 nr;
	u64 ip[IOB_STACK_DEPTH];
	u8 reason;
	u16 traits;
};

/* What a call path says of what is done on it. */
enum iob_trait {
	IOB_TRAIT_RAW,		/* write to a block device by its own file */
	IOB_TRAIT_DIRECT,	/* direct IO to a file */
	IOB_TRAIT_WRITE,	/* write to a file through the page cache */
	IOB_TRAIT_WORK,		/* worker that writes back, or ends, a file's IO */
	IOB_TRAIT_INODE,	/* change of an inode and nothing else */
	IOB_TRAIT_COMPRESS,	/* worker that compresses a piece of a file */
	IOB_TRAIT_COMMIT,	/* writes out what others have left in memory */
	IOB_TRAIT_OWN,		/* kernel thread that acts on its own account */
	IOB_TRAIT_SUPER,	/* md or dm writes what it knows of its device */
	IOB_TRAIT_RESYNC,	/* md's own: an array is made whole, or checked */
	IOB_TRAIT_COPY,		/* a device moves data */
	IOB_NR_TRAITS
};

/**
 * struct iob_group - a cgroup and its path when first seen
 * @cgroup_id: id in the v2 hierarchy; the key
 * @path:      path from the root of that hierarchy
 */
struct iob_group {
	u64 cgroup_id;
	char path[IOB_PATH_LEN];
};

struct iob_role_key {
	u32 pid;
	u32 tgid;
	u64 start_ns;		/* of the thread, boot time */
	char comm[IOB_COMM_LEN];
	u32 group;		/* id of an iob_group */
	u32 flags;		/* bits of IOB_ROLE_FLAGS */
};

/**
 * struct iob_role - who, under the name and in the cgroup of that moment
 * @key:     the key
 * @matches: passes the task filters; decided once, when the role is new
 */
struct iob_role {
	struct iob_role_key key;
	u8 matches;
};

struct iob_file_key {
	u32 dev;		/* s_dev: not the disk's for btrfs */
	u32 gen;
	u64 ino;
};

/* Is it the same file? */
static inline bool iob_file_key_equal(const struct iob_file_key *a,
				      const struct iob_file_key *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->gen == b->gen;
}

/**
 * struct iob_file - what
 * @key:    the key
 * @named:  0: no name yet, odd: being written, even: @path and @flags are valid
 * @flags:  bits of IOB_FILE_FLAGS
 * @fstype: name of the file system type
 * @path:   from the root of its file system
 * @dirtier: act that last dirtied a page of it; it may be stale
 */
struct iob_file {
	struct iob_file_key key;
	u32 named;
	u32 flags;
	u32 dirtier;
	char fstype[16];
	char path[IOB_PATH_LEN];
};

u32 iob_file_named(const struct iob_file *file);
bool iob_file_set_name(struct iob_file *file, u32 named, const char *path,
		       u32 flags);
bool iob_file_get_name(const struct iob_file *file, char *path, u32 *flags);

/**
 * struct iob_act - the unit that is blamed: who, by which path, to what
 */
struct iob_act {
	u32 role;
	u32 stack;
	u32 file;
	u32 kind;		/* enum iob_kind */
};

/**
 * struct iob_objects - the five tables
 */
struct iob_objects {
	struct iob_intern stacks;
	struct iob_intern groups;
	struct iob_intern roles;
	struct iob_intern files;
	struct iob_intern acts;
	struct iob_counters *counters;
};

/**
 * iob_objects_epoch() - A number that changes as a sweep begins
 * @o: tables
 *
 * What a probe has found after it read the number is there for later probes as
 * long as they read the same: all tables are in a new epoch before that of the acts,
 * and what is used in an epoch is not swept in it.
 *
 * Context: probe.
 * Return: the number, never 0.
 */
static inline u32 iob_objects_epoch(const struct iob_objects *o)
{
	/* pairs with iob_intern_advance() */
	return smp_load_acquire(&o->acts.epoch);
}

int iob_objects_init(struct iob_objects *o, struct iob_counters *counters,
		     u32 max_stacks, u32 max_acts, u32 max_files);
void iob_objects_exit(struct iob_objects *o);

u32 iob_objects_find_stack(struct iob_objects *o,
			   const struct iob_stack *stack);
u32 iob_objects_stack(struct iob_objects *o, const struct iob_stack *stack,
		      bool *fresh);
u32 iob_objects_find_group(struct iob_objects *o, u64 cgroup_id);
u32 iob_objects_group(struct iob_objects *o, const struct iob_group *group,
		      bool *fresh);
u32 iob_objects_role(struct iob_objects *o, const struct iob_role *role,
		     bool *fresh);
u32 iob_objects_file(struct iob_objects *o, const struct iob_file *file,
		     bool *fresh);
u32 iob_objects_act(struct iob_objects *o, const struct iob_act *act,
		    bool *fresh);

bool iob_objects_act_is_on(struct iob_objects *o, u32 act,
			   const struct iob_file_key *file);
bool iob_objects_role_matches(struct iob_objects *o, u32 role);

#endif /* IOB_CORE_OBJECTS_H */
