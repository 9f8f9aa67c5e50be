#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: journal, log and metadata blocks name the tasks whose changes they hold
# area: meta
# requires: cmd:jq disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
ACTORS=(maker-much maker-little retimer remover writer-small writer-left writer-right)

# Nobody but the actors changes anything in between.
work() {
	local who i
	no_background_writeback
	no_collector
	mkdir "$MNT"/{much,little,times,gone}
	"$WORKLOADS/toucher" "$MNT/times" 100
	"$WORKLOADS/toucher" "$MNT/gone" 100
	sync
	begin "$DISK"
	OWED=
	# Not at once: a block that both change belongs to who was first.
	work_as toucher much maker-much /much 300
	sync
	work_as toucher little maker-little /little 60
	sync
	work_as toucher times retimer /times 100 -a
	sync
	work_as toucher gone remover /gone 100 -u
	sync
	owes fourteen_bytes_and_an_fsync write data page fsync
	write_as small writer-small /small 14000 -f
	owes two_who_fsync write data page fsync
	for who in left right; do
		for i in {1..8}; do
			write_as $who writer-$who "/$who.$i" 8k -f
		done &
	done
	wait_all
	finish
	pass
}

written() { sum ".dev == \"$(dev_of "$DISK")\" and .op == \"write\" and ($1)"; }

actors() { # a jq list
	local list
	printf -v list '"%s",' "${ACTORS[@]}"
	echo "IN(${list%,})"
}

actors_own_what_was_written() {
	local all
	all=$(written true)
	expect_num "bytes of the actors, of $all written" -ge $((all * 9 / 10)) \
		"$(written "(.comm // \"\") | $(actors)")"
	[ ! -s "$T_DIR/failures" ] || who_has
}

# Without BTF inodes of XFS are metadata like any other, and who changes nothing but an
# inode of btrfs is not seen.
sees_inodes() {
	case $FS in
	xfs | btrfs) [ -e /sys/kernel/btf/vmlinux ] ;;
	esac
}

# A share each, and the one who did five times as much has more.
each_actor_has_a_share() {
	local who
	for who in "${ACTORS[@]}"; do
		[ "$FS $who" != "btrfs retimer" ] || sees_inodes || continue
		expect_num "bytes of $who beside data" -gt 0 "$(written ".comm == \"$who\" and .kind != \"data\"")"
	done
	expect_num "bytes of the one who made many" -gt "$(written '.comm == "maker-little"')" \
		"$(written '.comm == "maker-much"')"
	expect_eq "bytes of data of those who wrote none" 0 \
		"$(written '((.comm // "") | IN("maker-much", "maker-little", "retimer", "remover")) and .kind == "data"')"
}

inode_times_are_inodes() {
	sees_inodes || skip "a kernel without BTF"
	expect_num "bytes of kind inode" -gt 0 "$(written '.comm == "retimer" and .kind == "inode"')"
}

# Who only carries the bytes is nobody's origin.
workers_are_not_blamed() {
	expect_eq "kernel threads named on better grounds than having sent it" '' \
		"$(words '.op == "write" and (.flags // "" | test("kthread|worker"))
			and (.basis | IN("page", "block", "transaction", "epoch", "batch"))' comm)"
}

# Without knowledge the issuer stands in, and that is told apart.
every_origin_is_named_or_unattributed() {
	expect_eq "bytes of no named act, on another basis than issuer" 0 \
		"$(written '(.named | not) and .basis != "issuer"')"
	[ ! -s "$T_DIR/failures" ] || who_has
}

one_file_system() {
	t_case "$FS: workloads run" work
	t_ledger "$FS: "
	for check in actors_own_what_was_written each_actor_has_a_share inode_times_are_inodes \
		workers_are_not_blamed every_origin_is_named_or_unattributed; do
		t_case "$FS: $check" $check
	done
	t_conserve "$FS: "
}

each_fs "$DISK" one_file_system ext4 xfs btrfs f2fs
t_done
