# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Two who change metadata in proportion 3:1, and what is asked of their shares:
# sourced by meta/shares and stress/shares after lib.sh. Sees DISK, FS, BLOCK.

ROUNDS=20

# In every round A does three times as much as B, each in directories of the same size;
# now and then a third one syncs. Every fourth round at the same time: of what several
# fsync at once btrfs writes the log's blocks but once, and they are the first one's.
# Of that B, who would never be alone, has less. Each round has processes of its own.
work() {
	local i turn
	no_background_writeback
	no_collector
	mkdir "$MNT"/{a0,a1,a2,b}
	sync
	begin "$DISK"
	# shellcheck disable=SC2034 # of lib/ledger.sh: nothing is owed
	OWED=
	for ((i = 0; i < ROUNDS; i++)); do
		turn=$((i / 3))
		work_as churner a churner-a "/a$((i % 3))" 6 -s $((turn * 6)) &
		[ $((i % 4)) -eq 2 ] || wait_all
		work_as churner b churner-b /b 2 -s $((i * 2)) &
		wait_all
		[ $((i % 4)) -ne 0 ] || sync
	done
	# What is written home belongs to it.
	umount "$MNT" || die "umount failed"
	finish
	pass
}

WRITES=
written() { sum "$WRITES and ($1)"; }

permille() { [ "$2" -gt 0 ] && echo $(($1 * 1000 / $2)); }

# The submitter for want of anybody else, or a row that names none.
NOBODY='(.basis == "issuer" or (.named | not))'

who_is_named() {
	local all
	WRITES=".dev == \"$(dev_of "$DISK")\" and .op == \"write\""
	all=$(written true)
	echo "of $all bytes: unattributed $(written "$NOBODY")"
	expect_num "unattributed, in thousandths of $all bytes" -le 10 \
		"$(permille "$(written "$NOBODY")" "$all")"
	expect_num "kernel threads as origin, in thousandths" -le 10 \
		"$(permille "$(written '.basis != "issuer" and (.flags // "" | test("kthread|worker"))')" "$all")"
	[ ! -s "$T_DIR/failures" ] || who_has
}

# A commit that comes seldom holds of each block one change of each, however often it
# was changed: with fast commits, those are what is shared as it was done.
who_has_how_much() {
	local a b
	[ "$FS" != xfs ] || [ -e /sys/kernel/btf/vmlinux ] ||
		skip "a kernel without BTF: XFS is split by who changed, not by how much"
	WRITES=".dev == \"$(dev_of "$DISK")\" and .op == \"write\" and .kind != \"data\""
	[ "$FS" != ext4-fast ] || WRITES="$WRITES and .kind == \"journal\" and .reason == \"fsync\""
	a=$(written '.comm == "churner-a"')
	b=$(written '.comm == "churner-b"')
	expect_num "share of the one who did three quarters, in thousandths of $((a + b))" -ge 700 "$(permille "$a" $((a + b)))"
	expect_num "share of the one who did three quarters, in thousandths of $((a + b))" -le 800 "$(permille "$a" $((a + b)))"
	[ ! -s "$T_DIR/failures" ] || who_has
}

# f2fs keeps the first half inside the inode, and writes it again as it grows.
data_is_exact() {
	local n each
	each=$(((6000 + BLOCK - 1) / BLOCK * BLOCK))
	[ "$FS" != f2fs ] || each=$((each + BLOCK))
	for n in a:$((ROUNDS * 6)) b:$((ROUNDS * 2)); do
		expect_eq "bytes of data of churner-${n%:*}" $((${n#*:} * each)) \
			"$(sum ".op == \"write\" and .kind == \"data\" and .comm == \"churner-${n%:*}\"")"
	done
	[ ! -s "$T_DIR/failures" ] || who_has
}

# judge_shares PREFIX [CHECK]...
judge_shares() {
	local check prefix=$1
	shift
	for check in who_is_named who_has_how_much data_is_exact "$@"; do
		t_case "$prefix: $check" "$check"
	done
	t_conserve "$prefix: "
}
