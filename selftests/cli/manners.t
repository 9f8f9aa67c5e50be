#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: exit statuses, one line of error, and a clean leave whatever ends the program
# area: cli
# requires: cmd:jq cmd:ioblame cmd:setpriv disk:1 fs:ext4
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

setup() {
	mount_fs ext4 "$DISK"
	need_module
	pass
}

# says STATUS ERROR-REGEX COMMAND...: its status, one line of error, nothing on stdout
says() {
	local want=$1 regex=$2 rc
	shift 2
	timeout 60 "$@" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null
	rc=$?
	expect_eq "$*: status" "$want" $rc
	expect_eq "$*: stdout" '' "$(head -c 200 "$T_DIR/stdout")"
	expect_eq "$*: lines on stderr" 1 "$(wc -l <"$T_DIR/stderr")"
	expect_match "$*: stderr" "$regex" "$(<"$T_DIR/stderr")"
}

# usage COMMAND...: status 2 and a word on stderr
usage() {
	local rc
	timeout 60 "$@" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null
	rc=$?
	expect_eq "$*: status" 2 $rc
	expect_eq "$*: stdout" '' "$(head -c 200 "$T_DIR/stdout")"
	expect_num "$*: bytes on stderr" -gt 0 "$(wc -c <"$T_DIR/stderr")"
}

left_clean() {
	expect_eq "$1: enable" 0 "$(<"$IOB/enable")"
	expect_eq "$1: filters" '' "$(cat "$IOB"/filter/* | tr -d ' \n')"
	expect_eq "$1: track" 0 "$(cat "$IOB"/track/*)"
	expect_eq "$1: tracing instances" '' "$(cd "$TRACING/instances" && echo ioblame*)"
}

usage_errors() {
	usage ioblame
	usage ioblame nonsense
	usage ioblame report --nonsense
	usage ioblame report --by nonsense -d 1
	usage ioblame report -d
	usage ioblame report -d soon
	usage ioblame report --sort nonsense -d 1
	usage ioblame export --format nonsense
	usage ioblame-report --nonsense
}

success() {
	local cmd
	for cmd in "ioblame version" "ioblame --help" "ioblame report --help" "ioblame-report --help" "ioblame check"; do
		# shellcheck disable=SC2086
		expect_ok "$cmd" timeout 60 $cmd >"$T_DIR/stdout" 2>"$T_DIR/stderr"
		expect_num "$cmd: bytes on stdout" -gt 0 "$(wc -c <"$T_DIR/stdout")"
		expect_eq "$cmd: stderr" '' "$(<"$T_DIR/stderr")"
	done
	left_clean "after check"
}

not_root() {
	says 1 'root|permission|denied' setpriv --reuid nobody --clear-groups "$(command -v ioblame)" report -d 1
	says 1 'root|permission|denied' setpriv --reuid nobody --clear-groups "$(command -v ioblame)" record -d 1
}

missing_input() {
	says 1 'none' ioblame report -i "$T_DIR/none"
	echo garbage >"$T_DIR/garbage"
	says 1 'garbage' ioblame report -i "$T_DIR/garbage"
	: >"$T_DIR/empty"
	says 1 'empty' ioblame report -i "$T_DIR/empty"
	says 1 'nosuchcommand' ioblame report -- nosuchcommand
	left_clean "a command that is not there"
}

full_disk() {
	expect_fail "report to /dev/full" sh -c 'ioblame report -d 1 --json >/dev/full 2>/dev/null'
	left_clean "full disk"
}

not_loaded() {
	unload_module
	says 1 'module|loaded|insmod|modprobe' ioblame report -d 1
	says 1 'module|loaded|insmod|modprobe' ioblame record -d 1
	expect_fail "ioblame check, without the module" ioblame check >/dev/null 2>&1
	load_module
}

is_tracing() { [ "$(<"$IOB/enable")" = 1 ]; }

# killed_by SIGNAL COMMAND...: ends on it, cleans up
killed_by() {
	local signal=$1 pid rc
	shift
	"$@" >"$T_DIR/stdout" 2>"$T_DIR/stderr" &
	pid=$!
	poll 60 is_tracing || die "$* never traces"
	"$WORKLOADS/writer" "$MNT/f" 64k -f
	kill -"$signal" $pid
	poll 60 gone $pid || { fail "$* does not end on $signal"; kill -KILL $pid; }
	wait $pid
	rc=$?
	left_clean "$* after $signal"
	return $rc
}

gone() { ! kill -0 "$1" 2>/dev/null; }

# Ctrl-C ends the interval: the report is printed.
interrupted() {
	# Background jobs ignore SIGINT unless somebody gives it back.
	killed_by INT env --default-signal=INT ioblame report --json
	expect_eq "status after SIGINT" 0 $?
	expect_ok "the report is JSON" jq -e .schema "$T_DIR/stdout" >/dev/null
	killed_by TERM ioblame report --json --readahead
	killed_by TERM ioblame record -o "$T_DIR/rec"
	killed_by INT env --default-signal=INT ioblame script
}

closed_pipe() {
	local status
	(
		nap 2
		"$WORKLOADS/writer" "$MNT/pipe" 256k -s -b 4k
	) &
	timeout 100 ioblame script -d 60 2>"$T_DIR/stderr" | head -n 1 >"$T_DIR/stdout"
	status=${PIPESTATUS[0]}
	expect_eq "lines that came through" 1 "$(wc -l <"$T_DIR/stdout")"
	expect_num "status of script" -ne 124 "$status"
	expect_eq "stderr" '' "$(<"$T_DIR/stderr")"
	left_clean "closed pipe"
}

# Killed without a chance to clean up: the next run takes over, strangers' things stay.
killed_run_is_taken_over() {
	local pid
	mkdir "$TRACING/instances/mine"
	ioblame record -o "$T_DIR/rec" &
	pid=$!
	poll 60 is_tracing || die "record never traces"
	kill -KILL $pid
	wait $pid 2>/dev/null
	expect_ok "the next report" ioblame report --json -- "$WORKLOADS/writer" "$MNT/next" 256k >"$T_DIR/next.json"
	expect_eq "bytes of its writer" 262144 \
		"$(jq '[.origins[] | select(.comm == "writer" and .kind == "data" and .file.path == "'"$MNT"'/next") | .bytes] | add // 0' "$T_DIR/next.json")"
	left_clean "after the next report"
	expect_eq "somebody else's instance is there" yes "$([ -d "$TRACING/instances/mine" ] && echo yes)"
	rmdir "$TRACING/instances/mine"
}

# A second one either shares or steps back; the first is exact in any case.
second_at_the_same_time() {
	local pid rc
	mkfifo "$T_DIR/go"
	# shellcheck disable=SC2016
	ioblame report --json -- "$BASH" -c 'read -r _ <"$1"; "$2" "$3" 256k' - "$T_DIR/go" "$WORKLOADS/writer" "$MNT/first" \
		>"$T_DIR/first.json" &
	pid=$!
	poll 60 is_tracing || die "the first never traces"
	timeout 60 ioblame report -d 1 --json >"$T_DIR/second.json" 2>"$T_DIR/stderr"
	rc=$?
	expect_num "status of the second" -le 1 $rc
	[ $rc -eq 0 ] || expect_eq "lines on stderr of the second" 1 "$(wc -l <"$T_DIR/stderr")"
	expect_eq "still tracing for the first" 1 "$(<"$IOB/enable")"
	echo >"$T_DIR/go"
	wait $pid
	expect_eq "status of the first" 0 $?
	expect_eq "bytes of the first's writer" 262144 \
		"$(jq '[.origins[] | select(.comm == "writer" and .kind == "data" and .file.path == "'"$MNT"'/first") | .bytes] | add // 0' "$T_DIR/first.json")"
	left_clean "both done"
}

# It may refuse to go; what it may not do is hang or crash the one who watches.
module_removed() {
	local pid
	ioblame report -d 6 --json >"$T_DIR/stdout" 2>"$T_DIR/stderr" &
	pid=$!
	poll 60 is_tracing || die "report never traces"
	rmmod ioblame 2>/dev/null
	poll 60 gone $pid || { fail "report hangs"; kill -KILL $pid; }
	wait $pid
	expect_num "status of report" -le 1 $?
	module_loaded || load_module
}

t_case "setup" setup
for scenario in usage_errors success not_root missing_input full_disk not_loaded interrupted closed_pipe \
	killed_run_is_taken_over second_at_the_same_time module_removed; do
	t_case "${scenario//_/ }" "$scenario"
done
t_done
