#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: small tables and a ring buffer that overruns: less detail, the same shares and bytes
# area: stress
# requires: cmd:jq disk:1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/shares.sh
. "${0%/*}/../lib/shares.sh"

DISK=$(disk 1)
# Every table a hundredth of what it is, and events for a ring buffer that is soon
# full and that nobody reads. Slots of pages are told apart: too few leave no name.
SMALL=$TRACING/instances/ioblame-small

squeeze() { # LIMIT...
	local limit
	need_module
	disable
	for limit; do
		knob "$IOB/limits/$limit" $(($(<"$IOB/limits/$limit") / 100)) || die "limits/$limit refuses"
	done
	mkdir "$SMALL" || die "no instance of tracing"
	echo 4 >"$SMALL/buffer_size_kb"
	echo 1 >"$SMALL/events/ioblame/enable"
	pass
}

ring_has_overrun() {
	expect_num "events the ring buffer lost" -gt 0 \
		"$(awk '$1 == "overrun:" { n += $2 } END { print n + 0 }' "$SMALL"/per_cpu/cpu*/stats)"
	echo 0 >"$SMALL/events/ioblame/enable"
	rmdir "$SMALL" || fail "the instance stays"
}

squeezed() {
	t_case "$FS, tables at 1/100: set" squeeze stacks acts files totals flows blocks
	t_case "$FS, tables at 1/100: workloads run" work
	judge_shares "$FS, tables at 1/100" ring_has_overrun
}

squeezed_pages() {
	t_case "$FS, page slots at 1/100: set" squeeze memory_kb
	t_case "$FS, page slots at 1/100: workloads run" work
	t_case "$FS, page slots at 1/100: ring_has_overrun" ring_has_overrun
	t_conserve "$FS, page slots at 1/100: "
}

each_fs "$DISK" squeezed ext4 xfs btrfs f2fs
each_fs "$DISK" squeezed_pages ext4
t_done
