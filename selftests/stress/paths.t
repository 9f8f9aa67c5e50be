#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: a recognised call path is the one the kernel's unwinder tells, whatever goes on
# area: stress
# requires: disk:1 cmd:fio mod:null_blk
# timeout: 7200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

# IOBLAME_PATHS: recognised paths to be compared, ten millions in two hours. The loads do
# more where it is many, for to start them takes longer than what they do
PATHS=${IOBLAME_PATHS:-100000}
DISK=$(disk 1)

# Few ways, as often as can be.
over_and_over() {
	local name

	for name in pread pwrite uring-read uring-write; do
		"$WORKLOADS/load" "$name" "$NULL_BLK" $((PATHS / 50)) &
	done
	"$WORKLOADS/load" write4k "$MNT/again" $((PATHS / 1000)) &
	"$WORKLOADS/load" mmap "$MNT/map" 1000 &
	wait
}

# Many ways to the same hooks: who writes, reads, maps, syncs, through what.
some_work() (
	mkdir -p "$MNT/churn"
	for i in 1 2 3 4; do
		"$WORKLOADS/writer" "$MNT/w$i" 2m -b 4k &
		"$WORKLOADS/writer" "$MNT/m$i" 1m -b 4k -m &
	done
	"$WORKLOADS/churner" "$MNT/churn" 40 &
	for i in psync libaio io_uring pvsync2 mmap splice; do
		fio --name="$i" --ioengine="$i" --directory="$MNT" --size=1m --bs=4k \
			--rw=randrw --direct=$((RANDOM % 2)) --fsync=32 --output=/dev/null \
			--time_based --runtime=10 &
	done
	cp -r /etc "$MNT/etc.$BASHPID" &
	over_and_over &
	sync &
	wait
	echo 1 >/proc/sys/vm/drop_caches
	cat "$MNT"/w* >/dev/null
	rm -rf "${MNT:?}"/*
)

work_until() { # RECOGNISED PATHS
	while [ "$(counter stacks_known)" -lt "$1" ]; do
		some_work >/dev/null || die "the workload failed"
	done
}

no_path_is_taken_for_another() {
	expect_eq "paths taken for others" 0 "$(counter stacks_wrong)"
	expect_num "paths that had to be unwound, of a thousand" -lt 20 \
		$(($(counter stacks_unwound) * 1000 / ($(counter stacks_known) + $(counter stacks_walked) + 1)))
}

quietly() {
	work_until $((PATHS / 2))
	no_path_is_taken_for_another
}

# Others put return addresses of theirs on the stack, and code comes and goes.
others() {
	# of all functions it takes too long
	printf '%s\n' 'vfs_*' 'ext4_*' 'generic_*' >"$TRACING/set_ftrace_filter"
	while [ -e "$T_DIR/others" ]; do
		echo function_graph >"$TRACING/current_tracer"
		nap 0.3
		echo nop >"$TRACING/current_tracer"
		echo 'r:iobtest/ret vfs_write' >"$TRACING/kprobe_events"
		echo 1 >"$TRACING/events/iobtest/ret/enable"
		for _ in 1 2 3; do
			modprobe dummy
			modprobe -r dummy
		done
		echo 0 >"$TRACING/events/iobtest/ret/enable"
		echo >"$TRACING/kprobe_events"
	done
	echo >"$TRACING/set_ftrace_filter"
}

while_others_trace() {
	: >"$T_DIR/others"
	others &
	work_until $((PATHS * 3 / 4))
	rm "$T_DIR/others"
	wait
	expect_eq "paths taken for others" 0 "$(counter stacks_wrong)"
}

afterwards() {
	work_until "$PATHS"
	expect_eq "paths taken for others" 0 "$(counter stacks_wrong)"
	echo "# $(counter stacks_known) recognised, $(counter stacks_walked) walked, $(counter stacks_unwound) unwound"
}

setup() {
	mount_fs ext4 "$DISK"
	null_blk iobtest memory_backed=0
	need_module
	echo 1 >"$IOB/verify"
	enable || die "enable failed"
	expect_eq "verify" 1 "$(<"$IOB/verify")"
}

t_case "a file system is watched" setup
t_case "no_path_is_taken_for_another" quietly
t_case "no_path_is_taken_for_another, while others trace" while_others_trace
t_case "no_path_is_taken_for_another, afterwards" afterwards
t_done
