#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: load and unload: what appears, what goes, and that it can be done again
# area: smoke
# requires: cmd:jq
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

# file, mode, columns where it is a table
FILES="
abi               400
enable            600
reset             200
filter/dev        600
filter/tgid       600
filter/cgroup     600
filter/op         600
limits/stacks     600
limits/acts       600
limits/files      600
limits/totals     600
limits/flows      600
limits/blocks     600
limits/memory_kb  600
track/readahead   600
verify            600
stacks            400  id reason frames
roles             400  id pid tgid start_ns flags cgroup_id cgroup comm
files             400  id dev ino gen flags fstype path
acts              400  id role stack file kind
totals            400  act issuer dev op reason basis ios bytes cancelled age_max queue_max device_max age queue device used unused unseen
devices           400  dev name op ios bytes folded_ios folded_bytes
hooks             400  name type need state hits effect
stats             400  name value
"

files() { printf '%s' "$FILES" | awk 'NF'; }

# Modes without the owner's redundant bits: what group and others may do is nothing.
modes() {
	local file mode
	expect_eq "mode of $IOB" 700 "$(stat -c %a "$IOB")"
	while read -r file mode _; do
		expect_eq "mode of $file" "$mode" "$(stat -c %a "$IOB/$file")"
	done < <(files)
}

columns() {
	local file names
	while read -r file _ names; do
		[ -z "$names" ] || expect_eq "columns of $file" "$names" \
			"$(head -n 1 "$IOB/$file" | tr '\t' ' ')"
	done < <(files)
}

nothing_else() {
	expect_eq "files" "$(files | awk '{ print $1 }' | sort | xargs)" \
		"$(cd "$IOB" && find . -type f | sed 's|^\./||' | sort | xargs)"
}

loads() {
	expect_ok "insmod" load_module
	expect_eq "$IOB is there" yes "$([ -d "$IOB" ] && echo yes)"
	expect_eq "enable" 0 "$(cat "$IOB/enable")"
	expect_eq "abi" "$("$WORKLOADS/words" | sed -n 's/^abi //p')" "$(cat "$IOB/abi")"
}

# header_only WHICH...: while nothing is traced
header_only() {
	local file
	for file; do
		expect_eq "lines of $file" 1 "$(wc -l <"$IOB/$file")"
	done
}

enables() {
	expect_ok "enable" enable
	expect_eq "enable reads" 1 "$(cat "$IOB/enable")"
	expect_ok "enable, enabled" enable
	expect_eq "enable reads" 1 "$(cat "$IOB/enable")"
}

hooks_attached() {
	expect_eq "required hooks not attached" '' \
		"$(awk -F '\t' 'NR > 1 && $3 == "required" && $4 != "attached" { print $1 "=" $4 }' "$IOB/hooks" | xargs)"
	expect_eq "hooks that failed" '' \
		"$(awk -F '\t' 'NR > 1 && $4 == "failed" { print $1 }' "$IOB/hooks" | xargs)"
	expect_eq "hooks missing without a word on what that costs" '' \
		"$(awk -F '\t' 'NR > 1 && $4 != "attached" && ($6 == "" || $6 == "-") { print $1 }' "$IOB/hooks" | xargs)"
	expect_num "hooks attached" -ge 10 "$(grep -c attached "$IOB/hooks")"
}

disables() {
	expect_ok "disable" disable
	expect_eq "enable reads" 0 "$(cat "$IOB/enable")"
	expect_ok "disable, disabled" disable
	header_only stacks roles files acts totals devices
	expect_eq "hooks still attached" '' \
		"$(awk -F '\t' '$4 == "attached" { print $1 }' "$IOB/hooks" | xargs)"
}

unloads() {
	expect_ok "rmmod" rmmod ioblame
	expect_eq "$IOB is there" '' "$([ -e "$IOB" ] && echo yes)"
	expect_eq "tracefs events are there" '' "$([ -e "$TRACING/events/ioblame" ] && echo yes)"
}

unloads_while_enabled() {
	expect_ok "insmod" load_module
	expect_ok "enable" enable
	expect_ok "rmmod" rmmod ioblame
	expect_eq "$IOB is there" '' "$([ -e "$IOB" ] && echo yes)"
}

t_case "loads, disabled, with the ABI of the header" loads
t_case "debugfs modes are as documented" modes
t_case "debugfs tables have the documented columns" columns
t_case "debugfs holds the documented files and no other" nothing_else
t_case "while disabled the tables are empty" header_only stacks roles files acts totals devices
t_case "enables, twice" enables
t_case "required hooks are attached" hooks_attached
t_case "disables, twice, and detaches" disables
t_case "unloads and leaves nothing" unloads
t_case "loads again" loads
t_case "unloads again" unloads
t_case "unloads while enabled" unloads_while_enabled
t_done
