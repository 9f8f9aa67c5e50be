#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: periodic and background write-back are told as the reason, and change no owner
# area: attr
# requires: cmd:jq disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

work() {
	local base
	no_background_writeback
	begin "$DISK"

	vm dirty_background_bytes 65536
	base=$(disk_sectors_written "$DISK")
	owes too_much_was_dirty write data page 'background|sync'
	write_as much writer-much /much 2m
	poll 120 written_since "$DISK" "$base" 65536 || die "nothing is written in the background"
	vm dirty_background_ratio 50
	sync

	quiesce "$DISK"
	base=$(disk_sectors_written "$DISK")
	vm dirty_writeback_centisecs 100
	vm dirty_expire_centisecs 200
	owes data_was_old write data page periodic
	write_as old writer-old /old 300001
	poll 120 written_since "$DISK" "$base" 300000 || die "nothing is written periodically"
	quiesce "$DISK"
	finish
	pass
}

background_is_told() {
	expect_num "bytes written in the background" -gt 0 \
		"$(sum '.comm == "writer-much" and .kind == "data" and .reason == "background"')"
}

one_file_system() {
	t_case "$FS: workloads run" work
	t_ledger "$FS: "
	t_case "$FS: background_is_told" background_is_told
	t_conserve "$FS: "
}

each_fs "$DISK" one_file_system ext4 xfs btrfs f2fs
t_done
