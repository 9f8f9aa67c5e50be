#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: trace-cmd, perf and bpftrace can use the events without our tools, and the sums agree
# area: events
# requires: cmd:jq disk:1 fs:ext4
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
EVENTS="ioblame_io ioblame_act ioblame_stack ioblame_role ioblame_file ioblame_cancel"

# event, fields in order as type:name
FIELDS="
ioblame_io u32:dev u8:op u8:nr_origins u16:flags u64:sector u32:bytes u32:more_bytes u32:issuer u64:queue_ns u64:device_ns u64:age_ns u32[16]:act u32[16]:obytes u8[16]:basis u8[16]:reason u64:id u64:up
ioblame_act u32:id u32:role u32:stack u32:file u8:kind
ioblame_role u32:id u32:pid u32:tgid u32:flags u64:start_ns u64:cgroup_id char[16]:comm char[192]:cgroup
ioblame_stack u32:id u32:nr u8:reason char[1024]:frames
ioblame_file u32:id u32:dev u32:gen u32:flags u64:ino char[16]:fstype char[192]:path
ioblame_cancel u32:act u32:dev u64:bytes
"

setup() {
	mount_fs ext4 "$DISK"
	# Listed while the module is there, whether or not it traces.
	need_module
	expect_eq "events" "$(tr ' ' '\n' <<<"$EVENTS" | sort | xargs)" \
		"$(cd "$TRACING/events/ioblame" && printf '%s\n' */ | tr -d / | sort | xargs)"
}

formats() {
	local event fields
	while read -r event fields; do
		[ "$event" ] || continue
		expect_eq "fields of $event" "$fields" "$(awk -F '[:;]' '
			/field:/ && $2 !~ /common_/ {
				n = split($2, w, " "); name = w[n]
				type = substr($2, 1, length($2) - length(name) - 1); count = ""
				if (match(name, /\[.*\]/)) {
					count = substr(name, RSTART, RLENGTH); sub(/\[.*/, "", name)
				} else if (match(type, /\[.*\]/)) {
					count = substr(type, RSTART, RLENGTH); sub(/\[.*/, "", type)
				}
				gsub(/unsigned |__|^ +| +$/, "", type)
				printf "%s%s%s:%s", sep, type, count, name; sep = " "
			}' "$TRACING/events/ioblame/$event/format")"
	done <<<"$FIELDS"
}

# workload: two writers, then quiet
workload() {
	no_background_writeback
	OWED=
	write_as a "writer-$1" "/$1" 300001
	write_as b "direct-$1" "/$1.direct" 256k -d -b 16k
	sync
}
export -f workload

# written_bytes: by the disk since begin
written_bytes() {
	local base
	base=$(cut -f 6 "$T_DIR/base")
	echo $((($(disk_sectors_written "$DISK") - base) * 512))
}

dev_number() {
	local dev
	dev=$(dev_of "$DISK")
	echo $(((${dev%:*} << 20) | ${dev#*:}))
}

# The bytes of one disk's writes, a line each; numbers decimal or 0x, dev also major:minor.
add_up() {
	local line sum=0 dev op bytes
	while read -r line; do
		[[ $line =~ [[:space:]]dev=(0x[0-9a-f]+|[0-9]+)(:([0-9]+))? ]] || continue
		dev=$((BASH_REMATCH[1]))
		[ -z "${BASH_REMATCH[2]}" ] || dev=$((dev << 20 | BASH_REMATCH[3]))
		[[ $line =~ [[:space:]]op=(0x[0-9a-f]+|[0-9]+) ]] && op=$((BASH_REMATCH[1]))
		[[ $line =~ [[:space:]]bytes=(0x[0-9a-f]+|[0-9]+) ]] && bytes=$((BASH_REMATCH[1]))
		[ "$dev" != "$(dev_number)" ] || [ "$op" != 1 ] || sum=$((sum + bytes))
	done
	echo $sum
}

trace_cmd() {
	need cmd:trace-cmd
	begin "$DISK"
	trace-cmd record -q -e ioblame -o "$T_DIR/trace.dat" "$SELFTESTS/lib/call.sh" workload tc ||
		die "trace-cmd record failed"
	quiesce "$DISK"
	trace-cmd report -R -i "$T_DIR/trace.dat" >"$T_DIR/raw" 2>"$T_DIR/err"
	expect_eq "complaints of trace-cmd report" '' "$(grep -v '^cpus=' "$T_DIR/err" | head -n 3)"
	expect_eq "bytes of ioblame_io events, against the disk" "$(written_bytes)" \
		"$(grep ioblame_io: "$T_DIR/raw" | add_up)"
	trace-cmd report -i "$T_DIR/trace.dat" >"$T_DIR/cooked" 2>&1
	expect_eq "lines trace-cmd cannot parse" '' "$(grep -m 1 -i -E 'FAILED TO PARSE|failed to' "$T_DIR/cooked")"
	expect_num "roles named writer-tc" -ge 1 "$(grep ioblame_role: "$T_DIR/cooked" | grep -c writer-tc)"
	expect_num "files named /tc" -ge 1 "$(grep ioblame_file: "$T_DIR/cooked" | grep -c '/tc\b')"
	expect_num "stacks with symbols" -ge 1 "$(grep ioblame_stack: "$T_DIR/cooked" | grep -c '+0x')"
	# Our program reads the same file.
	expect_ok "ioblame report -i trace.dat" ioblame report -i "$T_DIR/trace.dat" --json >"$T_DIR/dat.json"
	expect_eq "bytes of the report, against the disk" "$(written_bytes)" \
		"$(jq "[.origins[] | select(.dev == \"$(dev_of "$DISK")\" and .op == \"write\") | .bytes] | add // 0" "$T_DIR/dat.json")"
	expect_num "rows of writer-tc" -ge 1 "$(jq '[.origins[] | select(.comm == "writer-tc")] | length' "$T_DIR/dat.json")"
	finish
	conserve
}

in_perf() {
	need cmd:perf
	begin "$DISK"
	perf record -q -e 'ioblame:*' -a -o "$T_DIR/perf.data" -- "$SELFTESTS/lib/call.sh" workload pf \
		>"$T_DIR/err" 2>&1 || die "perf record failed: $(<"$T_DIR/err")"
	quiesce "$DISK"
	perf script -i "$T_DIR/perf.data" >"$T_DIR/script" 2>/dev/null || die "perf script failed"
	expect_eq "bytes of ioblame_io events, against the disk" "$(written_bytes)" \
		"$(perf script -i "$T_DIR/perf.data" -F event,trace 2>/dev/null | grep 'ioblame_io:' |
			add_up)"
	expect_num "roles named writer-pf" -ge 1 "$(grep ioblame_role "$T_DIR/script" | grep -c writer-pf)"
	finish
	conserve
}

in_bpftrace() {
	need cmd:bpftrace path:/sys/kernel/btf/vmlinux
	begin "$DISK"
	bpftrace -q -f json -e 'tracepoint:ioblame:ioblame_io /args->dev == '"$(dev_number)"' && args->op == 1/
		{ @bytes = sum(args->bytes); @act = sum(args->obytes[0]); }' -o "$T_DIR/bpf" \
		-c "$WORKLOADS/writer $MNT/bpf 256k -d" >"$T_DIR/err" 2>&1 || die "bpftrace failed: $(tail -n 5 "$T_DIR/err")"
	quiesce "$DISK"
	expect_eq "bytes of ioblame_io events, against the disk" "$(written_bytes)" \
		"$(jq -s '[.[] | select(.type == "map") | .data["@bytes"] // empty] | add' "$T_DIR/bpf")"
	finish
	conserve
}

# record_agrees: our own recording says the same as the totals in the module
our_own_recording() {
	local here
	need cmd:ioblame
	unload_module
	load_module || die "insmod failed"
	quiesce "$DISK"
	disk_stats "$DISK" >"$T_DIR/base"
	expect_ok "ioblame record" ioblame record -o "$T_DIR/rec" -- "$SELFTESTS/lib/call.sh" workload own || return
	quiesce "$DISK"
	expect_ok "ioblame report -i" ioblame report -i "$T_DIR/rec" --json >"$T_DIR/rec.json" || return
	here=".dev == \"$(dev_of "$DISK")\" and .op == \"write\""
	expect_eq "bytes of a recording, against the disk" "$(written_bytes)" \
		"$(jq "[.origins[] | select($here) | .bytes] | add // 0" "$T_DIR/rec.json")"
	expect_eq "bytes of the writer" 303104 \
		"$(jq "[.origins[] | select($here and .comm == \"writer-own\" and .kind == \"data\" and .file.path == \"$MNT/own\") | .bytes] | add // 0" "$T_DIR/rec.json")"
	expect_eq "lost events" 0 "$(jq .lost.events "$T_DIR/rec.json")"
	expect_ok "ioblame script -i" ioblame script -i "$T_DIR/rec" --json >"$T_DIR/script.json"
	expect_eq "bytes of script's lines, against the disk" "$(written_bytes)" \
		"$(jq -s "[.[] | select($here) | .bytes] | add // 0" "$T_DIR/script.json")"
	expect_eq "lines whose origins do not add up" 0 \
		"$(jq -s '[.[] | select(.bytes > 0 and ([.origins[].bytes] | add // 0) != .bytes)] | length' "$T_DIR/script.json")"
}

t_case "the documented events, while the module is loaded" setup
t_case "format files have the documented fields" formats
t_case "trace-cmd records and reports" trace_cmd
t_case "perf records and scripts" in_perf
t_case "bpftrace attaches and sums" in_bpftrace
t_case "ioblame record, report -i and script agree with the disk" our_own_recording
t_done
