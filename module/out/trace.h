/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ioblame

#if !defined(IOB_OUT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define IOB_OUT_TRACE_H

#include <linux/tracepoint.h>

#include "../core/charge.h"

/* Longest text of a stack in an event; whole frames only. */
#define IOB_FRAMES_LEN	1024

TRACE_EVENT(ioblame_io,
	TP_PROTO(const struct iob_io *io),
	TP_ARGS(io),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u8, op)
		__field(u8, nr_origins)
		__field(u16, flags)
		__field(u64, sector)
		__field(u32, bytes)
		__field(u32, more_bytes)
		__field(u32, issuer)
		__field(u64, queue_ns)
		__field(u64, device_ns)
		__field(u64, age_ns)
		__array(u32, act, IOB_EVENT_ORIGINS)
		__array(u32, obytes, IOB_EVENT_ORIGINS)
		__array(u8, basis, IOB_EVENT_ORIGINS)
		__array(u8, reason, IOB_EVENT_ORIGINS)
		__field(u64, id)
		__field(u64, up)
	),
	TP_fast_assign(
		u32 i, told = 0;

		__entry->dev = io->dev;
		__entry->op = io->op;
		__entry->flags = io->flags;
		__entry->sector = io->sector;
		__entry->bytes = io->bytes;
		__entry->issuer = io->issuer;
		__entry->queue_ns = io->issue_ns > io->queue_ns && io->queue_ns ?
				    io->issue_ns - io->queue_ns : 0;
		/* the clock may step back a little between CPUs */
		__entry->device_ns = io->issue_ns &&
				     io->now_ns > io->issue_ns ?
				     io->now_ns - io->issue_ns : 0;
		__entry->age_ns = io->oldest_ns && io->now_ns > io->oldest_ns ?
				  io->now_ns - io->oldest_ns : 0;
		__entry->nr_origins = min_t(u32, io->nr, IOB_EVENT_ORIGINS);
		/* mostly one: the rest is set at once */
		memset(__entry->act, 0, sizeof(__entry->act));
		memset(__entry->obytes, 0, sizeof(__entry->obytes));
		memset(__entry->basis, 0, sizeof(__entry->basis));
		memset(__entry->reason, 0, sizeof(__entry->reason));
		for (i = 0; i < __entry->nr_origins; i++) {
			const struct iob_origin *o = &io->origin[i];

			__entry->act[i] = o->act;
			__entry->obytes[i] = o->bytes;
			__entry->basis[i] = o->basis;
			__entry->reason[i] = o->reason;
			told += o->bytes;
		}
		__entry->more_bytes = io->bytes - told;
		__entry->id = io->id;
		__entry->up = io->up;
	),
	TP_printk("dev=%u:%u op=%u flags=0x%x sector=%llu bytes=%u issuer=%u queue_ns=%llu device_ns=%llu age_ns=%llu nr_origins=%u more_bytes=%u act=%s obytes=%s id=%llu up=%llu",
		  __entry->dev >> 20, __entry->dev & 0xfffff, __entry->op,
		  __entry->flags, __entry->sector, __entry->bytes,
		  __entry->issuer, __entry->queue_ns, __entry->device_ns,
		  __entry->age_ns, __entry->nr_origins, __entry->more_bytes,
		  __print_array(__entry->act, IOB_EVENT_ORIGINS, 4),
		  __print_array(__entry->obytes, IOB_EVENT_ORIGINS, 4),
		  __entry->id, __entry->up)
);

TRACE_EVENT(ioblame_cancel,
	TP_PROTO(u32 act, u32 dev, u64 bytes),
	TP_ARGS(act, dev, bytes),
	TP_STRUCT__entry(
		__field(u32, act)
		__field(u32, dev)
		__field(u64, bytes)
	),
	TP_fast_assign(
		__entry->act = act;
		__entry->dev = dev;
		__entry->bytes = bytes;
	),
	TP_printk("act=%u dev=%u:%u bytes=%llu", __entry->act,
		  __entry->dev >> 20, __entry->dev & 0xfffff, __entry->bytes)
);

TRACE_EVENT(ioblame_act,
	TP_PROTO(u32 id, const struct iob_act *act),
	TP_ARGS(id, act),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, role)
		__field(u32, stack)
		__field(u32, file)
		__field(u8, kind)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->role = act->role;
		__entry->stack = act->stack;
		__entry->file = act->file;
		__entry->kind = act->kind;
	),
	TP_printk("id=%u role=%u stack=%u file=%u kind=%u", __entry->id,
		  __entry->role, __entry->stack, __entry->file, __entry->kind)
);

TRACE_EVENT(ioblame_role,
	TP_PROTO(u32 id, const struct iob_role_key *role, const char *cgroup,
		 u64 cgroup_id),
	TP_ARGS(id, role, cgroup, cgroup_id),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, pid)
		__field(u32, tgid)
		__field(u32, flags)
		__field(u64, start_ns)
		__field(u64, cgroup_id)
		__array(char, comm, IOB_COMM_LEN)
		__array(char, cgroup, IOB_PATH_LEN)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->pid = role->pid;
		__entry->tgid = role->tgid;
		__entry->flags = role->flags;
		__entry->start_ns = role->start_ns;
		__entry->cgroup_id = cgroup_id;
		memcpy(__entry->comm, role->comm, IOB_COMM_LEN);
		strscpy_pad(__entry->cgroup, cgroup, IOB_PATH_LEN);
	),
	TP_printk("id=%u pid=%u tgid=%u flags=0x%x start_ns=%llu cgroup_id=%llu comm=%s cgroup=%s",
		  __entry->id, __entry->pid, __entry->tgid, __entry->flags,
		  __entry->start_ns, __entry->cgroup_id, __entry->comm,
		  __entry->cgroup)
);

TRACE_EVENT(ioblame_stack,
	TP_PROTO(u32 id, const struct iob_stack *stack),
	TP_ARGS(id, stack),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, nr)
		__field(u8, reason)
		__array(char, frames, IOB_FRAMES_LEN)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->nr = stack->nr;
		__entry->reason = stack->reason;
		memset(__entry->frames, 0, IOB_FRAMES_LEN);
		iob_symbol_frames(stack, __entry->frames, IOB_FRAMES_LEN);
	),
	TP_printk("id=%u nr=%u reason=%u frames=%s", __entry->id, __entry->nr,
		  __entry->reason, __entry->frames)
);

TRACE_EVENT(ioblame_file,
	TP_PROTO(u32 id, const struct iob_file *file),
	TP_ARGS(id, file),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, dev)
		__field(u32, gen)
		__field(u32, flags)
		__field(u64, ino)
		__array(char, fstype, 16)
		__array(char, path, IOB_PATH_LEN)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->dev = file->key.dev;
		__entry->gen = file->key.gen;
		__entry->flags = file->flags;
		__entry->ino = file->key.ino;
		strscpy_pad(__entry->fstype, file->fstype, 16);
		strscpy_pad(__entry->path, file->path, IOB_PATH_LEN);
	),
	TP_printk("id=%u dev=%u:%u ino=%llu gen=%u flags=0x%x fstype=%s path=%s",
		  __entry->id, __entry->dev >> 20, __entry->dev & 0xfffff,
		  __entry->ino, __entry->gen, __entry->flags,
		  __entry->fstype, __entry->path)
);

#endif /* IOB_OUT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
