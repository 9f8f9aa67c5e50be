#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: ways to a disk that are no plain write: copies in the kernel, io_uring, libaio, fallbacks, punches
# area: cases
# requires: cmd:jq cmd:fio disk:1 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

# The same bytes dirtied, in writes smaller and larger than a page, on each file system.
c22() {
	no_background_writeback
	begin "$DISK"
	owes dirtied_is_counted write data page
	write_as a wrA /f 2m -b 8k
	# Not from the start: f2fs keeps a small file in its inode at first, and writes twice.
	write_as a wrB /g 512k -o 4k -b 1k
	write_as a wrC /h 1m -b 1m
	owes dirtied_is_counted_when_dropped write data page any all
	write_as a wrD /i 512k -b 8k
	rm "$MNT/i"
	finish
	debts
	conserve
}

c77() {
	local way
	no_background_writeback
	OWED=
	write_as a base /src 512k
	sync
	begin "$DISK"
	for way in sendfile splice range; do
		in_cgroup "$way" "$(named "cp-$way" "$WORKLOADS/copier")" $way "$MNT/src" "$MNT/$way" || fail "$way failed"
	done
	finish
	for way in sendfile splice; do
		bytes "copy by $way" $((512 << 10)) \
			"$(writes "$DISK" ".comm == \"cp-$way\" and .kind == \"data\" and .path == \"/$way\" and .cgroup == \"/$CG/$way\"")"
	done
	# A reflink moves no data; a copy moves all of it.
	case $FS in
	ext4) way=$((512 << 10)) ;;
	*) way=0 ;;
	esac
	bytes "copy by copy_file_range" $way "$(writes "$DISK" '.comm == "cp-range" and .kind == "data"')"
	expect_num "metadata by copy_file_range" -gt 0 "$(sum "$(writes "$DISK" '.comm == "cp-range" and .kind != "data"')")"
	bytes "who wrote the source" 0 "$(writes "$DISK" '.comm == "base"')"
	conserve
}

# The ring's owner, whichever of its threads, or the kernel's, does the work.
c78() { # FIO-OPTION...
	local pid
	have_io_uring || skip "no io_uring"
	no_background_writeback
	begin "$DISK"
	fio --name=u --filename="$MNT/u" --thread --ioengine=io_uring --rw=write --bs=16k --size=256k --fsync=4 "$@" \
		>"$T_DIR/fio" 2>&1 &
	pid=$!
	wait $pid || die "fio $* failed: $(<"$T_DIR/fio")"
	finish
	bytes "the file, by the ring's process" $((256 << 10)) \
		"$(writes "$DISK" ".pid == $pid and .path == \"/u\" and (.kind | IN(\"data\", \"direct\"))")"
	bytes "the file, by others" 0 "$(writes "$DISK" ".pid != $pid and .path == \"/u\" and (.kind | IN(\"data\", \"direct\"))")"
	expect_eq "name, the process's and not its worker's" fio \
		"$(words "$(writes "$DISK" ".pid == $pid and .path == \"/u\" and .bytes > 0")" comm)"
	bytes "data of any other origin" 0 "$(writes "$DISK" ".pid != $pid and (.kind | IN(\"data\", \"direct\"))")"
	share "journal and metadata of the ring's process" 90 "$(writes "$DISK" ".pid == $pid and (.kind | IN(\"data\", \"direct\") | not)")" \
		"$(writes "$DISK" '.kind | IN("data", "direct") | not')"
	conserve
}

# O_DIRECT asked for; the page cache where there are checksums or compression.
c79() {
	local kind
	mkdir "$MNT"/{plain,zip}
	chattr +C "$MNT/plain" || skip "chattr +C fails"
	chattr +c "$MNT/zip" || skip "chattr +c fails"
	no_background_writeback
	begin "$DISK"
	OWED=
	write_as a wrA /sums 512k -d
	write_as b wrB /plain/f 512k -d
	write_as c wrC /zip/f 512k -d
	finish
	kind=$(words "$(writes "$DISK" '.comm == "wrA" and .path == "/sums"')" kind)
	bytes "with checksums" $((512 << 10)) "$(writes "$DISK" '.comm == "wrA" and (.kind | IN("data", "direct"))')"
	# Up to 6.13 directly, then through the page cache.
	kernel_is '<6.14' || expect_eq "way with checksums" data "$kind"
	bytes "without" $((512 << 10)) "$(writes "$DISK" '.comm == "wrB" and .kind == "direct" and .basis == "direct"')"
	expect_num "compressed" -gt 0 "$(sum "$(writes "$DISK" '.comm == "wrC" and .kind == "data"')")"
	bytes "compressed, said to be direct" 0 "$(writes "$DISK" '.comm == "wrC" and .kind == "direct"')"
	bytes "data of kernel threads" 0 "$(writes "$DISK" '.kind == "data" and ((.flags // "") | test("kthread|worker"))')"
	conserve
}

# libaio, and children that share one descriptor: each its own ranges.
shared_descriptor() {
	local i
	no_background_writeback
	cat >"$T_DIR/bin/share.sh" <<-'END'
	exec 7>"$2/shared"
	for i in 0 1 2 3; do
		("$1/sh$i" if=/dev/zero bs=64k count=$((i + 1)) oflag=append status=none >&7)
	done
	END
	for i in 0 1 2 3; do
		named sh$i dd >/dev/null
	done
	begin "$DISK"
	"$BASH" "$T_DIR/bin/share.sh" "$T_DIR/bin" "$MNT" || fail "the writers failed"
	fio --name=aio --directory="$MNT" --ioengine=libaio --direct=1 --rw=write --bs=16k --size=256k --numjobs=2 \
		--iodepth=4 >"$T_DIR/fio" 2>&1 || fail "fio failed: $(<"$T_DIR/fio")"
	finish
	for i in 0 1 2 3; do
		bytes "child $i" $(((i + 1) << 16)) "$(writes "$DISK" ".comm == \"sh$i\" and .kind == \"data\" and .path == \"/shared\"")"
	done
	bytes "libaio" $((512 << 10)) "$(writes "$DISK" '.comm == "fio" and .kind == "direct" and .basis == "direct"')"
	expect_eq "its processes" 2 "$(words "$(writes "$DISK" '.comm == "fio" and .kind == "direct"')" pid | wc -w)"
	conserve
}

# Half of a dirty file is punched out: written or cancelled, each byte once.
punch() {
	local written cancelled
	no_background_writeback
	begin "$DISK"
	OWED=
	write_as a wrA /f 1m
	fallocate -p -o 0 -l 512k "$MNT/f" || skip "no punching on $FS"
	finish
	written=$(sum "$(writes "$DISK" '.comm == "wrA" and .kind == "data"')")
	cancelled=$(sum '.comm == "wrA" and .kind == "data"' cancelled)
	expect_eq "written and cancelled" $((1 << 20)) $((written + cancelled))
	# A file system may write what it is about to punch, at the punch.
	expect_num "written" -ge $((512 << 10)) "$written"
	bytes "who punched" 0 '.comm == "fallocate" and .kind == "data"'
	conserve
}

for fs in ext4 xfs btrfs f2fs; do
	case_on $fs "C22 $fs: all that is dirtied is counted" c22
done
for fs in ext4 xfs btrfs; do
	case_on $fs "C77 $fs: sendfile, splice and copy_file_range name the copier" c77
done
case_on ext4 "C78 io_uring: the ring's owner" c78
case_on ext4 "C78 io_uring, workers: the ring's owner" c78 --force_async=1
case_on ext4 "C78 io_uring, polled: the ring's owner" c78 --sqthread_poll=1
case_on ext4 "C78 io_uring, direct, polled: the ring's owner" c78 --sqthread_poll=1 --direct=1
case_on btrfs "C79 O_DIRECT that becomes buffered keeps its origin" c79
case_on ext4 "one descriptor, many processes: each its own ranges" shared_descriptor
for fs in ext4 xfs; do
	case_on $fs "$fs: what is punched out is written or cancelled, once" punch
done
t_done
