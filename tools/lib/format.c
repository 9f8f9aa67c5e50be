// SPDX-License-Identifier: GPL-2.0
/* Numbers and stacks as people read them. */
#include <inttypes.h>
#include <string.h>

#include "uapi/ioblame.h"
#include "writer.h"

/**
 * iob_format_dev - a device number as ``major:minor``
 * @buf: the text
 * @size: room in @buf
 * @dev: the number
 */
void iob_format_dev(char *buf, size_t size, uint32_t dev)
{
	snprintf(buf, size, "%u:%u", IOB_DEV_MAJOR(dev), IOB_DEV_MINOR(dev));
}

/**
 * iob_format_bytes - a number of bytes
 * @buf: the text
 * @size: room in @buf
 * @bytes: the number
 * @exact: not rounded
 */
void iob_format_bytes(char *buf, size_t size, uint64_t bytes, bool exact)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB",
					     "EiB" };
	double v = bytes;
	int u = -1;

	if (exact) {
		snprintf(buf, size, "%" PRIu64, bytes);
		return;
	}
	while (v >= 1024 && u < 5) {
		v /= 1024;
		u++;
	}
	if (u < 0)
		snprintf(buf, size, "%" PRIu64 " B", bytes);
	else
		snprintf(buf, size, "%.1f %s", v, units[u]);
}

/**
 * iob_format_ns - a time
 * @buf: the text
 * @size: room in @buf
 * @ns: the time
 * @exact: in ns, not rounded
 */
void iob_format_ns(char *buf, size_t size, uint64_t ns, bool exact)
{
	if (exact)
		snprintf(buf, size, "%" PRIu64, ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.0f us", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, size, "%.1f ms", ns / 1e6);
	else
		snprintf(buf, size, "%.1f s", ns / 1e9);
}

/**
 * iob_format_frame - a frame without the size of its function
 * @buf: "func+0x89 [mod]"
 * @size: room in @buf
 * @frame: "func+0x89/0x1c0 [mod]"
 */
void iob_format_frame(char *buf, size_t size, struct iob_field frame)
{
	size_t n = 0;

	for (size_t i = 0; i < frame.len && n + 1 < size; i++) {
		const char *p = frame.p + i;

		if (frame.len - i > 3 && !memcmp(p, "/0x", 3)) {
			for (i += 3; i < frame.len &&
			     strchr("0123456789abcdef", frame.p[i]); i++)
				;
			if (i == frame.len)
				break;
		}
		buf[n++] = frame.p[i];
	}
	buf[n] = '\0';
}

/**
 * iob_format_function - the function of a frame, without the place in it
 * @buf: "func [mod]"
 * @size: room in @buf
 * @frame: "func+0x89 [mod]"
 */
void iob_format_function(char *buf, size_t size, struct iob_field frame)
{
	const char *plus = memchr(frame.p, '+', frame.len), *mod = NULL;

	if (plus)
		mod = memchr(plus, ' ', frame.p + frame.len - plus);
	snprintf(buf, size, "%.*s%.*s",
		 (int)(plus ? (size_t)(plus - frame.p) : frame.len), frame.p,
		 (int)(mod ? frame.p + frame.len - mod : 0), mod ? mod : "");
}

/**
 * iob_report_devname - what a disk is called
 * @r: the report
 * @dev: its number
 * @buf: room for the number as text
 * @size: of @buf
 *
 * Return: its name, or major:minor in @buf.
 */
const char *iob_report_devname(const struct iob_report *r, uint32_t dev,
			       char *buf, size_t size)
{
	for (size_t i = 0; i < r->devices.nr; i++)
		if (r->devices.v[i].dev == dev && r->devices.v[i].name)
			return r->devices.v[i].name;
	iob_format_dev(buf, size, dev);
	return buf;
}

/*
 * Frames that every write of a kind has and that so tell nothing of it: the
 * marking of what is dirty, and the way from user space to the first function
 * with a name of its own.
 */
static const char *const dull[] = {
	"__folio_mark_dirty", "folio_mark_dirty", "filemap_dirty_folio",
	"block_dirty_folio", "iomap_dirty_folio", "noop_dirty_folio",
	"mark_buffer_dirty", "__mark_inode_dirty", "mark_page_accessed",
	"__set_page_dirty", "set_page_dirty", "__block_commit_write",
	"block_commit_write",
	"block_write_end", "generic_write_end", "__block_write_end",
	"submit_bio", "__submit_bio", "submit_bio_noacct",
	"submit_bio_noacct_nocheck", "submit_bio_wait", "blk_mq_submit_bio",
	"vfs_write", "vfs_read", "ksys_write", "ksys_read", "new_sync_write",
	"new_sync_read", "__vfs_write", "call_write_iter", "do_iter_write",
	"do_iter_readv_writev", "x64_sys_call", "do_syscall_64",
	"entry_SYSCALL_64_after_hwframe", "do_syscall_x64", "ret_from_fork",
	"ret_from_fork_asm", "kthread", "worker_thread", "process_one_work",
	"process_scheduled_works", "asm_exc_page_fault", "exc_page_fault",
	"do_user_addr_fault", "handle_mm_fault", "__handle_mm_fault",
	"ftrace_call", "ftrace_regs_call", "arch_ftrace_ops_list_func",
};

static bool is_dull(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(dull) / sizeof(*dull); i++)
		if (strlen(dull[i]) == len && !strncmp(dull[i], name, len))
			return true;
	return false;
}

/* The system call, if the frame is one: "__x64_sys_pwrite64" -> "pwrite64". */
static bool is_syscall(struct iob_field *name)
{
	static const char *const prefixes[] = { "__x64_sys_", "__ia32_sys_",
						"__arm64_sys_", "__se_sys_",
						"ksys_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (name->len > len && !strncmp(name->p, prefixes[i], len)) {
			name->p += len;
			name->len -= len;
			return true;
		}
	}
	return false;
}

/**
 * iob_frame_tells - whether a frame tells its stack from others
 * @t: zeroed before the innermost frame, handed on from frame to frame
 * @frame: the frame
 * @name: its function, without what the compiler made of it: "f.isra.0" is f
 * @call: whether that is a system call
 *
 * Two frames nearest to the dirtied page tell, and the system call.
 *
 * Return: true if it tells.
 */
bool iob_frame_tells(struct iob_telling *t, struct iob_field frame,
		     struct iob_field *name, bool *call)
{
	*name = (struct iob_field){ frame.p, 0 };
	while (name->len < frame.len && !strchr("+ .", name->p[name->len]))
		name->len++;
	*call = is_syscall(name);
	if (t->done || (!*call && (t->nr >= 2 || is_dull(name->p, name->len))))
		return false;
	t->nr++;
	t->done = *call;
	return true;
}

/**
 * iob_format_telling - the few frames of a stack that tell one from another
 * @buf: the text, innermost frame first
 * @size: room in @buf
 * @frames: the stack, as struct iob_report_stack has it
 */
void iob_format_telling(char *buf, size_t size, const char *frames)
{
	struct iob_field rest = { frames, strlen(frames) }, frame, name;
	struct iob_telling t = {};
	size_t at = 0;
	bool call;

	*buf = '\0';
	while (!t.done && iob_split(&rest, ';', &frame))
		if (iob_frame_tells(&t, frame, &name, &call) && at < size)
			at += snprintf(buf + at, size - at, "%s%.*s%s",
				       t.nr > 1 ? " < " : "",
				       (int)(name.len > 60 ? 60 : name.len),
				       name.p, call ? "()" : "");
	if (!t.nr)
		snprintf(buf, size, "%.*s", (int)strcspn(frames, "+;"), frames);
}

/**
 * iob_format_losses - which detail was lost, and how much
 * @buf: the text; empty if nothing was
 * @size: room in @buf
 * @r: the report
 *
 * Return: whether anything was lost.
 */
bool iob_format_losses(char *buf, size_t size, const struct iob_report *r)
{
	size_t at = 0;

	*buf = '\0';
	for (int i = 0; i < IOB_NR_LOSSES; i++)
		if (r->lost[i] && at < size)
			at += snprintf(buf + at, size - at, "%s%" PRIu64 " %s",
				       at ? ", " : "", r->lost[i],
				       iob_loss_words[i]);
	return at;
}

/**
 * iob_format_bases - the share of the bytes that is attributed, and on which basis
 * @buf: the text
 * @size: room in @buf
 * @r: the report
 *
 * Return: false if there are no bytes.
 */
bool iob_format_bases(char *buf, size_t size, const struct iob_report *r)
{
	uint64_t known = 0, all;
	const char *sep = " (";
	size_t at;

	for (int i = 0; i < IOB_NR_BASES; i++)
		if (i != IOB_BASIS_ISSUER)
			known += r->basis_bytes[i];
	all = known + r->basis_bytes[IOB_BASIS_ISSUER];
	if (!all)
		return false;
	at = snprintf(buf, size, "%.1f %%", 100.0 * known / all);
	for (int i = 0; i < IOB_NR_BASES && at < size; i++) {
		uint64_t n = r->basis_bytes[i];

		if (!n || i == IOB_BASIS_ISSUER)
			continue;
		at += snprintf(buf + at, size - at, "%s%s %.1f %%", sep,
			       iob_basis_words[i], 100.0 * n / all);
		sep = ", ";
	}
	if (*sep == ',' && at < size)
		snprintf(buf + at, size - at, ")");
	return true;
}
