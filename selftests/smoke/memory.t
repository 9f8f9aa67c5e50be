#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: memory: little until there is something to remember, and all of it given back
# area: smoke
# requires: cmd:jq disk:1 fs:ext4
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# What the kernel says the module has mapped, but for its code and data: bytes.
mapped() {
	awk '/\[ioblame\]/ && !/load_module|module_alloc|execmem|layout_and_allocate/ { n += $2 } END { print n + 0 }' /proc/vmallocinfo
}

stat_of() { awk -F '\t' -v n="$1" '$1 == n { print $2 }' "$IOB/stats"; }

# All of it: tables, what is in them, page slots, and what each processor has; KiB.
# vmallocinfo counts a guard page for each.
in_use() {
	local cpus
	cpus=$(getconf _NPROCESSORS_CONF)
	echo $(($(mapped) / 1024 + $(stat_of table_memory_kb) + $(stat_of page_memory_kb) + cpus * 3 * 8))
}

ram_kb() { awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo; }

idle() {
	expect_eq "bytes mapped while disabled" 0 "$(mapped)"
	echo 1 >"$IOB/enable" || die "enabling failed"
	diag "tables at once: $(($(mapped) / 1024)) KiB, in them: $(stat_of table_memory_kb) KiB"
	expect_num "KiB of all tables, empty" -le 2560 "$(in_use)"
	expect_num "KiB of what is in them" -le 512 "$(stat_of table_memory_kb)"
}

# As much as a user's own limit of dirty memory lets wait, in files of some size.
dirty() {
	local mib
	mib=$(($(ram_kb) / 5 / 1024))
	[ "$mib" -le 384 ] || mib=384
	no_background_writeback
	for ((i = 0; i < 8; i++)); do
		dd if=/dev/zero of="$MNT/f$i" bs=1M count=$((mib / 8)) status=none || die "dd failed"
	done
	diag "$mib MiB dirty: slots $(stat_of page_memory_kb) KiB, in tables $(stat_of table_memory_kb) KiB, all $(in_use) KiB of $(ram_kb)"
	expect_num "pages known as dirty" -ge $((mib * 256)) "$(stat_of pages_dirtied)"
	expect_eq "pages without a slot" 0 "$(stat_of lost_pages)"
	expect_num "KiB in use, for 0.2 % of all memory" -le $(($(ram_kb) / 500)) "$(in_use)"
}

gone() {
	sync
	echo 0 >"$IOB/enable" || die "disabling failed"
	expect_eq "bytes mapped after disabling" 0 "$(mapped)"
}

setup() {
	mount_fs ext4 "$DISK"
	load_module
	pass
}

t_case "ext4 on $DISK" setup
t_case "enabled, with nothing to remember" idle
t_case "a fifth of all memory dirty" dirty
t_case "disabled" gone
t_done
