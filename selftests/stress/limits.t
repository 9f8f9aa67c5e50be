#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: tables far too small: detail is lost and counted, never a byte
# area: stress
# requires: cmd:jq disk:1 fs:ext4
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# limit, what must be counted when it is as low as this
LIMITS="
stacks=4      lost_stacks
acts=16       lost_acts|lost_roles
files=4       lost_files
totals=4      folds
flows=2       lost_flows|untracked_bios
blocks=4      old_blocks
memory_kb=4   lost_pages
"

setup() {
	mount_fs ext4 "$DISK"
	mkdir "$MNT/dir"
	pass
}

work() { # LIMIT=VALUE
	local i
	need_module
	disable
	knob "$IOB/limits/${1%=*}" "${1#*=}" || skip "limits/${1%=*} refuses ${1#*=}"
	begin "$DISK"
	OWED=
	for i in {1..6}; do
		write_as "a$((i % 2))" "writer-$i" "/small.$i" 300k &
	done
	write_as d writer-d /direct 256k -d -b 16k &
	work_as toucher t toucher /dir 50 &
	wait_all
	"$WORKLOADS/toucher" "$MNT/dir" 50 -u
	sync
	"$WORKLOADS/reader" "$MNT/direct" -d
	finish
	pass
}

losses_are_counted() { # COUNTERS
	expect_num "$1" -gt 0 "$(awk -F '\t' -v names="^($1)\$" '$1 ~ names { n += $2 } END { print n + 0 }' "$SNAP/stats")"
}

t_case "ext4" setup
while read -r limit counters; do
	[ "$limit" ] || continue
	no_background_writeback
	t_case "$limit: workloads run" work "$limit"
	[ ! -s "$T_DIR/skipped" ] || continue
	t_conserve "$limit: "
	t_case "$limit: losses are counted" losses_are_counted "$counters"
	disable
	restore_knobs
done <<<"$LIMITS"
t_done
