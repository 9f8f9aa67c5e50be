#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: files that are compressed: what is sent is theirs whose pages went into it
# area: attr
# requires: cmd:jq disk:1
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# squeeze CGROUP NAME FILE MIB: so many MiB of what can be compressed
squeeze() {
	[ -x "$T_DIR/bin/$2" ] || cp "$(command -v dd)" "$T_DIR/bin/$2"
	yes "$2" | in_cgroup "$1" "$T_DIR/bin/$2" of="$MNT$3" bs=64k count=$(($4 * 16)) iflag=fullblock status=none ||
		fail "$2 failed"
}

work() {
	no_background_writeback
	begin "$DISK"
	OWED=
	squeeze left writer-left /left 3 &
	squeeze right writer-right /right 1 &
	wait_all
	finish
	pass
}

# What is not known of what this kernel does, as overview.rst says.
known() {
	case $FS in
	btrfs*)
		! grep -qs generic /sys/fs/btrfs/*-*/checksum ||
			skip "checksums are computed, and data submitted, by another worker" ;;
	f2fs*)
		[ -e /sys/fs/f2fs/features/compression ] || skip "this kernel's f2fs does not compress"
		[ -e /sys/kernel/btf/vmlinux ] || skip "a kernel without BTF: f2fs's structures are not known" ;;
	esac
}

named_by_their_pages() {
	local data name
	known
	data=".dev == \"$(dev_of "$DISK")\" and .op == \"write\" and .kind == \"data\""
	for name in left:3 right:1; do
		expect_num "bytes of writer-${name%:*}" -gt 0 "$(sum "$data and .comm == \"writer-${name%:*}\"")"
		expect_num "bytes of writer-${name%:*}, compressed" -lt $((${name#*:} << 20)) "$(sum "$data and .comm == \"writer-${name%:*}\"")"
		expect_eq "cgroup of writer-${name%:*}" "/$CG/${name%:*}" "$(words "$data and .comm == \"writer-${name%:*}\"" cgroup)"
	done
	expect_eq "basis" batch "$(words "$data" basis)"
	expect_eq "data of others" 0 "$(sum "$data and ((.comm // \"\") | test(\"^writer-(left|right)\$\") | not)")"
	[ ! -s "$T_DIR/failures" ] || who_has
}

one_file_system() {
	t_case "$FS: workloads run" work
	t_case "$FS: named_by_their_pages" named_by_their_pages
	t_conserve "$FS: "
}

each_fs "$DISK" one_file_system btrfs-compress f2fs-compress
t_done
