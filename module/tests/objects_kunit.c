// SPDX-License-Identifier: GPL-2.0
/* Objects: what is part of a key, what is counted when a table is full. */
#include "fixture.h"

static const struct iob_limits tiny = {
	.stacks = 3,
	.acts = IOB_NR_RESERVED_ACTS + 2,
	.files = 3,
	.totals = 1,
	.flows = 1,
	.blocks = 1,
};

/* One member of a key each; 0: the same key again. */
struct change {
	const char *name;
	size_t offset;
	bool is_key;
};

#define OF_ROLE(member, is_key) \
	{ #member, offsetof(struct iob_role, member), is_key }

static const struct change role_changes[] = {
	OF_ROLE(key.pid, true),
	OF_ROLE(key.tgid, true),
	OF_ROLE(key.start_ns, true),
	OF_ROLE(key.comm, true),
	OF_ROLE(key.comm[IOB_COMM_LEN - 1], true),
	OF_ROLE(key.group, true),
	OF_ROLE(key.flags, true),
	OF_ROLE(matches, false),
};

IOB_TEST_PARAMS(role_change, role_changes)

static void role_is_its_key(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	struct iob_role role;
	bool fresh;
	u32 id, changed;

	memset(&role, 0, sizeof(role));
	role.key.pid = 17;
	id = iob_objects_role(&f->s.objects, &role, &fresh);
	((u8 *)&role)[c->offset]++;
	changed = iob_objects_role(&f->s.objects, &role, &fresh);
	KUNIT_EXPECT_EQ(test, changed != id, c->is_key);
	KUNIT_EXPECT_EQ(test, fresh, c->is_key);
}

#define OF_FILE(member, is_key) \
	{ #member, offsetof(struct iob_file, member), is_key }

static const struct change file_changes[] = {
	OF_FILE(key.dev, true),
	OF_FILE(key.gen, true),
	OF_FILE(key.ino, true),
	OF_FILE(named, false),
	OF_FILE(flags, false),
	OF_FILE(fstype, false),
	OF_FILE(path, false),
};

IOB_TEST_PARAMS(file_change, file_changes)

static void file_is_its_key(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	struct iob_file file;
	bool fresh;
	u32 id, changed;

	memset(&file, 0, sizeof(file));
	iob_test_file_key(17, &file.key);
	id = iob_objects_file(&f->s.objects, &file, &fresh);
	((u8 *)&file)[c->offset]++;
	changed = iob_objects_file(&f->s.objects, &file, &fresh);
	KUNIT_EXPECT_EQ(test, changed != id, c->is_key);
	KUNIT_EXPECT_EQ(test, fresh, c->is_key);
}

/* Who looked before somebody else wrote does not write; a name half written is none. */
static void name_is_the_firsts_or_a_later_one(struct kunit *test)
{
	struct iob_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	char path[IOB_PATH_LEN];
	u32 named, flags;

	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_EXPECT_EQ(test, iob_file_named(file), 0u);
	KUNIT_EXPECT_FALSE(test, iob_file_get_name(file, path, &flags));
	KUNIT_EXPECT_STREQ(test, path, "");
	KUNIT_EXPECT_TRUE(test, iob_file_set_name(file, 0, "/#17", 1));
	KUNIT_EXPECT_FALSE(test, iob_file_set_name(file, 0, "/late", 2));
	KUNIT_ASSERT_TRUE(test, iob_file_get_name(file, path, &flags));
	KUNIT_EXPECT_STREQ(test, path, "/#17");
	KUNIT_EXPECT_EQ(test, flags, 1u);
	named = iob_file_named(file);
	KUNIT_EXPECT_TRUE(test, iob_file_set_name(file, named, "/name", 0));
	KUNIT_EXPECT_FALSE(test, iob_file_set_name(file, named, "/late", 2));
	KUNIT_ASSERT_TRUE(test, iob_file_get_name(file, path, &flags));
	KUNIT_EXPECT_STREQ(test, path, "/name");
	KUNIT_EXPECT_EQ(test, flags, 0u);
	file->named++;
	KUNIT_EXPECT_EQ(test, iob_file_named(file), 0u);
	KUNIT_EXPECT_FALSE(test, iob_file_set_name(file, file->named, "/in", 2));
	KUNIT_EXPECT_FALSE(test, iob_file_get_name(file, path, &flags));
	KUNIT_EXPECT_EQ(test, flags, 0u);
}

static void act_is_all_of_it(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	const struct iob_act act = { 1, 2, 3, IOB_KIND_DATA };
	struct iob_act other;
	bool fresh;
	u32 i, id = iob_objects_act(&f->s.objects, &act, &fresh);

	KUNIT_EXPECT_LE(test, (u32)IOB_NR_RESERVED_ACTS, id);
	for (i = 0; i < sizeof(act); i++) {
		other = act;
		((u8 *)&other)[i]++;
		KUNIT_EXPECT_NE(test, iob_objects_act(&f->s.objects, &other,
						      &fresh), id);
		KUNIT_EXPECT_TRUE(test, fresh);
	}
	KUNIT_EXPECT_EQ(test, iob_objects_act(&f->s.objects, &act, &fresh), id);
	KUNIT_EXPECT_FALSE(test, fresh);
}

static u64 counted(struct iob_fixture *f, enum iob_counter which)
{
	return iob_counters_read(&f->s.counters, which);
}

/* Nearly full: what is known stays as it is, what is new is told by role alone. */
static void acts_fold_before_they_are_lost(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	struct iob_objects *o = &f->s.objects;
	struct iob_act act = { 1, 2, 3, IOB_KIND_DATA };
	u32 room = o->acts.max - o->acts.reserved, i, first, coarse;
	const struct iob_act *kept;
	bool fresh;

	first = iob_objects_act(o, &act, &fresh);
	for (i = 1; i < room - room / 8; i++) {
		act.file = 3 + i;
		iob_objects_act(o, &act, &fresh);
		KUNIT_ASSERT_TRUE(test, fresh);
	}
	KUNIT_EXPECT_EQ(test, counted(f, IOB_CNT_FOLDED_ACTS), 0ull);
	act.file = 3 + i;
	coarse = iob_objects_act(o, &act, &fresh);
	kept = iob_intern_lookup(&o->acts, coarse);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	KUNIT_EXPECT_EQ(test, kept->role, 1u);
	KUNIT_EXPECT_EQ(test, kept->kind, (u32)IOB_KIND_DATA);
	KUNIT_EXPECT_EQ(test, kept->stack, 0u);
	KUNIT_EXPECT_EQ(test, kept->file, 0u);
	act.file++;
	KUNIT_EXPECT_EQ(test, iob_objects_act(o, &act, &fresh), coarse);
	KUNIT_EXPECT_EQ(test, counted(f, IOB_CNT_FOLDED_ACTS), 2ull);
	KUNIT_EXPECT_EQ(test, counted(f, IOB_CNT_LOST_ACTS), 0ull);
	act.file = 3;
	KUNIT_EXPECT_EQ(test, iob_objects_act(o, &act, &fresh), first);
}

struct depth {
	const char *name;
	u32 nr;
};

static const struct depth depths[] = {
	{ "no frame", 0 },
	{ "one frame", 1 },
	{ "all but one", IOB_STACK_DEPTH - 1 },
	{ "all", IOB_STACK_DEPTH },
};

IOB_TEST_PARAMS(depth, depths)

static void stack_is_its_frames(struct kunit *test)
{
	const struct depth *d = test->param_value;
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	struct iob_objects *o = &f->s.objects;
	const struct iob_stack *kept;
	struct iob_stack stack;
	bool fresh;
	u32 i, id;

	memset(&stack, 0, sizeof(stack));
	stack.nr = d->nr;
	stack.reason = IOB_REASON_FSYNC;
	for (i = 0; i < IOB_STACK_DEPTH; i++)
		stack.ip[i] = 0xffffffff81000000ull + i;
	KUNIT_EXPECT_EQ(test, iob_objects_find_stack(o, &stack), 0u);
	id = iob_objects_stack(o, &stack, &fresh);
	KUNIT_EXPECT_TRUE(test, fresh);
	KUNIT_EXPECT_EQ(test, iob_objects_find_stack(o, &stack), id);

	kept = iob_intern_lookup(&o->stacks, id);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	KUNIT_EXPECT_EQ(test, kept->nr, (u64)d->nr);
	KUNIT_EXPECT_EQ(test, kept->reason, (u8)IOB_REASON_FSYNC);

	/* beyond its end: no part of it */
	if (d->nr < IOB_STACK_DEPTH) {
		stack.ip[d->nr]++;
		KUNIT_EXPECT_EQ(test, iob_objects_find_stack(o, &stack), id);
		stack.nr++;
		KUNIT_EXPECT_EQ(test, iob_objects_find_stack(o, &stack), 0u);
		stack.nr--;
	}
	stack.reason = 0;
	KUNIT_EXPECT_EQ(test, iob_objects_find_stack(o, &stack), id);
	if (d->nr) {
		stack.ip[d->nr - 1]++;
		KUNIT_EXPECT_EQ(test, iob_objects_find_stack(o, &stack), 0u);
	}
}

static void group_is_its_number(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	struct iob_objects *o = &f->s.objects;
	struct iob_group group;
	const struct iob_group *kept;
	bool fresh;
	u32 id;

	memset(&group, 0, sizeof(group));
	group.cgroup_id = 1ull << 40 | 5;
	strscpy(group.path, "/a/b", sizeof(group.path));
	KUNIT_EXPECT_EQ(test, iob_objects_find_group(o, group.cgroup_id), 0u);
	id = iob_objects_group(o, &group, &fresh);
	strscpy(group.path, "/renamed", sizeof(group.path));
	KUNIT_EXPECT_EQ(test, iob_objects_group(o, &group, &fresh), id);
	KUNIT_EXPECT_FALSE(test, fresh);
	KUNIT_EXPECT_EQ(test, iob_objects_find_group(o, group.cgroup_id), id);
	KUNIT_EXPECT_EQ(test, iob_objects_find_group(o, 5), 0u);
	kept = iob_intern_lookup(&o->groups, id);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	KUNIT_EXPECT_STREQ(test, kept->path, "/a/b");
}

/* A full table has a counter of its own, and the answer says "not known". */
static void losses_are_counted(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &tiny, NULL);
	struct iob_counters *c = &f->s.counters;
	struct iob_act act = { .kind = IOB_KIND_DATA };
	bool fresh;
	u32 i;

	for (i = 1; i <= 2; i++) {
		KUNIT_EXPECT_NE(test, iob_test_stack(&f->s, i), 0u);
		KUNIT_EXPECT_NE(test, iob_test_file(&f->s, i), 0u);
		act.role = i;
		KUNIT_EXPECT_LE(test, (u32)IOB_NR_RESERVED_ACTS,
				iob_objects_act(&f->s.objects, &act, &fresh));
	}
	for (; i <= 5; i++) {
		KUNIT_EXPECT_EQ(test, iob_test_stack(&f->s, i), 0u);
		KUNIT_EXPECT_EQ(test, iob_test_file(&f->s, i), 0u);
		act.role = i;
		KUNIT_EXPECT_EQ(test, iob_objects_act(&f->s.objects, &act,
						      &fresh),
				(u32)IOB_ACT_LOST);
		KUNIT_EXPECT_FALSE(test, fresh);
	}
	for (i = 1; i < IOB_NR_RESERVED_ACTS + 2; i++)
		KUNIT_EXPECT_NE(test, iob_test_role(&f->s, i), 0u);
	KUNIT_EXPECT_EQ(test, iob_test_role(&f->s, i), 0u);

	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_LOST_STACKS), 3ull);
	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_LOST_FILES), 3ull);
	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_LOST_ACTS), 3ull);
	KUNIT_EXPECT_EQ(test, iob_counters_read(c, IOB_CNT_LOST_ROLES), 1ull);
	/* what is known stays known */
	KUNIT_EXPECT_NE(test, iob_test_stack(&f->s, 2), 0u);
}

static void act_is_on_its_file(struct kunit *test)
{
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   NULL);
	struct iob_objects *o = &f->s.objects;
	u32 act = iob_test_act(&f->s, 1, 1, 7), any, id;
	const struct iob_act lost = { .file = U32_MAX };
	struct iob_file_key key;
	bool fresh;

	iob_test_file_key(7, &key);
	KUNIT_EXPECT_TRUE(test, iob_objects_act_is_on(o, act, &key));
	key.gen++;
	KUNIT_EXPECT_FALSE(test, iob_objects_act_is_on(o, act, &key));
	iob_test_file_key(7, &key);
	key.dev++;
	KUNIT_EXPECT_FALSE(test, iob_objects_act_is_on(o, act, &key));
	iob_test_file_key(8, &key);
	KUNIT_EXPECT_FALSE(test, iob_objects_act_is_on(o, act, &key));

	/* claims nothing, so it cannot be wrong */
	any = iob_test_act(&f->s, 1, 1, 0);
	KUNIT_EXPECT_TRUE(test, iob_objects_act_is_on(o, any, &key));
	for (id = 0; id < IOB_NR_RESERVED_ACTS; id++)
		KUNIT_EXPECT_TRUE(test, iob_objects_act_is_on(o, id, &key));

	/* one whose file is not known any more is on none */
	KUNIT_EXPECT_FALSE(test, iob_objects_act_is_on(o,
				iob_objects_act(o, &lost, &fresh), &key));

	/* a stale one is about nothing */
	iob_test_sweep(&f->s);
	iob_test_file_key(7, &key);
	KUNIT_EXPECT_FALSE(test, iob_objects_act_is_on(o, act, &key));
}

static void unknown_role_passes_no_filter(struct kunit *test)
{
	struct iob_filter filter = { .nr_tgid = 1, .tgid = { 5 } };
	struct iob_fixture *f = iob_fixture_create(test, &iob_test_limits,
						   &filter);
	struct iob_objects *o = &f->s.objects;
	u32 five = iob_test_role(&f->s, 5), six = iob_test_role(&f->s, 6);

	KUNIT_EXPECT_TRUE(test, iob_objects_role_matches(o, five));
	KUNIT_EXPECT_FALSE(test, iob_objects_role_matches(o, six));
	KUNIT_EXPECT_FALSE(test, iob_objects_role_matches(o, 0));
	KUNIT_EXPECT_FALSE(test, iob_objects_role_matches(o, U32_MAX));
}

static struct kunit_case objects_cases[] = {
	KUNIT_CASE_PARAM(role_is_its_key, role_change_gen_params),
	KUNIT_CASE_PARAM(file_is_its_key, file_change_gen_params),
	KUNIT_CASE(name_is_the_firsts_or_a_later_one),
	KUNIT_CASE(act_is_all_of_it),
	KUNIT_CASE(acts_fold_before_they_are_lost),
	KUNIT_CASE_PARAM(stack_is_its_frames, depth_gen_params),
	KUNIT_CASE(group_is_its_number),
	KUNIT_CASE(losses_are_counted),
	KUNIT_CASE(act_is_on_its_file),
	KUNIT_CASE(unknown_role_passes_no_filter),
	{}
};

static struct kunit_suite objects_suite = {
	.name = "ioblame_objects",
	.exit = iob_fixture_exit,
	.test_cases = objects_cases,
};

kunit_test_suites(&objects_suite);
