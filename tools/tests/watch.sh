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

# server MODE: on the port it had before
server() {
	PORT=$(cat "$TMP_DIR/port" 2>/dev/null || echo 0)
	rm -f "$TMP_DIR/port"
	PORT=$PORT /usr/bin/python3 tests/pyroscope.py "$TMP_DIR/port" "$TMP_DIR/sums" "$1" 2>>"$TMP_DIR/server.err" &
	server=$!
	wait_for test -s "$TMP_DIR/port"
}

end_server() {
	kill -TERM $server
	wait $server
}

# told: the server's sum of bytes
told() {
	jq -s 'map(.bytes) | add + 0' "$TMP_DIR/sums"
}

# wants BYTES: they have been told
wants() {
	[ "$(told)" = "$1" ]
}

free=$(/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
bytes=$(jq '.[0]' <<<"$once")
rm -rf "$TMP_DIR/w" "$TMP_DIR/port"
: >"$TMP_DIR/sums"
: >"$TMP_DIR/server.err"
server
fresh
push() {
	"$PROG" watch --store "$db" --no-flight --interval 0.2 --push-every 1 \
		--push "http://127.0.0.1:$(cat "$TMP_DIR/port")" "$@"
}
"$PROG" watch --store "$db" --no-flight --interval 0.2 --push-every 1 \
	--push "http://127.0.0.1:$(cat "$TMP_DIR/port")" --listen "$free" 2>"$TMP_DIR/err" &
pid=$!
wait_for wants "$bytes"
result "push: the server's sum of profiles is that of the totals" $?
jq -r .comm "$TMP_DIR/sums" | grep -qx writer-a && jq -r .device "$TMP_DIR/sums" | grep -qx vdb &&
	jq -r .cgroup "$TMP_DIR/sums" | grep -q '^/system.slice/a.service$'
result "push: labels" $?
metrics=http://127.0.0.1:$free
curl -sf "$metrics/metrics" >"$TMP_DIR/metrics"
grep -q '^ioblame_watch_push_sent_total [1-9]' "$TMP_DIR/metrics" && tail -1 "$TMP_DIR/metrics" | grep -qx '# EOF'
result "listen: metrics" $?
/usr/bin/python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
families = {f.name: f for f in parse(open(sys.argv[1]).read())}
assert sum(int(s.value) for s in families["ioblame_bytes"].samples) == int(sys.argv[2])
assert all("pid" not in s.labels and "file" not in s.labels for s in families["ioblame_bytes"].samples)
assert families["ioblame_watch_readings"].type == "counter"
' "$TMP_DIR/metrics" "$bytes"
result "listen: a client's parser reads them, and their sum is that of the totals" $?
! curl -sf "$metrics/" && ! curl -sf -d x "$metrics/metrics"
result "listen: nothing else is served" $?
end_server
more 2
sleep 2.5
[ "$(told)" = "$bytes" ] && [ "$(history --json | jq '[.origins[].bytes] | add')" = $((2 * bytes)) ]
result "push: a server that is away does not keep the store from going on" $?
for mode in cut busy; do
	server $mode
	more "$([ $mode = cut ] && echo 3 || echo 4)"
	sleep 2
	end_server
done
kill -TERM $pid
wait $pid && grep -q 'not sent yet' "$TMP_DIR/err"
result "push: what fails is told, and is no failure" $?
# Another run finds what waits.
server
fresh
# Each sends for as long as it runs; on a busy machine that may not be enough.
for _ in $(seq 20); do
	push -d 2 --push-every 600 2>"$TMP_DIR/err"
	! wants $((5 * bytes)) || break
done
wants $((5 * bytes))
result "push: sent later, by another run, nothing is lost" $?
[ "$(jq -r .id "$TMP_DIR/sums" | sort | uniq -d | wc -l)" -eq 0 ] && [ "$(told)" = $((5 * bytes)) ] && [ ! -s "$TMP_DIR/server.err" ]
result "push: nor sent twice" $?
end_server
server
rm -rf "$TMP_DIR/w"
: >"$TMP_DIR/sums"
ends 0 0 with_events -d 3 --interval 0.3 --push-every 1 --push "http://127.0.0.1:$(cat "$TMP_DIR/port")"
[ "$(told)" = "$bytes" ] && [ "$(jq -s 'map(.device_time) | add > 1000000' "$TMP_DIR/sums")" = true ]
result "push: with times in the device, where there are events" $?
fresh
ends 1 1 plain --listen "$(cat "$TMP_DIR/port")" -d 1 && says "cannot listen on"
result "listen: a port in use" $?
end_server
server refuse
fresh
push -d 2 2>"$TMP_DIR/err" && [ ! -s "$TMP_DIR/err" ] &&
	/usr/bin/python3 -c 'import sqlite3, sys
assert sqlite3.connect(sys.argv[1]).execute("select count(*) from outbox").fetchone() == (0,)' "$db"
result "push: what the server refuses is not tried for ever" $?
end_server
ends 2 1 plain --listen nowhere:1 && says "is no address"
result "listen: no address" $?

if command -v systemd-analyze >/dev/null; then
	sed "s|/usr/local/bin/ioblame|$PROG|" ioblame.service >"$TMP_DIR/ioblame.service"
	! systemd-analyze verify --man=no "$TMP_DIR/ioblame.service" 2>&1 | grep -F ioblame.service
	result "the unit is one that systemd takes" $?
fi

echo "1..$nr"
exit $status
