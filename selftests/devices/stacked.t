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
crypt-raid1 mod:raid1,cmd:mdadm,mod:dm_crypt,cmd:dmsetup page inherited|batch dm_crypt_on_raid1
loop       mod:loop,cmd:losetup          page  -                    loop_on_ext4
loop-dio   mod:loop,cmd:losetup          page  -                    loop_on_ext4_direct
loop-xfs   fs:xfs,mod:loop,cmd:losetup   page  -                    loop_on_xfs
loop-xfs-dio fs:xfs,mod:loop,cmd:losetup page  -                    loop_on_xfs_direct
"

# Each sets UPPER, where the file system goes, LOWER, the disks below, and LINKS, by
# which disks an IO came that ends on the first of them, where bios are passed on.

partition() {
	partition_disk "$DISK" 400
	UPPER=${DISK}1 LOWER=$DISK LINKS=
}

dm_linear() {
	dm_create $OURS "0 $(blockdev --getsz "$DISK") linear $DISK 0"
	UPPER=$DM LOWER=$DISK LINKS=$DISK,$DM
}

crypt_on() { # DISK
	dm_create $OURS "0 $(blockdev --getsz "$1") crypt aes-xts-plain64 $(printf '%064d' 7) 0 $1 0"
}

dm_crypt() {
	crypt_on "$DISK"
	UPPER=$DM LOWER=$DISK LINKS=$DISK,$DM
}

md_raid1() {
	yes | mdadm -q --create /dev/md127 --run --level=1 --raid-devices=2 --assume-clean \
		--bitmap=none --metadata=1.2 "$DISK" "$OTHER" || die "mdadm failed"
	UPPER=/dev/md127 LOWER="$DISK $OTHER"
	LINKS="$DISK,$UPPER $OTHER,$UPPER"
	wait_for_node $UPPER
}

dm_crypt_on_raid1() {
	md_raid1
	crypt_on $UPPER
	LOWER="$DISK $OTHER $UPPER"
	LINKS="$DISK,$UPPER,$DM $OTHER,$UPPER,$DM"
	UPPER=$DM
}

loop_on() { # FS LOSETUP-OPTION...
	modprobe -q loop
	mount_fs "$1" "$DISK" below
	shift
	truncate -s 256M "$MNT/below/image"
	UPPER=$(losetup -f --show "$@" "$MNT/below/image") || die "losetup failed"
	LOWER=$DISK LINKS=
}

loop_on_ext4() { loop_on ext4; }

loop_on_ext4_direct() { loop_on ext4 --direct-io=on; }

loop_on_xfs() { loop_on xfs; }

loop_on_xfs_direct() { loop_on xfs --direct-io=on; }

setup() { # NEEDS HOW
	# shellcheck disable=SC2086
	need ${1//,/ }
	"$2"
	mount_fs ext4 "$UPPER" top
	printf '%s\n' "$UPPER" "$LOWER" "$LINKS" >"$T_DIR/stack"
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
	{ read -r upper; read -r lower; read -r _; } <"$T_DIR/stack"
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

# The file below a loop device: written by those who wrote to the device, and no
# more than there; what is written twice there may be written once here.
named_in_file() {
	local upper disk data name
	{ read -r upper; read -r disk; read -r _; } <"$T_DIR/stack"
	data=".dev == \"$(dev_of "$disk")\" and .op == \"write\" and (.kind | IN(\"data\", \"direct\"))"
	expect_num "bytes of the file, against those of the device" -le "$(sum ".dev == \"$(dev_of "$upper")\" and .op == \"write\"")" "$(sum "$data")"
	for name in left:503808 right:204800; do
		expect_num "bytes of writer-${name%:*}" -ge "${name#*:}" "$(sum "$data and .comm == \"writer-${name%:*}\"")"
	done
	expect_eq "data of kernel threads" 0 "$(sum "$data and (.flags // \"\" | test(\"kthread\"))")"
	[ ! -s "$T_DIR/failures" ] || who_has
}

# Each IO of the writer's data, on each disk at the bottom, tells those it came from,
# and the report that is no question of levels has the bytes once.
linked_up() {
	local links chain name=writer-link
	{ read -r _; read -r _; read -ra links; } <"$T_DIR/stack"
	[ ${#links[@]} -gt 0 ] || skip "no bios are passed on"
	need cmd:ioblame
	disable
	cp "$WORKLOADS/writer" "$T_DIR/bin/$name"
	ioblame record -o "$T_DIR/rec" -- "$T_DIR/bin/$name" "$MNT/top/link" 256k -f 2>"$T_DIR/err" ||
		fail "record failed: $(<"$T_DIR/err")"
	ioblame script -i "$T_DIR/rec" --json >"$T_DIR/lines" || fail "script failed"
	for chain in "${links[@]}"; do
		expect_eq "ways to ${chain%%,*}" "${chain//\/dev\//}" \
			"$(jq -rs --arg leaf "$(dev_of "${chain%%,*}")" --arg name $name '
				(map({(.id | tostring): .}) | add) as $by
				| [ .[] | select(.dev == $leaf and .op == "write"
						and any(.origins[]; .comm == $name and .kind == "data"))
				    | [ recurse($by[.parent // 0 | tostring] // empty) | .devname ] | join(",") ]
				| unique | join(" ")' "$T_DIR/lines")"
	done
	ioblame report -i "$T_DIR/rec" --by comm,kind,op --json >"$T_DIR/report.json" || fail "report failed"
	expect_eq "bytes of $name in the report" $((262144 * ${#links[@]})) \
		"$(jq "[.origins[] | select(.comm == \"$name\" and .kind == \"data\" and .op == \"write\") | .bytes] | add" "$T_DIR/report.json")"
}

while read -r name needs upper lower how; do
	[ "$name" ] || continue
	# the file below on a file system that nobody asks for
	case $needs in fs:*) [[ " ${IOBLAME_FS:-xfs} " == *" xfs "* ]] || continue ;; esac
	t_case "$name: make and mount" setup "$needs" "$how"
	if mountpoint -q "$MNT/top"; then
		t_case "$name: workloads run" work "$upper"
		t_ledger "$name: " "$(whole "$(head -n 1 "$T_DIR/stack")")"
		case $name in
		loop*) t_case "$name: named_in_file" named_in_file ;;
		*) t_case "$name: named_below" named_below "$lower" ;;
		esac
		t_conserve "$name: "
		t_case "$name: linked_up" linked_up
	fi
	reset_world | sed 's/^/# /'
done <<<"$STACKS"
t_done
