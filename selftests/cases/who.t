#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: who is writing to my disk: names in the place of worker threads
# area: cases
# requires: cmd:jq cmd:ioblame disk:2 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

# The flusher sends it all: it is the issuer, and nobody's origin.
workers_only_carry() { # WRITERS-REGEX
	bytes "writers, sent by themselves" 0 "$(writes "$DISK" "$(of "$1") and .kind == \"data\" and .issuer == .comm")"
	bytes "kernel threads, data" 0 "$(writes "$DISK" '.kind == "data" and ((.flags // "") | test("kthread|worker"))')"
}

c01() {
	no_background_writeback
	begin "$DISK"
	owes worker_is_only_the_issuer write data page periodic
	write_as a wrA /f 2m
	unasked $((2 << 20))
	finish
	debts
	workers_only_carry wrA
	conserve
}

# Three at once, 1 : 2 : 4, sent by one flusher.
c03() {
	no_background_writeback
	begin "$DISK"
	owes split_as_they_wrote write data page periodic
	write_as a w1 /w1 256k &
	write_as b w2 /w2 512k &
	write_as c w3 /w3 1m &
	wait_all
	unasked $((1792 << 10))
	finish
	debts
	workers_only_carry 'w[123]'
	conserve
}

c81() {
	local i
	no_background_writeback
	begin "$DISK"
	owes small_and_gone write data page periodic
	for i in 1 2 3 4 5; do
		write_as a wr$i "/t$i" 576k
	done
	unasked $((5 * 576 << 10))
	finish
	debts
	workers_only_carry 'wr[1-5]'
	conserve
}

# Writers come and go, the file stays: one row, with all of their bytes.
c09() {
	local writer
	writer=$(named wrA "$WORKLOADS/writer")
	# shellcheck disable=SC2016
	report --by file,kind,op -- "$BASH" -c 'for i in {1..20}; do "$1" "$2" 4k -o 0 -f; done' - "$writer" "$MNT/state"
	expect_eq "rows of the file's data" 1 \
		"$(in_report "[.origins[] | select(.op == \"write\" and .kind == \"data\" and .file.path == \"$MNT/state\")] | length")"
	expect_eq "bytes of the file's data" $((20 * 4096)) \
		"$(reported ".op == \"write\" and .kind == \"data\" and .file.path == \"$MNT/state\"")"
	report_conserves
}

# A database's log: a little more at its end, and synced, again and again.
c13() {
	local i wal
	wal=$(named wal dd)
	no_background_writeback
	begin "$DISK"
	for i in {1..10}; do
		"$wal" if=/dev/zero of="$MNT/wal" bs=2k count=1 oflag=append conv=notrunc,fdatasync status=none ||
			fail "dd failed"
	done
	snapshot
	bytes "data, for each sync the page that grew" $((10 * 4096)) "$(writes "$DISK" '.comm == "wal" and .kind == "data"')"
	expect_eq "why data was sent" fsync "$(words "$(writes "$DISK" '.comm == "wal" and .kind == "data" and .bytes > 0')" reason)"
	share "journal and metadata of the database" 90 "$(writes "$DISK" '.comm == "wal" and .kind != "data"')" \
		"$(writes "$DISK" '.kind != "data"')"
	expect_match "why its journal was sent" '(^| )fsync( |$)' \
		"$(words "$(writes "$DISK" '.comm == "wal" and .kind == "journal" and .bytes > 0')" reason)"
	conserve
}

c15() {
	local service rest
	mount_fs ext4 "$OTHER" other
	no_background_writeback
	begin "$DISK" "$OTHER"
	OWED=
	write_as svc service /a 1m
	write_as svc service /other/b 3m
	finish
	rest='.comm == "service" and .kind == "data"'
	bytes "service on the one disk" $((1 << 20)) "$(writes "$DISK" "$rest")"
	bytes "service on the other disk" $((3 << 20)) "$(writes "$OTHER" "$rest")"
	conserve
	disable
	service=$(named service "$WORKLOADS/writer")
	# shellcheck disable=SC2016
	rest='"$1" "$2/c" 256k; "$1" "$2/other/d" 512k'
	report --by dev,comm,kind -- "$BASH" -c "$rest" - "$service" "$MNT"
	expect_eq "rows of the service's data, one for each disk" \
		"$(printf '%s 262144\n%s 524288\n' "${DISK##*/}" "${OTHER##*/}" | sort)" \
		"$(in_report '.origins[] | select(.comm == "service" and .kind == "data") | "\(.devname) \(.bytes)"' | sort)"
	report_conserves
	report --dev "${OTHER##*/}" -- "$BASH" -c "$rest" - "$service" "$MNT"
	expect_eq "devices, with --dev" "$(dev_of "$OTHER")" "$(in_report '[.origins[].dev] | unique | join(" ")')"
	expect_eq "bytes, with --dev" 524288 "$(reported '.comm == "service" and .kind == "data"')"
	expect_eq "its mount is told by the path" "$MNT/other/d" \
		"$(in_report '[.origins[] | select(.comm == "service" and .kind == "data").file.path] | unique | join(" ")')"
}

for fs in ext4 xfs btrfs f2fs; do
	case_on $fs "C01 $fs: the program is the origin, the worker only sends" c01
done
case_on ext4 "C03 what one kworker sends is split by who wrote it" c03
case_on ext4 "C09 a file rewritten by many that are gone is one row" c09
case_on ext4 "C13 who syncs twice a second owns data, journal and metadata" c13
case_on ext4 "C15 one service, two disks: each its bytes" c15
case_on ext4 "C81 small writers that left long before write-back" c81
t_done
