#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: what is read ahead is the reader's, and by pages it is told which part was used
# area: attr
# requires: cmd:jq disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# One a reader; what it leaves is dropped with the
# file system.
FILES='half sequential small sparse random first mapped touched spliced changed direct'

prepare() {
	local file
	no_background_writeback
	OWED=
	for file in $FILES; do
		write_as base writer-base "/$file" 1m -b 1m
	done
	write_as base writer-base /odd 300001
	# Out of memory for certain.
	umount "$MNT"
	mount -t "$(fs_type "$FS")" -o "$(fs_options "$FS")" "$DISK" "$MNT" || die "mount $FS again failed"
}

# read_as NAME FILE [options]
read_as() { work_as reader read "reader-$1" "/$2" "${@:3}"; }

# What a write finds of a page that it changes in part; XFS of old writes whole folios.
changes() {
	local i
	for i in 0 1 2 3; do
		printf 'changed' | dd of="$MNT/changed" bs=1 seek=$((i * 128 * 1024 + 100)) conv=notrunc status=none
	done
}

work() {
	prepare
	need_module
	disable
	knob "$IOB/track/readahead" 1 || die "no track/readahead"
	begin "$DISK"
	read_as half half -w -n 512k
	read_as seq sequential -n 400k
	read_as small small -b 4k -n 200k
	read_as sparse sparse -w -b 4k -g 60k
	read_as random random -b 4k -g 124k
	# Who had it read, not who used it.
	read_as first first -w -n 1
	read_as next first -n 256k
	read_as map mapped -w -m -b 4k -g 60k
	read_as touch touched -m -b 4k -g 124k
	read_as splice spliced -w -s -n 256k
	read_as before changed -w -n 1
	changes
	read_as odd odd -w
	read_as direct direct -d
	sync
	umount "$MNT"
	finish
	pass
}

# told NAME FILE COLUMN: of a reader and a file
told() { sum ".comm == \"reader-$1\" and .path == \"/$2\" and .op == \"read\"" "$3"; }

# Everything that was read is told of, now that nothing is in the page cache.
balanced() { # NAME FILE
	expect_eq "$1: used, unused and unseen of what it read" "$(told "$1" "$2" bytes)" \
		$(($(told "$1" "$2" used) + $(told "$1" "$2" unused) + $(told "$1" "$2" unseen)))
}

# exactly NAME FILE BYTES USED [UNSEEN]
exactly() {
	expect_eq "$1: bytes" "$3" "$(told "$1" "$2" bytes)"
	expect_eq "$1: used" "$4" "$(told "$1" "$2" used)"
	expect_eq "$1: unused" $(($3 - $4 - ${5:-0})) "$(told "$1" "$2" unused)"
	expect_eq "$1: unseen" "${5:-0}" "$(told "$1" "$2" unseen)"
}

advised_readers() {
	exactly half half $((1 << 20)) $((512 << 10))
	exactly sparse sparse $((1 << 20)) $((16 * 4096))
	exactly splice spliced $((1 << 20)) $((256 << 10))
	expect_eq "reasons" readahead "$(words '.comm == "reader-half" and .path == "/half" and .op == "read"' reason)"
}

# How much is read ahead is the kernel's to decide.
kernel_reads_ahead() {
	expect_eq "seq: used" $((400 << 10)) "$(told seq sequential used)"
	expect_num "seq: bytes" -ge $((400 << 10)) "$(told seq sequential bytes)"
	balanced seq sequential
	# In parts of the folios that the kernel makes, and marks once.
	expect_eq "small: used" $((200 << 10)) "$(told small small used)"
	balanced small small
	expect_eq "random: used" $((8 * 4096)) "$(told random random used)"
	balanced random random
}

used_by_another() {
	exactly first first $((1 << 20)) $((256 << 10))
	expect_eq "next: bytes" 0 "$(told next first bytes)"
	expect_eq "next: used" 0 "$(told next first used)"
}

# Of what is mapped around a page that is asked for nobody knows.
mapped() {
	expect_eq "map: bytes" $((1 << 20)) "$(told map mapped bytes)"
	expect_eq "map: used" $((16 * 4096)) "$(told map mapped used)"
	expect_num "map: unseen" -gt 0 "$(told map mapped unseen)"
	balanced map mapped
	expect_eq "touch: used" $((8 * 4096)) "$(told touch touched used)"
	balanced touch touched
}

changed() {
	[ "$FS" != xfs ] || need 'kernel:>=6.12'
	exactly before changed $((1 << 20)) $((4 * 4096))
}

end_of_file() {
	local bytes=$(((300001 + BLOCK - 1) / BLOCK * BLOCK))
	exactly odd odd $bytes $bytes
}

not_through_the_page_cache() {
	expect_eq "direct: bytes" $((1 << 20)) "$(told direct direct bytes)"
	[ "$FS" != btrfs ] || skip "btrfs reads what it has checksums of as it likes"
	exactly direct direct $((1 << 20)) 0 $((1 << 20))
}

# who_waits: rows that are not told of whole, for the reader of a failure
who_waits() {
	jq -r '.[] | select(.op == "read" and .bytes != .used + .unused + .unseen)
		| [.bytes, .used, .unused, .unseen, .dev, .comm, .path, .kind, .reason] | @tsv' "$SNAP/origins.json"
}

# Of this disk: where the programs come from, some of what was read is still there.
everything_is_told() {
	local all
	all=".op == \"read\" and .dev == \"$(dev_of "$DISK")\""
	expect_eq "used, unused and unseen of all that was read" "$(sum "$all")" \
		$(($(sum "$all" used) + $(sum "$all" unused) + $(sum "$all" unseen)))
	[ ! -s "$T_DIR/failures" ] || who_waits
	expect_eq "ends of what is not read" '' "$(words '.op != "read" and .used != null' used)"
}

one_file_system() {
	local check
	t_case "$FS: workloads run" work
	for check in advised_readers kernel_reads_ahead used_by_another mapped changed end_of_file \
		not_through_the_page_cache everything_is_told; do
		t_case "$FS: $check" $check
	done
	t_conserve "$FS: "
}

# on_top TABLE: a device mapper device over $DISK, whose rows tell; its own do not.
on_top() {
	need mod:dm_mod cmd:dmsetup
	disable
	knob "$IOB/track/readahead" 1
	dm_create $OURS "0 $(blockdev --getsz "$DISK") $1"
	mount_fs ext4 "$DM"
	OWED=
	write_as base writer-base /half 1m -b 1m
	umount "$MNT"
	mount -o noatime "$DM" "$MNT"
	begin "$DISK" "$DM"
	read_as half half -w -n 512k
	sync
	umount "$MNT"
	finish
	local row='.comm == "reader-half" and .path == "/half" and .dev == "'
	expect_eq "below: bytes" $((1 << 20)) "$(sum "$row$(dev_of "$DISK")\"")"
	expect_eq "below: used" $((512 << 10)) "$(sum "$row$(dev_of "$DISK")\"" used)"
	expect_eq "below: unused" $((512 << 10)) "$(sum "$row$(dev_of "$DISK")\"" unused)"
	expect_eq "above: bytes" $((1 << 20)) "$(sum "$row$(dev_of "$DM")\"")"
	expect_eq "above: unseen" $((1 << 20)) "$(sum "$row$(dev_of "$DM")\"" unseen)"
	conserve
	disable
	dmsetup remove --noudevsync --noudevrules --retry $OURS
}

on_crypt() {
	need mod:dm_crypt
	on_top "crypt aes-xts-plain64 $(printf '%064d' 7) 0 $DISK 0"
}

# Nothing is told, and nothing attached, unless somebody asks.
off() {
	disable
	knob "$IOB/track/readahead" 0
	new_fs "$DISK"
	OWED=
	write_as base writer-base /half 64k
	sync
	echo 3 >/proc/sys/vm/drop_caches
	begin "$DISK"
	read_as half half
	finish
	expect_num "half: bytes" -gt 0 "$(told half half bytes)"
	expect_eq "half: used" null "$(words '.comm == "reader-half"' used)"
	expect_eq "hook" off "$(awk -F '\t' '$1 == "filemap_read" { print $4 }' "$IOB/hooks")"
	expect_eq "write while enabled" 'Device or resource busy' "$(try_write "$IOB/track/readahead" 1)"
}

each_fs "$DISK" one_file_system ext4 ext4-1k xfs btrfs f2fs
FS=ext4
t_case "on top of another disk" on_top "linear $DISK 0"
t_case "on top of an encrypted one" on_crypt
t_case "nobody asks" off
t_done
