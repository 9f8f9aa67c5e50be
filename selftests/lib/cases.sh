# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests in cases/ have in common, sourced by each after lib.sh. A case
# is one situation from public reports, named by its number (cases.rst).
#
#	case_on FS "Cnn title" FUNCTION ARG...	FS new on $DISK, at $MNT
#	case_raw "Cnn title" FUNCTION ARG...	nothing mounted
#
# Each case has a world of its own: what it mounted, made or set goes with it.

DISK=$(disk 1)
# shellcheck disable=SC2034
OTHER=$(disk 2)
REPORT=$T_DIR/report.json

# IOBLAME_CASES, a regular expression for titles, narrows the choice.
case_raw() {
	[[ $1 =~ ${IOBLAME_CASES:-.} ]] || return 0
	t_case "$1" in_world "${@:2}"
	tidy | sed 's/^/# /'
}

in_world() {
	need_module
	"$@"
}

case_on() {
	local fs=$1 title=$2
	shift 2
	[[ " ${IOBLAME_FS:-$fs} " == *" $fs "* ]] || return 0
	case_raw "$title" on_new_fs "$fs" "$@"
}

on_new_fs() {
	FS=$1
	BLOCK=$(fs_block "$FS")
	shift
	need "fs:$(fs_type "$FS")"
	mount_fs "$FS" "$DISK"
	"$@"
}

tidy() {
	[ ! -e "$IOB/enable" ] || disable
	restore_knobs
	unmount_all
	reset_devices
	rm -f "$T_DIR"/{go,hold,bin/*,stay.*,said*}
} 2>&1

# named NAME PROGRAM: the path of a copy of PROGRAM under that name
named() {
	[ -x "$T_DIR/bin/$1" ] || cp "$(command -v "$2")" "$T_DIR/bin/$1"
	printf '%s\n' "$T_DIR/bin/$1"
}

# --- writing back without anybody asking

# unasked BYTES: what is dirty grows old; wait until so much was written
unasked() {
	local base
	base=$(disk_sectors_written "$DISK")
	vm dirty_expire_centisecs 200
	vm dirty_writeback_centisecs 100
	poll 120 written_since "$DISK" "$base" "$1" || die "nothing is written back unasked"
	quiesce "$DISK"
}

# --- assertions

# writes DISK [EXPR]: the rows that are writes to it
writes() { echo ".dev == \"$(dev_of "$1")\" and .op == \"write\" and (${2:-true})"; }

bytes() { expect_eq "$1: bytes" "$2" "$(sum "$3")"; } # WHAT EXPECTED EXPR

# share WHAT PERCENT EXPR OF: at least so much of what OF selects
share() {
	local all
	all=$(sum "$4")
	expect_num "bytes of all" -gt 0 "$all"
	expect_num "bytes of $1, $2 % of $all" -ge $((all * $2 / 100)) "$(sum "$3")"
}

# of REGEX: rows whose origin has such a name
of() { echo "((.comm // \"\") | test(\"^($1)\$\"))"; }

# debts: the ledger, in the midst of a case
debts() { debts_on "$DISK" "${BLOCK:-4096}"; }

debts_on() { # DISK BLOCK
	expect_lines < <(judge_ledger "$1" "$2")
}

# --- the program

# report ARGUMENT...: ioblame report --json, in a window of disk statistics
report() {
	quiesce "$DISK"
	disk_stats "$DISK" >"$T_DIR/base"
	ioblame report --json "$@" >"$REPORT" 2>"$T_DIR/err" ||
		fail "ioblame report $* left with status $?: $(<"$T_DIR/err")"
}

in_report() { jq -r "$1" "$REPORT"; }

reported() { in_report "[.origins[] | select($1) | .${2:-bytes}] | add // 0"; }

# report_conserves: until the report ended, nothing reached the disk untold
report_conserves() {
	local expected
	quiesce "$DISK"
	expected=$((($(disk_sectors_written "$DISK") - $(cut -f 6 "$T_DIR/base")) * 512))
	expect_eq "bytes written in the report, against the disk" "$expected" \
		"$(reported ".dev == \"$(dev_of "$DISK")\" and .op == \"write\"")"
}
