#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A trace.dat says what our own recording of the same events says: trace-cmd itself
# makes it (tests/trace_dat.py). Run by tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh
unset IOBLAME_ROOT

place=$TMP_DIR/trace_dat
file=$place/trace.dat
mkdir -p "$place"

# Whatever was built: one line, and nothing else.
printf '\x17\x08\x44tracing6\0' >"$place/head"
ends 1 1 "$PROG" report -i "$place/head" && says "$place/head: " && says "trace.dat"
result "trace.dat: only its beginning is there" $?

if ! pkg-config --exists libtracecmd; then
	says "without libtracecmd"
	result "trace.dat: built without libtracecmd" $?
elif ! command -v trace-cmd >/dev/null; then
	result "trace.dat: read as a recording # SKIP trace-cmd is not installed" 0
else
	tests/trace_dat.py "$data/record.data" "$place" 2>"$TMP_DIR/err" || sed 's/^/# /' "$TMP_DIR/err"
	# It has neither mounts nor names of disks.
	ours='del(.devname, .host) | .origins[].file? |= (if . then del(.path, .mount) else . end)'
	for it in "$data/record.data" "$file"; do
		"$PROG" script -i "$it" --json 2>>"$TMP_DIR/err" | jq -cS "$ours"
	done >"$TMP_DIR/both"
	lines=$(wc -l <"$TMP_DIR/both")
	[ "$lines" -gt 20 ] && diff <(head -n $((lines / 2)) "$TMP_DIR/both") <(tail -n $((lines / 2)) "$TMP_DIR/both") |
		sed 's/^/# /' >"$TMP_DIR/diff"
	[ "$lines" -gt 20 ] && [ ! -s "$TMP_DIR/diff" ] || { head -n 6 "$TMP_DIR/diff"; false; }
	result "trace.dat: script has each IO of our recording" $?

	"$PROG" report -i "$file" --json >"$TMP_DIR/report" 2>"$TMP_DIR/err"
	want=$("$PROG" script -i "$data/record.data" --json | jq -s '[.[].bytes] | add')
	[ "$(jq '[.origins[].bytes] | add' "$TMP_DIR/report")" = "$want" ] &&
		jq -e '.start_ns > 0 and .end_ns > .start_ns and .lost.events == 0 and .kernel == null and
			(.origins | map(.comm) | index("dd") != null)' "$TMP_DIR/report" >"$TMP_DIR/out"
	result "trace.dat: report adds up, and invents nothing" $?
	"$PROG" report -i /dev/stdin --json < <(cat "$file") 2>"$TMP_DIR/err" | cmp -s - "$TMP_DIR/report"
	result "trace.dat: also out of a pipe" $?
	"$PROG" export -f folded -i "$file" 2>"$TMP_DIR/err" | grep -q '^dd;.*;ext4_da_write_end'
	result "trace.dat: and can be exported" $?

	# Damage is not libtracecmd's strength, so much of it is tried.
	bad=""
	size=$(stat -c %s "$file")
	for part in 20 500 3000 $((size / 4)) $((size / 2)) $((size - 4096)) $((size - 1)); do
		head -c "$part" "$file" >"$place/cut"
		timeout 60 "$PROG" report -i "$place/cut" >"$TMP_DIR/out" 2>"$TMP_DIR/err"
		rc=$?
		[ $rc -le 1 ] && [ "$(wc -l <"$TMP_DIR/err")" -eq $rc ] || { bad="$bad $part"; sed 's/^/# /' "$TMP_DIR/err"; }
	done
	[ -z "$bad" ] || echo "# cut at$bad"
	[ -z "$bad" ]
	result "trace.dat: cut off anywhere, one line or what is left of it" $?

	# The eight bytes that say how long the formats are, and a few more places.
	bad=""
	for at in 12 24 40 60 300 500 530 600 1500 4000 5990 6010 9000; do
		cp "$file" "$place/cut"
		printf '\377\376\375\374\373\372\371\370' | dd of="$place/cut" bs=1 seek="$at" conv=notrunc status=none
		timeout 60 "$PROG" report -i "$place/cut" >"$TMP_DIR/out" 2>"$TMP_DIR/err"
		rc=$?
		[ $rc -le 1 ] && [ "$(wc -l <"$TMP_DIR/err")" -eq $rc ] || { bad="$bad $at"; sed 's/^/# /' "$TMP_DIR/err"; }
	done
	[ -z "$bad" ] || echo "# damaged at$bad"
	[ -z "$bad" ]
	result "trace.dat: damaged, one line or what is left of it" $?

	sed 's/ioblame_io/elsewhere_/g' "$file" >"$place/other"
	ends 1 1 "$PROG" report -i "$place/other" && says "$place/other: the format of event ioblame_io is missing"
	result "trace.dat: of other events" $?
fi

echo "1..$nr"
exit $status
