/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks: where the kernel calls us. A hook table is data; attaching, late
 * modules, counting and unloading are done here, once.
 */
#ifndef IOB_HOOK_HOOK_H
#define IOB_HOOK_HOOK_H

#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

enum iob_hook_type {
	IOB_HOOK_TRACEPOINT,
	IOB_HOOK_FTRACE,
};

enum iob_hook_state {
	IOB_HOOK_DETACHED,	/* can be attached */
	IOB_HOOK_ATTACHED,
	IOB_HOOK_OFF,		/* would be attached if that were asked for */
	IOB_HOOK_FOUND,		/* only its address is wanted */
	IOB_HOOK_MISSING,	/* this kernel does not have it */
	IOB_HOOK_WAITING,	/* the module that has it is not loaded */
	IOB_HOOK_FAILED,	/* the kernel refused */
};

/**
 * struct iob_hook_stats - what a hook counts, per CPU
 * @hits:   probes that ran
 * @nested: probes that were refused inside another probe
 */
struct iob_hook_stats {
	u64 hits;
	u64 nested;
};

/**
 * struct iob_hook - one place in the kernel
 * @name:     tracepoint or function
 * @module:   module that has it, or for which it is wanted; NULL for the kernel itself
 * @only_with: a function of that module: as long as there is none, this one is not
 *            wanted. NULL: it always is
 * @type:     how to attach
 * @required: without it the module does not load
 * @effect:   what is not seen without it; shown to users
 * @probe:    for a tracepoint its probe, whose first argument is the hook; for
 *            ftrace a function (struct iob_hook *, struct ftrace_regs *); NULL
 *            if only the function's address is wanted: it is not attached
 * @is_off:   is not to be attached; changes only while nothing is
 * @state:    under the hooks mutex
 * @tp:       the tracepoint, once found
 * @ip:       the function's address, once found
 * @stats:    per CPU
 * @caller_at: where the traced code's return address lies, in words from the probe's
 *            first, as it was the last time
 */
struct iob_hook {
	const char *name;
	const char *module;
	const char *only_with;
	enum iob_hook_type type;
	bool required;
	const char *effect;
	void *probe;
	bool is_off;
	enum iob_hook_state state;
	struct tracepoint *tp;
	unsigned long ip;
	struct iob_hook_stats __percpu *stats;
	u16 caller_at;
};

typedef void (*iob_ftrace_probe)(struct iob_hook *hook,
				 struct ftrace_regs *fregs);

/*
 * A wrong prototype does not compile: for a tracepoint by the kernel's own
 * check, for a function by a call (never made) with arguments of the types the
 * probe decodes.
 */
#define IOB_PROVEN(expr)	(0 * sizeof((expr, 0)))

#define IOB_HOOK(hook_name, mod, hook_type, need, fn, missing_effect)	\
	{								\
		.name = hook_name,					\
		.module = mod,						\
		.type = hook_type,					\
		.required = need,					\
		.effect = missing_effect,				\
		.probe = fn,						\
	}

#define IOB_TRACEPOINT_HOOK(mod, tp_name, fn, need, missing_effect)	\
	IOB_HOOK(#tp_name, mod, IOB_HOOK_TRACEPOINT, (need) +		\
		 IOB_PROVEN(check_trace_callback_type_##tp_name(fn)),	\
		 fn, missing_effect)

#define IOB_FTRACE_HOOK(mod, func, fn, need, missing_effect)		\
	IOB_HOOK(#func, mod, IOB_HOOK_FTRACE, (need) +			\
		 BUILD_BUG_ON_ZERO(!__same_type(&(fn), iob_ftrace_probe)), \
		 fn, missing_effect)

#define IOB_TRACEPOINT(tp_name, fn, need, missing_effect)		\
	IOB_TRACEPOINT_HOOK(NULL, tp_name, fn, need, missing_effect)

#define IOB_FUNCTION(func, args, fn, need, missing_effect)		\
	IOB_FTRACE_HOOK(NULL, func, fn, (need) + IOB_PROVEN(func args),	\
			missing_effect)

/* What belongs to a module may come later, or never: always optional. */
#define IOB_TRACEPOINT_OF(mod, tp_name, fn, missing_effect)		\
	IOB_TRACEPOINT_HOOK(mod, tp_name, fn, IOB_OPTIONAL, missing_effect)

/* The same of a tracepoint that is of interest only if the module has function @with. */
#define IOB_TRACEPOINT_WITH(mod, with, tp_name, fn, missing_effect)	\
	{								\
		.name = #tp_name,					\
		.module = mod,						\
		.only_with = #with,					\
		.effect = missing_effect,				\
		.type = IOB_HOOK_TRACEPOINT +				\
			IOB_PROVEN(check_trace_callback_type_##tp_name(fn)), \
		.probe = fn,						\
	}

#define IOB_FUNCTION_OF(mod, func, args, fn, missing_effect)		\
	IOB_FTRACE_HOOK(mod, func, fn, IOB_PROVEN(func args), missing_effect)

/*
 * A function of the kernel that many use and that is of interest only where module
 * @mod does. Its function @with tells whether it is there.
 */
#define IOB_FUNCTION_FOR(mod, with, func, fn, missing_effect)		\
	{								\
		.name = #func,						\
		.module = mod,						\
		.only_with = #with,					\
		.effect = missing_effect,				\
		.type = IOB_HOOK_FTRACE +				\
			BUILD_BUG_ON_ZERO(!__same_type(&(fn), iob_ftrace_probe)), \
		.probe = fn,						\
	}

/* No header declares the function: its probe says where it read the prototype. */
#define IOB_PRIVATE_FUNCTION(mod, func, fn, missing_effect)		\
	IOB_FTRACE_HOOK(mod, func, fn, IOB_OPTIONAL, missing_effect)

/* The function is not called through us, it is what an end_io points to. */
#define IOB_ADDRESS(mod, func, missing_effect)				\
	IOB_HOOK(#func, mod, IOB_HOOK_FTRACE, IOB_OPTIONAL, NULL,	\
		 missing_effect)

/* Bytes before which an address is still a function's first: less than it is aligned to. */
#define IOB_MARKER_MAX	16

/**
 * iob_hook_is() - Is this the function a hook is for?
 * @hook: the hook, found or not
 * @fn:   address of a function
 *
 * Return: true if it is; the hook's own address may be behind the marker that
 * the function begins with.
 */
static inline bool iob_hook_is(const struct iob_hook *hook, const void *fn)
{
	unsigned long ip = READ_ONCE(hook->ip);

	return ip && ip - (unsigned long)fn < IOB_MARKER_MAX;
}

extern u64 iob_hook_marks;

/* The bit of an address, one of few. */
static inline u64 iob_hook_mark(unsigned long fn)
{
	return 1ull << (fn / IOB_MARKER_MAX % 64);
}

/**
 * iob_hook_may_be() - Could this be a function whose address is wanted?
 * @fn: address of a function, or NULL
 *
 * Return: false if iob_hook_is() is false for all of them.
 */
static inline bool iob_hook_may_be(const void *fn)
{
	return READ_ONCE(iob_hook_marks) & iob_hook_mark((unsigned long)fn);
}

#define IOB_REQUIRED	true
#define IOB_OPTIONAL	false

/**
 * struct iob_hook_table - the hooks of one probe file
 */
struct iob_hook_table {
	struct iob_hook *hooks;
	size_t nr;
};

#define IOB_HOOK_TABLE(array)	{ (array), ARRAY_SIZE(array) }

int iob_hooks_init(const struct iob_hook_table *const *tables, size_t nr);
void iob_hooks_exit(void);
int iob_hooks_attach(void);
void iob_hooks_detach(void);
void iob_hooks_want(const struct iob_hook_table *table, bool on);

/* For debugfs. */
void iob_hooks_for_each(void (*fn)(void *ctx, const struct iob_hook *hook,
				   u64 hits), void *ctx);
u64 iob_hooks_nested(void);
const char *iob_hook_state_word(enum iob_hook_state state);

/*
 * From a function's address to where ftrace calls from, and to where that call
 * returns: there may be an ENDBR and padding.
 */
#define IOB_ENTRY_SLACK		32

/* ftrace.c, for hook.c */
#define IOB_MAX_FTRACE_HOOKS	64

bool iob_ftrace_exists(const char *name);
int iob_ftrace_find(struct iob_hook *const *hooks, size_t nr);
void iob_ftrace_forget(struct iob_hook *hook);
int iob_ftrace_attach(struct iob_hook *const *hooks, size_t nr);
int iob_ftrace_attach_late(struct iob_hook *hook);
void iob_ftrace_detach(void);
void iob_ftrace_exit(void);

#endif /* IOB_HOOK_HOOK_H */
