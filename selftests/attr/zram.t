#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: zram: what it writes to the device behind it is theirs who gave it to zram
# area: attr
# requires: cmd:jq cmd:mkswap cmd:swapon disk:1 fs:ext4 mod:zram
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
ZRAM=/dev/zram0
SYS=/sys/block/zram0

# A zram in front of $DISK.
zram_create() { # MIB
	modprobe zram num_devices=1 || die "no zram"
	wait_for_node $ZRAM
	[ -w $SYS/writeback ] || skip "this kernel's zram does not write back"
	echo "$DISK" >$SYS/backing_dev || die "zram refuses $DISK"
	echo "$1M" >$SYS/disksize || die "zram takes no size"
}

# write_back: all there is, by a program of that name. Sets SENT, in bytes.
write_back() {
	local before after
	read -r _ _ before <$SYS/bd_stat
	cp "$(command -v dd)" "$T_DIR/bin/trigger"
	echo all >$SYS/idle
	echo idle | "$T_DIR/bin/trigger" of=$SYS/writeback status=none || fail "no write-back"
	read -r _ _ after <$SYS/bd_stat
	SENT=$(((after - before) * 4096))
}

known() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "a kernel without BTF: zram's structures are not known"
}

# sent [EXPR]: rows of what was written to the disk
sent() { echo ".dev == \"$(dev_of "$DISK")\" and .op == \"write\" and (${1:-true})"; }

# A process with twice the memory that its cgroup may have, which stays: what it has
# read is in its memory, until somebody reads what it writes.
swap() {
	local cg=$CGROOT/$CG/tight
	known
	zram_create 96
	cgroup_make tight
	[ -e "$cg/memory.max" ] || echo +memory >"$CGROOT/cgroup.subtree_control"
	echo +memory >"$CGROOT/$CG/cgroup.subtree_control" || skip "no memory controller"
	echo 16M >"$cg/memory.max" || skip "no memory controller"
	[ ! -e "$cg/memory.swap.max" ] || echo max >"$cg/memory.swap.max"
	mkswap $ZRAM >/dev/null || die "mkswap failed"
	swapon $ZRAM || skip "no swap"
	mkfifo "$T_DIR/out-of-hog"
	exec 7<>"$T_DIR/out-of-hog"
	begin "$DISK"
	cp "$(command -v dd)" "$T_DIR/bin/hog"
	in_cgroup tight "$T_DIR/bin/hog" if=/dev/urandom of="$T_DIR/out-of-hog" bs=32M count=1 \
		iflag=fullblock status=none &
	poll 120 waits_for_reader hog || die "the hog never has its memory"
	write_back
	finish
	expect_num "bytes written back" -ge $((8 << 20)) "$SENT"
	# The first page is mkswap's, from before tracing began.
	expect_eq "bytes of the cgroup" $((SENT - 4096)) "$(sum "$(sent '.kind == "swap" and .cgroup == "/'$CG'/tight"')")"
	expect_eq "what else" 4096 "$(sum "$(sent '.kind != "swap"')")"
	expect_eq "basis" memcg "$(words "$(sent '.kind == "swap"')" basis)"
	expect_eq "which processes" - "$(words "$(sent '.kind == "swap"')" comm)"
	expect_eq "who had it written" trigger "$(words "$(sent '.bytes > 0')" issuer)"
	conserve
	# Read again, from the disk now: what is read belongs to who needs it.
	begin "$DISK"
	head -c $((32 << 20)) <&7 >/dev/null &
	wait_all
	finish
	expect_num "bytes read back" -gt 0 "$(sum ".dev == \"$(dev_of "$DISK")\" and .op == \"read\"")"
	expect_eq "who read them" hog "$(words ".dev == \"$(dev_of "$DISK")\" and .op == \"read\" and .bytes > 0" comm)"
	conserve
	swapoff $ZRAM || die "swapoff failed"
}

waits_for_reader() { # NAME: it writes to the pipe, which is full
	local pid call
	pid=$(pgrep -x "$1") && read -r call <"/proc/$pid/syscall" && [[ $call == '1 0x1 '* ]]
}

# A file system on zram: its files, as on any other disk.
files() {
	known
	zram_create 64
	mount_fs ext4 $ZRAM
	no_background_writeback
	begin "$DISK"
	write_as left writer-left /left 500001 &
	write_as right writer-right /right 200k -d &
	wait_all
	sync
	write_back
	finish
	expect_eq "bytes in all" "$SENT" "$(sum "$(sent)")"
	expect_eq "bytes of writer-left" 503808 "$(sum "$(sent '.comm == "writer-left" and .kind == "data"')")"
	expect_eq "bytes of writer-right" 204800 "$(sum "$(sent '.comm == "writer-right" and .kind == "direct"')")"
	expect_eq "files" "/left /right" "$(words "$(sent '.kind | IN("data", "direct")')" path)"
	expect_eq "basis" inherited "$(words "$(sent '.comm // "" | test("^writer")')" basis)"
	conserve
}

# What zram has got before tracing began is moved by who has it moved.
unseen() {
	zram_create 64
	"$WORKLOADS/writer" $ZRAM 256k -d || die "writer failed"
	begin "$DISK"
	write_back
	finish
	expect_eq "bytes written back" 262144 "$SENT"
	expect_eq "bytes in all" 262144 "$(sum "$(sent '.kind == "copy"')")"
	expect_eq "whose" trigger "$(words "$(sent)" comm)"
	conserve
}

for how in swap files unseen; do
	t_case "$how" $how
	reset_world | sed 's/^/# /'
done
t_done
