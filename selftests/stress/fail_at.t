#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: whichever step of loading or enabling fails, nothing stays behind
# area: stress
# requires: cmd:jq param:fail_at
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

MOST=60

nothing_left() {
	expect_eq "module is there" '' "$(module_loaded && echo yes)"
	expect_eq "$IOB is there" '' "$([ -e "$IOB" ] && echo yes)"
	expect_eq "events are there" '' "$([ -e "$TRACING/events/ioblame" ] && echo yes)"
	expect_eq "functions hooked" '' "$(grep -c ioblame "$TRACING/enabled_functions" | grep -v '^0$')"
}

# Step N of loading, and once loading has no step N, of enabling, fails.
every_step() {
	local n failed_loads=0 failed_enables=0
	for ((n = 1; n <= MOST; n++)); do
		if ! load_module fail_at="$n" 2>/dev/null; then
			failed_loads=$((failed_loads + 1))
			nothing_left
			continue
		fi
		if enable 2>/dev/null; then
			unload_module
			break
		fi
		failed_enables=$((failed_enables + 1))
		expect_eq "fail_at=$n: enable reads" 0 "$(<"$IOB/enable")"
		expect_eq "fail_at=$n: hooks attached" '' \
			"$(awk -F '\t' '$4 == "attached" { print $1 }' "$IOB/hooks" | xargs)"
		expect_ok "fail_at=$n: rmmod" rmmod ioblame
		nothing_left
	done
	echo "$failed_loads loads and $failed_enables enables failed"
	expect_num "step at which all succeeds" -le $MOST "$n"
	expect_num "steps of loading that can fail" -ge 1 $failed_loads
	echo "$failed_enables" >"$T_DIR/failed_enables"
	nothing_left
}

enabling_was_among_them() {
	[ "$(<"$T_DIR/failed_enables")" != 0 ] || skip "fail_at ends with loading, no step of enabling can be made to fail"
	pass
}

works_afterwards() {
	expect_ok "insmod" load_module
	expect_ok "enable" enable
	expect_ok "disable" disable
	expect_ok "rmmod" rmmod ioblame
	nothing_left
}

t_case "every step fails cleanly" every_step
t_case "steps of enabling are among them" enabling_was_among_them
t_case "after all that it loads and enables" works_afterwards
t_done
