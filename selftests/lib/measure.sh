# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# From "begin" to "finish" every byte is counted twice, by the kernel's own
# statistics and by the module; "t_conserve" compares the two to the byte.
#
#	begin DISK...	with the disks idle, enable
#	finish		sync, wait until idle, keep a snapshot of both
#	t_conserve	totals = devices = disk statistics
#	sum, words	questions to the snapshot

SNAP=$T_DIR/snap

# disk_stats DISK...: name, dev, ios and sectors of read, write, discard, flushes
disk_stats() {
	local d dev f
	for d; do
		d=${d##*/}
		read -r dev <"/sys/block/$d/dev"
		read -ra f <"/sys/block/$d/stat"
		printf '%s\t' "$d" "$dev" "${f[0]}" "${f[2]}" "${f[4]}" "${f[6]}" "${f[11]}" "${f[13]}"
		printf '%s\n' "${f[15]}"
	done
}

disk_sectors_written() {
	local f
	read -ra f <"/sys/block/${1##*/}/stat"
	echo "${f[6]}"
}

# written_since DISK SECTORS BYTES: at least so many reached it since then
written_since() { [ $((($(disk_sectors_written "$1") - $2) * 512)) -ge "$3" ]; }

dev_of() { # DISK
	local dev
	read -r dev <"/sys/block/${1##*/}/dev"
	echo "$dev"
}

disks_idle() {
	local d f
	for d; do
		read -ra f <"/sys/block/${d##*/}/stat"
		[ "${f[8]}" = 0 ] || return
	done
}

# quiesce DISK...: until nothing moved for a while
quiesce() {
	local before after='' quiet=0
	for _ in {1..600}; do
		before=$(disk_stats "$@")
		if [ "$before" = "$after" ] && disks_idle "$@"; then
			quiet=$((quiet + 1))
			[ $quiet -lt 3 ] || return 0
		else
			quiet=0
		fi
		after=$before
		nap 0.1
	done
	die "disks $* are never idle"
}

begin() {
	local before
	printf '%s\n' "$@" >"$T_DIR/disks"
	: >"$T_DIR/ledger"
	need_module
	disable
	sync
	for _ in {1..10}; do
		quiesce "$@"
		before=$(disk_stats "$@")
		enable || die "enable failed"
		disk_stats "$@" >"$T_DIR/base"
		[ "$before" = "$(<"$T_DIR/base")" ] && return 0
		disable
	done
	die "disks $* are never idle"
}

# snapshot: the module's tables and the disks' statistics of one and the same moment
snapshot() {
	local disks
	mapfile -t disks <"$T_DIR/disks"
	mkdir -p "$SNAP"
	for _ in {1..20}; do
		quiesce "${disks[@]}"
		disk_stats "${disks[@]}" >"$T_DIR/now"
		cp "$IOB"/{totals,devices,acts,roles,files,stacks,stats,hooks} "$SNAP" || die "cannot read the tables"
		[ "$(disk_stats "${disks[@]}")" = "$(<"$T_DIR/now")" ] && break
	done
	[ "$(counter stacks_wrong)" = 0 ] || die "$(counter stacks_wrong) call paths were taken for others"
	jq -n -L "$SELFTESTS/lib" --rawfile totals "$SNAP/totals" --rawfile acts "$SNAP/acts" \
		--rawfile roles "$SNAP/roles" --rawfile files "$SNAP/files" --rawfile stacks "$SNAP/stacks" \
		'include "tables"; origins($totals; $acts; $roles; $files; $stacks)' >"$SNAP/origins.json" ||
		die "the tables do not parse"
}

finish() {
	sync
	snapshot
}

# sum EXPR [COLUMN]: over the rows of totals for which the jq expression holds
sum() { jq "[.[] | select($1) | .${2:-bytes}] | add // 0" "$SNAP/origins.json"; }

# words EXPR COLUMN: its different values, sorted, blank separated
words() { jq -r "[.[] | select($1) | .$2 | tostring] | unique | join(\" \")" "$SNAP/origins.json"; }

# who_has: the larger rows, for the reader of a failure
who_has() {
	jq -r 'group_by([.op, .comm, .path, .kind, .basis, .reason])[] | .[0] as $r
		| [(map(.bytes) | add), $r.op, $r.comm, $r.path, $r.kind, $r.basis, $r.reason,
		   "issuer " + (map(.issuer // "-") | unique | join(",")), $r.dev] | @tsv' \
		"$SNAP/origins.json" | sort -rn | head -n 15
}

# scenario, what, expected, actual: by disk, operation and source
conservation() { # REGEX: the lines that match, where not everything was asked for
	jq -n -r -L "$SELFTESTS/lib" --rawfile base "$T_DIR/base" --rawfile now "$T_DIR/now" \
		--rawfile devices "$SNAP/devices" --slurpfile origins "$SNAP/origins.json" '
	include "tables"; conservation($base; $now; $devices; $origins[0])' | sort -s -t $'\t' -k 1,1 |
		grep -E -- "$1"
}

t_conserve() { # PREFIX [REGEX]
	t_judged "$1" conservation "${2:-.}"
	[ -z "$T_BAD" ] || who_has | sed 's/^/# /'
}

# In the midst of a case.
conserve() {
	expect_lines < <(conservation .)
	[ ! -s "$T_DIR/failures" ] || who_has
}
