#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: a million dirty pages tracked, and the module is gone in two seconds
# area: stress
# requires: cmd:jq mem:5500 mod:null_blk nokasan
# timeout: 1800

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

PAGES=1000000

uptime_ms() {
	local up
	read -r up _ </proc/uptime
	echo $((10#${up/./} * 10))
}

dirty_kib() { awk '$1 == "Dirty:" { print $2 }' /proc/meminfo; }

setup() {
	null_blk iobtest size=8192
	mount_fs xfs "$NULL_BLK"
	no_background_writeback
	vm dirty_background_bytes $((8 << 30))
	vm dirty_bytes $((8 << 30))
	need_module
	enable || die "enable failed"
	"$WORKLOADS/writer" "$MNT/big" $((PAGES * 4096)) -b 1m || die "writer failed"
	expect_num "dirty KiB" -ge $((PAGES * 4)) "$(dirty_kib)"
	expect_eq "pages without a slot" 0 "$(awk '$1 == "lost_pages" { print $2 }' "$IOB/stats")"
}

unloads() {
	local start end
	start=$(uptime_ms)
	rmmod ioblame || die "rmmod failed"
	end=$(uptime_ms)
	echo "took $((end - start)) ms"
	expect_num "ms of guest time for rmmod" -lt 2000 $((end - start))
}

t_case "a million dirty pages" setup
t_case "rmmod takes less than 2 s" unloads
# Never to be written: there is no room for it.
rm -f "$MNT/big"
t_done
