# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Other tools, as tracers.sh has ours. With their usual settings, and buffers that hold
# what they are given. What one of them writes goes to memory.

# The one event of ours that a load hits most, for each half.
event_of() { # HALF
	case $1 in
	dirty) echo writeback:writeback_dirty_folio ;;
	io) echo block:block_rq_complete ;;
	esac
}

# --- the kernel's own buffer and nobody who reads it

RING_KB=16384

# ring_start TRIGGER EVENT...
ring_start() {
	local trigger=$1 event
	shift
	echo "$RING_KB" >"$TRACING/buffer_size_kb"
	: >"$TRACING/trace"
	for event; do
		event=$TRACING/events/${event/://}
		[ -z "$trigger" ] || echo "$trigger" >"$event/trigger" || return
		echo 1 >"$event/enable" || return
	done
}

# ring_lost: what was overwritten or had no room, by all processors
ring_lost() {
	sed -n 's/^\(overrun\|commit overrun\|dropped events\): //p' "$TRACING"/per_cpu/cpu*/stats |
		awk '{ n += $1 } END { print n + 0 }'
}

ring_stop() {
	local trigger=$1 event
	shift
	LOST=$(ring_lost)
	for event; do
		event=$TRACING/events/${event/://}
		echo 0 >"$event/enable"
		[ -z "$trigger" ] || echo "!$trigger" >"$event/trigger"
	done
	: >"$TRACING/trace"
}

PAIR="block:block_rq_issue block:block_rq_complete"

start_event() { ring_start '' "$(event_of "$1")"; }
stop_event() { ring_stop '' "$(event_of "$1")"; }
# shellcheck disable=SC2086 # two words
start_event_pair() { ring_start '' $PAIR; }
# shellcheck disable=SC2086
stop_event_pair() { ring_stop '' $PAIR; }
start_event_stack() { ring_start stacktrace "$(event_of "$1")"; }
stop_event_stack() { ring_stop stacktrace "$(event_of "$1")"; }

# --- programs

# said NAME REGEX: has it said so yet?
said() { grep -q -- "$2" "$OUT/$1.said"; }

# lost_of NAME REGEX: the sum of the numbers right behind what matches
lost_of() {
	# shellcheck disable=SC2034 # run tells it
	LOST=$(grep -oE "$2[0-9]+" "$OUT/$1.said" | awk '{ n += $NF } END { print n + 0 }')
}

start_bpftrace() {
	launch bpftrace bpftrace "$SELFTESTS/bench/$1.bt"
	await bpftrace said bpftrace ^ready
}
stop_bpftrace() {
	end_tracer
	lost_of bpftrace 'Lost '
}

start_biosnoop() {
	launch biosnoop bpftrace "$(command -v biosnoop.bt)"
	await biosnoop said biosnoop MINOR
}
stop_biosnoop() {
	end_tracer
	lost_of biosnoop 'Lost '
}

# It looks at disks: those that the loads use.
disks_used() {
	local name
	for name in "${!DISK_OF[@]}"; do
		printf '%s\n' -d "${DISK_OF[$name]}"
	done
}

blktrace_runs() {
	local name
	for name in "${!DISK_OF[@]}"; do
		[ -e "/sys/kernel/debug/block/${DISK_OF[$name]##*/}/trace0" ] || return
	done
}

start_blktrace() {
	local disks
	mapfile -t disks < <(disks_used)
	launch blktrace blktrace "${disks[@]}" -D "$OUT"
	await blktrace blktrace_runs && nap 1
}
stop_blktrace() {
	end_tracer
	lost_of blktrace 'dropped '
}

perf_acks() { read -rt 0.2 <&"$PERF_ACK"; }

start_perf() {
	rm -f "$OUT/perf.ctl" "$OUT/perf.ack"
	mkfifo "$OUT/perf.ctl" "$OUT/perf.ack"
	exec {PERF_CTL}<>"$OUT/perf.ctl" {PERF_ACK}<>"$OUT/perf.ack"
	launch perf perf record -g -e "$(event_of "$1")" -a -o "$OUT/perf.data" -D -1 --control "fifo:$OUT/perf.ctl,$OUT/perf.ack"
	echo enable >&"$PERF_CTL"
	await perf perf_acks
}

stop_perf() {
	end_tracer
	exec {PERF_CTL}>&- {PERF_ACK}>&-
	lost_of perf 'lost '
}

event_is_on() { [ "$(<"$TRACING/events/${1/://}/enable")" = 1 ] && [ "$(<"$TRACING/tracing_on")" = 1 ]; }

start_trace_cmd() {
	launch trace-cmd trace-cmd record -e "$(event_of "$1")" -o "$OUT/trace.dat"
	await trace-cmd event_is_on "$(event_of "$1")" && nap 1
}
stop_trace_cmd() {
	end_tracer
	lost_of trace-cmd '(overrun|dropped events): '
}
