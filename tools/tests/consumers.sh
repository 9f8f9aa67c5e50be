#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What export writes, in the hands of the programs it is written for. What they make of
# it is compared with what the report says. A program that is not installed skips its
# cases; scripts/prepare has them all. Run by tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh
unset IOBLAME_ROOT
export PPROF_TMPDIR=$TMP_DIR
# shellcheck source=tools/tests/inputs.sh
. tests/inputs.sh

# lacks PROGRAM WHAT: then that is skipped
lacks() {
	! command -v "$1" >/dev/null || return 1
	result "$2 # SKIP $1 is not installed" 0
}

# relay COMMAND...: its verdicts become ours; without one it is a failure
relay() {
	local line seen=""
	while IFS= read -r line; do
		case $line in
		"ok - "*) result "${line#ok - }" 0; seen=1 ;;
		"not ok - "*) result "${line#not ok - }" 1; seen=1 ;;
		*) printf '%s\n' "$line" ;;
		esac
	done < <("$@" 2>"$TMP_DIR/err" || echo "not ok - $* ended with status $?")
	[ -n "$seen" ] || result "$* said nothing" 1
	sed 's/^/# /' "$TMP_DIR/err"
}

# made FORMAT INPUT: prints the path of what export writes
made() {
	local file=${2##*/}
	file=$TMP_DIR/${file%%.*}.$1
	"$PROG" export -f "$1" -i "$2" -o "$file" 2>"$TMP_DIR/err" && printf '%s\n' "$file"
}

# --- go tool pprof

# pprof_says FILE METRIC: "shown total", in plain numbers
pprof_says() {
	go tool pprof -top -nodefraction=0 -sample_index="$2" -unit="$3" "$1" 2>"$TMP_DIR/err" |
		sed -n 's/^Showing nodes accounting for \([0-9]*\)[A-Za-z]*, .* of \([0-9]*\)[A-Za-z]* total$/\1 \2/p'
}

pprof_top() {
	local input=$1 what file want
	what="go tool pprof -top, $(basename "$input")"
	lacks go "$what" && return
	file=$(made pprof "$input")
	for metric in bytes:B ios:count cancelled:B; do
		want=$(total "$input" "${metric%:*}")
		got=$(pprof_says "$file" "${metric%:*}" "${metric#*:}")
		[ "$got" = "$want $want" ] || echo "# pprof says '$got', the report $want"
		[ "$got" = "$want $want" ]
		result "$what: ${metric%:*}" $?
	done
}

pprof_top "$data/report.json"
pprof_top "$data/record.data"
pprof_top "$hostile"
# A task is found by its label, as users look for one.
if ! lacks go "go tool pprof -tagfocus: one task"; then
	want=$("$PROG" report -i "$data/report.json" --json | jq '[.origins[] | select(.comm == "writer-a").bytes] | add')
	got=$(go tool pprof -top -tagfocus=comm=writer-a -sample_index=bytes -unit=B "$TMP_DIR/report.pprof" 2>"$TMP_DIR/err" |
		sed -n 's/^Showing nodes accounting for \([0-9]*\)B, .*/\1/p')
	[ "$got" = "$want" ] || echo "# pprof says '$got', the report $want"
	[ "$got" = "$want" ]
	result "go tool pprof -tagfocus: one task" $?
fi

# --- Prometheus

for input in "$data/report.json" "$hostile"; do
	what="promtool can read $(basename "$input")"
	lacks promtool "$what" && continue
	# It reads the older text format: a unit is a comment there, no counter ends in _total.
	promtool check metrics <"$(made openmetrics "$input")" >"$TMP_DIR/out" 2>&1
	# 3: it can, and has a word about style.
	[ $? -ne 1 ] || { sed 's/^/# /' "$TMP_DIR/out"; false; }
	result "$what" $?
done
if ! lacks prometheus "a scraping Prometheus"; then
	relay timeout 300 tests/consumers.py prometheus "$TMP_DIR" "$TMP_DIR/report.openmetrics" "$TMP_DIR/hostile.openmetrics" \
		"$(made openmetrics "$data/record.data")" "$(made openmetrics "$nothing")"
fi

# --- a browser

browse() { # INPUT PATTERN
	relay timeout 300 tests/consumers.py browser "$TMP_DIR" "$(made svg "$1")" "$(made folded "$1")" "$2"
}

if command -v chromium >/dev/null || ! lacks chromium-headless-shell "a browser zooms and searches"; then
	browse "$data/report.json" 'writer|ext4'
	browse "$data/record.data" 'ext4'
	browse "$hostile" 'evil|<&>'
fi

# --- jq, on what is JSON

for format in speedscope jsonl; do
	jq -e . "$(made $format "$hostile")" >"$TMP_DIR/out" 2>"$TMP_DIR/err" || { sed 's/^/# /' "$TMP_DIR/err"; false; }
	result "jq reads $format with hostile names" $?
done

echo "1..$nr"
exit $status
