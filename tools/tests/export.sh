#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What export writes is read back by programs that are not ours, and adds up to what
# the report says of the same input. Run by tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh
unset IOBLAME_ROOT

formats="folded svg pprof speedscope csv jsonl openmetrics"

# shellcheck source=tools/tests/inputs.sh
. tests/inputs.sh

# reads NAME FORMAT INPUT METRIC: a case; what comes out adds up to the report's sum
reads() {
	local name=$1 format=$2 input=$3 metric=$4 option="" got want
	case $format in folded | svg | pprof | speedscope) option="--metric $metric" ;; esac
	# shellcheck disable=SC2086 # two words or none
	"$PROG" export -f "$format" $option -i "$input" -o "$TMP_DIR/export" 2>"$TMP_DIR/err" || {
		sed 's/^/# /' "$TMP_DIR/err"
		result "$name" 1
		return
	}
	got=$(tests/readers.py "$format" "$TMP_DIR/export" "$metric" 2>"$TMP_DIR/err")
	case $? in
	0) ;;
	77) result "$name # SKIP $got" 0; return ;;
	*) sed 's/^/# /' "$TMP_DIR/err" ;;
	esac
	want=$(total "$input" "$metric")
	[ "$got" = "$want" ] || echo "# read $got, not $want"
	[ "$got" = "$want" ]
	result "$name" $?
}

for format in $formats; do
	for metric in bytes ios cancelled; do
		reads "export $format: $metric of a report" "$format" "$data/report.json" $metric
	done
	reads "export $format: bytes of a recording" "$format" "$data/record.data" bytes
	reads "export $format: hostile names" "$format" "$hostile" bytes
	reads "export $format: nothing at all" "$format" "$nothing" bytes
	"$PROG" export -f "$format" -i "$data/report.json" 2>"$TMP_DIR/err" | cat >"$TMP_DIR/piped"
	"$PROG" export -f "$format" -i "$data/report.json" -o "$TMP_DIR/filed" 2>"$TMP_DIR/err"
	cmp -s "$TMP_DIR/piped" "$TMP_DIR/filed"
	result "export $format: the same to a pipe and to a file" $?
	(
		set -o pipefail
		"$PROG" export -f "$format" -i "$nothing" 2>"$TMP_DIR/err" | :
		exit "${PIPESTATUS[0]}"
	) && ! grep -v LOST "$TMP_DIR/err"
	result "export $format: a closed pipe is quiet" $?
	"$PROG" export -f "$format" -i "$data/report.json" >/dev/full 2>"$TMP_DIR/err"
	[ $? -eq 1 ] && says "No space left" && [ "$(grep -vc LOST "$TMP_DIR/err")" -eq 1 ]
	result "export $format: a full disk" $?
done

# How long IOs took is in the events; each is shared among its origins, none lost.
for metric in device queue; do
	want=$("$PROG" script -i "$data/record.data" --json | jq -s "[.[] | select(.flags | index(\"partial\") | not).${metric}_ns] | add")
	got=$("$PROG" export -f folded --metric $metric-time -i "$data/record.data" | awk '{ n += $NF } END { printf "%d\n", n }')
	[ "$got" = "$want" ] || echo "# $got, not $want"
	[ "$got" = "$want" ]
	result "export: the $metric times of a recording add up" $?
done

# The same names in all of them, so that what is found in one is found in the other.
"$PROG" export -f folded -i "$hostile" 2>"$TMP_DIR/err" | grep -q '^a\\x3bb\\x207"<&>'"'"'{}=,\\x2012;.*;evil'
result "export folded: what would end a frame is escaped" $?
golden record.folded export -f folded -i "$data/record.data"
golden report.openmetrics export -f openmetrics -i "$data/report.json"
ends 0 1 "$PROG" export -f folded -i "$data/report.json" --comm writer-a && says "LOST: 2 acts, 1 folds" &&
	[ "$(awk '{ n += $NF } END { print n }' "$TMP_DIR/out")" = 16384 ]
result "export: filters, and what was lost on standard error" $?

# Slices: each IO once, none overlapping another of its thread, the sums those of script.
"$PROG" export -f perfetto -i "$data/record.data" -o "$TMP_DIR/trace" 2>"$TMP_DIR/err"
want=$("$PROG" script -i "$data/record.data" --json | jq -cs '[length, (map(.bytes) | add), (map(.queue_ns + .device_ns) | add)]')
got=$(jq -c '[.traceEvents[] | select(.cat == "io")] |
	[length, (map(.args.bytes) | add), (map(.dur * 1000) | add | round)]' "$TMP_DIR/trace")
[ "$got" = "$want" ] || echo "# $got, not $want"
[ "$got" = "$want" ]
result "export perfetto: each IO, its bytes and times" $?
jq -e '[.traceEvents[] | select(.cat == "io")] | group_by([.pid, .tid]) |
	all(.[]; sort_by(.ts) | . as $s | all(range(1; length); $s[. - 1].ts + $s[. - 1].dur <= $s[.].ts + 0.001)) and
	(map(.[0].pid) | length > 1)' "$TMP_DIR/trace" >"$TMP_DIR/out" &&
	jq -e '[.traceEvents[] | select(.name == "process_name").args.name] == ["vda (254:0)", "vdb (254:16)"]' \
		"$TMP_DIR/trace" >"$TMP_DIR/out"
result "export perfetto: slices of one thread do not overlap" $?
[ "$("$PROG" export -f perfetto -i "$data/record.data" --comm nobody | jq '.traceEvents | length')" = 0 ]
result "export perfetto: nothing at all" $?
rm -f "$TMP_DIR/trace"
ends 1 1 "$PROG" export -f perfetto -i "$data/report.json" -o "$TMP_DIR/trace" && says "no recording" &&
	says "ioblame record" && [ ! -e "$TMP_DIR/trace" ]
result "export perfetto: totals will not do, and leave no file" $?
"$PROG" export -f perfetto -i "$data/record.data" >/dev/full 2>"$TMP_DIR/err"
[ $? -eq 1 ] && says "No space left"
result "export perfetto: a full disk" $?

ends 2 1 "$PROG" export -i "$data/report.json" && says "export needs --format: one of folded, svg"
result "export: no format" $?
ends 2 1 "$PROG" export -f flded && says "did you mean 'folded'"
result "export: an unknown format" $?
ends 2 1 "$PROG" export -f xyzzy && says "formats are folded, svg"
result "export: an unknown format, nothing like it" $?
ends 2 1 "$PROG" export -f svg --metric xyzzy && says "metrics are bytes, ios"
result "export: an unknown metric" $?
ends 2 1 "$PROG" export -f csv --metric ios && says "csv does not choose by --metric"
result "export: a metric where all are written" $?
ends 1 1 "$PROG" export -f svg -i "$data/report.json" --metric unused && says "no unused here"
result "export: a metric the report does not have" $?
ends 1 1 "$PROG" export -f svg -i "$data/report.json" -o /nonexistent/x && says "cannot open /nonexistent/x"
result "export: a file that cannot be made" $?
ends 1 1 "$PROG" export -f svg -i "$data/table.txt" && says "no report"
result "export: an input that is not ours" $?

fresh
"$PROG" export -f csv --no-sync -- echo hello 2>"$TMP_DIR/err" >"$TMP_DIR/out" &&
	grep -qx hello "$TMP_DIR/err" && [ "$(tests/readers.py csv "$TMP_DIR/out")" = 33792 ] && [ "$(cat "$dir/enable")" = 0 ]
result "export: live, the command's output goes to stderr" $?

echo "1..$nr"
exit $status
