#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: dm, dm-crypt and loop: the writer is named on each level, linked, and counted once
# area: cases
# requires: cmd:jq cmd:ioblame disk:1 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

# linked UPPER COMMAND...: each write below carries the number of one above
linked() {
	local upper=$1 below
	shift
	disable
	ioblame record -o "$T_DIR/rec" -- "$@" 2>"$T_DIR/err" || fail "record failed: $(<"$T_DIR/err")"
	ioblame script -i "$T_DIR/rec" --json >"$T_DIR/lines" || fail "script failed"
	below=".dev == \"$(dev_of "$DISK")\" and .op == \"write\" and .bytes > 0"
	expect_num "writes below, seen as events" -gt 0 "$(jq -s "[.[] | select($below)] | length" "$T_DIR/lines")"
	expect_eq "writes below with no parent" 0 \
		"$(jq -s "[.[] | select($below and .parent == null)] | length" "$T_DIR/lines")"
	ioblame report -i "$T_DIR/rec" --json >"$REPORT" || fail "report -i failed"
	expect_eq "parent of the disk below, in the report" "$(dev_of "$upper")" \
		"$(in_report ".devices[] | select(.dev == \"$(dev_of "$DISK")\") | .parent")"
}

# A slow downloader, many short processes, beside an editor that fsyncs.
c02() {
	local i upper
	need fs:xfs cmd:dmsetup mod:dm_mod
	dm_create $OURS "0 $(blockdev --getsz "$DISK") linear $DISK 0"
	upper=$DM
	mount_fs xfs "$upper"
	no_background_writeback
	"$WORKLOADS/writer" "$MNT/p" 4k
	sync
	begin "$upper" "$DISK"
	OWED=
	for i in {0..23}; do
		write_as a downloader /p 256k -o $((i * 262144))
	done
	write_as b editor /e 4k -f
	finish
	for i in "$upper" "$DISK"; do
		share "downloader on ${i##*/}" 95 "$(writes "$i" '.comm == "downloader"')" "$(writes "$i")"
		bytes "downloader's data on ${i##*/}" $((24 * 256 * 1024)) "$(writes "$i" '.comm == "downloader" and .kind == "data"')"
		bytes "editor's data on ${i##*/}" 4096 "$(writes "$i" '.comm == "editor" and .kind == "data"')"
	done
	conserve
	linked "$upper" "$T_DIR/bin/downloader" "$MNT/q" 256k
}

dm_crypt() { # OPTIONAL PARAMETERS
	need mod:dm_crypt cmd:dmsetup
	dm_create $OURS "0 $(blockdev --getsz "$DISK") crypt aes-xts-plain64 $(printf '%064d' 7) 0 $DISK 0 $*"
}

luks() {
	need mod:dm_crypt cmd:cryptsetup
	export DM_DISABLE_UDEV=1
	printf k | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$DISK" - ||
		die "luksFormat failed"
	printf k | cryptsetup open "$DISK" $OURS - || die "cryptsetup open failed"
	DM=$(dm_device $OURS)
	wait_for_node "$DM"
}

# Ciphertext in pages of its own, sent by a worker: the origins are those above.
c16() { # HOW...
	local upper here
	"$@"
	upper=$DM
	mount_fs ext4 "$upper"
	OWED=
	write_as a wrR /read 256k
	sync
	echo 3 >/proc/sys/vm/drop_caches
	no_background_writeback
	begin "$upper" "$DISK"
	owes named_on_the_crypt_device write data page
	write_as box wrA /f 1m
	owes named_on_the_crypt_device write direct direct
	write_as box wrB /g 256k -d
	owes named_on_the_crypt_device read read direct
	work_as reader box rdA /read
	finish
	debts_on "$upper" 4096
	here=$(writes "$DISK" "(.kind | IN(\"data\", \"direct\"))")
	bytes "below: wrA" $((1 << 20)) "$here and .comm == \"wrA\""
	bytes "below: wrB" $((256 << 10)) "$here and .comm == \"wrB\""
	bytes "below: rdA, read" $((256 << 10)) ".dev == \"$(dev_of "$DISK")\" and .op == \"read\" and .kind == \"read\" and .comm == \"rdA\""
	expect_eq "below: cgroup" "/$CG/box" "$(words "$here and $(of 'wr[AB]')" cgroup)"
	bytes "below: the cipher's workers" 0 "$(writes "$DISK" "$(of 'dmcrypt_write.*|kcryptd.*|kworker.*')")"
	conserve
	linked "$upper" "$T_DIR/bin/wrA" "$MNT/h" 256k
}

# 1 MiB is 1 MiB, however many levels it passes.
c38() {
	local upper
	dm_crypt 0
	upper=$DM
	mount_fs ext4 "$upper"
	report --by comm,kind,op -- "$(named wrA "$WORKLOADS/writer")" "$MNT/f" 1m -f
	expect_eq "bytes of wrA's data, all disks in one row" $((1 << 20)) "$(reported '.comm == "wrA" and .kind == "data" and .op == "write"')"
	report -- "$T_DIR/bin/wrA" "$MNT/g" 1m -f
	expect_eq "bytes of wrA's data, level by level" "$(printf '%s 1048576\n' "${DISK##*/}" "${upper##*/}" | sort)" \
		"$(in_report '[.origins[] | select(.comm == "wrA" and .kind == "data" and .op == "write")] | group_by(.devname)[]
			| "\(.[0].devname) \(map(.bytes) | add)"' | sort)"
	expect_eq "parent of the disk below" "$(dev_of "$upper")" \
		"$(in_report ".devices[] | select(.dev == \"$(dev_of "$DISK")\") | .parent")"
	report_conserves
}

# The loop driver's worker writes the file below, in the page cache or past it.
c88() { # FS LOSETUP-OPTION...
	local loop here
	need "fs:$1" mod:loop cmd:losetup
	modprobe -q loop
	mount_fs "$1" "$DISK" below
	shift
	truncate -s 64M "$MNT/below/image"
	loop=$(losetup -f --show "$@" "$MNT/below/image") || die "losetup failed"
	no_background_writeback
	begin "$loop" "$DISK"
	owes named_on_the_loop_device write data page
	write_as box wrA "$loop" 1m -f
	owes named_on_the_loop_device write direct direct
	write_as box wrB "$loop" 512k -o 4m -d
	finish
	debts_on "$loop" 512
	here=$(writes "$DISK" '(.kind | IN("data", "direct"))')
	bytes "below: wrA" $((1 << 20)) "$here and .comm == \"wrA\""
	bytes "below: wrB" $((512 << 10)) "$here and .comm == \"wrB\""
	expect_eq "below: cgroup" "/$CG/box" "$(words "$here and $(of 'wr[AB]')" cgroup)"
	expect_match "below: basis" '^(inherited|page|inherited page)$' "$(words "$here and $(of 'wr[AB]') and .bytes > 0" basis)"
	bytes "below: data of the loop driver's worker" 0 "$here and $(of 'kworker.*|loop.*')"
	conserve
}

case_raw "C02 XFS on dm-linear: the slow downloader is named on both levels" c02
case_raw "C16 dm-crypt: the writer is named on both levels" c16 dm_crypt
case_raw "C16 dm-crypt without its work queues: the writer is named on both levels" \
	c16 dm_crypt 2 no_read_workqueue no_write_workqueue
case_raw "C16 LUKS: the writer is named on both levels" c16 luks
case_raw "C38 stacked devices do not count twice" c38
for fs in ext4 xfs; do
	case_raw "C88 loop over a file on $fs: the writer is named on both levels" c88 $fs
	case_raw "C88 loop over a file on $fs, direct: the writer is named on both levels" \
		c88 $fs --direct-io=on
done
t_done
