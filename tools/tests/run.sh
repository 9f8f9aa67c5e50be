#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All host tests as one TAP stream: the unit tests, then those of the program.
# usage: tests/run.sh BUILD (from tools/)

build=$1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export UNIT_DIR=$tmp TMP_DIR=$tmp PROG=$PWD/$build/ioblame.bin
# A killed or interrupted program has no time to free.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
unset IOBLAME_ROOT IOBLAME_KO COLUMNS

nr=0
failed=0
# renumber: one stream of numbers for both parts
renumber() {
	local line
	while IFS= read -r line; do
		case $line in
		"ok "* | "not ok "*)
			nr=$((nr + 1))
			[ "${line%%ok*}" = "" ] || failed=$((failed + 1))
			printf '%s %d - %s\n' "${line%%[0-9]*}" "$nr" "${line#*- }" | tr -s ' '
			;;
		"1.."*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}

# part NAME COMMAND...: its results; a part that dies is a failure, too
part() {
	local name=$1
	shift
	"$@" >"$tmp/part" 2>"$tmp/part.err"
	local status=$?
	renumber <"$tmp/part"
	if [ "$status" -ne 0 ] && ! grep -q '^not ok' "$tmp/part"; then
		sed 's/^/# /' "$tmp/part.err"
		nr=$((nr + 1)) failed=$((failed + 1))
		echo "not ok $nr - $name ended with status $status"
	fi
}

part unit "$build/unit.bin"
part program tests/program.sh
part export tests/export.sh
part consumers tests/consumers.sh
part diff tests/diff.sh
part top tests/top.sh
part record tests/record.sh
part tracedat tests/tracedat.sh
part unhappy tests/unhappy.sh
part hostile "$build/replay.bin"
part watch tests/watch.sh
echo "1..$nr"
[ "$failed" -eq 0 ]
