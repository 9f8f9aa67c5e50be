#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: files that fscrypt encrypts: what is sent are copies, whose is told by the originals
# area: attr
# requires: cmd:jq cmd:xfs_io disk:1
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

# encrypted DIR: what is in it will be, with a key of 64 bytes
encrypted() {
	local key
	mkdir "$1"
	key=$(printf '%064d' 7 | xfs_io -c add_enckey "$MNT" 2>&1)
	[[ $key != *"not supported"* ]] || skip "no encryption in this kernel"
	[[ $key == *identifier* ]] || die "no key: $key"
	xfs_io -c "set_encpolicy -v 2 ${key##* }" "$1" >"$T_DIR/policy" 2>&1
	[ ! -s "$T_DIR/policy" ] || skip "no encryption: $(<"$T_DIR/policy")"
}

work() {
	encrypted "$MNT/secret"
	no_background_writeback
	begin "$DISK"
	owes encrypted_data write data batch
	write_as left writer-left /secret/left 1m &
	write_as right writer-right /secret/right 300001 &
	owes encrypted_and_synced write data batch fsync
	write_as sync writer-sync /secret/sync 200k -f &
	owes encrypted_mapping write data batch
	write_as map writer-map /secret/map 300k -m &
	owes plain_data_beside write data page
	write_as plain writer-plain /plain 300001 &
	wait_all
	finish
	pass
}

one_file_system() {
	t_case "$FS: workloads run" work
	[ ! -s "$T_DIR/skipped" ] || return
	t_ledger "$FS: "
	[ -z "$T_BAD" ] || who_has | sed 's/^/# /'
	t_conserve "$FS: "
}

each_fs "$DISK" one_file_system ext4-encrypt f2fs-encrypt
t_done
