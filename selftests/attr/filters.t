#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: filters keep what is asked for, exactly, and the sums of everything
# area: attr
# requires: cmd:jq disk:2 fs:ext4
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
OTHER=$(disk 2)

setup() {
	mount_fs ext4 "$DISK"
	mount_fs ext4 "$OTHER" other
	OWED=
	write_as base writer-base /read 256k
	sync
	echo 3 >/proc/sys/vm/drop_caches
	pass
}

filter() { # NAME VALUE
	need_module
	disable
	echo "$2" >"$IOB/filter/$1" || die "filter/$1 refuses '$2'"
}

clear_filters() {
	local f
	[ -e "$IOB/enable" ] || return 0
	disable
	for f in "$IOB"/filter/*; do
		echo >"$f"
	done
}

# outsider FILE: a writer nobody asked for
outsider() {
	OWED=
	write_as out writer-out "$1" 200k
}

by_device() {
	filter dev "$(dev_of "$DISK")"
	begin "$DISK"
	owes by_device write data page
	write_as in writer-in /in 300k
	outsider /other/out
	finish
	pass
}

# The leader forks and leaves, its child forks and writes.
by_process_with_orphans() {
	local leader
	need_module
	mkfifo "$T_DIR/go"
	cp "$WORKLOADS/writer" "$T_DIR/bin/writer-orphan"
	# shellcheck disable=SC2016
	"$BASH" -c 'read -r _ <"$1"/go
		( ( "$1"/bin/writer-orphan "$2"/orphan 300001 -F -k >"$1"/said; echo >"$1"/done ) & )
		exit 0' leader "$T_DIR" "$MNT" &
	leader=$!
	filter tgid $leader
	begin "$DISK"
	echo >"$T_DIR/go"
	wait $leader
	poll 60 test -e "$T_DIR/done" || die "the orphan is never done"
	owes by_process_with_orphans write data page
	note "$(sed -n 's/^0:://p' /proc/self/cgroup)" /orphan <"$T_DIR/said"
	outsider /out
	finish
	pass
}

by_cgroup_with_descendants() {
	cgroup_make top/below/deep
	filter cgroup "$(cgroup_id top)"
	begin "$DISK"
	owes by_cgroup_with_descendants write data page
	write_as top writer-top /top 100k
	write_as top/below/deep writer-deep /deep 300k
	# Made after enabling, it is below a wanted one all the same.
	write_as top/later writer-later /later 300k
	outsider /out2
	finish
	pass
}

by_operation() {
	filter op read
	begin "$DISK"
	owes by_operation read read direct
	work_as reader read reader-in /read
	outsider /out3
	finish
	pass
}

outsider_is_not_named() {
	expect_eq "bytes named after one not asked for" 0 "$(sum '.comm == "writer-out"')"
}

t_case "two file systems" setup
for scenario in by_device by_process_with_orphans by_cgroup_with_descendants by_operation; do
	asked_for=
	[ $scenario != by_operation ] || asked_for=' read:'
	no_background_writeback
	t_case "$scenario: workloads run" "$scenario"
	t_ledger ''
	t_case "$scenario: outsider_is_not_named" outsider_is_not_named
	t_conserve "$scenario: " "$asked_for"
	clear_filters
	restore_knobs
done
t_done
