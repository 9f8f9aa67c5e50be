#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: journals, logs, trees and nodes name whose changes they hold
# area: cases
# requires: cmd:jq disk:2
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

WORKERS='kworker.*|jbd2.*|xfsaild.*|btrfs-transacti|f2fs_.*'

# Who only sends is nobody's origin, unless it is said that nothing better is known.
workers_are_not_blamed() { # DISK
	bytes "workers, on a basis better than having sent it" 0 "$(writes "$1" "$(of "$WORKERS") and .basis != \"issuer\"")"
}

# The journal on a disk of its own: what is written there is journal, all of it.
c05() {
	local who i journal
	mkfs.ext4 -q -F -b 4096 -O journal_dev "$OTHER" >/dev/null || die "no journal device"
	mkfs.ext4 -q -F -b 4096 -N 2048 -E lazy_itable_init=0,nodiscard -J device="$OTHER" "$DISK" >/dev/null ||
		die "mkfs.ext4 with that journal failed"
	mkdir -p "$MNT"
	mount -o noatime "$DISK" "$MNT" || die "mount failed"
	no_background_writeback
	begin "$DISK" "$OTHER"
	OWED=
	for who in A B; do
		for i in {1..10}; do
			write_as $who wr$who "/$who.$i" 512 -f
		done &
	done
	wait_all
	finish
	journal=$(writes "$OTHER")
	share "the two writers" 95 "$journal and $(of 'wr[AB]')" "$journal"
	share "kind journal" 95 "$journal and .kind == \"journal\"" "$journal"
	share "basis transaction" 95 "$journal and .basis == \"transaction\"" "$journal"
	for who in wrA wrB; do
		share $who 25 "$journal and .comm == \"$who\"" "$journal"
	done
	expect_match "why it was written, for them" '(^| )fsync( |$)' "$(words "$journal and $(of 'wr[AB]') and .bytes > 0" reason)"
	workers_are_not_blamed "$OTHER"
	workers_are_not_blamed "$DISK"
	conserve
}

# The cleaner works for itself, in page frames that once were the writer's.
c07() {
	local i cleaner
	btrfs -q subvolume create "$MNT/s" >/dev/null || die "no subvolume"
	no_background_writeback
	begin "$DISK"
	OWED=
	for i in {1..8}; do
		write_as a wrA "/s/$i" 64k
	done
	write_as a wrA /s/many 1m -b 4k
	"$WORKLOADS/toucher" "$MNT/s" 200 2>/dev/null
	sync
	quiesce "$DISK"
	echo 1 >"$IOB/reset"
	disk_stats "$DISK" >"$T_DIR/base"
	# Committed: what the cleaner changes then is no more what the deletion had changed.
	btrfs subvolume delete -C "$MNT/s" >/dev/null || fail "delete failed"
	timeout 120 btrfs subvolume sync "$MNT" >/dev/null || fail "the cleaner does not come"
	finish
	cleaner="$(of 'btrfs-cleaner|btrfs')"
	bytes "who once dirtied those pages" 0 "$(writes "$DISK" "$(of 'wrA|toucher')")"
	share "cleaner, and who deleted" 90 "$(writes "$DISK" "$cleaner")" "$(writes "$DISK")"
	expect_num "bytes of the cleaner" -gt 0 "$(sum "$(writes "$DISK" '.comm == "btrfs-cleaner"')")"
	expect_match "its stack" 'btrfs_|cleaner_kthread' "$(words "$(writes "$DISK" '.comm == "btrfs-cleaner"')" frames)"
	expect_match "its flags" kthread "$(words "$(writes "$DISK" '.comm == "btrfs-cleaner"')" flags)"
	conserve
}

# Buffers beyond the page cache, written by xfsaild when the log is emptied.
c12() {
	mkdir "$MNT"/{made,gone}
	"$WORKLOADS/toucher" "$MNT/gone" 100
	sync
	fsfreeze -f "$MNT" && fsfreeze -u "$MNT"
	no_background_writeback
	begin "$DISK"
	OWED=
	work_as toucher a mkA /made 150
	work_as toucher b rmB /gone 100 -u
	fsfreeze -f "$MNT" || fail "freeze failed"
	fsfreeze -u "$MNT"
	finish
	share "who made and removed" 90 "$(writes "$DISK" "$(of 'mkA|rmB')")" "$(writes "$DISK")"
	expect_num "bytes of who made" -gt 0 "$(sum "$(writes "$DISK" '.comm == "mkA"')")"
	expect_num "bytes of who removed" -gt 0 "$(sum "$(writes "$DISK" '.comm == "rmB"')")"
	bytes "xfsaild" 0 "$(writes "$DISK" "$(of 'xfsaild.*')")"
	expect_match "bases" '^(block|transaction|epoch)( (block|transaction|epoch))*$' \
		"$(words "$(writes "$DISK" "$(of 'mkA|rmB') and .bytes > 0")" basis)"
	workers_are_not_blamed "$DISK"
	conserve
}

# 14 bytes: a block of data, and all that a journaling file system does for it.
c90() {
	no_background_writeback
	begin "$DISK"
	owes fourteen_bytes write data page fsync
	write_as a wrA /x 14 -f
	finish
	debts
	share "writer" 95 "$(writes "$DISK" '.comm == "wrA"')" "$(writes "$DISK")"
	expect_num "bytes of journal" -ge $((3 * 4096)) "$(sum "$(writes "$DISK" '.comm == "wrA" and .kind == "journal"')")"
	expect_num "bytes of metadata and inodes, at home" -ge $((2 * 4096)) \
		"$(sum "$(writes "$DISK" '.comm == "wrA" and (.kind | IN("metadata", "inode"))')")"
	expect_eq "bases" 'block page transaction' "$(words "$(writes "$DISK" '.comm == "wrA" and .bytes > 0')" basis)"
	workers_are_not_blamed "$DISK"
	conserve
}

# Trees of one transaction belong to who joined it; compressed data to who wrote it.
c91() {
	local meta
	mount -o remount,compress=zstd "$MNT" || die "no compression"
	no_background_writeback
	begin "$DISK"
	OWED=
	write_as a wrA /z 8k -f
	in_cgroup b "$(named wrB dd)" if=/dev/zero of="$MNT/big" bs=64k count=32 status=none || fail "dd failed"
	finish
	expect_num "device bytes of 2 MiB that compress well" -gt 0 "$(sum "$(writes "$DISK" '.comm == "wrB" and .kind == "data"')")"
	expect_num "device bytes of 2 MiB that compress well" -le $((512 << 10)) \
		"$(sum "$(writes "$DISK" '.comm == "wrB" and .kind == "data"')")"
	expect_eq "their basis" batch "$(words "$(writes "$DISK" '.comm == "wrB" and .kind == "data" and .bytes > 0')" basis)"
	expect_eq "their file" /big "$(words "$(writes "$DISK" '.comm == "wrB" and .kind == "data" and .bytes > 0')" path)"
	meta=$(writes "$DISK" '.kind != "data"')
	share "the two writers, of all but data" 90 "$meta and $(of 'wr[AB]')" "$meta"
	expect_num "bytes of trees of who wrote 8 KiB" -gt 0 "$(sum "$meta and .comm == \"wrA\"")"
	expect_num "bytes of trees of who wrote much" -gt 0 "$(sum "$meta and .comm == \"wrB\"")"
	workers_are_not_blamed "$DISK"
	conserve
}

# Nodes and meta blocks name who changed them, whoever forced the checkpoint.
c96() {
	local who i meta
	mount -o remount,checkpoint_merge "$MNT" 2>/dev/null || echo "no checkpoint_merge"
	no_background_writeback
	mkdir "$MNT"/d{A,B}
	sync
	begin "$DISK"
	owes who_fsyncs write data page fsync
	for who in A B; do
		for i in {1..10}; do
			write_as $who wr$who "/d$who/f$i" 4k -f
		done &
	done
	wait_all
	finish
	debts
	meta=$(writes "$DISK" '.kind != "data"')
	share "the two writers, of nodes and meta" 90 "$meta and $(of 'wr[AB]')" "$meta"
	for who in wrA wrB; do
		share $who 25 "$meta and .comm == \"$who\"" "$meta"
	done
	workers_are_not_blamed "$DISK"
	conserve
}

moved() { # blocks the collector has moved, in all
	local f sum=0
	for f in /sys/fs/f2fs/"${DISK##*/}"/moved_blocks_*; do
		sum=$((sum + $(<"$f")))
	done
	echo $sum
}

# collect BLOCKS: by ourselves, where the thread does not want to
collect() {
	local i
	for i in 1 2 3 4; do
		f2fs_io gc 1 "$MNT/old" || break
	done
	has_moved "$1"
}

has_moved() { [ "$(moved)" -gt "$1" ]; }

# What is moved is the collector's, not that of who once wrote it.
c96_gc() {
	local fs before here
	fs=/sys/fs/f2fs/${DISK##*/}
	need cmd:fio path:"$fs/gc_urgent" path:"$fs/moved_blocks_background"
	no_background_writeback
	begin "$DISK"
	OWED=
	write_as a wrA /old 6m
	sync
	# Of many blocks there is a newer one elsewhere: something to collect.
	"$(named wrB fio)" --name=j --filename="$MNT/old" --rw=randwrite --bs=4k --size=6m --io_size=1m >"$T_DIR/fio" 2>&1 ||
		fail "fio failed: $(<"$T_DIR/fio")"
	sync
	quiesce "$DISK"
	echo 1 >"$IOB/reset"
	disk_stats "$DISK" >"$T_DIR/base"
	before=$(moved)
	knob "$fs/gc_urgent_sleep_time" 50
	knob "$fs/gc_urgent" 1
	poll 15 has_moved "$before" || collect "$before" || skip "the collector finds nothing to move"
	echo 0 >"$fs/gc_urgent"
	finish
	here=$(writes "$DISK")
	bytes "who once wrote it" 0 "$here and $(of 'wrA|wrB')"
	share "collector" 90 "$here and $(of 'f2fs_gc.*|f2fs_io')" "$here"
	expect_match "its stack" 'gc' "$(words "$here and $(of 'f2fs_gc.*|f2fs_io')" frames)"
	conserve
}

# Quota blocks of two users belong to the two who wrote.
quota() {
	local meta user
	need cmd:setpriv fs:ext4
	mkfs.ext4 -q -F -b 4096 -N 2048 -J size=8 -O quota -E lazy_itable_init=0,lazy_journal_init=0,nodiscard,quotatype=usrquota \
		"$DISK" >/dev/null || skip "mkfs.ext4 knows no quota"
	mkdir -p "$MNT"
	mount -o noatime,usrquota "$DISK" "$MNT" || die "mount failed"
	chmod 1777 "$MNT"
	no_background_writeback
	begin "$DISK"
	for user in 1001 1002; do
		named wr$user "$WORKLOADS/writer" >/dev/null
		setpriv --reuid $user --clear-groups "$T_DIR/bin/wr$user" "$MNT/$user" 256k || fail "user $user cannot write"
	done
	finish
	meta=$(writes "$DISK" '.kind != "data"')
	for user in 1001 1002; do
		bytes "user $user, data" $((256 << 10)) "$(writes "$DISK" ".comm == \"wr$user\" and .kind == \"data\"")"
		expect_num "bytes of user $user, other than data" -gt 0 "$(sum "$meta and .comm == \"wr$user\"")"
	done
	share "the two users, of all but data" 90 "$meta and $(of 'wr100[12]')" "$meta"
	workers_are_not_blamed "$DISK"
	conserve
}

case_raw "C05 ext4: the journal is split over who joined the transactions" c05
case_on btrfs "C07 btrfs: the cleaner is its own origin" c07
case_on xfs "C12 XFS: metadata buffers are those of who made and removed files" c12
case_on ext4 "C90 ext4: all that 14 bytes cause is their writer's" c90
case_on btrfs "C91 btrfs: trees and compressed data are those of who wrote" c91
case_on f2fs "C96 f2fs: nodes and checkpoints name who changed them" c96
case_on f2fs "C96 f2fs: what is collected is the collector's" c96_gc
case_raw "ext4: quota blocks are those of who wrote" quota
t_done
