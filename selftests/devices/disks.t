#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: exact on every kind of disk, however it completes its IO
# area: devices
# requires: cmd:jq fs:ext4
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

# name, needs, how to get it (a call that sets \$disk or \$NULL_BLK)
DISKS="
virtio             disk:1        disk=\$(disk 1)
nvme               nvme          disk=/dev/nvme0n1
null_blk-inline    mod:null_blk  null_blk iobtest irqmode=0
null_blk-softirq   mod:null_blk  null_blk iobtest irqmode=1
null_blk-timer     mod:null_blk  null_blk iobtest irqmode=2 completion_nsec=1000000
null_blk-shallow   mod:null_blk  null_blk iobtest irqmode=2 completion_nsec=2000000 hw_queue_depth=1 submit_queues=1
null_blk-queues    mod:null_blk  null_blk iobtest irqmode=1 submit_queues=4
null_blk-512       mod:null_blk  null_blk iobtest blocksize=512 max_sectors=8
brd                mod:brd       ram_disk
"

# Loaded once: it is slow to come and go.
ram_disk() {
	modprobe brd rd_nr=1 rd_size=$((512 * 1024)) || die "no brd"
	disk=/dev/ram0
	wait_for_node "$disk"
}

get() { # HOW
	NULL_BLK=
	eval "$1"
	disk=${NULL_BLK:-$disk}
	printf '%s\n' "$disk" >"$T_DIR/disk"
}

setup() {
	# shellcheck disable=SC2086
	need ${1//,/ }
	get "$2"
	mount_fs ext4 "$disk"
	pass
}

keeps_statistics() { [ "$(disk_sectors_written "$1")" != 0 ]; }

# KiB sent to all disks. A disk without statistics of its own is what is left
# when those of all others are taken away.
sent_kib() { awk '$1 == "pgpgout" { print $2 }' /proc/vmstat; }

# In sectors: a disk of 512 bytes may have got an odd number of them.
sent_to_others() { awk '{ sum += $7 } END { printf "%d\n", sum }' /sys/block/[!lr]*/stat; }

work() {
	local disk
	disk=$(<"$T_DIR/disk")
	no_background_writeback
	begin "$disk"
	echo "$(sent_kib) $(sent_to_others)" >"$T_DIR/sent"
	owes buffered_writers write data page
	write_as left writer-left /left 500001 &
	write_as right writer-right /right 200k -f &
	owes direct_writers write direct direct
	write_as direct writer-direct /direct 256k -d -b 16k &
	wait_all
	sync
	echo 3 >/proc/sys/vm/drop_caches
	owes reader read read direct
	work_as reader read reader-r /left
	finish
	pass
}

sent_is_counted() {
	local disk sent others
	disk=$(<"$T_DIR/disk")
	read -r sent others <"$T_DIR/sent"
	expect_eq "KiB in totals, against /proc/vmstat" \
		$(($(sent_kib) - sent - ($(sent_to_others) - others) / 2)) \
		$(($(sum ".dev == \"$(dev_of "$disk")\" and .op == \"write\"") / 1024))
}

# wanted NAME: all kinds, or those that IOBLAME_DISK_KINDS names
wanted() { [ -z "${IOBLAME_DISK_KINDS-}" ] || [[ " $IOBLAME_DISK_KINDS " == *" $1 "* ]]; }

while read -r name needs how; do
	[ "$name" ] || continue
	wanted "$name" || continue
	t_case "$name: make and mount" setup "$needs" "$how"
	if mountpoint -q "$MNT"; then
		t_case "$name: workloads run" work
		t_ledger "$name: "
		if keeps_statistics "$(<"$T_DIR/disk")"; then
			t_conserve "$name: "
		else
			t_case "$name: sent_is_counted" sent_is_counted
		fi
	fi
	reset_world | sed 's/^/# /'
done <<<"$DISKS"
t_done
