# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Cost is half of it: how many of the bytes that a disk wrote does a tool credit to the
# task that wrote them? One task writes a file through the page cache, kernel threads
# send it to the disk, and each tool that sees disk IO is asked for that task's bytes.
# Nothing is counted meanwhile.

WRITER=true-writer
CREDIT_PAGES=1024

true_writer() { "$OUT/$WRITER" write4k "${PLACE_OF[ext4]}-credit" $CREDIT_PAGES >/dev/null; }

# Of lines that begin with the task and say "W... + SECTORS": the writer's bytes
sectors_of_writer() {
	awk -v w="$WRITER" 'index($0, w) && match($0, / W[A-Z]* .*\+ [0-9]+/) {
		n = split(substr($0, RSTART, RLENGTH), f, " "); sum += f[n] }
		END { printf "%d\n", sum * 512 }'
}

# Each prints the bytes that it credits to the writer.

# in_report OPTION...: of ioblame
in_report() {
	ioblame report --json "$@" 2>/dev/null | jq --arg w $WRITER --arg d "${DISK_OF[ext4]##*/}" \
		'[.origins[] | select(.comm == $w and .op == "write" and .devname == $d).bytes] | add // 0'
}

credit_totals() {
	load_module
	in_report -- "$OUT/$WRITER" write4k "${PLACE_OF[ext4]}-credit" $CREDIT_PAGES
	unload_module
}

credit_events() {
	load_module
	ioblame record -o "$OUT/credit" -- "$OUT/$WRITER" write4k "${PLACE_OF[ext4]}-credit" $CREDIT_PAGES >/dev/null 2>&1
	in_report -i "$OUT/credit"
	unload_module
}

credit_event() {
	start_event io
	true_writer
	sectors_of_writer <"$TRACING/trace"
	stop_event io
}

credit_event_stack() {
	start_event_stack io
	true_writer
	sectors_of_writer <"$TRACING/trace"
	stop_event_stack io
}

credit_bpftrace() {
	start_bpftrace io >&2 || return
	true_writer
	stop_bpftrace
	awk -v w=$WRITER '/^@\[/ { mine = index($0, ", " w ",") }
		mine && /^\]: / { sum += $2; mine = 0 } END { printf "%d\n", sum }' "$OUT/bpftrace.said"
}

# It prints no sizes: asked here is the event it takes the task from.
credit_biosnoop() {
	launch biosnoop bpftrace -e "BEGIN { printf(\"MINOR\\n\"); }
		tracepoint:block:block_io_start { @[comm] = sum(args.bytes); }"
	await biosnoop said biosnoop ^MINOR >&2 || return
	true_writer
	end_tracer
	sed -n "s/^@\[$WRITER\]: //p" "$OUT/biosnoop.said" | grep . || echo 0
}

credit_blktrace() {
	start_blktrace io >&2 || return
	true_writer
	stop_blktrace
	(cd "$OUT" && blkparse -i "${DISK_OF[ext4]##*/}" -a issue -q -f '%C %a %d () %S + %n\n') |
		sed 's/ D / /' | sectors_of_writer
}

credit_perf() {
	start_perf io >&2 || return
	true_writer
	stop_perf
	perf script -i "$OUT/perf.data" -F comm,event,trace 2>/dev/null | sectors_of_writer
}

credit_trace_cmd() {
	start_trace_cmd io >&2 || return
	true_writer
	stop_trace_cmd
	trace-cmd report -i "$OUT/trace.dat" 2>/dev/null | sectors_of_writer
}

# credits: credited TRACER BYTES WRITTEN, for each that sees disk IO
credits() {
	local tracer before written bytes
	cp "$WORKLOADS/load" "$OUT/$WRITER"
	true_writer
	for tracer in $(tracers); do
		declare -F "credit_${tracer//-/_}" >/dev/null || continue
		before=$(disk_sectors_written "${DISK_OF[ext4]}")
		bytes=$("credit_${tracer//-/_}")
		written=$((($(disk_sectors_written "${DISK_OF[ext4]}") - before) * 512))
		line credited "$tracer" "$bytes" "$written"
	done
}
