#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: bcache: the writer is named on the cache and on the disk behind, at once and later
# area: devices
# requires: cmd:jq cmd:make-bcache disk:2 fs:ext4 mod:bcache
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

BACKING=$(disk 1)
CACHE=$(disk 2)
TOP=/dev/bcache0
SYS=/sys/block/bcache0/bcache

registered() { # DISK: udev may have been quicker
	[ -d "/sys/block/${1##*/}/bcache" ] || { echo "$1" >/sys/fs/bcache/register; } 2>/dev/null
}

bcache_create() { # MODE
	local set
	modprobe bcache || die "no bcache"
	wipefs -qa "$CACHE" "$BACKING"
	make-bcache --wipe-bcache -C "$CACHE" -B "$BACKING" >/dev/null || die "make-bcache failed"
	poll 30 registered "$CACHE" || die "the cache is not taken"
	poll 30 registered "$BACKING" || die "the disk behind is not taken"
	wait_for_node $TOP
	poll 30 test -e $SYS/cache || die "no cache is attached"
	# All of it passes through the cache, however much comes at once.
	echo 0 >$SYS/sequential_cutoff
	for set in /sys/fs/bcache/*-*; do
		echo 0 >"$set/congested_read_threshold_us"
		echo 0 >"$set/congested_write_threshold_us"
	done
	echo "$1" >$SYS/cache_mode
}

known() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "a kernel without BTF: bcache's structures are not known"
}

on() { echo ".dev == \"$(dev_of "$1")\" and .op == \"write\" and (${2:-true})"; }

# Buffered and direct, some blocks twice.
write_some() {
	owes named_on_the_bcache_device write data page
	write_as box wrA $TOP 1m -f
	owes named_on_the_bcache_device write direct direct
	write_as box wrB $TOP 512k -o 4m -d
}

# writers_on DISK BASIS [OP]: OP is what holds of the bytes there against those above
writers_on() {
	local here name
	here=$(on "$1" '(.kind | IN("data", "direct"))')
	for name in A:$((1 << 20)) B:$((512 << 10)); do
		expect_num "${1##*/}: bytes of wr${name%:*}" "${3:--eq}" "${name#*:}" \
			"$(sum "$here and .comm == \"wr${name%:*}\"")"
		expect_num "${1##*/}: bytes of wr${name%:*}" -gt 0 \
			"$(sum "$here and .comm == \"wr${name%:*}\"")"
	done
	expect_eq "${1##*/}: bytes of others" 0 "$(sum "$here and (.comm | IN(\"wrA\", \"wrB\") | not)")"
	expect_eq "${1##*/}: cgroup" "/$CG/box" "$(words "$here" cgroup)"
	expect_match "${1##*/}: basis" "^($2)\$" "$(words "$here" basis)"
	expect_eq "${1##*/}: of unknown kind" 0 "$(sum "$(on "$1" '.kind == "unknown"')")"
}

# Where all of it is behind the bcache by then.
write_in() { # MODE
	known
	bcache_create "$1"
	no_background_writeback
	begin $TOP "$BACKING" "$CACHE"
	write_some
	finish
	expect_lines < <(judge_ledger $TOP 512)
	writers_on "$BACKING" "inherited|page|inherited page|direct page"
}

writethrough() {
	write_in writethrough
	# What there is no bucket ready for goes to the disk behind only.
	writers_on "$CACHE" "inherited|page|inherited page|direct page" -le
	expect_eq "what bcache notes in its cache" metadata \
		"$(words "$(on "$CACHE" '.kind | IN("data", "direct") | not') and .bytes > 0" kind)"
	conserve
}

# Past the cache.
writearound() {
	write_in writearound
	expect_eq "in the cache" metadata "$(words "$(on "$CACHE" '.bytes > 0')" kind)"
	# The kernel counts what is left of such a bio when it ends: nothing.
	expect_lines < <(conservation . | grep -v "	${TOP##*/} write: bytes in ")
}

is_clean() {
	local state
	read -r state <$SYS/state
	[ "$state" = clean ]
}

# What is written stays in the cache until writes_back.
holds_back() {
	bcache_create writeback
	no_background_writeback
	echo 0 >$SYS/writeback_running
	echo 0 >$SYS/writeback_percent
	echo 0 >$SYS/writeback_delay
}

writes_back() {
	expect_eq "state" dirty "$(<$SYS/state)"
	echo 1 >$SYS/writeback_running
	poll 240 is_clean || die "it is never clean"
}

writeback() {
	known
	holds_back
	begin $TOP "$BACKING" "$CACHE"
	write_some
	sync
	writes_back
	finish
	expect_lines < <(judge_ledger $TOP 512)
	writers_on "$CACHE" "inherited|page|inherited page|direct page"
	writers_on "$BACKING" inherited
	expect_match "who wrote it back" '^(kworker|bcache)' \
		"$(words "$(on "$BACKING" '.comm == "wrA"')" issuer)"
	expect_eq "read from the cache for that" "$(((1 << 20) + (512 << 10)))" \
		"$(sum ".dev == \"$(dev_of "$CACHE")\" and .op == \"read\" and .kind == \"copy\" and (.comm | IN(\"wrA\", \"wrB\"))")"
	conserve
}

# A file system: what its journal writes is for several, and one of them is named.
files() {
	local here name
	known
	holds_back
	mount_fs ext4 $TOP
	sync
	writes_back
	echo 0 >$SYS/writeback_running
	begin $TOP "$BACKING" "$CACHE"
	owes as_on_any_disk write data page
	write_as left writer-left /left 500001 &
	write_as right writer-right /right 200k &
	wait_all
	sync
	writes_back
	finish
	expect_lines < <(judge_ledger $TOP 4096)
	for name in left:503808 right:204800; do
		here=".comm == \"writer-${name%:*}\" and .kind == \"data\" and .path == \"/${name%:*}\""
		expect_eq "in the cache: bytes of writer-${name%:*}" "${name#*:}" "$(sum "$(on "$CACHE" "$here")")"
		expect_eq "behind: bytes of writer-${name%:*}" "${name#*:}" "$(sum "$(on "$BACKING" "$here")")"
	done
	expect_eq "behind: basis" inherited \
		"$(words "$(on "$BACKING" '.bytes > 0 and .kind != "metadata"')" basis)"
	expect_eq "behind: of unknown kind" 0 "$(sum "$(on "$BACKING" '.kind == "unknown"')")"
	conserve
}

# What is read of the disk behind goes into the cache; that is bcache's own.
readers() {
	known
	bcache_create writethrough
	begin $TOP "$BACKING" "$CACHE"
	cp "$(command -v dd)" "$T_DIR/bin/rdA"
	"$T_DIR/bin/rdA" if=$TOP of=/dev/null bs=64k skip=1000 count=4 iflag=direct status=none || fail "rdA failed"
	finish
	expect_eq "read above" 262144 "$(sum ".dev == \"$(dev_of $TOP)\" and .op == \"read\" and .comm == \"rdA\"")"
	expect_eq "read behind" 262144 "$(sum ".dev == \"$(dev_of "$BACKING")\" and .op == \"read\" and .comm == \"rdA\"")"
	expect_eq "kinds of what the cache got" "copy metadata" "$(words "$(on "$CACHE" '.bytes > 0')" kind)"
	conserve
}

for how in writethrough writearound writeback files readers; do
	t_case "$how" $how
	reset_world | sed 's/^/# /'
done
t_done
