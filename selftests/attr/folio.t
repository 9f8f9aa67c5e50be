#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: large folios: each page is its own dirtier's, and cancelled apart
# area: attr
# requires: cmd:jq disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# Whose page cache is known to be made of them.
has_large_folios() {
	case $FS in
	xfs) kernel_is '>=6.6' ;;
	ext4) kernel_is '>=6.16' ;;
	*) false ;;
	esac
}

# A file in the page cache, clean, in folios as large as a write of 1 MiB makes them.
in_large_folios() { # PATH BYTES
	OWED=
	write_as base writer-base "$1" "$2" -b 1m
	sync
	! has_large_folios || expect_num "bytes of the largest folio of $1" -ge 65536 "$("$WORKLOADS/folios" "$MNT$1")"
}

by_turns() {
	owes "$1" write data page
	write_as left writer-even "$2" 512k -o 0 -b 4k -g 4k "${@:3}" &
	write_as right writer-odd "$2" 512k -o 4k -b 4k -g 4k "${@:3}" &
	wait_all
}

work() {
	no_background_writeback
	in_large_folios /clean 1m
	in_large_folios /mapped 1m
	begin "$DISK"
	by_turns by_turns_in_clean_folios /clean
	# A fault makes all of a folio dirty: whoever comes first has it.
	OWED=
	write_as left writer-map1 /mapped 512k -o 0 -b 4k -g 4k -m &
	write_as right writer-map2 /mapped 512k -o 4k -b 4k -g 4k -m &
	wait_all
	by_turns by_turns_in_a_new_file /new
	# Into folios that are dirty already, all of them by somebody else.
	owes dirty_folios_keep_their_dirtier write data page
	write_as base writer-first /dirty 1m -b 1m
	OWED=
	write_as left writer-second /dirty 512k -o 0 -b 4k -g 4k
	owes truncated_to_half write data page any "half$(at_new_end)"
	write_as vain writer-vain /vain 8m -b 1m
	truncate -s 4m "$MNT/vain"
	finish
	pass
}

mapped_is_theirs() {
	expect_eq "bytes of those who mapped" $((1 << 20)) \
		"$(sum '.path == "/mapped" and .op == "write" and .kind == "data" and .basis == "page" and (.comm | test("^writer-map"))')"
}

truncate_pays_nothing() {
	expect_eq "data of truncate" 0 "$(sum '.comm == "truncate" and .kind == "data"')"
	expect_eq "cancelled data of truncate" 0 "$(sum '.comm == "truncate" and .kind == "data"' cancelled)"
}

one_file_system() {
	t_case "$FS: workloads run" work
	t_ledger "$FS: "
	t_case "$FS: mapped_is_theirs" mapped_is_theirs
	t_case "$FS: truncate_pays_nothing" truncate_pays_nothing
	t_conserve "$FS: "
}

each_fs "$DISK" one_file_system ext4 xfs btrfs f2fs
t_done
