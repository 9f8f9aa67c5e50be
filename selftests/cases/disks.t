#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: the right device, operation, size and name, whatever dispatches and completes the IO
# area: cases
# requires: cmd:jq cmd:ioblame disk:1 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

two_direct_writers() { # DISK
	owes two_direct_writers write direct direct direct
	write_as a wrA "$1" 256k -d -b 4k &
	write_as b wrB "$1" 256k -o 4m -d -b 4k &
	wait_all
}

# One tag for two writers: what waits is dispatched by a kernel worker, later.
c17() {
	local disk
	need mod:null_blk
	null_blk iobtest irqmode=2 completion_nsec=2000000 hw_queue_depth=1 submit_queues=1
	disk=$NULL_BLK
	modprobe -q mq-deadline
	knob "/sys/block/${disk##*/}/queue/scheduler" mq-deadline || fail "no mq-deadline"
	begin "$disk"
	two_direct_writers "$disk"
	finish
	debts_on "$disk" 512
	expect_eq "who else wrote" '' "$(words "$(writes "$disk" "$(of 'wr[AB]') | not")" comm)"
	expect_eq "who sent it" 'wrA wrB' "$(words "$(writes "$disk" '.bytes > 0')" issuer)"
	conserve
}

# Completed in an interrupt, in a softirq, by a timer: never named after those.
c18() {
	local disk=$DISK
	[ -z "${1-}" ] || { need mod:null_blk; null_blk iobtest "$@"; disk=$NULL_BLK; }
	begin "$disk"
	two_direct_writers "$disk"
	finish
	debts_on "$disk" 512
	expect_eq "tasks that were only interrupted" '' \
		"$(words '((.comm // "") | test("^(swapper|ksoftirqd|migration|idle)"))' comm)"
	conserve
}

# Device numbers, and commands that belong to no disk at all.
c21() {
	local disk=/dev/nvme0n1 name
	need nvme cmd:nvme
	begin "$disk"
	two_direct_writers "$disk"
	nvme id-ctrl "${disk%n1}" >/dev/null || fail "nvme id-ctrl failed"
	nvme id-ns "$disk" >/dev/null || fail "nvme id-ns failed"
	finish
	debts_on "$disk" 512
	while read -r name; do
		expect_eq "device of the table, against /sys/block/${name#* }" "$(dev_of "${name#* }")" "${name% *}"
	done < <(awk -F '\t' 'NR > 1 { print $1, $2 }' "$SNAP/devices" | sort -u)
	expect_eq "devices the writers' bytes are on" "$(lsblk -dno MAJ:MIN "$disk" | xargs)" \
		"$(words ".bytes > 0 and $(of 'wr[AB]')" dev)"
	conserve
}

# 4 MiB at a time, 64 KiB the most the device takes.
c26() {
	local queue=/sys/block/${DISK##*/}/queue
	knob "$queue/max_sectors_kb" 64 || fail "cannot set max_sectors_kb"
	begin "$DISK"
	owes split_in_pieces write direct direct
	write_as a wrA "$DISK" 8m -d -b 4m
	owes merged write data page
	write_as b wrB "$DISK" 1m -o 64m -b 4k
	finish
	debts_on "$DISK" 512
	expect_num "ios of 8 MiB in pieces of 64 KiB" -ge 128 "$(sum "$(writes "$DISK" '.comm == "wrA"')" ios)"
	conserve
}

# Every operation there is, on a disk that has them all.
c27() {
	local disk=/dev/nvme0n1 here script
	need nvme
	DISK=$disk
	mount_fs ext4 "$disk"
	no_background_writeback
	sync
	begin "$disk"
	owes data_with_fsync write data page fsync
	write_as a wrA /f 1m -f
	rm "$MNT/f"
	sync
	fstrim "$MNT" || fail "fstrim failed"
	umount "$MNT"
	blkdiscard -f -z -o 1m -l 1m "$disk" || fail "blkdiscard -z failed"
	finish
	debts
	here=".dev == \"$(dev_of "$disk")\""
	expect_num "bytes discarded by fstrim" -gt 0 "$(sum "$here and .op == \"discard\" and .kind == \"discard\" and .comm == \"fstrim\"")"
	expect_num "flushes" -gt 0 "$(sum "$here and .op == \"flush\" and .kind == \"flush\"" ios)"
	expect_num "flushes that commits asked for" -gt 0 \
		"$(sum "$here and .op == \"flush\" and ((.comm // \"\") | test(\"^jbd2/\"))" ios)"
	bytes "flushes" 0 "$here and .op == \"flush\""
	expect_num "bytes of journal" -gt 0 "$(sum "$here and .op == \"write\" and .kind == \"journal\"")"
	expect_num "bytes of metadata or inodes" -gt 0 \
		"$(sum "$here and .op == \"write\" and (.kind | IN(\"metadata\", \"inode\"))")"
	bytes "zeroes by blkdiscard -z" $((1 << 20)) "$here and .op == \"write\" and .kind == \"zeroes\" and .comm == \"blkdiscard\""
	bytes "written under kinds that carry none" 0 "$here and .op == \"write\" and (.kind | IN(\"flush\", \"discard\", \"zone\"))"
	bytes "read, of what was written" 0 "$here and .op == \"read\" and .path == \"/f\""
	conserve
	disable
	# FUA and sync writes are flags of an IO, told by the events.
	make_fs ext4 "$disk"
	mount "$disk" "$MNT" || die "mount failed"
	script=$T_DIR/rec.ioblame
	ioblame record -o "$script" -- "$T_DIR/bin/wrA" "$MNT/g" 64k -f || fail "record failed"
	ioblame script -i "$script" --json >"$T_DIR/lines" || fail "script failed"
	expect_num "writes with flag fua" -gt 0 \
		"$(jq -s "[.[] | select($here and .op == \"write\" and (.flags | index(\"fua\")))] | length" "$T_DIR/lines")"
	expect_num "writes with flag sync" -gt 0 \
		"$(jq -s "[.[] | select($here and .op == \"write\" and (.flags | index(\"sync\")))] | length" "$T_DIR/lines")"
}

# A ring buffer far too small for what a fast disk does: what is lost is counted.
c28() {
	local disk base now lost got
	need mod:null_blk cmd:fio
	null_blk iobtest irqmode=0 submit_queues=2
	disk=$NULL_BLK
	DISK=$disk
	quiesce "$disk"
	base=$(disk_stats "$disk")
	ioblame record --buffer 8 -o "$T_DIR/rec" -- fio --name=x --filename="$disk" --rw=randwrite --bs=4k \
		--direct=1 --ioengine=libaio --iodepth=64 --numjobs=2 --size=8m >"$T_DIR/fio" 2>&1 ||
		fail "record failed: $(<"$T_DIR/fio")"
	now=$(disk_stats "$disk")
	ioblame script -i "$T_DIR/rec" --json >"$T_DIR/lines" || fail "script failed"
	ioblame report -i "$T_DIR/rec" --json >"$REPORT" || fail "report -i failed"
	got=$(jq -s "[.[] | select(.dev == \"$(dev_of "$disk")\")] | length" "$T_DIR/lines")
	lost=$(in_report .lost.events)
	echo "$got events came through, $lost were lost"
	expect_eq "ios of the disk" 4096 $(($(cut -f 5 <<<"$now") - $(cut -f 5 <<<"$base")))
	expect_num "events that came through, of 4096" -gt 0 "$got"
	# Lost are events of all kinds and disks: never fewer than IOs are missing.
	expect_num "events lost" -ge $((4096 - got)) "$lost"
	[ "$got" -ge 4096 ] || expect_num "events lost, told" -gt 0 "$lost"
	bytes_of_fio "$disk" "$((16 << 20))"
}

bytes_of_fio() { # DISK BYTES: by the tables at the end of the recording
	expect_eq "bytes of fio, by the totals" "$2" \
		"$(reported ".dev == \"$(dev_of "$1")\" and .op == \"write\" and .comm == \"fio\" and .kind == \"direct\"")"
}

# The number is the disk's, the node and the path tell the partition.
c32() {
	local names
	partition_disk "$DISK" 64 256
	mount_fs ext4 "${DISK}2"
	no_background_writeback
	begin "$DISK"
	owes on_the_second_partition write data page
	write_as a wrA /f 1m
	owes raw_on_the_first write data page
	write_as b wrB "${DISK}1" 256k
	owes direct_on_the_first write direct direct
	write_as c wrC "${DISK}1" 256k -o 1m -d
	finish
	debts_on "$DISK" 4096
	names=$(awk -F '\t' 'NR > 1 && $5 > 0 { print $2 }' "$SNAP/devices" | sort -u)
	expect_eq "devices" "${DISK##*/}" "$names"
	expect_eq "the raw writer's file" "${DISK}1" "$(words '.comm == "wrB" and .kind == "data" and .bytes > 0' path)"
	conserve
	disable
	report -- "$(named wrD "$WORKLOADS/writer")" "$MNT/g" 64k
	expect_eq "path in the report" "$MNT/g" \
		"$(in_report '[.origins[] | select(.comm == "wrD" and .kind == "data").file.path] | unique | join(" ")')"
	expect_eq "device in the report" "${DISK##*/}" \
		"$(in_report '[.origins[] | select(.comm == "wrD" and .kind == "data").devname] | unique | join(" ")')"
}

# zram: no requests, and on some kernels not even bios for single pages.
c33() {
	local disk=/dev/zram0
	need mod:zram
	modprobe zram num_devices=1 || die "no zram"
	wait_for_node $disk
	echo 128M >/sys/block/zram0/disksize || die "zram takes no size"
	zram_writes $disk
}

zram_writes() {
	mount_fs ext4 "$1"
	no_background_writeback
	begin "$1"
	owes through_a_bio_based_disk write data page
	write_as a wrA /f 1m
	owes direct_to_it write direct direct
	write_as b wrB /g 256k -d
	finish
	debts_on "$1" 4096
	expect_num "longest time from dirtying to completion, ns" -gt 0 "$(awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR > 1 && $c["age_max"] > m { m = $c["age_max"] } END { print m + 0 }' "$SNAP/totals")"
	conserve
}

case_raw "C17 few tags: the submitter's name, not the dispatching worker's" c17
case_raw "C18 virtio: never named after who was interrupted" c18
case_raw "C18 softirq: never named after who was interrupted" c18 irqmode=1
case_raw "C18 timer: never named after who was interrupted" c18 irqmode=2 completion_nsec=100000
case_raw "C21 device numbers are right, also beside requests of no disk" c21
case_raw "C26 split and merged IO sums to what was written" c26
case_raw "C27 operations are told apart, flush and discard write nothing" c27
case_raw "C28 events that are lost are counted, sums stay exact" c28
case_raw "C32 the disk's number, the partition's path" c32
case_raw "C33 zram: bio-based disks are seen" c33
t_done
