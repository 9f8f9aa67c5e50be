#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: swap: what is written out is its cgroup's, whoever reclaims; what is read in, its reader's
# area: attr
# requires: cmd:jq cmd:mkswap cmd:swapon disk:1 fs:ext4
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

on_partition() {
	SWAP=$DISK
}

on_file() {
	mount_fs ext4 "$DISK"
	SWAP=$MNT/swap
	dd if=/dev/zero of="$SWAP" bs=1M count=96 status=none
	chmod 600 "$SWAP"
	sync
}

# A process with twice the memory that its cgroup may have, and reads it again.
work() { # HOW
	local cg=$CGROOT/$CG/tight
	"$1"
	cgroup_make tight
	[ -e "$cg/memory.max" ] || echo +memory >"$CGROOT/cgroup.subtree_control"
	echo +memory >"$CGROOT/$CG/cgroup.subtree_control" || skip "no memory controller"
	echo 16M >"$cg/memory.max" || skip "no memory controller"
	[ ! -e "$cg/memory.swap.max" ] || echo max >"$cg/memory.swap.max"
	mkswap "$SWAP" >/dev/null || die "mkswap failed"
	swapon "$SWAP" || skip "no swap"
	# else khugepaged may read some of it too, for itself
	knob /sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_swap 0
	begin "$DISK"
	cp "$(command -v dd)" "$T_DIR/bin/hog"
	in_cgroup tight "$T_DIR/bin/hog" if=/dev/urandom bs=32M count=1 iflag=fullblock status=none |
		cat >/dev/null || fail "hog failed"
	finish
	swapoff "$SWAP" || die "swapoff failed"
	pass
}

named_by_cgroup() {
	local dev out back
	dev=$(dev_of "$DISK")
	out=".dev == \"$dev\" and .op == \"write\" and .kind == \"swap\""
	back=".dev == \"$dev\" and .op == \"read\" and .kind == \"swap\""
	expect_num "bytes swapped out" -ge $((8 << 20)) "$(sum "$out")"
	expect_eq "basis" memcg "$(words "$out" basis)"
	expect_eq "whose memory it was" "/$CG/tight" "$(words "$out" cgroup)"
	expect_eq "which processes" - "$(words "$out" comm)"
	expect_match "who reclaimed" '(^| )(hog|kswapd0)( |$)' "$(words "$out" issuer)"
	expect_num "bytes swapped in" -ge $((8 << 20)) "$(sum "$back")"
	expect_eq "who read them" hog "$(words "$back" comm)"
	[ ! -s "$T_DIR/failures" ] || who_has
}

for how in on_partition on_file; do
	t_case "$how: workload runs" work $how
	if [ ! -s "$T_DIR/skipped" ]; then
		t_case "$how: named_by_cgroup" named_by_cgroup
		t_conserve "$how: "
	fi
	reset_world | sed 's/^/# /'
done
t_done
