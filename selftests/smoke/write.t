#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: one writer on ext4, exact to the byte in debugfs
# area: smoke
# requires: cmd:jq disk:1 fs:ext4
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

one_writer() {
	begin "$DISK"
	owes one_writer_owes_its_bytes write data page
	write_as a writer-a /a 1000001
	finish
	pass
}

nothing_lost() {
	expect_eq "losses" '' \
		"$(awk -F '\t' '($1 ~ /^lost_/ || $1 == "folds") && $2 != 0 { print $1 "=" $2 }' "$SNAP/stats" | xargs)"
	expect_eq "bytes under act lost, nested or stale" 0 \
		"$(sum '.kind | IN("lost", "nested", "stale")')"
}

enable_keeps() {
	local before
	expect_num "rows of totals" -gt 0 "$(($(wc -l <"$IOB/totals") - 1))"
	before=$(md5sum <"$IOB/totals")
	enable
	expect_eq "totals after a second enable" "$before" "$(md5sum <"$IOB/totals")"
}

# reset: sums go, who dirtied what stays
reset_keeps_dirtiers() {
	no_background_writeback
	begin "$DISK"
	owes dirtied_before_the_reset write data page
	write_as a writer-r /r 300000
	OWED=
	write_as a writer-d /d 65536 -d
	snapshot
	expect_eq "why dirty data was written, unasked" '' "$(words '.path == "/r" and .kind == "data" and .bytes > 0' reason)"
	echo 1 >"$IOB/reset"
	disk_stats "$DISK" >"$T_DIR/base"
	finish
	expect_eq "bytes sent before the reset" 0 "$(sum '.path == "/d" and .kind == "direct"')"
	conserve
}

setup() {
	mount_fs ext4 "$DISK"
	pass
}

t_case "ext4 on $DISK" setup
t_case "one writer" one_writer
t_ledger ''
t_conserve ""
t_case "nothing is lost" nothing_lost
t_case "enabling what is enabled keeps the totals" enable_keeps
t_case "reset zeroes the sums and keeps who dirtied what" reset_keeps_dirtiers
t_ledger ''
t_done
