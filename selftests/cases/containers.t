#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: containers: cgroups, pid namespaces, pipelines, overlay and FUSE
# area: cases
# requires: cmd:jq cmd:ioblame disk:1 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

# Who wrote the file is blamed, not who filled the pipe.
c04() {
	named wrA dd >/dev/null
	named wrB dd >/dev/null
	no_background_writeback
	begin "$DISK"
	# shellcheck disable=SC2016
	in_cgroup box "$BASH" -c '"$1/wrA" if=/dev/zero bs=64k count=32 status=none |
		"$1/wrB" of="$2/f" bs=64k iflag=fullblock status=none' - "$T_DIR/bin" "$MNT" || fail "the pipeline failed"
	unasked $((2 << 20))
	finish
	bytes "last stage" $((2 << 20)) "$(writes "$DISK" '.comm == "wrB" and .kind == "data" and .path == "/f"')"
	bytes "first stage" 0 '.comm == "wrA" and .op == "write"'
	expect_eq "cgroup" "/$CG/box $(cgroup_id box)" \
		"$(words '.comm == "wrB" and .kind == "data"' cgroup) $(words '.comm == "wrB" and .kind == "data"' cgroup_id)"
	conserve
}

# Ids are inode numbers, also of nested groups, and of one that is gone by then.
c34() {
	local gone
	no_background_writeback
	begin "$DISK"
	owes cgroups write data page
	write_as a wrA /a 256k
	write_as b wrB /b 256k
	write_as a/deep/er wrC /c 256k
	write_as gone wrD /d 256k
	gone=$(cgroup_id gone)
	poll 20 rmdir "$CGROOT/$CG/gone" || die "the cgroup does not go"
	finish
	debts
	expect_eq "cgroup that is gone" "/$CG/gone $gone" \
		"$(words '.comm == "wrD" and .kind == "data"' cgroup) $(words '.comm == "wrD" and .kind == "data"' cgroup_id)"
	expect_num "different cgroup ids" -ge 4 "$(words '.kind == "data"' cgroup_id | wc -w)"
	conserve
}

# What a task did before it was moved stays with the group it was in.
c87() {
	local pid
	no_background_writeback
	truncate -s 8M "$MNT/f"
	sync
	begin "$DISK"
	owes each_range_is_its_dirtiers write data page
	write_as a wrA /f 1m -o 0
	write_as b wrB /f 1m -o 4m
	owes moved_later write data page
	stay_as a wrM /m 256k
	pid=$(pgrep -x wrM)
	cgroup_make b
	echo "$pid" >"$CGROOT/$CG/b/cgroup.procs" || fail "cannot move wrM"
	finish
	debts
	bytes "data under the other cgroup by the moved task" 0 ".comm == \"wrM\" and .kind == \"data\" and .cgroup != \"/$CG/a\""
	conserve
}

# The host's pid is printed, and filters take it.
c72() {
	local writer pid
	need cmd:unshare
	writer=$(named wrA "$WORKLOADS/writer")
	no_background_writeback
	begin "$DISK"
	mkfifo "$T_DIR/go"
	# shellcheck disable=SC2016
	unshare -pf --mount-proc "$BASH" -c 'echo $$ >"$1/said"; read -r _ <"$1/go"; exec "$2" "$3/f" 512k' \
		inner "$T_DIR" "$writer" "$MNT" &
	poll 60 test -s "$T_DIR/said" || die "no process in the namespace"
	pid=$(pgrep -P $! | head -n 1)
	echo >"$T_DIR/go"
	wait_all
	finish
	expect_eq "pid inside" 1 "$(<"$T_DIR/said")"
	bytes "writer" $((512 << 10)) "$(writes "$DISK" '.comm == "wrA" and .kind == "data"')"
	expect_eq "pid" "$pid" "$(words '.comm == "wrA" and .kind == "data"' pid)"
	conserve
	c72_filter "$writer"
}

c72_filter() { # WRITER: begun by its host pid
	local pid
	disable
	rm "$T_DIR/said"
	# shellcheck disable=SC2016
	unshare -pf --mount-proc "$BASH" -c 'echo $$ >"$1/said"; read -r _ <"$1/go"; exec "$2" "$3/g" 256k' \
		inner "$T_DIR" "$1" "$MNT" &
	poll 60 test -s "$T_DIR/said" || die "no process in the namespace"
	pid=$(pgrep -P $! | head -n 1)
	# shellcheck disable=SC2016
	report --tgid "$pid" -- "$BASH" -c 'echo >"$1"; while kill -0 "$2" 2>/dev/null; do read -rt 0.1 <> <(:) || :; done' \
		- "$T_DIR/go" "$pid"
	expect_eq "bytes, filtered by the host's pid" $((256 << 10)) "$(reported '.comm == "wrA" and .kind == "data"')"
}

# The container writes 4 KiB, and pays for the copy the file system makes.
c99() {
	need mod:overlay
	modprobe -q overlay
	mkdir -p "$MNT"/{lo,up,wk,ov,box}
	"$WORKLOADS/writer" "$MNT/lo/f" 1m
	sync
	mount -t overlay o -o "lowerdir=$MNT/lo,upperdir=$MNT/up,workdir=$MNT/wk" "$MNT/ov" || die "no overlay"
	no_background_writeback
	begin "$DISK"
	OWED=
	write_as box wrA /ov/f 4k -o 0
	write_as box wrB /ov/new 256k
	finish
	# The copy is synced before it takes the place of the file; then a page of it is changed.
	bytes "copy-up and change" $(((1 << 20) + 4096)) "$(writes "$DISK" '.comm == "wrA" and .kind == "data"')"
	bytes "new file" $((256 << 10)) "$(writes "$DISK" '.comm == "wrB" and .kind == "data"')"
	expect_eq "cgroup" "/$CG/box" "$(words "$(writes "$DISK" "$(of 'wr[AB]') and .kind == \"data\"")" cgroup)"
	# As the upper file system knows the file.
	expect_eq "path of the new file" /up/new "$(words '.comm == "wrB" and .kind == "data"' path)"
	expect_eq "path of copy and change" /up/f "$(words '.comm == "wrA" and .kind == "data"' path)"
	bytes "kernel threads, data" 0 "$(writes "$DISK" '.kind == "data" and ((.flags // "") | test("kthread|worker"))')"
	conserve
}

# The daemon is the truth on the disk.
c97() {
	need cmd:mkfs.ntfs cmd:ntfs-3g mod:fuse
	modprobe -q fuse
	mkfs.ntfs -qFf "$DISK" >/dev/null || die "mkfs.ntfs failed"
	mkdir -p "$MNT"
	ntfs-3g "$DISK" "$MNT" || die "ntfs-3g failed"
	no_background_writeback
	begin "$DISK"
	OWED=
	write_as box wrA /f 1m
	finish
	share "daemon" 95 "$(writes "$DISK" "$(of 'ntfs-3g|mount.ntfs.*')")" "$(writes "$DISK")"
	bytes "client, on the disk" 0 "$(writes "$DISK" '.comm == "wrA"')"
	conserve
}

case_on ext4 "C04 a pipeline: who wrote the file, in the container's cgroup" c04
case_on ext4 "C34 cgroup ids are the directories' inode numbers" c34
case_on ext4 "C72 a pid namespace: the host's pid is told and filtered by" c72
case_on ext4 "C87 ext4: one file, two cgroups, and a task that moves" c87
case_on btrfs "C87 btrfs: one file, two cgroups, and a task that moves" c87
case_raw "C97 FUSE: the daemon is the origin on the disk" c97
case_on ext4 "C99 overlay: copy-up is charged to who wrote" c99
t_done
