# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The ledger: what each workload owes, as the workload itself says who it is.
# One line a debt: scenario, op, kind, bases, reasons, cancelled share, cgroup,
# its id, path, pid, tid, start_ns, comm, bytes.
#
#	owes SCENARIO OP KIND BASES [REASONS [CANCELLED]]	for what is run next
#	write_as CGROUP NAME FILE BYTES [writer options]
#	work_as WORKLOAD CGROUP NAME FILE [options]
#	t_ledger PREFIX	after finish: one verdict for each scenario
#
# BASES and REASONS: one word, or several with "|" between where the rules allow
# several, or "any". CANCELLED: none, all, half, or any (written or cancelled);
# all-BYTES, half-BYTES: less than that by so much.

owes() { OWED="$1 $2 $3 $4 ${5:-any} ${6:-none}"; }

# at_new_end: bytes that $FS itself writes before it truncates what is not on the disk
# yet: XFS did so with the block at the new end (xfs_setattr_size() of v6.1).
at_new_end() {
	[ "$FS" != xfs ] || ! kernel_is '<6.12' || echo "-4096"
}

write_as() { work_as writer "$@"; }

# A block device in the place of FILE has no path the report could show. VIA is
# another name to open FILE by.
work_as() {
	local work=$1 cg=$2 name=$3 file=${VIA:-$MNT$4} path=$4 said=$T_DIR/said.$BASHPID
	shift 4
	case $path in /dev/*) file=$path path=- ;; esac
	[ -x "$T_DIR/bin/$name" ] || cp "$WORKLOADS/$work" "$T_DIR/bin/$name"
	in_cgroup "$cg" "$T_DIR/bin/$name" "$file" "$@" -k >"$said" ||
		{ fail "$name $path $* failed"; return 1; }
	[ -z "${OWED-}" ] || note "/$CG/$cg" "$path" <"$said"
}

# note CGROUP PATH: its identities, read from stdin, go to the ledger
note() {
	local id line
	id=$(stat -c %i "$CGROOT$1")
	while read -r line; do
		echo "$OWED $1 $id $2 $line" >>"$T_DIR/ledger"
	done
}

# stay_as CGROUP NAME FILE BYTES [options]: a writer that has written, and lives
# on until the case ends: its stdin is a fifo that only the case holds open.
stay_as() {
	local cg=$1 name=$2 path=$3 said=$T_DIR/said.$2 fifo=$T_DIR/stay.$2 held
	shift 3
	cp "$WORKLOADS/writer" "$T_DIR/bin/$name"
	mkfifo "$fifo"
	exec {held}<>"$fifo"
	in_cgroup "$cg" "$T_DIR/bin/$name" "$MNT$path" "$@" -k -w <"$fifo" {held}>&- >"$said" &
	disown $!
	poll 60 test -s "$said" || die "$name says nothing"
	poll 60 waits_for_stdin "$name" || die "$name does not come to its end"
	note "/$CG/$cg" "$path" <"$said"
}

waits_for_stdin() { # NAME: it sleeps in read(0)
	local pid call
	pid=$(pgrep -x "$1") && read -r call <"/proc/$pid/syscall" && [[ $call == '0 0x0 '* ]]
}

# wait_all: for the writers started with &
wait_all() {
	local job
	for job in $(jobs -p); do
		wait "$job" || fail "a writer left with status $?"
	done
}

# scenario, what, expected, actual
judge_ledger() { # DISK BLOCK
	jq -R -n -r -L "$SELFTESTS/lib" --slurpfile origins "$SNAP/origins.json" \
		--argjson block "$2" --argjson tick "$((1000000000 / $(getconf CLK_TCK)))" \
		--arg dev "$(dev_of "$1")" '
	include "tables"; judge($origins[0]; $dev; $block; $tick)' "$T_DIR/ledger"
}

# t_ledger PREFIX [DISK [BLOCK]]
t_ledger() {
	t_judged "$1" judge_ledger "${2:-$(head -n 1 "$T_DIR/disks")}" "${3:-${BLOCK:-4096}}"
}
