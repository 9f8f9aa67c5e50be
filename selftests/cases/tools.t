#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: the program: other layouts, hidden symbols, no rights, short lives, narrow terminals
# area: cases
# requires: cmd:jq cmd:ioblame cmd:python3 disk:1 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

# refuses REGEX COMMAND...: status 1, one line of error, nothing on stdout
refuses() {
	local regex=$1 rc
	shift
	timeout 60 "$@" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null
	rc=$?
	expect_eq "$*: status" 1 $rc
	expect_eq "$*: stdout" '' "$(head -c 200 "$T_DIR/stdout")"
	expect_eq "$*: lines on stderr" 1 "$(wc -l <"$T_DIR/stderr")"
	expect_match "$*: stderr" "$regex" "$(<"$T_DIR/stderr")"
}

# A module, a recording and a saved report of another version.
c25() {
	local at
	ioblame record -o "$T_DIR/rec" -- "$(named wrA "$WORKLOADS/writer")" "$MNT/f" 64k || fail "record failed"
	expect_ok "a recording of this version" ioblame report -i "$T_DIR/rec" --json >"$T_DIR/saved"
	expect_ok "a report of this version" ioblame report -i "$T_DIR/saved" >"$T_DIR/table"
	# The word behind the magic and the byte order, recording.h.
	at=$((8 + 4))
	cp "$T_DIR/rec" "$T_DIR/rec2"
	printf '\177' | dd of="$T_DIR/rec2" bs=1 seek=$at conv=notrunc status=none
	refuses 'version|format' ioblame report -i "$T_DIR/rec2"
	refuses 'version|format' ioblame script -i "$T_DIR/rec2"
	sed 's|ioblame.report/1|ioblame.report/7|' "$T_DIR/saved" >"$T_DIR/saved2"
	refuses 'schema|version|ioblame.report/7' ioblame report -i "$T_DIR/saved2"
	echo 99 >"$T_DIR/abi"
	mount --bind "$T_DIR/abi" "$IOB/abi" || skip "nothing can be put over $IOB/abi"
	refuses 'ABI 99' ioblame report -d 1
	refuses 'ABI 99' ioblame record -o "$T_DIR/rec3" -d 1
	umount "$IOB/abi"
}

# The kernel resolves its own symbols; the writer is gone when it is asked.
c36() {
	local frames
	knob /proc/sys/kernel/kptr_restrict 2 || skip "no kptr_restrict"
	report -- "$(named wrA "$WORKLOADS/writer")" "$MNT/f" 1m -f
	frames=$(in_report '.stacks[] | .[]' | sort -u)
	expect_num "different frames" -ge 10 "$(wc -l <<<"$frames")"
	expect_eq "frames that are no symbol" '' "$(grep -vE '^[A-Za-z0-9_.$]+\+0x[0-9a-f]+(/0x[0-9a-f]+)?( \[[a-z0-9_]+\])?$' <<<"$frames" | head -n 3)"
	# shellcheck disable=SC2016
	expect_match "stack of the writer" 'ext4_buffered_write_iter|generic_perform_write' \
		"$(in_report '. as $r | .origins[] | select(.comm == "wrA" and .kind == "data") | .stack | tostring | $r.stacks[.] | join(";")')"
	expect_eq "bytes" $((1 << 20)) "$(reported '.comm == "wrA" and .kind == "data"')"
	report_conserves
	refuses 'root|permission|denied' setpriv --reuid nobody --clear-groups "$(command -v ioblame)" report -d 1
}

# Of a group that may see tracefs, and still not root.
c57() {
	local prog
	need cmd:setpriv
	prog=$(command -v ioblame)
	refuses 'root|permission|denied' setpriv --reuid nobody --clear-groups "$prog" report -d 1
	mount -o remount,gid=65534,mode=750 "$TRACING" || skip "tracefs takes no gid"
	refuses 'root|permission|denied' setpriv --reuid nobody --regid 65534 --clear-groups "$prog" report -d 1
	refuses 'root|permission|denied' setpriv --reuid nobody --regid 65534 --clear-groups "$prog" script -d 1
	mount -o remount,gid=0,mode=700 "$TRACING"
	expect_eq "tracing" 0 "$(<"$IOB/enable")"
}

# Narrow: columns may go, numbers may not be cut.
c71() {
	local width bytes
	need cmd:script
	named wrA "$WORKLOADS/writer" >/dev/null
	report -- "$T_DIR/bin/wrA" "$MNT/a-name-that-is-longer-than-a-narrow-terminal-is-wide" 123456
	expect_eq "bytes" 126976 "$(reported '.comm == "wrA" and .kind == "data"')"
	# Rows of the table are not told apart by kind.
	bytes=$(ioblame report -i "$REPORT" --bytes | awk '/ wrA / { print $1; exit }')
	expect_num "bytes of the first row" -ge 126976 "$bytes"
	for width in 40 60 200; do
		script -qec "stty cols $width; ioblame report -i $REPORT --bytes" /dev/null </dev/null 2>"$T_DIR/err" |
			tr -d '\r' >"$T_DIR/table"
		expect_match "number on a terminal of $width columns" "(^|[^0-9])$bytes([^0-9]|\$)" "$(<"$T_DIR/table")"
		expect_eq "rows wider than $width columns" 0 "$(sed -n '/^ *bytes/,/^(/p' "$T_DIR/table" | grep -v '^(' | grep -cE "^.{$((width + 1))}")"
	done
	ioblame report -i "$REPORT" --bytes | cat >"$T_DIR/table"
	expect_match "name in a pipe" 'a-name-that-is-longer-than-a-narrow-terminal-is-wide' "$(<"$T_DIR/table")"
	COLUMNS=40 ioblame report -i "$REPORT" --bytes >"$T_DIR/table"
	expect_match "number, COLUMNS=40" "(^|[^0-9])$bytes([^0-9]|\$)" "$(<"$T_DIR/table")"
}

is_tracing() { [ "$(<"$IOB/enable")" = 1 ]; }

dead_or_alive() { # what the twelve and the one that lives wrote
	local i
	poll 60 is_tracing
	for i in {1..12}; do
		"$T_DIR/bin/short" "$MNT/$i" 64k -k -f
	done
}

totals_bytes() { awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 { s += $c["bytes"] } END { print s + 0 }' "$IOB/totals"; }

# Every writer of the interval, living or not; sums never shrink.
c74() {
	local last=0 now shrank=0 pid
	named short "$WORKLOADS/writer" >/dev/null
	named living "$WORKLOADS/writer" >/dev/null
	quiesce "$DISK"
	disk_stats "$DISK" >"$T_DIR/base"
	ioblame report -d 25 --json >"$REPORT" 2>"$T_DIR/err" &
	pid=$!
	poll 60 is_tracing || die "report never traces"
	mkfifo "$T_DIR/hold"
	"$T_DIR/bin/living" "$MNT/living" 256k -f -w <>"$T_DIR/hold" &
	dead_or_alive >"$T_DIR/said" &
	while is_tracing; do
		now=$(totals_bytes)
		is_tracing || break
		[ "$now" -ge "$last" ] || shrank=$((shrank + 1))
		last=$now
		nap 0.5
	done
	wait $pid
	expect_eq "status of report" 0 $?
	expect_eq "times the sums were seen to shrink" 0 $shrank
	expect_eq "writers" 12 "$(wc -l <"$T_DIR/said")"
	expect_eq "bytes of those that are gone" $((12 << 16)) "$(reported '.comm == "short" and .kind == "data"')"
	expect_eq "their pids" "$(cut -d ' ' -f 1 "$T_DIR/said" | sort -n | xargs)" \
		"$(in_report '[.origins[] | select(.comm == "short" and .kind == "data").pid] | unique | sort | join(" ")')"
	expect_eq "bytes of the one that lives" $((256 << 10)) "$(reported '.comm == "living" and .kind == "data"')"
}

case_on ext4 "C25 another layout is refused, with a word" c25
case_on ext4 "C35 C36 symbols are right though kallsyms is hidden and the writer gone" c36
case_on ext4 "C57 without rights: one line, nothing else" c57
case_on ext4 "C71 pipes cut nothing, narrow terminals no number" c71
case_on ext4 "C74 a report of fixed time has every writer" c74
t_done
