#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: two who change metadata in proportion 3:1 have it so in what is written
# area: meta
# requires: cmd:jq disk:1
# timeout: 1800

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/shares.sh
. "${0%/*}/../lib/shares.sh"

DISK=$(disk 1)

one_file_system() {
	t_case "$FS: workloads run" work
	judge_shares "$FS"
}

each_fs "$DISK" one_file_system ext4 ext4-journal ext4-fast ext4-1k xfs btrfs f2fs
t_done
