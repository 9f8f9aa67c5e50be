#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: exact whatever the queue does: merges, splits, schedulers, few tags
# area: devices
# requires: cmd:jq cmd:fio disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
QUEUE=/sys/block/${DISK##*/}/queue

# scheduler, knobs of the queue
QUEUES="
none         nomerges=0
none         nomerges=2
none         max_sectors_kb=8 nomerges=0
none         max_sectors_kb=4 nomerges=2
mq-deadline  nomerges=0
mq-deadline  nomerges=0 nr_requests=4 max_sectors_kb=16
bfq          nomerges=0
kyber        nomerges=1
"

set_queue() { # SCHEDULER KNOB=VALUE...
	local kv
	modprobe -q "$1" "$1-iosched" 2>/dev/null
	knob "$QUEUE/scheduler" "$1" 2>/dev/null || skip "no scheduler $1"
	shift
	for kv; do
		knob "$QUEUE/${kv%%=*}" "${kv#*=}" || skip "${kv%%=*} cannot be ${kv#*=} here"
	done
}

work() { # SCHEDULER KNOB=VALUE...
	local i
	set_queue "$@"
	no_background_writeback
	begin "$DISK"
	# Small sequential writes, plugged, and big ones: many bios in one request, one in many.
	owes many_small_and_few_big write direct direct
	write_as small writer-small "$DISK" 128k -d -b 4k &
	write_as big writer-big "$DISK" 1m -o 16m -d -b 1m &
	fio --name=plugged --filename="$DISK" --offset=32m --rw=write --bs=4k --size=256k --direct=1 \
		--ioengine=libaio --iodepth=32 --iodepth_batch=16 >"$T_DIR/fio" 2>&1 ||
		fail "fio failed: $(<"$T_DIR/fio")"
	wait_all
	# Pages of two writers side by side on the disk end in one request.
	owes neighbours write data page
	for i in 0 1 2 3; do
		write_as left writer-left "$DISK" 16k -o $((65536 + i * 32))k
		write_as right writer-right "$DISK" 16k -o $((65552 + i * 32))k
	done
	finish
	pass
}

nobody_else() {
	local here
	here=".dev == \"$(dev_of "$DISK")\" and .op == \"write\""
	expect_eq "bytes of fio" $((256 * 1024)) \
		"$(sum "$here and .comm == \"fio\" and .kind == \"direct\" and .basis == \"direct\"")"
	expect_eq "who else wrote" '' \
		"$(words "$here and ((.comm // .kind) | test(\"^(fio|writer-.*)\$\") | not) and .bytes > 0" kind)"
}

while read -r scheduler knobs; do
	[ "$scheduler" ] || continue
	# shellcheck disable=SC2086
	t_case "$scheduler $knobs: workloads run" work $scheduler $knobs
	if [ -s "$T_DIR/skipped" ]; then continue; fi
	t_ledger "$scheduler $knobs: "
	t_case "$scheduler $knobs: nobody_else" nobody_else
	t_conserve "$scheduler $knobs: "
	restore_knobs
done <<<"$QUEUES"
t_done
