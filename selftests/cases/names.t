#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: names: threads, reused pids, exec, odd bytes, long paths
# area: cases
# requires: cmd:jq cmd:ioblame cmd:fio disk:1 fs:ext4
# timeout: 2400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/cases.sh
. "${0%/*}/../lib/cases.sh"

# In each form of output one row is one row, whatever the names are made of.
c66() {
	local dd odd=$'w r) \tA\xff\xc2' form sep fields
	dd=$(named "$odd" dd)
	for form in raw csv; do
		ioblame report --$form -- "$dd" if=/dev/zero of="$MNT/a  b"$'\t,"\xff\n'".$form" bs=4k count=4 status=none >"$T_DIR/form" 2>"$T_DIR/err" ||
			fail "report --$form failed: $(<"$T_DIR/err")"
		expect_num "rows of --$form with the odd name" -ge 1 "$(grep -a -c 'w r)' "$T_DIR/form")"
		[ $form = raw ] || continue
		fields=$(grep -a -v '^#' "$T_DIR/form" | awk -F '\t' '{ print NF }' | sort -u)
		expect_eq "numbers of fields in the rows of --raw" 1 "$(wc -w <<<"$fields")"
	done
	sep=$(python3 -c '
import csv, sys
print(len({len(r) for r in csv.reader(open(sys.argv[1], newline=""))}))' "$T_DIR/form")
	expect_eq "numbers of fields in the rows of --csv" 1 "$sep"
	report -- "$dd" if=/dev/zero of="$MNT/"$'f\xff' bs=4k count=4 status=none
	expect_eq "the program's name, in JSON" 'w r) \x09A\xff\xc2' \
		"$(in_report '[.origins[] | select((.file.path // "") | startswith("'"$MNT"'/f")) | select(.kind == "data").comm] | unique | join(" ")')"
	expect_eq "the file's name, in JSON" "$MNT/f"'\xff' \
		"$(in_report '[.origins[] | select(((.comm // "") | startswith("w r")) and .kind == "data").file.path] | unique | join(" ")')"
	expect_ok "another reader of JSON" python3 -m json.tool "$REPORT" /dev/null
}

# Far longer than what is kept: whole, or marked; device and inode always there.
c69() {
	local i name ino path flags
	name=$(printf 'd%.0s' {1..200})
	cd "$MNT" || die "cd failed"
	for i in {1..14}; do
		mkdir "$name" || die "mkdir failed"
		cd "$name" || die "cd failed"
	done
	named wrA "$WORKLOADS/writer" >/dev/null
	report -- "$T_DIR/bin/wrA" end 16k
	ino=$(stat -c %i end)
	cd /
	expect_eq "bytes by device and inode" 16384 \
		"$(reported ".comm == \"wrA\" and .kind == \"data\" and .dev == \"$(dev_of "$DISK")\" and .file.ino == $ino")"
	path=$(in_report '[.origins[] | select(.comm == "wrA" and .kind == "data").file.path] | unique | join(" ")')
	flags=$(in_report '[.origins[] | select(.comm == "wrA" and .kind == "data").file.flags] | unique | join(" ")')
	if [ ${#path} -lt $((${#MNT} + 14 * 201 + 4)) ]; then
		expect_match "flags of a path that was cut" '(^|[ ,])cut([ ,]|$)' "$flags"
		# Without it, the mount and the end that was kept make a path that does not exist.
		expect_match "mark in a path that was cut" '\.\.\.|…' "$path"
		ioblame report -i "$REPORT" >"$T_DIR/table"
		expect_match "mark in the table" '\.\.\.|…|\(cut\)' "$(grep -F /end "$T_DIR/table")"
		expect_match "the end of it, which names the file" '/end$' "$path"
	else
		expect_match "the whole path" '/end$' "$path"
	fi
	report_conserves
}

# Threads of one process: told apart, and one by process.
c73() {
	local pid jobs=4
	no_background_writeback
	begin "$DISK"
	fio --name=t --directory="$MNT" --rw=write --bs=64k --size=256k --numjobs=$jobs --thread >"$T_DIR/fio" 2>&1 &
	pid=$!
	wait $pid || fail "fio failed: $(<"$T_DIR/fio")"
	finish
	bytes "process" $((jobs * 256 << 10)) "$(writes "$DISK" ".pid == $pid and .kind == \"data\"")"
	expect_eq "threads" $jobs "$(words "$(writes "$DISK" ".pid == $pid and .kind == \"data\" and .bytes > 0")" tid | wc -w)"
	conserve
	disable
	report --by pid,kind,op -- fio --name=v --directory="$MNT" --rw=write --bs=64k --size=256k --numjobs=$jobs --thread
	expect_eq "rows of data, by process" "1 $((jobs * 256 << 10))" \
		"$(in_report '[.origins[] | select(.kind == "data" and .op == "write").bytes] | "\(length) \(add)"')"
	report --by pid,tid,kind,op -- fio --name=w --directory="$MNT" --rw=write --bs=64k --size=256k --numjobs=$jobs --thread
	expect_eq "rows of data, by thread" "$jobs $((jobs * 256 << 10))" \
		"$(in_report '[.origins[] | select(.kind == "data" and .op == "write").bytes] | "\(length) \(add)"')"
}

# by_tgid: a filter on the process has all of its threads, begun before or after
c73_filter() {
	local pid
	mkfifo "$T_DIR/go"
	# shellcheck disable=SC2016
	"$BASH" -c 'read -r _ <"$1"; shift; exec "$@"' - "$T_DIR/go" "$(named wrT "$WORKLOADS/writer")" "$MNT/t" 256k -t &
	pid=$!
	# shellcheck disable=SC2016
	report --tgid $pid -- "$BASH" -c 'echo >"$1"; while kill -0 "$2" 2>/dev/null; do sleep 0.3; done' - "$T_DIR/go" $pid
	expect_eq "bytes of the thread, by its process" $((256 << 10)) "$(reported ".comm == \"wrT\" and .kind == \"data\" and .pid == $pid and .tid != $pid")"
}

# The number is given out again, to somebody else.
c84() {
	local last=/proc/sys/kernel/ns_last_pid first second try starts
	need path:$last
	named wrA "$WORKLOADS/writer" >/dev/null
	named wrB "$WORKLOADS/writer" >/dev/null
	no_background_writeback
	begin "$DISK"
	owes reused_pid write data page
	write_as a wrA /a 256k
	first=$(awk 'END { print $10 }' "$T_DIR/ledger")
	cgroup_make b
	for try in {1..30}; do
		echo $((first - 1)) >$last
		"$T_DIR/bin/wrB" "$MNT/b" 512k -k >"$T_DIR/said" &
		second=$!
		wait $second
		[ $second -ne "$first" ] || break
	done
	[ $second -eq "$first" ] || skip "the pid is never given out again, in $try tries"
	note "$(sed -n 's/^0:://p' /proc/self/cgroup)" /b <"$T_DIR/said"
	finish
	debts
	starts=$(jq "[.[] | select(.pid == $first and .kind == \"data\") | .start_ns] | unique | length" "$SNAP/origins.json")
	expect_eq "start times under the one pid" 2 "$starts"
	expect_eq "file of the first" /a "$(words ".pid == $first and .comm == \"wrA\" and .kind == \"data\"" path)"
	expect_eq "file of the second" /b "$(words ".pid == $first and .comm == \"wrB\" and .kind == \"data\"" path)"
	conserve
}

# The name at the moment of dirtying stays, after exec and after a rename.
c85() {
	local early
	early=$(named early "$BASH")
	named late "$WORKLOADS/writer" >/dev/null
	no_background_writeback
	begin "$DISK"
	# shellcheck disable=SC2016
	"$early" -c 'echo x >"$1/g"; exec "$2" "$1/h" 64k' - "$MNT" "$T_DIR/bin/late" || fail "early failed"
	owes renamed write data page
	write_as a first /f 256k -r second
	finish
	debts
	bytes "before exec, by its old name" 4096 "$(writes "$DISK" '.comm == "early" and .path == "/g" and .kind == "data"')"
	bytes "after exec, by its new name" 65536 "$(writes "$DISK" '.comm == "late" and .path == "/h" and .kind == "data"')"
	bytes "before exec, by the new name" 0 '.comm == "late" and .path == "/g"'
	expect_eq "one process" 1 "$(words '(.path | IN("/g", "/h")) and .kind == "data"' pid | wc -w)"
	conserve
}

case_on ext4 "C66 C68 odd names break neither rows nor JSON" c66
case_on ext4 "C69 a long path is whole, or marked as cut" c69
case_on ext4 "C73 processes and threads are told apart" c73
case_on ext4 "C73 a filter on a process has its threads" c73_filter
case_on ext4 "C84 a reused pid is another origin" c84
case_on ext4 "C85 exec and rename do not change who it was" c85
t_done
