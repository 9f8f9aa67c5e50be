#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: ioblame report: the schema, exact bytes, and every form of output agreeing
# area: cli
# requires: cmd:jq cmd:ioblame disk:1 fs:ext4
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
REPORT=$T_DIR/report.json

setup() {
	mount_fs ext4 "$DISK"
	need_module
	no_background_writeback
	cp "$WORKLOADS/writer" "$T_DIR/bin/writer-a"
	cp "$WORKLOADS/writer" "$T_DIR/bin/writer-b"
	pass
}

in_report() { jq -r "$1" "$REPORT"; }

report() { # COMMAND...: with a window of statistics around it
	quiesce "$DISK"
	disk_stats "$DISK" >"$T_DIR/base"
	ioblame report --json -- "$@" >"$REPORT" 2>"$T_DIR/err"
}

run_two_writers() {
	# shellcheck disable=SC2016
	report "$BASH" -c '"$1/writer-a" "$2/a" 1000001 -k >"$3.a"; "$1/writer-b" "$2/b" 300k -r late -k >"$3.b"' \
		- "$T_DIR/bin" "$MNT" "$T_DIR/said"
	expect_eq "exit status" 0 $?
	expect_eq "stderr" '' "$(<"$T_DIR/err")"
}

schema() {
	expect_eq "schema" ioblame.report/1 "$(in_report .schema)"
	expect_eq "kernel" "$(uname -r)" "$(in_report .kernel)"
	expect_eq "host" "$(hostname)" "$(in_report .host)"
	expect_eq "top level, missing" '' "$(in_report '
		["schema", "version", "kernel", "host", "start_ns", "end_ns", "interval_s", "devices", "origins",
		 "stacks", "lost", "unattributed", "hooks"] - keys | join(" ")')"
	expect_eq "origin fields, missing" '' "$(in_report '
		["dev", "devname", "op", "bytes", "ios", "cancelled_bytes", "pid", "tid", "start_time", "comm",
		 "cgroup_id", "cgroup", "file", "kind", "reason", "basis", "stack", "dirty_age_ns", "queue_ns",
		 "device_ns"] - (.origins[0] | keys) | join(" ")')"
	expect_eq "numbers that are not whole" 0 "$(in_report '[.origins[] | (.bytes, .ios, .cancelled_bytes) | select(. != floor)] | length')"
	expect_num "interval" -ge 0 "$(in_report '.interval_s | floor')"
	expect_eq "end after start" true "$(in_report '.end_ns > .start_ns')"
	expect_eq "losses" 0 "$(in_report '[.lost[]] | add')"
	# shellcheck disable=SC2016
	expect_eq "stacks named by origins, missing" 0 \
		"$(in_report '. as $r | [.origins[].stack | select(. != null) | tostring | select($r.stacks[.] == null)] | length')"
	# shellcheck disable=SC2016
	expect_match "stack of writer-a" 'generic_perform_write' \
		"$(in_report '. as $r | .origins[] | select(.comm == "writer-a" and .kind == "data") | .stack | tostring | $r.stacks[.] | join(";")')"
	expect_eq "hooks without name or state" 0 "$(in_report '[.hooks[] | select((.name and .state) | not)] | length')"
}

exact_bytes() {
	local pid tid start comm bytes file id
	id=$(stat -c %i "$CGROOT$(sed -n 's/^0:://p' /proc/self/cgroup)")
	for file in a b; do
		while read -r pid tid start comm bytes; do
			expect_eq "$comm: bytes" $(((bytes + 4095) / 4096 * 4096)) "$(in_report "
				[.origins[] | select(.dev == \"$(dev_of "$DISK")\" and .op == \"write\" and .kind == \"data\"
				and .basis == \"page\" and .pid == $pid and .tid == $tid and .comm == \"$comm\"
				and .file.path == \"$MNT/$file\" and .cgroup_id == $id
				and .start_time - $start >= 0 and .start_time - $start <= 10000000) | .bytes] | add")"
		done <"$T_DIR/said.$file"
	done
}

report_conserves() {
	local now
	# The report ends when the data is written back, so the disk stands still.
	now=$(disk_sectors_written "$DISK")
	expect_eq "bytes of the origins, against the disk" $(((now - $(cut -f 6 "$T_DIR/base")) * 512)) \
		"$(in_report "[.origins[] | select(.dev == \"$(dev_of "$DISK")\" and .op == \"write\") | .bytes] | add")"
	expect_eq "bytes of the device, against its origins" \
		"$(in_report "[.origins[] | select(.dev == \"$(dev_of "$DISK")\" and .op == \"write\") | .bytes] | add")" \
		"$(in_report ".devices[] | select(.dev == \"$(dev_of "$DISK")\") | .ops.write.bytes")"
	expect_eq "name of the device" "${DISK##*/}" "$(in_report ".devices[] | select(.dev == \"$(dev_of "$DISK")\") | .name")"
	expect_eq "unattributed bytes" "$(in_report '[.origins[] | select(.basis == "issuer") | .bytes] | add // 0')" \
		"$(in_report .unattributed.bytes)"
}

puts_back() {
	expect_eq "enable afterwards" 0 "$(<"$IOB/enable")"
	expect_eq "filters afterwards" '' "$(cat "$IOB"/filter/* | tr -d ' \n')"
	expect_eq "track afterwards" 0 "$(cat "$IOB"/track/*)"
	expect_eq "tracing instances afterwards" '' "$(cd "$TRACING/instances" && echo ioblame*)"
}

# Buffered in a pipe to a table, as a table, as CSV: one truth.
forms() {
	local form
	no_background_writeback
	for form in '' --csv --raw '--by comm' '--by comm --csv' '--by file,op --sort bytes --top 3'; do
		# shellcheck disable=SC2086
		ioblame report $form -- "$T_DIR/bin/writer-a" "$MNT/form" 409600 >"$T_DIR/form" 2>"$T_DIR/err"
		expect_eq "report $form: status" 0 $?
		expect_eq "report $form: stderr" '' "$(<"$T_DIR/err")"
		case $form in
		*file*) expect_match "report $form" '/form' "$(<"$T_DIR/form")" ;;
		*) expect_match "report $form" 'writer-a' "$(<"$T_DIR/form")" ;;
		esac
	done
	ioblame report --by comm --json -- "$T_DIR/bin/writer-a" "$MNT/form" 409600 >"$REPORT"
	expect_eq "rows of one comm" 1 "$(in_report '[.origins[] | select(.comm == "writer-a" and .op == "write")] | length')"
}

# A longer path and a strange name: nothing is cut in a pipe, and JSON stays JSON.
odd_names() {
	local name odd=$'w r)\tA\\\xff'
	cp "$WORKLOADS/writer" "$T_DIR/bin/$odd"
	name=$MNT/$(printf 'd%.0s' {1..60})
	mkdir -p "$name"
	report "$T_DIR/bin/$odd" "$name/$(printf 'f%.0s' {1..60}) a  b"$'\t\xff\n.txt' 100k
	expect_eq "status" 0 $?
	expect_ok "JSON is valid" jq -e . "$REPORT" >/dev/null
	expect_num "bytes of the odd name" -ge 102400 \
		"$(in_report '[.origins[] | select((.comm // "") | startswith("w r)")) | .bytes] | add // 0')"
	expect_match "its name, each odd byte escaped" '^w r\)\\x09A\\x5c\\xff$' \
		"$(in_report '.origins[] | select(.kind == "data" and ((.comm // "") | startswith("w r)"))) | .comm')"
	expect_match "its path, each odd byte escaped" "^$MNT/d{60}/f{60} a  b\\\\x09\\\\xff\\\\x0a\\.txt\$" \
		"$(in_report '.origins[] | select(.kind == "data" and ((.comm // "") | startswith("w r)"))) | .file.path')"
	COLUMNS=40 ioblame report -- "$T_DIR/bin/writer-a" "$name/whole-and-not-cut" 100k >"$T_DIR/table"
	expect_match "a piped table is never cut" 'd{60}/whole-and-not-cut' "$(<"$T_DIR/table")"
}

cancelled() {
	# shellcheck disable=SC2016
	report "$BASH" -c '"$1/writer-a" "$2/vain" 400k; rm "$2/vain"' - "$T_DIR/bin" "$MNT"
	expect_eq "cancelled bytes of the writer" 409600 \
		"$(in_report '[.origins[] | select(.comm == "writer-a" and .kind == "data") | .cancelled_bytes] | add')"
	expect_eq "written bytes of its data" 0 \
		"$(in_report '[.origins[] | select(.comm == "writer-a" and .kind == "data") | .bytes] | add')"
}

# filters ARGUMENTS: only these are named
filters() {
	# shellcheck disable=SC2016
	local both='"$1/writer-a" "$2/fa" 200k; "$1/writer-b" "$2/fb" 200k'
	for arg in "--comm writer-b" "--dev ${DISK##*/}" "--op write"; do
		# shellcheck disable=SC2086
		ioblame report $arg --json -- "$BASH" -c "$both" - "$T_DIR/bin" "$MNT" >"$REPORT" 2>"$T_DIR/err" ||
			fail "report $arg failed: $(<"$T_DIR/err")"
		expect_eq "report $arg: bytes of writer-b" 204800 \
			"$(in_report '[.origins[] | select(.comm == "writer-b" and .kind == "data") | .bytes] | add // 0')"
	done
	ioblame report --comm writer-b --json -- "$BASH" -c "$both" - "$T_DIR/bin" "$MNT" >"$REPORT"
	expect_eq "bytes named after writer-a, filtered out" 0 \
		"$(in_report '[.origins[] | select(.comm == "writer-a") | .bytes] | add // 0')"
	puts_back
}

# Half of what is read ahead is used, and none of it has left the page cache yet.
readahead() {
	"$T_DIR/bin/writer-a" "$MNT/ahead" 512k
	umount "$MNT"
	mount -o noatime "$DISK" "$MNT"
	cp "$WORKLOADS/reader" "$T_DIR/bin/reader-a"
	ioblame report --readahead --json -- "$T_DIR/bin/reader-a" "$MNT/ahead" -w -n 256k >"$REPORT" 2>"$T_DIR/err"
	expect_eq "status" 0 $?
	local mine='.origins[] | select(.comm == "reader-a" and .file.path == "'"$MNT"'/ahead")'
	expect_eq "bytes" 524288 "$(in_report "[$mine | .bytes] | add")"
	expect_eq "used" 262144 "$(in_report "[$mine | .readahead.used_bytes] | add")"
	expect_eq "unused" 0 "$(in_report "[$mine | .readahead.unused_bytes] | add")"
	expect_eq "without --readahead" null "$(ioblame report --json -- true | jq .readahead)"
	puts_back
}

is_tracing() { [ "$(<"$IOB/enable")" = 1 ]; }

fixed_time() {
	(
		poll 60 is_tracing
		"$T_DIR/bin/writer-a" "$MNT/timed" 300k -f
	) &
	ioblame report -d 8 --json >"$REPORT" 2>"$T_DIR/err"
	expect_eq "status" 0 $?
	expect_eq "bytes of writer-a" 307200 \
		"$(in_report '[.origins[] | select(.comm == "writer-a" and .kind == "data") | .bytes] | add // 0')"
	expect_num "interval" -ge 7 "$(in_report '.interval_s | floor')"
	puts_back
}

t_case "setup" setup
t_case "report --json -- COMMAND" run_two_writers
t_case "the schema is as promised" schema
t_case "each writer has its exact bytes" exact_bytes
t_case "the report adds up to what the disk wrote" report_conserves
t_case "every knob is put back" puts_back
t_case "table, CSV, raw and grouped forms" forms
t_case "odd and long names" odd_names
t_case "cancelled bytes" cancelled
t_case "filters" filters
t_case "report --readahead" readahead
t_case "report -d SECONDS" fixed_time
t_done
