#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: load, enable, disable, unload at any moment of a busy system
# area: stress
# requires: cmd:fio cmd:jq disk:1 fs:ext4
# timeout: 6000

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)
# A cycle takes some seconds in an emulated guest.
CYCLES=${IOBLAME_CYCLES:-50}

# Buffered with fsync, mapped, direct, and files that come and go, until killed.
# Not as fast as they can: the loader has to get a processor now and then.
start_load() {
	fio --directory="$MNT" --size=4m --time_based --runtime=3600 --bs=4k --rw=randwrite --rate_iops=20 \
		--name=buffered --fsync=16 --name=mapped --ioengine=mmap --fsync=32 \
		--name=direct --direct=1 --name=reader --rw=randread --direct=1 >"$T_DIR/fio" 2>&1 &
	while :; do
		"$WORKLOADS/toucher" "$MNT/dir" 20 && "$WORKLOADS/toucher" "$MNT/dir" 20 -u
		"$WORKLOADS/writer" "$MNT/vain" 256k
		rm "$MNT/vain"
		nap 0.3
	done 2>/dev/null &
	poll 120 busy || die "no load: $(<"$T_DIR/fio")"
}

busy() { [ $(($(disk_sectors_written "$DISK") - WRITTEN)) -gt 200 ]; }

setup() {
	mount_fs ext4 "$DISK"
	mkdir "$MNT/dir"
	pass
}

# gone: the module, and what it showed
gone() {
	expect_eq "module is there" '' "$(module_loaded && echo yes)"
	expect_eq "$IOB is there" '' "$([ -e "$IOB" ] && echo yes)"
}

load_and_unload_under_load() {
	local i
	WRITTEN=$(disk_sectors_written "$DISK")
	start_load
	for ((i = 1; i <= CYCLES; i++)); do
		load_module || die "cycle $i: insmod failed"
		enable || die "cycle $i: enable failed"
		# A moment more each time, so that the end falls on ever other work.
		nap "0.0$((i % 10))"
		[ $((i % 3)) -ne 0 ] || disable || die "cycle $i: disable failed"
		rmmod ioblame || die "cycle $i: rmmod failed"
		pass
	done
	gone
}

enable_and_disable_under_load() {
	local i
	WRITTEN=$(disk_sectors_written "$DISK")
	start_load
	load_module || die "insmod failed"
	for ((i = 1; i <= CYCLES / 3; i++)); do
		enable || die "cycle $i: enable failed"
		nap "0.0$((i % 10))"
		[ $((i % 4)) -ne 0 ] || echo >"$IOB/reset" || die "cycle $i: reset failed"
		disable || die "cycle $i: disable failed"
		pass
	done
	rmmod ioblame || die "rmmod failed"
	gone
}

# Readers of every file, all the time, while tracing comes and goes.
readers_while_tracing_comes_and_goes() {
	local i
	WRITTEN=$(disk_sectors_written "$DISK")
	start_load
	load_module || die "insmod failed"
	for i in 1 2; do
		while :; do
			cat "$IOB"/{totals,stacks,roles,files,acts,devices,hooks,stats} >/dev/null
		done 2>"$T_DIR/reader.$i" &
	done
	for ((i = 1; i <= CYCLES / 5; i++)); do
		enable || die "cycle $i: enable failed"
		nap "0.$((i % 10))"
		disable || die "cycle $i: disable failed"
		pass
	done
	kill "$(jobs -p | tail -n 1)" "$(jobs -p | tail -n 2 | head -n 1)"
	wait "$(jobs -p | tail -n 1)"
	expect_eq "errors of the readers" '' "$(sort -u "$T_DIR"/reader.? | head -n 3)"
	rmmod ioblame || die "rmmod failed"
	gone
}

# A file that is held open while the module goes, or refuses to go.
unload_with_open_file() {
	load_module || die "insmod failed"
	enable
	exec 8<"$IOB/totals"
	rmmod ioblame 2>/dev/null
	cat <&8 >/dev/null 2>&1
	exec 8<&-
	module_loaded && expect_ok "rmmod, the file closed" rmmod ioblame
	gone
}

exact_afterwards() {
	begin "$DISK"
	owes writers_afterwards write data page
	write_as a writer-a /after 300001
	write_as b writer-b /after2 500k
	finish
	pass
}

leaks() {
	need path:/sys/kernel/debug/kmemleak
	unload_module
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	expect_eq "leaks with ioblame in them" '' \
		"$(grep -B 12 -A 4 ioblame /sys/kernel/debug/kmemleak | head -n 40)"
}

t_case "ext4" setup
for scenario in load_and_unload_under_load enable_and_disable_under_load \
	readers_while_tracing_comes_and_goes unload_with_open_file exact_afterwards; do
	t_case "$scenario" "$scenario"
done
t_ledger ''
t_conserve ""
t_case "kmemleak finds nothing" leaks
t_done
