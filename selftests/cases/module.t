#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: the module: symbols it needs, memory that is short, beside other tracers
# area: cases
# requires: cmd:jq disk:1 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

# One direct and one buffered write: never a silent nothing.
c19() {
	no_background_writeback
	begin "$DISK"
	owes seen write direct direct
	write_as a wrA /direct 64k -d
	owes seen write data page
	write_as a wrB /buffered 64k
	finish
	debts
	expect_eq "required hooks that are not attached" '' \
		"$(awk -F '\t' 'NR > 1 && $3 == "required" && $4 != "attached" { print $1 "=" $4 }' "$SNAP/hooks" | xargs)"
	expect_eq "hooks that are not there, without a word on what is not seen" '' \
		"$(awk -F '\t' 'NR > 1 && $4 != "attached" && ($6 == "" || $6 == "-") { print $1 }' "$SNAP/hooks" | xargs)"
	conserve
}

# Handlers must not wait for, or write back for, memory.
c41() {
	local cg=$CGROOT/$CG/tight pid
	cgroup_make tight
	[ -e "$cg/memory.max" ] || echo +memory >"$CGROOT/cgroup.subtree_control"
	echo +memory >"$CGROOT/$CG/cgroup.subtree_control" || skip "no memory controller"
	echo 12M >"$cg/memory.max" || skip "no memory controller"
	begin "$DISK"
	owes little_memory write data page
	write_as tight wrA /a 24m &
	write_as tight wrB /b 16m -b 4k &
	# Throttled between the fault and the first byte, a mapped page is cleaned, and
	# faults again: it is written twice, by every account.
	OWED=
	write_as tight wrC /c 4m -m &
	wait_all
	finish
	debts
	expect_num "bytes of the mapping" -ge $((4 << 20)) "$(sum "$(writes "$DISK" '.comm == "wrC" and .kind == "data" and .path == "/c"')")"
	bytes "kernel threads, data" 0 "$(writes "$DISK" '.kind == "data" and ((.flags // "") | test("kthread|worker"))')"
	expect_num "times memory was short" -gt 0 "$(awk '$1 == "max" { print $2 }' "$cg/memory.events")"
	conserve
}

# exported: what the kernel and its loaded modules offer to modules
exported() { sed -n 's/.* __ksymtab_\([^[:space:]]*\).*/\1/p' /proc/kallsyms | sort -u; }

c42() {
	local undefined
	need cmd:nm
	undefined=$(nm -u "$IOBLAME_KO" | awk '{ print $2 }' | sort -u)
	expect_num "undefined symbols" -gt 10 "$(wc -l <<<"$undefined")"
	expect_num "exported symbols" -gt 1000 "$(exported | wc -l)"
	expect_eq "symbols needed and not exported" '' "$(comm -23 <(echo "$undefined") <(exported) | xargs)"
	expect_eq "kallsyms_lookup_name among them" '' "$(grep -x kallsyms_lookup_name <<<"$undefined")"
}

# Out of tree and unsigned: its events are there all the same.
c44() {
	expect_match "taint" 'O' "$(<"/sys/module/ioblame/taint")"
	expect_eq "event" ioblame_io "$(cd "$TRACING/events/ioblame" && echo ioblame_io)"
	expect_eq "it can be switched on" '' "$(try_write "$TRACING/events/ioblame/ioblame_io/enable" 1)"
	echo 0 >"$TRACING/events/ioblame/ioblame_io/enable"
}

toggle() { # the function tracer on and off
	while :; do
		echo function >"$TRACING/current_tracer"
		nap 0.5
		echo nop >"$TRACING/current_tracer"
		nap 0.2
	done 2>/dev/null
}

# Function tracer, block and writeback events, all at once and coming and going.
c48() {
	local toggler
	grep -qw function "$TRACING/available_tracers" || skip "no function tracer"
	knob "$TRACING/current_tracer" nop || skip "no tracer can be chosen"
	begin "$DISK"
	knob "$TRACING/events/block/enable" 1
	knob "$TRACING/events/writeback/enable" 1
	knob "$TRACING/events/jbd2/enable" 1
	toggle &
	toggler=$!
	owes beside_other_tracers write data page
	write_as a wrA /a 512k -f &
	write_as b wrB /b 512k -s -b 32k &
	write_as c wrC /c 256k -m -f &
	owes beside_other_tracers write direct direct
	write_as d wrD /d 256k -d -b 16k &
	for job in $(jobs -p); do
		[ "$job" = $toggler ] || wait "$job" || fail "a writer left with status $?"
	done
	kill $toggler
	wait $toggler 2>/dev/null
	restore_knobs
	finish
	debts
	expect_num "hits of the page hooks" -gt 0 "$(awk -F '\t' 'NR > 1 { s += $5 } END { print s + 0 }' "$SNAP/hooks")"
	conserve
}

case_on ext4 "C19 every hook is there, or missed with a word" c19
case_on ext4 "C41 memory is short: no recursion, sums exact" c41
case_raw "C42 C53 only exported symbols are needed" c42
case_raw "C44 the events are there, though out of tree" c44
case_on ext4 "C48 beside the function tracer and other events" c48
t_done
