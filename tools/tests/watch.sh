#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ioblame watch and history, without root: tests/root has the totals, and
# tests/fake_tracefs.pl gives the events. Run by tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh

cat >"$TMP_DIR/watch.sh" <<'EOS'
tracefs=$IOBLAME_ROOT/sys/kernel/tracing
perl tests/fake_tracefs.pl tests/data/record.data "$tracefs" "ioblame-$$" \
	"$IOBLAME_ROOT/sys/kernel/debug/ioblame" </dev/null >/dev/null 2>&1 &
echo $! >"$TMP_DIR/kernel"
for _ in $(seq 100); do
	[ ! -e "$tracefs/ready" ] || break
	sleep 0.1
done
exec "$PROG" watch --store "$TMP_DIR/w/store.db" --saves "$TMP_DIR/w/saves" "$@"
EOS

db=$TMP_DIR/w/store.db

# plain ARGS...: without events
plain() {
	"$PROG" watch --store "$db" --no-flight "$@"
}

# with_events ARGS...: in a fresh root
with_events() {
	fresh
	bash "$TMP_DIR/watch.sh" "$@"
	local status=$?
	kill "$(cat "$TMP_DIR/kernel")" 2>/dev/null
	return $status
}

history() {
	"$PROG" history --store "$db" --since 10m "$@"
}

# sums: bytes and cancelled bytes of all origins in the store
sums() {
	history --json | jq -c '[([.origins[].bytes] | add), ([.origins[].cancelled_bytes] | add)]'
}

# wait_for COMMAND...: up to 20 s
wait_for() {
	for _ in $(seq 200); do
		"$@" && return 0
		sleep 0.1
	done
	echo "# in vain: $*"
	return 1
}

# more N: N times what the totals say, in totals and devices, each whole
more() {
	local f
	for f in totals devices; do
		awk -F'\t' -v OFS='\t' -v n="$1" -v a="$([ $f = totals ] && echo 7 || echo 4)" \
			'NR > 1 { for (i = a; i < a + 2; i++) $i *= n; if (a == 7) $9 *= n } { print }' \
			"tests/root/sys/kernel/debug/ioblame/$f" >"$dir/$f.new"
	done
	mv "$dir/totals.new" "$dir/totals"
	mv "$dir/devices.new" "$dir/devices"
}

fresh
once=$("$PROG" report -d 0.2 --json | jq -c '[([.origins[].bytes] | add), ([.origins[].cancelled_bytes] | add)]')
rm -rf "$TMP_DIR/w"
ends 0 0 plain -d 1.5 --interval 0.3 && [ "$(sums)" = "$once" ]
result "watch: what the totals say is in the store, once" $?
ends 0 0 history && grep -q 'writer-a' "$TMP_DIR/out" && grep -q '^note: from 20' "$TMP_DIR/out"
result "history: reads as a report" $?
ends 0 0 history --by comm --csv && head -1 "$TMP_DIR/out" | grep -q '^bytes,ios' && grep -q writer-a "$TMP_DIR/out"
result "history: csv" $?
ends 0 0 history --by file --top 1 --bytes && grep -q 'left out by --top' "$TMP_DIR/out"
result "history: by file, the first" $?
ends 0 0 history --comm writer-a --json && [ "$(jq -r '[.origins[].comm] | unique | join(" ")' "$TMP_DIR/out")" = writer-a ]
result "history: filtered" $?
ends 1 1 history --by tid && says "does not keep tid"
result "history: what is not kept" $?
ends 1 1 history --until 2h && says "is not before"
result "history: an end before its start" $?
ends 1 1 "$PROG" history --store /nonexistent/db && says "no store"
result "history: no store" $?
head -c 5000 /dev/urandom >"$TMP_DIR/bad.db"
ends 1 1 "$PROG" history --store "$TMP_DIR/bad.db" && says "damaged"
result "history: no store but a file" $?
ends 2 1 history --since yesterday && says "takes a time"
result "history: no time" $?

# The totals grow while it runs; it is stopped, and begins again.
rm -rf "$TMP_DIR/w"
fresh
echo 1 >"$dir/enable"
"$PROG" watch --store "$db" --no-flight --interval 0.2 2>"$TMP_DIR/err" &
pid=$!
wait_for test -s "$db"
sleep 1
more 3
sleep 0.5
history >/dev/null
result "history: while it is watched" $?
more 5
kill -TERM $pid
wait $pid && [ ! -s "$TMP_DIR/err" ]
result "watch: ends on SIGTERM" $?
sed 's/^/# /' "$TMP_DIR/err"
[ "$(sums)" = "$(jq -nc --argjson o "$once" '$o | map(. * 4)')" ]
result "watch: the difference to what somebody else has counted before" $?
cp "$TMP_DIR/bad.db" "$db"
rm -f "$db"-*
fresh
ends 0 0 plain -d 0.5 && [ "$(sums)" = "$once" ] && cmp -s "$db.damaged" "$TMP_DIR/bad.db"
result "watch: a damaged store is put aside" $?

ends 2 1 plain --trigger io-latency:x && says "unknown trigger"
result "watch: a trigger that is none" $?
ends 2 1 plain --push localhost:4040 && says "takes a URL"
result "watch: no URL" $?
ends 1 1 "$PROG" watch --store /proc/x/y -d 1 --no-flight && says "/proc/x"
result "watch: a store that cannot be" $?
[ -z "$(find "$root/run" -type f -size +0)" ]
result "watch: all is put back" $?

# saved NAME: the one save of that name
saved() {
	local f
	f=$(find "$TMP_DIR/w/saves" -name "*$1*.ioblame")
	[ "$(printf '%s\n' "$f" | wc -l)" -eq 1 ] && [ -s "$f" ] && echo "$f"
}

rm -rf "$TMP_DIR/w"
ends 0 1 with_events -d 4 --after 0.5 --trigger io-latency:1ns && says "saved $TMP_DIR/w/saves" && f=$(saved io-latency-1ns)
result "watch: saves when an IO is slow, once in the hold-off" $?
ends 0 0 "$PROG" script -i "$f" && [ -s "$TMP_DIR/out" ] && ends 0 0 "$PROG" report -i "$f" &&
	! grep -q 'good for' "$TMP_DIR/out" && grep -q dd "$TMP_DIR/out"
result "watch: a save is a recording that is whole" $?

# How much a save has of the time before and after its trigger
rm -rf "$TMP_DIR/w"
fresh
bash "$TMP_DIR/watch.sh" --flight 2 --after 1 --hold-off 0 --interval 0.2 --keep 2 2>"$TMP_DIR/err" &
pid=$!
has_saved() {
	[ "$(grep -c saved "$TMP_DIR/err")" -ge "$1" ]
}
wait_for test -s "$db"
sleep 3
at=$(cut -d' ' -f1 /proc/uptime)
kill -USR1 $pid
wait_for has_saved 1
f=$(saved SIGUSR1)
"$PROG" script -i "$f" | cut -d' ' -f1 >"$TMP_DIR/times"
[ "$(awk -v at="$at" '$1 < at - 1 { before++ } $1 < at - 4 { old++ } $1 > at + 0.6 { after++ } END { print (before > 50), old + 0, (after > 20) }' "$TMP_DIR/times")" = "1 0 1" ]
result "watch: a save begins before its trigger and goes on after it" $?
sort -c -n -u "$TMP_DIR/times"
result "watch: no event is saved twice" $?
sleep 1.1
kill -USR1 $pid
wait_for has_saved 2
sleep 1.1
kill -USR1 $pid
wait_for has_saved 3
[ "$(find "$TMP_DIR/w/saves" -type f | wc -l)" -eq 2 ] && [ ! -e "$f" ]
result "watch: the oldest saves are removed" $?
kill -TERM $pid
wait $pid
result "watch: ends while it remembers" $?
kill "$(cat "$TMP_DIR/kernel")" 2>/dev/null

echo "1..$nr"
exit $status
