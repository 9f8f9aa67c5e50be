#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What ioblame diff says of two files: every change is B less A, whatever the format,
# and other people's programs read what it writes. Run by tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh
unset IOBLAME_ROOT
export LC_ALL=C.UTF-8

readers=$PWD/tests/readers.py
# Paths are in what is written: short ones, the same wherever this is run.
cp "$data/report.json" "$TMP_DIR/a.json"
cd "$TMP_DIR" || exit 1
a=a.json b=b.json
# Later, on another kernel: other numbers for the same stack, file and disk.
jq '.origins[0] |= (.bytes = 40960 | .stack = 9 | .file.ino = 99) | .origins[1].comm = "newcomer" |
	.stacks["9"] = (.stacks["1"] | map(sub("\\+0x[0-9a-f]+"; "+0x7"))) | del(.origins[3]) |
	.end_ns = 2000000000 | (.origins[] | select(.dev).dev) = "8:0" | .devices[0].dev = "8:0"' "$a" >"$b"
hostile=$TMP_DIR/hostile.json
jq '.origins[0].comm = "a;b 7\"<&>\u0027{}=, 12" | .origins[1].comm = "\\x0a\\xff\\x1b]]>" |
	.origins[2].file.path = "/mnt/\\x0d\\x0a\"\\x5c\",\u0085" | .host = "\\x1b[2J\u202e" |
	.kernel = "\\x0a" | .devices[0].name = "v\"db\\x0a" | .notes = ["\\x1b[2J"]' "$a" >"$hostile"
jq '.origins = [] | .stacks = {}' "$a" >"$TMP_DIR/nothing.json"

golden diff.txt diff "$a" "$b" --by comm,file
golden diff-second.txt diff "$a" "$b" --by stack --scale second --bytes
golden diff-share.txt diff "$a" "$b" --by comm --scale share --top 2
golden diff.csv diff "$a" "$b" --by dev,comm --csv
golden diff.folded diff "$a" "$b" --format folded
"$PROG" diff "$a" "$b" --by op,comm --json >"$TMP_DIR/diff.json"
[ -z "$UPDATE" ] || cp "$TMP_DIR/diff.json" "$data/diff.json"
diff -u "$data/diff.json" "$TMP_DIR/diff.json" | sed 's/^/# /'
cmp -s "$data/diff.json" "$TMP_DIR/diff.json"
result "golden: diff.json" $?

for file in "$a" "$data/record.data" "$hostile"; do
	ends 0 0 "$PROG" diff "$file" "$file" && grep -q '^no difference: A and B have the same bytes' "$TMP_DIR/out" &&
		! grep -q '^ *change' "$TMP_DIR/out" &&
		"$PROG" diff "$file" "$file" --json | jq -e '.equal and all(.changes[]; .status == "same" and .change.value == 0)' >"$TMP_DIR/jq"
	result "diff: $(basename "$file") is equal to itself" $?
done
ends 0 0 "$PROG" diff "$TMP_DIR/nothing.json" "$TMP_DIR/nothing.json" && grep -q '^no difference' "$TMP_DIR/out"
result "diff: nothing is equal to nothing" $?

# sums A B ARGS: what changes add up to, and what it must be, of the reports themselves
sums() {
	local metric=$3
	"$PROG" diff "$1" "$2" --json --metric "$metric" --by dev,op,comm,file,stack,kind,reason,basis >"$TMP_DIR/sums" &&
		jq -e '([.changes[].change.value] | add // 0) == .b.value - .a.value and
			([.changes[].a.value] | add // 0) == .a.value and ([.changes[].b.value] | add // 0) == .b.value and
			all(.changes[]; .change.value == .b.value - .a.value and
				(.status == "new") == (.a.value == 0) and (.status == "gone") == (.b.value == 0) and
				((.change.per_s - .b.per_s + .a.per_s) | fabs) < 0.00001) and
			([.changes[].change.value | fabs] | . == (sort | reverse)) and .metric == "'"$metric"'"' "$TMP_DIR/sums" >"$TMP_DIR/jq" &&
		[ "$(jq -c '[.a.value, .b.value]' "$TMP_DIR/sums")" = "[$("$PROG" report -i "$1" --json | jq "[.origins[].$4] | add // 0"),$("$PROG" report -i "$2" --json | jq "[.origins[].$4] | add // 0")]" ]
}
for pair in "$a $b" "$b $a" "$a $data/record.data" "$data/record.data $hostile" "$TMP_DIR/nothing.json $a" "$hostile $b"; do
	# shellcheck disable=SC2086 # two files
	sums $pair bytes bytes && sums $pair ios ios && sums $pair cancelled cancelled_bytes
	result "diff: changes add up: $(basename "${pair% *}"), $(basename "${pair#* }")" $?
done

# What is the same thing under another number is one row.
"$PROG" diff "$a" "$b" --by dev,file,stack --json >"$TMP_DIR/out"
jq -e '[.changes[] | select(.file.path == "/mnt/the disk/a.dat")] | length == 1 and
	.[0].a.value == 16384 and .[0].b.value == 45056 and .[0].devname == "vdb"' "$TMP_DIR/out" >"$TMP_DIR/jq"
result "diff: disk, file and stack are known by their names" $?
jq '.devices[0].name = "sdx"' "$a" >"$TMP_DIR/sdx.json"
"$PROG" diff "$a" "$TMP_DIR/sdx.json" --by dev --json | jq -e '[.changes[] | [.status, .devname, .dev]] | sort ==
	[["gone", "vdb", "254:16"], ["new", "sdx", null]]' >"$TMP_DIR/jq"
result "diff: two disks of one number are two" $?

# The formats of other programs
"$PROG" diff "$a" "$b" --format svg -o "$TMP_DIR/diff.svg" && [ "$("$readers" svg "$TMP_DIR/diff.svg" bytes)" = 58368 ] &&
	[ "$("$PROG" diff "$a" "$b" --format svg --width A -o "$TMP_DIR/diff.svg" && "$readers" svg "$TMP_DIR/diff.svg" bytes)" = 33792 ]
result "diff svg: frames are as wide as B, or A" $?
"$PROG" diff "$a" "$b" --format svg >"$TMP_DIR/diff.svg"
grep -q '12.0 KiB only in A' "$TMP_DIR/diff.svg" && grep -A1 '<title>newcomer$' "$TMP_DIR/diff.svg" | grep -q ', new$' &&
	grep -A3 '<title>newcomer$' "$TMP_DIR/diff.svg" | grep -q 'rgb(245,80,80)' &&
	grep -A3 '<title>\[folded\]$' "$TMP_DIR/diff.svg" | grep -q 'rgb(245,245,245)'
result "diff svg: colours say what changed" $?
for format in svg csv; do
	"$PROG" diff "$hostile" "$b" --format $format -o "$TMP_DIR/read" && "$readers" $format "$TMP_DIR/read" "$([ $format = svg ] && echo bytes || echo b)" >"$TMP_DIR/out" 2>&1 &&
		[ "$(cat "$TMP_DIR/out")" = 58368 ]
	result "diff $format: hostile names" $?
done
# flamegraph.pl takes the last number, and the one before it as what to compare with
"$PROG" diff "$hostile" "$b" --format folded | awk '
	!/^.*[^ ] [0-9]+ [0-9]+$/ { bad = 1 } { a += $(NF - 1); b += $NF } END { print bad + 0, a, b }' >"$TMP_DIR/out"
[ "$(cat "$TMP_DIR/out")" = "0 33792 58368" ]
result "diff folded: both values, hostile names" $?
"$PROG" diff "$hostile" "$hostile" --by comm,file >"$TMP_DIR/out" && "$PROG" diff "$hostile" "$b" >>"$TMP_DIR/out" &&
	! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$TMP_DIR/out" && ! grep -q $'\u202e' "$TMP_DIR/out"
result "diff: control characters do not reach a terminal" $?

ends 0 0 "$PROG" diff --comm writer-a "$a" --op write "$b" && grep -q '^vdb takes 175 % more writes (+28.0 KiB, 16.0 KiB became 44.0 KiB): writer-a +28.0 KiB$' "$TMP_DIR/out"
result "diff: filters, and files before and behind options" $?
ends 2 1 "$PROG" diff "$a" && says "diff takes 2 files, not 1"
result "diff: one file" $?
ends 1 1 "$PROG" diff "$a" /nonexistent && says "/nonexistent"
result "diff: no such file" $?
ends 1 1 "$PROG" diff "$a" "$data/table.txt" && says "table.txt: no report"
result "diff: what is no report" $?
head -c 700 "$a" >"$TMP_DIR/cut.json"
ends 1 1 "$PROG" diff "$TMP_DIR/cut.json" "$a" -o "$TMP_DIR/none" && says "ends too early" && [ ! -e "$TMP_DIR/none" ]
result "diff: a report that was cut off, and no file left" $?
ends 2 1 "$PROG" diff "$a" "$b" --format pprof && says "diff does not write pprof" &&
	ends 2 1 "$PROG" diff "$a" "$b" --scale sahre && says "did you mean 'share'" &&
	ends 2 1 "$PROG" diff "$a" "$b" --by nonsense && ends 2 1 "$PROG" diff "$a" "$b" --width A && says "about --format svg" &&
	ends 2 1 "$PROG" diff "$a" "$b" --format svg --by comm && says "exclude each other"
result "diff: what cannot be asked for" $?
ends 1 1 "$PROG" diff "$data/record.data" "$a" --metric device-time && says "take a recording"
result "diff: a metric that one side does not have" $?
ends 0 0 "$PROG" diff "$data/record.data" "$data/record.data" --metric device-time
result "diff: the times of recordings" $?
"$PROG" diff "$a" "$b" >/dev/full 2>"$TMP_DIR/err"
[ $? -eq 1 ] && says "No space left"
result "diff: a full disk" $?

echo "1..$nr"
exit $status
