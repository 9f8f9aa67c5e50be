// SPDX-License-Identifier: GPL-2.0
/*
 * Functions without a tracepoint, by ftrace. One ftrace_ops for all of them:
 * taking one away waits for every task to pass a quiescent state, which under
 * load takes longer than anything else here, and should be waited for once.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "hook.h"

static struct iob_hook *const *functions;
static size_t nr_functions;

/*
 * The hook that was last found for an address with this hash. Only ever a shortcut:
 * what is found here is compared with the address, so it may be old or another's.
 */
static struct iob_hook *recent[256];

static bool notrace is_entry(const struct iob_hook *hook, unsigned long ip)
{
	return ip - READ_ONCE(hook->ip) < IOB_ENTRY_SLACK;
}

static struct iob_hook *notrace find_hook(unsigned long ip)
{
	size_t i;

	for (i = 0; i < nr_functions; i++)
		if (is_entry(functions[i], ip))
			return functions[i];
	return NULL;
}

static void notrace on_function(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops,
				struct ftrace_regs *fregs)
{
	size_t place = (ip >> 4 ^ ip >> 12) % ARRAY_SIZE(recent);
	struct iob_hook *hook = READ_ONCE(recent[place]);

	if (!hook || !is_entry(hook, ip)) {
		hook = find_hook(ip);
		if (!hook)
			return;
		WRITE_ONCE(recent[place], hook);
	}
	((iob_ftrace_probe)hook->probe)(hook, fregs);
}

/*
 * Permanent: where kernel.ftrace_enabled is 0 attaching fails rather than
 * seeing nothing, and while attached it cannot be set to 0.
 */
static struct ftrace_ops ops = {
	.func = on_function,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/* The hooks that are attached; a copy, for the caller's array is on a stack. */
static struct iob_hook *attached[IOB_MAX_FTRACE_HOOKS];

/* By address: to find a name ftrace compares those of all functions there are. */
static int filter_add(const struct iob_hook *hook, bool is_first)
{
	return ftrace_set_filter_ip(&ops, hook->ip, 0, is_first);
}

/**
 * iob_ftrace_exists() - Is there a function of this name?
 * @name: the name
 *
 * Context: may sleep.
 * Return: true or false.
 */
bool iob_ftrace_exists(const char *name)
{
	struct kprobe kp = {
		.symbol_name = name, .flags = KPROBE_FLAG_DISABLED,
	};

	if (register_kprobe(&kp))
		return false;
	unregister_kprobe(&kp);
	return true;
}

/**
 * iob_ftrace_find() - Find functions' addresses
 * @hooks: the hooks; the address of what is not found is set to 0
 * @nr:    how many, at most IOB_MAX_FTRACE_HOOKS
 *
 * kallsyms_lookup_name() is not exported; a kprobe that is never armed finds
 * the address and knows whether the function may be probed. Giving kprobes back
 * waits for all of them together. Whether ftrace can see a function is known to
 * the filter, once it is attached.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int iob_ftrace_find(struct iob_hook *const *hooks, size_t nr)
{
	struct kprobe *kp, **found;
	size_t i, nr_found = 0;
	int err = 0;

	kp = kcalloc(nr, sizeof(*kp), GFP_KERNEL);
	found = kcalloc(nr, sizeof(*found), GFP_KERNEL);
	if (!kp || !found) {
		err = -ENOMEM;
		goto out;
	}
	for (i = 0; i < nr; i++) {
		WRITE_ONCE(hooks[i]->ip, 0);
		if (hooks[i]->only_with && !iob_ftrace_exists(hooks[i]->only_with))
			continue;
		kp[i].symbol_name = hooks[i]->name;
		kp[i].flags = KPROBE_FLAG_DISABLED;
		err = register_kprobe(&kp[i]);
		if (err == -EOPNOTSUPP)
			pr_err("this kernel is built without kprobes\n");
		if (err)
			continue;
		WRITE_ONCE(hooks[i]->ip, (unsigned long)kp[i].addr);
		found[nr_found++] = &kp[i];
	}
	err = 0;
	if (nr_found)
		unregister_kprobes(found, nr_found);
	/* a trial, on a filter that is made anew when it is used */
	for (i = 0; i < nr; i++)
		if (hooks[i]->ip && hooks[i]->probe && !nr_functions &&
		    filter_add(hooks[i], true))
			WRITE_ONCE(hooks[i]->ip, 0);
out:
	kfree(found);
	kfree(kp);
	return err;
}

/**
 * iob_ftrace_forget() - The module that has the function goes
 * @hook: the hook
 *
 * Context: may sleep.
 */
void iob_ftrace_forget(struct iob_hook *hook)
{
	unsigned long ip = hook->ip;

	/* the address may be another function's next */
	WRITE_ONCE(hook->ip, 0);
	if (nr_functions && hook->probe)
		ftrace_set_filter_ip(&ops, ip, 1, 0);
}

/**
 * iob_ftrace_attach() - Attach to functions
 * @hooks: the hooks; what is not there yet has no address
 * @nr:    how many, at most IOB_MAX_FTRACE_HOOKS
 *
 * Context: may sleep.
 * Return: 0 or a negative error, nothing attached then.
 */
int iob_ftrace_attach(struct iob_hook *const *hooks, size_t nr)
{
	bool is_first = true;
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		attached[i] = hooks[i];
		if (!hooks[i]->ip || !hooks[i]->probe || hooks[i]->is_off)
			continue;
		err = filter_add(hooks[i], is_first);
		if (err)
			return err;
		is_first = false;
	}
	functions = attached;
	nr_functions = nr;
	err = register_ftrace_function(&ops);
	if (err)
		nr_functions = 0;
	if (err == -EBUSY)
		pr_err("sysctl kernel.ftrace_enabled is 0: set it to 1\n");
	return err;
}

/**
 * iob_ftrace_attach_late() - Attach to a function whose module has come
 * @hook: a hook that was among those of iob_ftrace_attach()
 *
 * Context: may sleep; attached.
 * Return: 0 or a negative error.
 */
int iob_ftrace_attach_late(struct iob_hook *hook)
{
	return filter_add(hook, false);
}

/**
 * iob_ftrace_detach() - Detach from all functions
 *
 * Context: may sleep. On return no probe of a function runs.
 */
void iob_ftrace_detach(void)
{
	if (!nr_functions)
		return;
	unregister_ftrace_function(&ops);
	nr_functions = 0;
}

/**
 * iob_ftrace_exit() - Give the filter's memory back
 */
void iob_ftrace_exit(void)
{
	ftrace_free_filter(&ops);
}
