#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: two who change metadata in proportion 3:1 have it so in what is written
# area: meta
# requires: cmd:jq disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

ROUNDS=20
SCALE=1

# In every round A does three times as much as B at the same time, each in
# directories of the same size; now and then a third one syncs. Each round has
# processes of its own.
work() {
	local i turn
	no_background_writeback
	mkdir "$MNT"/{a0,a1,a2,b}
	sync
	begin "$DISK"
	OWED=
	for ((i = 0; i < ROUNDS; i++)); do
		turn=$((i / 3))
		work_as churner a churner-a "/a$((i % 3))" $((6 * SCALE)) -s $((turn * 6)) &
		work_as churner b churner-b /b $((2 * SCALE)) -s $((i * 2 * SCALE)) &
		wait_all
		[ $((i % 4)) -ne 0 ] || sync
	done
	# What is written home belongs to it.
	umount "$MNT" || die "umount failed"
	finish
	pass
}

WRITES=
written() { sum "$WRITES and ($1)"; }

permille() { [ "$2" -gt 0 ] && echo $(($1 * 1000 / $2)); }

# The submitter for want of anybody else, or a row that names none.
NOBODY='(.basis == "issuer" or (.named | not))'

who_is_named() {
	local all
	WRITES=".dev == \"$(dev_of "$DISK")\" and .op == \"write\""
	all=$(written true)
	echo "of $all bytes: unattributed $(written "$NOBODY")"
	expect_num "unattributed, in thousandths of $all bytes" -le 10 \
		"$(permille "$(written "$NOBODY")" "$all")"
	expect_num "kernel threads as origin, in thousandths" -le 10 \
		"$(permille "$(written '.basis != "issuer" and (.flags // "" | test("kthread|worker"))')" "$all")"
	[ ! -s "$T_DIR/failures" ] || who_has
}

who_has_how_much() {
	local a b
	WRITES=".dev == \"$(dev_of "$DISK")\" and .op == \"write\" and .kind != \"data\""
	a=$(written '.comm == "churner-a"')
	b=$(written '.comm == "churner-b"')
	expect_num "share of the one who did three quarters, in thousandths of $((a + b))" -ge 700 "$(permille "$a" $((a + b)))"
	expect_num "share of the one who did three quarters, in thousandths of $((a + b))" -le 800 "$(permille "$a" $((a + b)))"
	[ ! -s "$T_DIR/failures" ] || who_has
}

# f2fs keeps the first half inside the inode, and writes it again as it grows.
data_is_exact() {
	local n each
	each=$(((6000 + BLOCK - 1) / BLOCK * BLOCK))
	[ "$FS" != f2fs ] || each=$((each + BLOCK))
	for n in a:$((ROUNDS * SCALE * 6)) b:$((ROUNDS * SCALE * 2)); do
		expect_eq "bytes of data of churner-${n%:*}" $((${n#*:} * each)) \
			"$(sum ".op == \"write\" and .kind == \"data\" and .comm == \"churner-${n%:*}\"")"
	done
	[ ! -s "$T_DIR/failures" ] || who_has
}

one_file_system() {
	t_case "$FS: workloads run" work
	for check in who_is_named who_has_how_much data_is_exact; do
		t_case "$FS: $check" $check
	done
	t_conserve "$FS: "
}

# Every table a hundredth of what it is, and events for a ring buffer that is soon
# full and that nobody reads. Few processes: some hundred rows have room for no more.
# Slots of pages are told apart: too few leave no name.
SMALL=$TRACING/instances/ioblame-small

squeeze() { # LIMIT...
	local limit
	need_module
	disable
	for limit; do
		knob "$IOB/limits/$limit" $(($(<"$IOB/limits/$limit") / 100)) || die "limits/$limit refuses"
	done
	mkdir "$SMALL" || die "no instance of tracing"
	echo 4 >"$SMALL/buffer_size_kb"
	echo 1 >"$SMALL/events/ioblame/enable"
	pass
}

ring_has_overrun() {
	expect_num "events the ring buffer lost" -gt 0 \
		"$(awk '$1 == "overrun:" { n += $2 } END { print n + 0 }' "$SMALL"/per_cpu/cpu*/stats)"
	echo 0 >"$SMALL/events/ioblame/enable"
	rmdir "$SMALL" || fail "the instance stays"
}

squeezed() {
	local ROUNDS=3 SCALE=7
	t_case "$FS, tables at 1/100: set" squeeze stacks acts files totals flows blocks
	t_case "$FS, tables at 1/100: workloads run" work
	for check in who_is_named who_has_how_much data_is_exact ring_has_overrun; do
		t_case "$FS, tables at 1/100: $check" $check
	done
	t_conserve "$FS, tables at 1/100: "
}

squeezed_pages() {
	local ROUNDS=3 SCALE=7
	t_case "$FS, page slots at 1/100: set" squeeze memory_kb
	t_case "$FS, page slots at 1/100: workloads run" work
	t_case "$FS, page slots at 1/100: ring_has_overrun" ring_has_overrun
	t_conserve "$FS, page slots at 1/100: "
}

each_fs "$DISK" one_file_system ext4 ext4-journal ext4-1k xfs btrfs f2fs
each_fs "$DISK" squeezed ext4 xfs btrfs f2fs
each_fs "$DISK" squeezed_pages ext4
t_done
