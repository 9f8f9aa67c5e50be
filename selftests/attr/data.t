#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: data written, mapped, copied, sent directly, cancelled or read is its owner's, to the byte
# area: attr
# requires: cmd:jq cmd:fio disk:1
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# What must be on the disk, clean, before anything is counted.
prepare() {
	no_background_writeback
	OWED=
	write_as base writer-base /parts 1m -b 1m &
	write_as base writer-base2 /copied-from 256k &
	write_as base writer-base3 /read 300001 &
	write_as base writer-base4 /read-direct 256k &
	# Files without checksums: only those does btrfs write directly. A directory,
	# because fio makes its files anew.
	mkdir "$MNT/plain"
	[ "$FS" != btrfs ] || chattr +C "$MNT/plain"
	wait_all
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# Each in its own cgroup and file, gone when the bytes are written back.
concurrent() {
	owes concurrent_writers write data page sync
	write_as even writer-even /even 1m &
	write_as odd writer-odd /odd 300001 -b 10000 &
	write_as child writer-child /child 500000 -F &
	write_as gone writer-gone /gone 700000 -x &
	write_as thread writer-thread /thread 200000 -t &
	owes renamed_half_way write data page sync
	write_as name writer-early /name 800000 -r writer-late &
	wait_all
}

mappings() {
	owes shared_mapping write data page sync
	write_as map writer-map /map 300k -m
	owes shared_mapping_still_mapped write data page sync
	stay_as map writer-stays /stays 300k -m
}

# Two cgroups, one file: each range is its dirtier's, whoever owns the inode.
one_file_two_cgroups() {
	owes two_cgroups_one_file write data page sync
	write_as left writer-left /shared 200k
	write_as right writer-right /shared 300k -o 400k
}

cancels() {
	owes unlinked_before_write_back write data page any all
	write_as vain writer-vain1 /vain1 400k
	rm "$MNT/vain1"
	owes truncated_before_write_back write data page any "all$(at_new_end)"
	write_as vain writer-vain2 /vain2 400k
	truncate -s 0 "$MNT/vain2"
	# XFS writes what a truncation leaves, at once.
	owes truncated_to_half write data page 'sync|none' "half$(at_new_end)"
	write_as vain writer-vain3 /vain3 400k
	truncate -s 200k "$MNT/vain3"
	# A file system may write the hole's pages before it punches.
	owes punched write data page any any
	write_as vain writer-vain4 /vain4 400k
	fallocate -p -o 0 -l 200k "$MNT/vain4"
	# Cancelled, then dirtied by another: two owners, two fates.
	owes cancelled_then_dirtied_by_another write data page any "all$(at_new_end)"
	write_as vain writer-vain5 /vain5 400k
	truncate -s 0 "$MNT/vain5"
	owes cancelled_then_dirtied_by_another write data page sync
	write_as next writer-next /vain5 400k -o 0
}

# First dirtier wins, once per dirty period; after it was cleaned, the next one.
redirtied_first_period() {
	owes first_dirtier_wins write data page sync
	write_as first writer-first /both 400k
	OWED=
	write_as second writer-second /both 400k -o 0
}

redirtied_second_period() {
	owes first_dirtier_wins write data page sync
	write_as third writer-third /both 400k -o 0
}

# A large folio, once clean, dirtied here and there: each owns its own part.
parts_of_one_folio() {
	owes parts_of_one_folio write data page sync
	write_as left writer-part1 /parts 4k -o 64k -b 4k
	write_as right writer-part2 /parts 8k -o 128k -b 4k
}

# Copies that never call write: the copier is the origin.
copies() {
	cp "$(command -v cp)" "$T_DIR/bin/copier"
	in_cgroup copy "$T_DIR/bin/copier" --reflink=never "$MNT/copied-from" "$MNT/copy"
}

deleted() {
	owes deleted_file_written_back write data page sync
	write_as doomed writer-doomed /doomed 256k
	exec 9<"$MNT/doomed"
	rm "$MNT/doomed"
	# The name it last had, and a mark.
	owes deleted_file_written_to write data page sync
	exec 8>"$MNT/nameless"
	rm "$MNT/nameless"
	VIA=/proc/self/fd/8 write_as doomed writer-nameless /nameless 256k -o 0
}

fsyncs() {
	owes fsync write data page fsync
	write_as sync writer-fsync /fsync 300001 -f
	owes O_SYNC write data page fsync
	write_as sync writer-osync /osync 256k -s
	owes msync write data page fsync
	write_as sync writer-msync /msync 256k -m -f
	# The trigger is not the origin.
	owes fsync_by_another write data page fsync
	write_as sync writer-other /other 256k
	"$(command -v sync)" "$MNT/other"
}

run_fio() { # FILE OPTION...: 256 KiB of direct writes by one process
	local file=$1
	shift
	fio --name=j --filename="$MNT$file" --rw=write --bs=16k --size=256k --direct=1 --iodepth=4 "$@" \
		>"$T_DIR/fio" 2>&1 || fail "fio $* failed: $(cat "$T_DIR/fio")"
}

directs() {
	owes direct_writers write direct direct
	write_as left writer-direct1 /plain/direct-a 512k -d -b 64k &
	write_as right writer-direct2 /plain/direct-b 252k -d -b 4k &
	wait_all
	# Who it was must be right even where the file is not told; that is judged below.
	sed -i '/^direct_writers /s| /plain/direct-. | - |' "$T_DIR/ledger"
	OWED=
	# Where a file system turns a direct write into a buffered one, the origin stays.
	write_as cow writer-cow /cow 256k -d -b 64k &
	wait_all
	run_fio /plain/libaio --ioengine=libaio
	have_io_uring || return
	run_fio /plain/uring --ioengine=io_uring
	run_fio /plain/uring-workers --ioengine=io_uring --force_async=1
	run_fio /plain/uring-polled --ioengine=io_uring --sqthread_poll=1
}

# Readahead counts as the reader's, and never goes beyond the end of the file.
reads() {
	owes buffered_reader read read direct
	work_as reader read reader-r /read
	OWED=
	work_as reader read reader-c /read
	work_as reader read reader-d /read-direct -d
}

work() {
	prepare
	begin "$DISK"
	reads
	concurrent
	mappings
	one_file_two_cgroups
	cancels
	redirtied_first_period
	sync
	redirtied_second_period
	parts_of_one_folio
	copies
	deleted
	sync
	fsyncs
	directs
	finish
	exec 8>&- 9<&-
	pass
}

# --- what the ledger cannot say

# bytes WHAT EXPECTED EXPR: of the disk
bytes() { expect_eq "$1: bytes" "$2" "$(sum ".dev == \"$(dev_of "$DISK")\" and ($3)")"; }

second_dirtier_pays_nothing() {
	bytes "second dirtier" 0 '.comm == "writer-second" and .kind == "data"'
	bytes "who wrote the other parts of the folio, before" 0 '.comm == "writer-base" and .op == "write" and .kind == "data"'
}

copier_is_the_origin() {
	bytes "copier" $((256 * 1024)) \
		'.comm == "copier" and .kind == "data" and .path == "/copy" and .op == "write" and .basis == "page"'
	bytes "who wrote the source" 0 '.comm == "writer-base2" and .kind == "data"'
}

deleted_file_is_marked() {
	expect_match "flags of the deleted file" '(^|,)deleted(,|$)' \
		"$(words '.comm == "writer-nameless" and .kind == "data"' file_flags)"
	expect_eq "flags of a file that lives" - "$(words '.comm == "writer-even" and .kind == "data"' file_flags)"
}

mapping_shows_the_fault() {
	expect_match "stack of the faulting task" 'fault' "$(words '.path == "/map" and .kind == "data"' frames)"
}

# btrfs writes to files with checksums through the page cache even so.
direct_or_not_the_origin_stays() {
	bytes "writer" $((256 * 1024)) '.comm == "writer-cow" and .op == "write"
		and ([.kind, .basis] | . == ["direct", "direct"] or . == ["data", "page"])'
}

DIRECT='.op == "write" and .kind == "direct" and .basis == "direct"'

# A process each. The ring's workers act for the process that owns it, under its name.
libaio_and_io_uring() {
	local nr=1
	! have_io_uring || nr=4
	bytes "fio" $((nr * 256 * 1024)) "$DIRECT and .comm == \"fio\""
	expect_eq "processes that wrote" $nr "$(words "$DIRECT and .comm == \"fio\"" pid | wc -w)"
	expect_eq "workers of io_uring" 0 "$(sum '(.comm // "") | test("^iou-")')"
}

direct_io_names_its_file() {
	local file
	bytes "/plain/direct-a" $((512 * 1024)) "$DIRECT and .path == \"/plain/direct-a\""
	bytes "/plain/direct-b" $((252 * 1024)) "$DIRECT and .path == \"/plain/direct-b\""
	bytes "/read-direct" $((256 * 1024)) '.op == "read" and .path == "/read-direct" and .comm == "reader-d"'
	for file in /plain/libaio /plain/uring /plain/uring-workers /plain/uring-polled; do
		[ $file = /plain/libaio ] || have_io_uring || continue
		bytes $file $((256 * 1024)) "$DIRECT and .path == \"$file\""
	done
}

readers_from_disk_and_cache() {
	bytes "direct reader" $((256 * 1024)) \
		'.comm == "reader-d" and .op == "read" and .basis == "direct" and (.kind | IN("direct", "read"))'
	bytes "reader from the cache" 0 '.comm == "reader-c" and .op == "read" and .path == "/read"'
}

one_file_system() {
	t_case "$FS: workloads run" work
	t_ledger "$FS: "
	for check in second_dirtier_pays_nothing copier_is_the_origin deleted_file_is_marked \
		mapping_shows_the_fault direct_or_not_the_origin_stays libaio_and_io_uring \
		readers_from_disk_and_cache direct_io_names_its_file; do
		t_case "$FS: $check" $check
	done
	t_conserve "$FS: "
}

each_fs "$DISK" one_file_system ext4 ext4-1k xfs btrfs f2fs
t_done
