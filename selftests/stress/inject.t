#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: with memory refused at random, sums stay exact and nothing breaks
# area: stress
# requires: cmd:jq disk:1 fs:ext4 path:/sys/kernel/debug/failslab path:/sys/kernel/debug/fail_page_alloc
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
D=/sys/kernel/debug

setup() {
	mount_fs ext4 "$DISK"
	need_module
	pass
}

# arm PERCENT: of what the chosen tasks ask for, and none without __GFP_NOFAIL
arm() {
	local f
	for f in failslab fail_page_alloc; do
		echo Y >"$D/$f/task-filter"
		echo "$1" >"$D/$f/probability"
		echo 1 >"$D/$f/interval"
		echo -1 >"$D/$f/times"
		echo 0 >"$D/$f/verbose"
	done
	echo N >"$D/failslab/ignore-gfp-wait"
	echo N >"$D/fail_page_alloc/ignore-gfp-wait"
	echo 0 >"$D/fail_page_alloc/min-order"
}

disarm() {
	echo 0 >"$D/failslab/probability"
	echo 0 >"$D/fail_page_alloc/probability"
	echo 0 >/proc/self/make-it-fail
}

# Enabling either works or fails whole.
enable_fails_whole() {
	local i worked=0
	arm 5
	for i in {1..30}; do
		if (echo 1 >/proc/self/make-it-fail; echo 1 >"$IOB/enable") 2>/dev/null; then
			worked=$((worked + 1))
			expect_eq "try $i: enable reads" 1 "$(<"$IOB/enable")"
			disable
		else
			expect_eq "try $i: enable reads" 0 "$(<"$IOB/enable")"
			expect_eq "try $i: hooks attached" '' \
				"$(awk -F '\t' '$4 == "attached" { print $1 }' "$IOB/hooks" | xargs)"
		fi
	done
	disarm
	echo "$worked of 30 worked"
	expect_ok "enable, unharmed" enable
	disable
}

sums_stay_exact() {
	local i
	begin "$DISK"
	arm 10
	for i in {1..8}; do
		(
			echo 1 >/proc/self/make-it-fail
			exec "$WORKLOADS/writer" "$MNT/f.$i" 200k
		) 2>/dev/null &
	done
	wait
	disarm
	finish
	conserve
}

t_case "ext4" setup
t_case "enabling fails whole or not at all" enable_fails_whole
t_case "sums stay exact" sums_stay_exact
disarm
t_done
