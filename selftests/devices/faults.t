#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: requeued, timed out, failed, partly completed IO is counted once, and none that is no disk's
# area: devices
# requires: cmd:jq
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

# The device says "busy" every so often: requests are taken back and sent again.
requeues() {
	need mod:null_blk
	modinfo -F parm null_blk | grep -q '^requeue:' || skip "null_blk without fault injection"
	rmmod null_blk 2>/dev/null
	modprobe null_blk nr_devices=1 queue_mode=2 gb=1 memory_backed=1 requeue=3,30,0,-1 ||
		skip "null_blk takes no requeue="
	wait_for_node /dev/nullb0
	begin /dev/nullb0
	owes requeued write direct direct
	write_as left writer-left /dev/nullb0 256k -d -b 4k &
	write_as right writer-right /dev/nullb0 256k -o 1m -d -b 16k &
	wait_all
	finish
	conserve
}

scsi_disk() {
	local d
	need mod:scsi_debug
	modprobe -q sd_mod
	modprobe scsi_debug dev_size_mb=64 ndelay=1000000 "$@" || skip "scsi_debug does not load"
	poll 60 scsi_disk_there || skip "scsi_debug makes no disk"
	for d in /sys/block/sd*; do
		SCSI=/dev/${d##*/}
	done
	wait_for_node "$SCSI"
}

scsi_disk_there() { [ -n "$(echo /sys/block/sd*)" ]; }

# Sectors 0x1234 to 0x123d cannot be read: what came before them was completed.
partial_completions() {
	local bytes
	scsi_disk opts=2
	begin "$SCSI"
	dd if="$SCSI" of=/dev/null bs=64k count=1 skip=$((0x1234 * 512 / 65536)) iflag=direct 2>/dev/null &&
		skip "this scsi_debug has no bad sectors"
	finish
	bytes=$(sum '.op == "read" and .comm == "dd"')
	expect_num "bytes of the reader" -gt 0 "$bytes"
	conserve
}

# The device loses commands and the midlayer sends them again.
retries() {
	scsi_disk every_nth=7 opts=16
	begin "$SCSI"
	owes retried write direct direct
	write_as left writer-left "$SCSI" 256k -d -b 4k &
	write_as right writer-right "$SCSI" 256k -o 1m -d -b 16k &
	wait_all
	finish
	conserve
}

# The whole of a write fails at once.
failed_writes() {
	need cmd:dmsetup mod:dm_mod
	dm_create $OURS "0 2048 error"
	begin "$DM"
	"$WORKLOADS/writer" "$DM" 64k -d 2>/dev/null && fail "a write to a dead disk succeeded"
	finish
	conserve
}

discards() {
	local disk
	need mod:null_blk
	null_blk iobtest discard=1
	disk=$NULL_BLK
	begin "$disk"
	blkdiscard -o 1048576 -l 524288 "$disk" || skip "no discard here"
	finish
	expect_eq "bytes discarded by blkdiscard" 524288 \
		"$(sum '.op == "discard" and .comm == "blkdiscard" and .kind == "discard"')"
	expect_eq "bytes written" 0 "$(sum '.op == "write" and .comm == "blkdiscard"')"
	conserve
}

# Commands to a controller go to a queue that no disk has.
commands_without_disk() {
	need nvme path:/dev/nvme0
	begin /dev/nvme0n1
	"$WORKLOADS/admin" /dev/nvme0 || fail "no answer"
	finish
	conserve
}

for scenario in requeues partial_completions retries failed_writes discards commands_without_disk; do
	t_case "$scenario" "$scenario"
	[ ! -s "$T_DIR/ledger" ] || t_ledger "$scenario: " '' 512
	reset_world | sed 's/^/# /'
done
t_done
