// SPDX-License-Identifier: GPL-2.0
/*
 * Functions without a tracepoint, by ftrace. One ftrace_ops for all of them:
 * taking one away waits for every task to pass a quiescent state, which under
 * load takes longer than anything else here, and should be waited for once.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include "hook.h"

/* A function's entry may be preceded by an ENDBR and padding. */
#define IOB_ENTRY_SLACK		32

static struct iob_hook *const *functions;
static size_t nr_functions;

static void notrace on_function(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops,
				struct ftrace_regs *fregs)
{
	size_t i;

	for (i = 0; i < nr_functions; i++) {
		struct iob_hook *hook = functions[i];

		if (ip - hook->ip < IOB_ENTRY_SLACK) {
			((iob_ftrace_probe)hook->probe)(hook, fregs);
			return;
		}
	}
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

/**
 * iob_ftrace_find() - Find a function's address
 * @hook: the hook
 *
 * kallsyms_lookup_name() is not exported; a kprobe that is never armed finds
 * the address and knows whether the function may be probed.
 *
 * Context: may sleep.
 * Return: 0, -ENOENT if there is no such traceable function.
 */
int iob_ftrace_find(struct iob_hook *hook)
{
	struct kprobe kp = {
		.symbol_name = hook->name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&kp);

	if (err == -EOPNOTSUPP)
		pr_err("this kernel is built without kprobes\n");
	if (err)
		return -ENOENT;
	hook->ip = (unsigned long)kp.addr;
	unregister_kprobe(&kp);

	/* the filter knows whether ftrace can see it */
	err = ftrace_set_filter(&ops, (unsigned char *)hook->name,
				strlen(hook->name), 1);
	return err ? -ENOENT : 0;
}

/**
 * iob_ftrace_attach() - Attach to functions
 * @hooks: the hooks
 * @nr:    how many, at most IOB_MAX_FTRACE_HOOKS
 *
 * Context: may sleep.
 * Return: 0 or a negative error, nothing attached then.
 */
int iob_ftrace_attach(struct iob_hook *const *hooks, size_t nr)
{
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		attached[i] = hooks[i];
		err = ftrace_set_filter(&ops, (unsigned char *)hooks[i]->name,
					strlen(hooks[i]->name), !i);
		if (err)
			return err;
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
