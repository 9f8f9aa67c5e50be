#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: what RAID and device mapper do beside the data: parity, resync and copies are named so
# area: devices
# requires: cmd:jq disk:2 fs:ext4
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

MD=/dev/md127
DISKS=("$(disk 1)" "$(disk 2)" "$(disk 3)")

# array LEVEL DISKS OPTION...: over the first so many disks
array() {
	local level=$1 nr=$2
	shift 2
	need "mod:raid${level/5/456}" cmd:mdadm "disk:$nr"
	DISKS=("${DISKS[@]:0:nr}")
	yes | mdadm -q --create $MD --run --level="$level" --raid-devices="$nr" \
		--bitmap=none --metadata=1.2 "$@" "${DISKS[@]}" 2>&1 || die "mdadm failed"
	wait_for_node $MD
}

sync_action() { # WANTED
	local action
	read -r action <"/sys/block/${MD##*/}/md/sync_action"
	[ "$action" = "$1" ]
}

# on EXPR: rows of the disks below
on() {
	local disk any=false
	for disk in "${DISKS[@]}"; do
		any="$any or .dev == \"$(dev_of "$disk")\""
	done
	echo "($any) and ($1)"
}

judged() {
	expect_lines < <(conservation .)
	[ ! -s "$T_DIR/failures" ] || who_has
}

# Where stripes are not known, as overview.rst says.
stripes_known() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "a kernel without BTF: raid5's stripes are not known"
}

# A stripe is 8 KiB of data and 4 KiB of parity, in pages of its own.
parity() {
	local name
	stripes_known
	array 5 3 --assume-clean --chunk=4
	mount_fs ext4 $MD top
	no_background_writeback
	begin $MD "${DISKS[@]}"
	OWED=
	write_as left writer-left /top/left 768k &
	write_as right writer-right /top/right 256k &
	wait_all
	finish
	for name in left:786432 right:262144; do
		expect_eq "data of writer-${name%:*} below" "${name#*:}" \
			"$(sum "$(on ".op == \"write\" and .kind == \"data\" and .comm == \"writer-${name%:*}\"")")"
		# Half as much as data where whole stripes are written, as much where they are not.
		expect_num "parity for writer-${name%:*}" -ge $((${name#*:} * 2 / 5)) \
			"$(sum "$(on ".op == \"write\" and .kind == \"parity\" and .comm == \"writer-${name%:*}\"")")"
		expect_num "parity for writer-${name%:*}" -le $((${name#*:} * 5 / 4)) \
			"$(sum "$(on ".op == \"write\" and .kind == \"parity\" and .comm == \"writer-${name%:*}\"")")"
	done
	expect_eq "basis of data below" inherited "$(words "$(on '.kind == "data"')" basis)"
	expect_eq "data and parity of kernel threads" 0 \
		"$(sum "$(on '.op == "write" and (.kind | IN("data", "parity", "unknown")) and (.flags // "" | test("kthread"))')")"
	expect_eq "data on the array" $((786432 + 262144)) \
		"$(sum ".dev == \"$(dev_of $MD)\" and .op == \"write\" and .kind == \"data\"")"
	judged
}

# What is read to work parity out is read for those who write.
parity_reads() {
	stripes_known
	array 5 3 --assume-clean --chunk=64
	begin $MD "${DISKS[@]}"
	cp "$WORKLOADS/writer" "$T_DIR/bin/writer-few"
	"$T_DIR/bin/writer-few" $MD 4k -d -o 1048576 || die "writer failed"
	finish
	expect_eq "data on the array and below" "4096 4096" \
		"$(sum ".dev == \"$(dev_of $MD)\" and .comm == \"writer-few\" and .kind == \"direct\" and .op == \"write\"") $(
		sum "$(on '.comm == "writer-few" and .kind == "direct" and .op == "write"')")"
	expect_eq "parity" 4096 "$(sum "$(on '.comm == "writer-few" and .kind == "parity" and .op == "write"')")"
	expect_num "read for it" -gt 0 "$(sum "$(on '.comm == "writer-few" and .kind == "parity" and .op == "read"')")"
	judged
}

# An array that is new is made whole; one that is checked is read, and no more.
resync() { # LEVEL DISKS
	[ "$1" != 5 ] || stripes_known
	need "mod:raid${1/5/456}" cmd:mdadm "disk:$2"
	begin "${DISKS[@]:0:$2}"
	array "$1" "$2" --size=8M
	poll 120 sync_action idle || die "the array is never whole"
	finish
	expect_num "resync below, read" -ge $((8 << 20)) "$(sum "$(on '.op == "read" and .kind == "resync"')")"
	expect_num "resync below, written" -ge $((8 << 20)) "$(sum "$(on '.op == "write" and .kind == "resync"')")"
	expect_match "resync: who" "^md127_(resync|raid)" "$(words "$(on '.kind == "resync"')" comm)"
	expect_eq "resync: basis" direct "$(words "$(on '.kind == "resync"')" basis)"
	expect_eq "writes of unknown kind" 0 "$(sum "$(on '.op == "write" and .kind == "unknown"')")"
	judged
	begin "${DISKS[@]}"
	echo check >/sys/block/${MD##*/}/md/sync_action
	poll 120 sync_action idle || die "the check never ends"
	finish
	expect_eq "check: read" $(($2 * 8 << 20)) "$(sum "$(on '.op == "read" and .kind == "resync"')")"
	expect_eq "check: written" 0 "$(sum "$(on '.op == "write" and .kind == "resync"')")"
	judged
}

# A snapshot gets a copy of what is about to be overwritten.
copies() {
	local origin size
	need mod:dm_snapshot cmd:dmsetup disk:2
	modprobe -q dm_snapshot
	DISKS=("${DISKS[@]:0:2}")
	size=$((64 << 11))
	dm_create "${OURS}snap" "0 $size snapshot ${DISKS[0]} ${DISKS[1]} P 16"
	dm_create "${OURS}orig" "0 $size snapshot-origin ${DISKS[0]}"
	origin=$DM
	begin "$origin" "${DISKS[@]}"
	cp "$WORKLOADS/writer" "$T_DIR/bin/writer-over"
	"$T_DIR/bin/writer-over" "$origin" 64k -d -b 8k -o 0 || die "writer failed"
	finish
	expect_eq "copies read" 65536 "$(sum "$(on '.op == "read" and .kind == "copy"')")"
	expect_eq "copies written" 65536 "$(sum "$(on '.op == "write" and .kind == "copy"')")"
	[ ! -e /sys/kernel/btf/vmlinux ] || expect_eq "data below" 65536 "$(sum "$(on '.op == "write" and .comm == "writer-over"')")"
	expect_eq "writes of unknown kind" 0 "$(sum "$(on '.op == "write" and .kind == "unknown"')")"
	judged
}

t_case "raid5: data is its writers', parity is theirs whose data it is for" parity
reset_world | sed 's/^/# /'
t_case "raid5: a small write reads for its parity" parity_reads
reset_world | sed 's/^/# /'
t_case "raid1: resync and check" resync 1 2
reset_world | sed 's/^/# /'
t_case "raid5: resync and check" resync 5 3
reset_world | sed 's/^/# /'
t_case "dm-snapshot: copies" copies
reset_world | sed 's/^/# /'
t_done
