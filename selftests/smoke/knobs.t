#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: what filters and limits take, refuse, and when
# area: smoke
# requires: cmd:jq
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

BUSY='Device or resource busy'
INVALID='Invalid argument'

# file, a good value, as it reads back, a bad value
KNOBS="
filter/dev        8:0,254:16   8:0,254:16   vda
filter/dev        259:0        259:0        8:x
filter/tgid       1            1            -3
filter/tgid       1,2,3        1,2,3        one
filter/cgroup     1            1            /a
filter/op         write        write        writes
filter/op         read,flush   read,flush   read,bogus
limits/stacks     1000         1000         many
limits/acts       2000         2000         -1
limits/files      3000         3000         1x
limits/totals     4000         4000         0x
limits/flows      5000         5000         ten
limits/blocks     5000         5000         -1
limits/memory_kb  65536        65536        64m
track/readahead   1            1            2
"

knobs() { printf '%s' "$KNOBS" | awk 'NF'; }

read_knob() { # as one word
	local words
	read -ra words <"$IOB/$1"
	(IFS=,; echo "${words[*]}")
}

good_and_bad() {
	local file good reads bad before
	while read -r file good reads bad; do
		before=$(read_knob "$file")
		expect_eq "$file: write of '$good'" '' "$(try_write "$IOB/$file" "${good//,/ }")"
		expect_eq "$file: reads back" "$reads" "$(read_knob "$file")"
		expect_eq "$file: write of '$bad'" "$INVALID" "$(try_write "$IOB/$file" "${bad//,/ }")"
		expect_eq "$file: after the bad value" "$reads" "$(read_knob "$file")"
		case $file in
		filter/*)
			expect_eq "$file: write of nothing" '' "$(try_write "$IOB/$file" '')"
			expect_eq "$file: empty" '' "$(read_knob "$file")" ;;
		*)
			expect_eq "$file: put back" '' "$(try_write "$IOB/$file" "$before")" ;;
		esac
	done < <(knobs)
}

refused_while_enabled() {
	local file good before
	expect_ok "enable" enable
	while read -r file good _; do
		before=$(read_knob "$file")
		expect_eq "$file: write while enabled" "$BUSY" "$(try_write "$IOB/$file" "${good//,/ }")"
		expect_eq "$file: unchanged" "$before" "$(read_knob "$file")"
	done < <(knobs)
	disable
}

bad_enable() {
	local text
	for text in 2 -1 on '' 1x; do
		expect_eq "enable: write of '$text'" "$INVALID" "$(try_write "$IOB/enable" "$text")"
		expect_eq "enable reads" 0 "$(cat "$IOB/enable")"
	done
}

# An absurdly long or binary value is refused, not a crash.
odd_values() {
	local file
	for file in filter/dev filter/tgid filter/cgroup filter/op limits/stacks; do
		expect_eq "$file: 100 kB of x" "$INVALID" \
			"$(try_write "$IOB/$file" "$(head -c 100000 /dev/zero | tr '\0' x)")"
		expect_eq "$file: a control character" "$INVALID" "$(try_write "$IOB/$file" $'\x01\xff')"
	done
}

read_only() {
	local file
	# Root is not held by the mode.
	for file in abi stacks roles files acts totals devices hooks stats; do
		expect_match "write to $file" . "$(try_write "$IOB/$file" 1)"
	done
	expect_fail "read of reset" cat "$IOB/reset"
}

load() {
	need_module
	pass
}

t_case "load" load
t_case "good values are kept, bad ones change nothing" good_and_bad
t_case "filters and limits are refused while enabled" refused_while_enabled
t_case "enable takes 0 and 1 and nothing else" bad_enable
t_case "odd values are refused" odd_values
t_case "what is read-only cannot be written, nor the other way round" read_only
t_done
