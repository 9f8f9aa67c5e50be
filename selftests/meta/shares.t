#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: two who change metadata in proportion 3:1 have it so in what is written
# area: meta
# requires: cmd:jq disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# A does three times as much as B at the same time, and a third keeps syncing.
work() {
	local a b
	no_background_writeback
	mkdir "$MNT"/{a,b}
	sync
	begin "$DISK"
	OWED=
	work_as churner a churner-a /a 120 &
	a=$!
	work_as churner b churner-b /b 40 -p 50 &
	b=$!
	while kill -0 $a 2>/dev/null || kill -0 $b 2>/dev/null; do
		sync
		nap 1
	done
	wait_all
	# What is written home belongs to it.
	umount_and_back
	finish
	pass
}

umount_and_back() {
	umount "$MNT" && mount -t "$(fs_type "$FS")" -o "$(fs_options "$FS")" "$DISK" "$MNT" || die "remount failed"
}

WRITES=
written() { sum "$WRITES and ($1)"; }

permille() { [ "$2" -gt 0 ] && echo $(($1 * 1000 / $2)); }

who_is_named() {
	local all
	WRITES=".dev == \"$(dev_of "$DISK")\" and .op == \"write\""
	all=$(written true)
	echo "of $all bytes: unattributed $(written '.basis == "issuer"')"
	expect_num "unattributed, in thousandths of $all bytes" -le 10 \
		"$(permille "$(written '.basis == "issuer"')" "$all")"
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
	for n in a:120 b:40; do
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

each_fs "$DISK" one_file_system ext4 ext4-journal ext4-1k xfs btrfs f2fs
t_done
