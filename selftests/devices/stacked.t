#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: origins travel down through partitions, dm, md and loop; each level is exact
# area: devices
# requires: cmd:jq disk:2 fs:ext4
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
OTHER=$(disk 2)

# name, needs, basis at the upper level, bases allowed below, how
STACKS="
partition  cmd:blockdev                  page  page                 partition
linear     mod:dm_mod,cmd:dmsetup        page  page|inherited       dm_linear
crypt      mod:dm_crypt,cmd:dmsetup      page  inherited|batch      dm_crypt
raid1      mod:raid1,cmd:mdadm           page  page|inherited       md_raid1
loop       mod:loop,cmd:losetup          page  inherited|page       loop_buffered
loop-dio   mod:loop,cmd:losetup          page  inherited|page       loop_direct
"

# Each sets UPPER, where the file system goes, and LOWER, the disks below.

partition() {
	partition_disk "$DISK" 400
	UPPER=${DISK}1 LOWER=$DISK
}

dm_linear() {
	dm_create $OURS "0 $(blockdev --getsz "$DISK") linear $DISK 0"
	UPPER=$DM LOWER=$DISK
}

dm_crypt() {
	dm_create $OURS "0 $(blockdev --getsz "$DISK") crypt aes-xts-plain64 $(printf '%064d' 7) 0 $DISK 0"
	UPPER=$DM LOWER=$DISK
}

md_raid1() {
	yes | mdadm -q --create /dev/md127 --run --level=1 --raid-devices=2 --assume-clean \
		--bitmap=none --metadata=1.2 "$DISK" "$OTHER" || die "mdadm failed"
	UPPER=/dev/md127 LOWER="$DISK $OTHER"
	wait_for_node $UPPER
}

loop_on_file() { # LOSETUP-OPTION...
	modprobe -q loop
	mount_fs ext4 "$DISK" below
	truncate -s 256M "$MNT/below/image"
	UPPER=$(losetup -f --show "$@" "$MNT/below/image") || die "losetup failed"
	LOWER=$DISK
}

loop_buffered() { loop_on_file; }

loop_direct() { loop_on_file --direct-io=on; }

setup() { # NEEDS HOW
	# shellcheck disable=SC2086
	need ${1//,/ }
	"$2"
	mount_fs ext4 "$UPPER" top
	printf '%s\n%s\n' "$UPPER" "$LOWER" >"$T_DIR/stack"
	pass
}

# whole DISK: a partition stands for its disk
whole() {
	case $1 in
	"$DISK"?*) echo "$DISK" ;;
	*) echo "$1" ;;
	esac
}

work() { # UPPER-BASIS
	local upper lower
	{ read -r upper; read -r lower; } <"$T_DIR/stack"
	upper=$(whole "$upper")
	no_background_writeback
	# shellcheck disable=SC2046,SC2086
	begin $(printf '%s\n' "$upper" $lower | sort -u)
	owes named_above write data "$1"
	write_as left writer-left /top/left 500001 &
	write_as right writer-right /top/right 200k &
	wait_all
	# As the file system on the upper device knows them.
	sed -i 's| /top/| /|' "$T_DIR/ledger"
	finish
	pass
}

# The same bytes under the same names on each disk below, with an honest basis.
named_below() { # LOWER-BASES
	local disk disks who bytes here
	{ read -r _; read -ra disks; } <"$T_DIR/stack"
	for disk in "${disks[@]}"; do
		while read -r who bytes; do
			here=".dev == \"$(dev_of "$disk")\" and .comm == \"$who\" and .op == \"write\" and .kind == \"data\""
			expect_eq "${disk##*/}: bytes of $who" "$bytes" "$(sum "$here")"
			expect_match "${disk##*/}: basis for $who" "^($1)\$" "$(words "$here" basis)"
		done < <(awk '{ print $13, int(($14 + 4095) / 4096) * 4096 }' "$T_DIR/ledger")
	done
	[ ! -s "$T_DIR/failures" ] || who_has
}

while read -r name needs upper lower how; do
	[ "$name" ] || continue
	t_case "$name: make and mount" setup "$needs" "$how"
	if mountpoint -q "$MNT/top"; then
		t_case "$name: workloads run" work "$upper"
		t_ledger "$name: " "$(whole "$(head -n 1 "$T_DIR/stack")")"
		t_case "$name: named_below" named_below "$lower"
		t_conserve "$name: "
	fi
	reset_world | sed 's/^/# /'
done <<<"$STACKS"
t_done
