// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching and detaching. Tracepoints and functions of the kernel are found by
 * name, for most are not exported; those of modules as their module comes and
 * goes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "guard.h"
#include "hook.h"
#include "path.h"

DEFINE_PER_CPU(u8 [IOB_CONTEXT_LEVELS], iob_guard_busy);

static const char * const state_words[] = {
	[IOB_HOOK_DETACHED] = "detached",
	[IOB_HOOK_ATTACHED] = "attached",
	[IOB_HOOK_OFF] = "off",
	[IOB_HOOK_FOUND] = "found",
	[IOB_HOOK_MISSING] = "missing",
	[IOB_HOOK_WAITING] = "waiting",
	[IOB_HOOK_FAILED] = "failed",
};

/*
 * Protects hook states and @attached. Nests inside the kernel's list of
 * tracepoint modules (the notifier is called under it) and outside the
 * tracepoints mutex.
 */
static DEFINE_MUTEX(hooks_mutex);
static const struct iob_hook_table *const *hook_tables;
static size_t nr_tables;
static bool attached;

#define for_each_hook(hook, i, j)					\
	for (i = 0; i < nr_tables; i++)					\
		for (j = 0; j < hook_tables[i]->nr &&			\
		     (hook = &hook_tables[i]->hooks[j], true); j++)

/**
 * iob_hook_state_word() - Word of a hook's state
 * @state: the state
 *
 * Return: a constant string.
 */
const char *iob_hook_state_word(enum iob_hook_state state)
{
	return state_words[state];
}

static void match_tracepoint(struct tracepoint *tp, const char *module)
{
	struct iob_hook *hook;
	size_t i, j;

	for_each_hook(hook, i, j) {
		if (hook->type != IOB_HOOK_TRACEPOINT || hook->tp)
			continue;
		if (strcmp(hook->name, tp->name))
			continue;
		if (!!hook->module != !!module ||
		    (module && strcmp(hook->module, module)))
			continue;
		if (hook->only_with && !iob_ftrace_exists(hook->only_with))
			continue;
		hook->tp = tp;
		hook->state = IOB_HOOK_DETACHED;
	}
}

static void match_kernel_tracepoint(struct tracepoint *tp, void *unused)
{
	match_tracepoint(tp, NULL);
}

static void attach_tracepoint(struct iob_hook *hook)
{
	int err = tracepoint_probe_register(hook->tp, hook->probe, hook);

	hook->state = err ? IOB_HOOK_FAILED : IOB_HOOK_ATTACHED;
	if (err)
		pr_warn("cannot attach to tracepoint %s: error %d\n",
			hook->name, err);
}

static void detach_tracepoint(struct iob_hook *hook)
{
	if (hook->state == IOB_HOOK_ATTACHED)
		tracepoint_probe_unregister(hook->tp, hook->probe, hook);
	hook->state = IOB_HOOK_DETACHED;
}

/*
 * Functions whose address is wanted: the bits of where they may begin. What was one
 * stays so. Changes under the hooks mutex.
 */
u64 iob_hook_marks;

/* Of a function that has been looked for. */
static enum iob_hook_state found_state(const struct iob_hook *hook)
{
	if (!hook->ip)
		return IOB_HOOK_MISSING;
	if (hook->probe)
		return IOB_HOOK_DETACHED;
	WRITE_ONCE(iob_hook_marks, iob_hook_marks | iob_hook_mark(hook->ip) |
		   iob_hook_mark(hook->ip - (IOB_MARKER_MAX - 1)));
	return IOB_HOOK_FOUND;
}

/* The functions of a module; with NULL, all there are. */
static size_t collect_functions(struct iob_hook **hooks, const char *module)
{
	struct iob_hook *hook;
	size_t i, j, nr = 0;

	for_each_hook(hook, i, j) {
		if (hook->type != IOB_HOOK_FTRACE)
			continue;
		if (module && (!hook->module || strcmp(hook->module, module)))
			continue;
		if (WARN_ON_ONCE(nr == IOB_MAX_FTRACE_HOOKS))
			break;
		hooks[nr++] = hook;
	}
	return nr;
}

#ifdef CONFIG_MODULES
static void module_coming(struct tp_module *tm)
{
	struct iob_hook *hook;
	size_t i, j;
	int k;

	for (k = 0; k < tm->mod->num_tracepoints; k++)
		match_tracepoint(tracepoint_ptr_deref(
				 &tm->mod->tracepoints_ptrs[k]),
				 module_name(tm->mod));
	if (!attached)
		return;
	for_each_hook(hook, i, j)
		if (hook->module && hook->tp &&
		    hook->state == IOB_HOOK_DETACHED)
			attach_tracepoint(hook);
}

static void module_going(struct tp_module *tm)
{
	struct iob_hook *hook;
	size_t i, j;

	for_each_hook(hook, i, j) {
		if (!hook->module || !hook->tp ||
		    strcmp(hook->module, module_name(tm->mod)))
			continue;
		detach_tracepoint(hook);
		/* a probe that still runs may look at hook->tp */
		tracepoint_synchronize_unregister();
		hook->tp = NULL;
		hook->state = IOB_HOOK_WAITING;
	}
}

static int on_tracepoint_module(struct notifier_block *nb,
				unsigned long action, void *data)
{
	mutex_lock(&hooks_mutex);
	if (action == MODULE_STATE_COMING)
		module_coming(data);
	else if (action == MODULE_STATE_GOING)
		module_going(data);
	mutex_unlock(&hooks_mutex);
	return NOTIFY_OK;
}

static struct notifier_block tracepoint_notifier = {
	.notifier_call = on_tracepoint_module,
};

/* Functions of a module: ftrace has made them traceable before it calls us. */
static void functions_coming(const char *module)
{
	struct iob_hook *hooks[IOB_MAX_FTRACE_HOOKS], *hook;
	size_t nr = collect_functions(hooks, module), i;

	if (!nr || iob_ftrace_find(hooks, nr))
		return;
	for (i = 0; i < nr; i++) {
		hook = hooks[i];
		hook->state = found_state(hook);
		if (hook->state == IOB_HOOK_DETACHED && attached)
			hook->state = iob_ftrace_attach_late(hook) ?
				      IOB_HOOK_FAILED : IOB_HOOK_ATTACHED;
	}
}

static void functions_going(const char *module)
{
	struct iob_hook *hooks[IOB_MAX_FTRACE_HOOKS];
	size_t nr = collect_functions(hooks, module), i;

	for (i = 0; i < nr; i++) {
		iob_ftrace_forget(hooks[i]);
		hooks[i]->state = IOB_HOOK_WAITING;
	}
}

static int on_module(struct notifier_block *nb, unsigned long action,
		     void *data)
{
	/* what comes may lie where another module lay */
	WRITE_ONCE(iob_path_era, iob_path_era + 1);
	mutex_lock(&hooks_mutex);
	if (action == MODULE_STATE_COMING)
		functions_coming(module_name((struct module *)data));
	else if (action == MODULE_STATE_GOING)
		functions_going(module_name((struct module *)data));
	mutex_unlock(&hooks_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = on_module,
};
#endif

static int find_hooks(void)
{
	struct iob_hook *functions[IOB_MAX_FTRACE_HOOKS], *hook;
	size_t i, j;
	int err;

	for_each_hook(hook, i, j)
		hook->state = hook->module ? IOB_HOOK_WAITING :
					     IOB_HOOK_MISSING;
	for_each_kernel_tracepoint(match_kernel_tracepoint, NULL);

	err = iob_ftrace_find(functions, collect_functions(functions, NULL));
	if (err)
		return err;
	for_each_hook(hook, i, j) {
		if (hook->ip)
			hook->state = found_state(hook);
		if (hook->state != IOB_HOOK_MISSING)
			continue;
		if (hook->required) {
			pr_err("this kernel has no %s %s, which is needed for: %s\n",
			       hook->type == IOB_HOOK_FTRACE ?
			       "traceable function" : "tracepoint",
			       hook->name, hook->effect);
			return -ENOENT;
		}
		pr_info("this kernel has no %s; not seen: %s\n", hook->name,
			hook->effect);
	}
	err = 0;
	for_each_hook(hook, i, j) {
		hook->stats = alloc_percpu(struct iob_hook_stats);
		if (!hook->stats)
			err = -ENOMEM;
	}
	return err;
}

static void release(void)
{
	struct iob_hook *hook;
	size_t i, j;

	for_each_hook(hook, i, j) {
		free_percpu(hook->stats);
		hook->stats = NULL;
	}
	iob_ftrace_exit();
	nr_tables = 0;
}

/**
 * iob_hooks_init() - Find every hook of the tables
 * @tables: the tables, which stay in use
 * @nr:     how many
 *
 * Context: may sleep.
 * Return: 0; -ENOENT (said by name) if a required one does not exist; -ENOMEM.
 */
int iob_hooks_init(const struct iob_hook_table *const *tables, size_t nr)
{
	int err;

	hook_tables = tables;
	nr_tables = nr;
#ifdef CONFIG_MODULES
	/* before looking, so that no module slips through between */
	err = register_module_notifier(&module_notifier);
	if (err)
		goto undo;
#endif
	mutex_lock(&hooks_mutex);
	err = find_hooks();
	mutex_unlock(&hooks_mutex);
	if (err)
		goto undo_notifier;
#ifdef CONFIG_MODULES
	/* also calls back for the modules that are loaded already */
	err = register_tracepoint_module_notifier(&tracepoint_notifier);
	if (err)
		goto undo_notifier;
#endif
	return 0;

undo_notifier:
#ifdef CONFIG_MODULES
	unregister_module_notifier(&module_notifier);
undo:
#endif
	release();
	return err;
}

/**
 * iob_hooks_exit() - Forget the hooks; they are detached
 */
void iob_hooks_exit(void)
{
#ifdef CONFIG_MODULES
	unregister_module_notifier(&module_notifier);
	unregister_tracepoint_module_notifier(&tracepoint_notifier);
#endif
	release();
}

/* Functions are attached and detached all at once: one wait, not one each. */
static int attach_functions(void)
{
	struct iob_hook *hooks[IOB_MAX_FTRACE_HOOKS];
	size_t i, nr = collect_functions(hooks, NULL);
	int err;

	err = iob_ftrace_attach(hooks, nr);
	for (i = 0; i < nr; i++)
		if (hooks[i]->ip && hooks[i]->probe)
			hooks[i]->state = hooks[i]->is_off ? IOB_HOOK_OFF :
					  err ? IOB_HOOK_FAILED :
						IOB_HOOK_ATTACHED;
	return err;
}

static int first_failure(void)
{
	struct iob_hook *hook;
	size_t i, j;

	for_each_hook(hook, i, j) {
		if (hook->state == IOB_HOOK_FAILED && hook->required) {
			pr_err("cannot attach to %s, which is needed for: %s\n",
			       hook->name, hook->effect);
			return -ENOENT;
		}
	}
	return 0;
}

/**
 * iob_hooks_want() - Whether functions are to be attached, or left alone
 * @table: hooks of functions of the kernel itself
 * @on:    which
 *
 * Context: not attached.
 */
void iob_hooks_want(const struct iob_hook_table *table, bool on)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		table->hooks[i].is_off = !on;
}

/**
 * iob_hooks_attach() - Attach everything there is: functions, then tracepoints
 *                      in the order of the tables
 *
 * Context: may sleep; not attached.
 * Return: 0; a negative error if a required hook could not be attached:
 * nothing is attached then.
 */
int iob_hooks_attach(void)
{
	struct iob_hook *hook;
	size_t i, j;
	int err;

	mutex_lock(&hooks_mutex);
	for_each_hook(hook, i, j) {
		struct iob_hook_stats __percpu *stats = hook->stats;
		int cpu;

		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(stats, cpu), 0, sizeof(*stats));
	}
	/* functions only consume what tracepoints remember: they come first */
	err = attach_functions();
	for_each_hook(hook, i, j)
		if (hook->type == IOB_HOOK_TRACEPOINT && hook->tp)
			attach_tracepoint(hook);
	attached = true;
	if (!err)
		err = first_failure();
	mutex_unlock(&hooks_mutex);
	if (err)
		iob_hooks_detach();
	return err;
}

/**
 * iob_hooks_detach() - Detach everything and wait until no probe runs
 *
 * Context: may sleep. On return no probe runs or will run.
 */
void iob_hooks_detach(void)
{
	struct iob_hook *hook;
	size_t i, j;

	mutex_lock(&hooks_mutex);
	attached = false;
	for_each_hook(hook, i, j)
		if (hook->type == IOB_HOOK_TRACEPOINT && hook->tp)
			detach_tracepoint(hook);
	iob_ftrace_detach();
	for_each_hook(hook, i, j)
		if (hook->type == IOB_HOOK_FTRACE && hook->ip)
			hook->state = found_state(hook);
	mutex_unlock(&hooks_mutex);
	tracepoint_synchronize_unregister();
}

/**
 * iob_hooks_for_each() - Show every hook
 * @fn:  called with @ctx, the hook and how often it was hit
 * @ctx: for @fn
 *
 * Context: may sleep.
 */
void iob_hooks_for_each(void (*fn)(void *ctx, const struct iob_hook *hook,
				   u64 hits), void *ctx)
{
	struct iob_hook *hook;
	size_t i, j;

	mutex_lock(&hooks_mutex);
	for_each_hook(hook, i, j) {
		u64 hits = 0;
		int cpu;

		for_each_possible_cpu(cpu)
			hits += per_cpu_ptr(hook->stats, cpu)->hits;
		fn(ctx, hook, hits);
	}
	mutex_unlock(&hooks_mutex);
}

/**
 * iob_hooks_nested() - Probes refused because they ran inside a probe
 *
 * Return: how many since attaching.
 */
u64 iob_hooks_nested(void)
{
	struct iob_hook *hook;
	size_t i, j;
	u64 sum = 0;
	int cpu;

	for_each_hook(hook, i, j)
		for_each_possible_cpu(cpu)
			sum += per_cpu_ptr(hook->stats, cpu)->nested;
	return sum;
}
