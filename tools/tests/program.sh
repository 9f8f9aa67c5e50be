#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The program as users see it, without root: on a directory that stands for "/"
# and on saved files. Run by tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh

unset IOBLAME_ROOT
golden table.txt report -i "$data/report.json"
golden bytes.txt report -i "$data/report.json" --bytes
golden comm.txt report -i "$data/report.json" --by comm,op --sort comm
golden stacks.txt report -i "$data/report.json" --by stack --stacks
golden stacks-bytes.txt stacks -i "$data/report.json"
golden stacks-ios.txt stacks -i "$data/report.json" --metric ios --stacks --top 2
golden top.txt report -i "$data/report.json" --top 2
golden raw.txt report -i "$data/report.json" --raw
golden rows.csv report -i "$data/report.json" --csv
golden filtered.txt report -i "$data/report.json" --comm writer-a --op write
golden file.json report -i "$data/report.json" --by file --json

# On a terminal the table fits, and says what it did for that.
if command -v script >/dev/null; then
	for width in 60 80 100; do
		NO_COLOR=1 COLUMNS=$width script -qec "$PROG report -i $data/report.json" /dev/null </dev/null |
			tr -d '\r' >"$TMP_DIR/out"
		grep -q "columns, whole when piped)" "$TMP_DIR/out" &&
			! sed -n '/^ *bytes/,/^(/p' "$TMP_DIR/out" | grep -v '^(' | grep -qE "^.{$((width + 1))}"
		result "terminal: a table fits $width columns" $?
	done
fi

# The first sentence claims what was seen, and no more.
# answer NAME SENTENCE FILTER [ARGS...]: of the report changed by a filter of jq
answer() {
	local name=$1 want=$2 change=$3
	shift 3
	jq "$change" "$data/report.json" >"$TMP_DIR/answer.json"
	"$PROG" report -i "$TMP_DIR/answer.json" "$@" | grep -v '^LOST' | sed '/^interval/,$d' >"$TMP_DIR/out"
	[ "$(cat "$TMP_DIR/out")" = "$want" ] || sed 's/^/# /' "$TMP_DIR/out"
	[ "$(cat "$TMP_DIR/out")" = "$want" ]
	result "answer: $name" $?
}
known='del(.filtered) | .origins |= map(select(.unknown != "filtered") | .unknown as $u | if $u then (del(.unknown) | .comm = $u | .basis = "page") else . end) |'
answer "one has the most" "83.6 % of the writes on vdb (28.0 KiB of 33.5 KiB) come from dd, nearly all of it in /mnt/the disk/a.dat; 11.9 % from preexisting" \
	"$known (.origins[] | select(.comm | test(\"writer|odd|jbd\"))) |= (.comm = \"dd\" | if .file then .file.path = \"/mnt/the disk/a.dat\" else . end)"
answer "some have it together" "71.6 % of the writes on vdb (24.0 KiB of 33.5 KiB) come from writer-a (47.8 %), odd\\x09na\\x5cme (23.9 %)" "$known ."
answer "nobody has the most" "nobody has most of the writes on vdb (97.7 KiB); the greatest are writer-a (16.4 %), odd\\x09na\\x5cme (8.2 %), jbd2/vdb-8 (4.1 %)" \
	"$known .devices[0].ops.write.bytes = 100000"
answer "what is not attributed comes first" "86.6 % of the writes on vdb (29.0 KiB of 33.5 KiB) are not attributed; nobody has most of them (33.5 KiB); the greatest are jbd2/vdb-8 (11.9 %)" \
	'del(.filtered) | .origins |= map(select(.unknown != "filtered")) | (.origins[] | select(.file).basis) = "issuer"'
answer "filters" "the filters let through, of the writes on vdb (33.5 KiB): writer-a (47.8 %)" . --comm writer-a
answer "where tasks were not saved nothing is said" "" '.origins[].comm = null | del(.origins[].unknown)'
answer "nothing was read or written" "" '.origins = [] | .devices[0].ops = {}'
answer "three disks at most, the greatest first" "100.0 % of the reads on d4 (4 B) come from x
100.0 % of the reads on d3 (3 B) come from x
100.0 % of the reads on d2 (2 B) come from x" '.devices = [range(1; 5) | {dev: "8:\(.)", name: "d\(.)", ops: {read: {ios: 1, bytes: .}}}] |
	.origins = [range(1; 5) | {dev: "8:\(.)", op: "read", bytes: ., ios: 1, comm: "x", basis: "direct"}]'
answer "a disk above another is left to it" "100.0 % of the writes on sda (10 B) come from x" \
	'.devices = [{dev: "8:0", name: "sda", ops: {write: {ios: 1, bytes: 10}}}, {dev: "253:0", name: "dm-0", stacked: true, ops: {write: {ios: 1, bytes: 10}}}] |
	.origins = [.devices[] | {dev, op: "write", bytes: 10, ios: 1, comm: "x", basis: "direct"}]'

golden tree.txt report -i "$data/record.data" --tree
golden tree-top.txt report -i "$data/record.data" --tree --by comm,op,file --top 3
golden amplification.txt report -i "$data/report.json" --amplification
"$PROG" report -i "$data/report.json" --amplification --json | jq -e 'all(.origins[]; .bytes ==
	(.written | .data_bytes + .metadata_bytes + .journal_bytes + .other_bytes) and
	.written.dirtied_bytes == .written.data_bytes + .cancelled_bytes and
	.written.ratio == (if .written.data_bytes > 0 then 1 else null end)) and (.origins | length) > 4' >"$TMP_DIR/jq"
result "amplification: json, every byte is of one class" $?
# A tree adds up: what hangs below a line has its bytes.
"$PROG" report -i "$data/record.data" --tree --bytes | python3 -c '
import sys
lines, below, way = [], {}, []
on = False
for line in sys.stdin.read().split("\n"):
    if on and line:
        text = line[at:]
        depth = (len(text) - len(text.lstrip("│├└─ "))) // 2
        lines.append(int(line.split()[0]))
        del way[depth:]
        assert len(way) == depth
        if way:
            below[way[-1]] = below.get(way[-1], 0) + lines[-1]
        way.append(len(lines) - 1)
    elif line.endswith("dev, op, comm, file"):
        on, at = True, line.index("dev, op")
assert len(lines) > 15 and len(below) > 5
assert all(lines[i] == n for i, n in below.items())' 2>"$TMP_DIR/err"
result "tree: sums of what is below" $?

# colours ARGS: whether there are any
colours() {
	LC_ALL=C.UTF-8 script -qec "$* $PROG report -i $data/report.json" /dev/null </dev/null | grep -q $'\033\['
}
"$PROG" report -i "$data/report.json" --color | grep -q $'^\033\[1;31mLOST' &&
	! "$PROG" report -i "$data/report.json" | grep -q $'\033' &&
	! "$PROG" report -i "$data/report.json" --color --color=never | grep -q $'\033'
result "color: when it is asked for" $?
if command -v script >/dev/null; then
	mkdir -p "$TMP_DIR/home/.config/terminal-colors.d"
	colours env -u XDG_CONFIG_HOME -u NO_COLOR TERM=xterm HOME="$TMP_DIR/none" &&
		! colours NO_COLOR=1 TERM=xterm && ! colours TERM=dumb &&
		colours env -u XDG_CONFIG_HOME NO_COLOR= TERM=xterm HOME="$TMP_DIR/home" &&
		touch "$TMP_DIR/home/.config/terminal-colors.d/ioblame.disable" &&
		! colours env -u XDG_CONFIG_HOME TERM=xterm HOME="$TMP_DIR/home"
	result "color: on a terminal, unless switched off" $?
fi
comma=$(locale -a 2>/dev/null | while read -r l; do [ "$(LC_ALL=$l locale decimal_point 2>/dev/null)" != , ] || { echo "$l"; break; }; done)
if [ -n "$comma" ]; then
	LC_ALL=$comma "$PROG" report -i "$data/report.json" | grep -q 'write 33,5 KiB' &&
		LC_ALL=$comma "$PROG" report -i "$data/report.json" --json | cmp -s "$data/report.json" -
	result "locale: numbers for people, not those for programs" $?
else
	result "locale: numbers for people, not those for programs # SKIP no locale with a comma" 0
fi
ends 2 1 "$PROG" report --tree --json && says "exclude each other" && ends 2 1 "$PROG" report --color=sometimes &&
	ends 2 1 "$PROG" report --amplification --op read && says "about writes" && ends 2 1 "$PROG" report --amplification --csv
result "usage: views that do not go together" $?

# Names of what runs in containers, and of disks made of others
names=$TMP_DIR/names.json
jq '.devices[0] |= (.name = "dm-3" | .alias = "vg-data") | .origins[0].cgroup = "/system.slice/docker-" + ("0123456789abcdef" * 4) + ".scope" |
	del(.origins[].container)' "$data/report.json" >"$names"
"$PROG" report -i "$names" --by container --json | jq -e '[.origins[].container] | index("docker:0123456789ab") and index("a.service") and length == 5' >"$TMP_DIR/jq"
result "container: told by the cgroup, also of an older report" $?
"$PROG" report -i "$names" >"$TMP_DIR/out" && grep -q '^dm-3 (254:16, vg-data): write' "$TMP_DIR/out" &&
	grep -q 'of the writes on vg-data (' "$TMP_DIR/out" && "$PROG" report -i "$names" --by dev | grep -q '^33.0 KiB .* vg-data '
result "disks: by the names that device mapper has" $?
for dev in vg-data /dev/mapper/vg-data dm-3 254:16; do
	[ "$("$PROG" report -i "$names" --dev "$dev" --json | jq '[.origins[].bytes] | add')" = 33792 ] || break
done
result "disks: found by each of their names" $?
jq '.devices[0] |= (.name = "dm-7" | .dev = "254:99") | .origins[].dev = "254:99"' "$names" >"$TMP_DIR/later.json"
ends 0 0 "$PROG" diff "$names" "$TMP_DIR/later.json" && grep -q '^no difference' "$TMP_DIR/out"
result "disks: the same under another number, diff" $?

# What goes in comes out.
"$PROG" report -i "$data/report.json" --json >"$TMP_DIR/again.json"
cmp -s "$data/report.json" "$TMP_DIR/again.json"
result "json: a report read and written is the same" $?

if [ -f "$data/record.data" ]; then
	golden record.txt report -i "$data/record.data"
	golden stacks-record.txt stacks -i "$data/record.data"
	golden stacks-device.txt stacks -i "$data/record.data" --metric device-time --top 3 --bytes
	golden script.txt script -i "$data/record.data"
	golden script.json script -i "$data/record.data" --json
	jq -es 'all(.[]; .bytes == ([.origins[].bytes] | add // 0))' "$data/script.json" >"$TMP_DIR/out"
	result "script: the bytes of origins add up to each IO" $?
	"$PROG" report -i <(cat "$data/record.data") | cmp -s - "$data/record.txt"
	result "record: read from a pipe" $?
	head -c $(($(stat -c %s "$data/record.data") * 2 / 3)) "$data/record.data" >"$TMP_DIR/cut.data"
	ends 0 0 "$PROG" report -i "$TMP_DIR/cut.data" && grep -q 'note: the recording is good for' "$TMP_DIR/out"
	result "record: cut off, a report is made of what is good" $?
	ends 0 1 "$PROG" script -i "$TMP_DIR/cut.data" && says "what came after is missing"
	result "script: cut off, the rest is said to be missing" $?
fi

fresh
ends 0 0 "$PROG" report --no-sync -- true && [ "$(cat "$dir/enable")" = 0 ]
result "report: a command is watched, tracing disabled again" $?
grep -q 'vdb (254:16): write 33.5 KiB in 9 IOs, flush 2 IOs' "$TMP_DIR/out"
result "report: the first lines say what the disk did" $?

ends 0 0 "$PROG" report --json -d 0.1 && jq -e '
	.schema == "ioblame.report/1" and (.version | type) == "string" and
	(.start_ns | type) == "number" and (.interval_s | type) == "number" and
	(.devices[0] | .dev == "254:16" and .name == "vdb" and .ops.write.bytes == 34304) and
	(.origins | length) == 7 and
	all(.origins[]; has("pid") and has("tid") and has("start_time") and has("comm") and
		has("cgroup_id") and has("cgroup") and has("file") and has("kind") and
		has("reason") and has("basis") and has("stack") and has("issuer_comm") and
		has("dirty_age_ns") and has("queue_ns") and has("device_ns") and
		has("cancelled_bytes") and has("devname") and (.bytes | type) == "number") and
	(.lost | keys) == ["acts", "events", "folds", "pages", "stacks"] and
	.unattributed.bytes == 5120 and .filtered.bytes == 512 and
	(.hooks | map(select(.missing_effect)) | length) == 1 and
	([.origins[].bytes] | add) + .filtered.bytes == 34304 and
	.stacks["1"][1] == "ext4_da_write_end+0x89 [ext4]"' "$TMP_DIR/out" >"$TMP_DIR/jq"
result "json: schema and sums" $?

"$PROG" report --json --no-sync -- echo hello >"$TMP_DIR/out" 2>"$TMP_DIR/err"
jq -e . "$TMP_DIR/out" >"$TMP_DIR/jq" && grep -qx hello "$TMP_DIR/err"
result "json: the command's output goes to stderr" $?
"$PROG" report --no-sync -- echo hello 2>&1 | grep -qx hello
result "report: the command's output is left alone" $?

"$PROG" stacks --no-sync -- echo hello 2>"$TMP_DIR/err" >"$TMP_DIR/out" && grep -qx hello "$TMP_DIR/out" &&
	grep -q '^72.7 % of the bytes written (24.0 KiB of 33.0 KiB) come through ext4_da_write_end <' "$TMP_DIR/out"
result "stacks: live" $?
ends 0 1 "$PROG" report --no-sync -- sh -c 'exit 3' && says "exited with status 3"
result "report: a command that fails is told, and reported" $?
ends 1 1 "$PROG" report --no-sync -- /nonexistent && says "cannot run /nonexistent" &&
	[ "$(cat "$dir/enable")" = 0 ]
result "report: a command that cannot be run" $?

ends 0 0 "$PROG" report --dev 254:16 --tgid 100 --op write --no-sync -- \
	cat "$dir/filter/dev" "$dir/filter/tgid" "$dir/filter/op" &&
	[ "$(head -3 "$TMP_DIR/out" | paste -sd,)" = "254:16,100,write" ] &&
	[ -z "$(cat "$dir/filter/dev" "$dir/filter/tgid" "$dir/filter/op")" ]
result "filters: in the module while it runs, put back after" $?
ends 1 1 "$PROG" report --dev nosuch -d 1 && says "no disk 'nosuch'"
result "filters: an unknown disk" $?
ends 1 1 "$PROG" report --cgroup /no/such -d 1 && says "no cgroup"
result "filters: an unknown cgroup" $?

ends 0 0 "$PROG" report --readahead --no-sync -- cat "$dir/track/readahead" &&
	[ "$(head -1 "$TMP_DIR/out")" = 1 ] && [ "$(cat "$dir/track/readahead" "$dir/enable" | paste -sd,)" = 0,0 ]
result "readahead: asked for while it runs, put back after" $?
echo 1 >"$dir/enable"
ends 1 1 "$PROG" report --readahead -d 0.1 && says "enabled already, without track/readahead" &&
	[ "$(cat "$dir/enable")" = 1 ]
result "readahead: refused where tracing runs without" $?
printf '17\t3\t254:16\tread\treadahead\tdirect\t2\t16384\t0\t0\t9000\t800000\t-\t3:2\t9:2\t8192\t4096\t0\n' \
	>>"$dir/totals"
sed -i 's/read\t0\t0/read\t2\t16384/' "$dir/devices"
echo 0 >"$dir/enable"
ends 0 0 "$PROG" report --readahead -d 0.1 &&
	grep -qx 'of what was read: used 8.0 KiB, unused 4.0 KiB, unseen 0 B' "$TMP_DIR/out" &&
	grep -Eq '^ *bytes +ios +share +cancelled +used +unused ' "$TMP_DIR/out" &&
	grep -Eq '^ *16.0 KiB +2 100.0% +0 B +8.0 KiB +4.0 KiB read ' "$TMP_DIR/out"
result "readahead: the table has columns for it" $?
ends 0 0 "$PROG" report --readahead --json -d 0.1 && jq -e '
	.readahead == {used_bytes: 8192, unused_bytes: 4096, unseen_bytes: 0} and
	[.origins[] | select(.op == "read").readahead] == [.readahead] and
	all(.origins[] | select(.op != "read"); has("readahead") and .readahead == null)' \
	"$TMP_DIR/out" >"$TMP_DIR/jq"
result "readahead: json" $?
fresh

"$PROG" report -d 30 >"$TMP_DIR/term.out" 2>"$TMP_DIR/term.err" &
pid=$!
for _ in $(seq 100); do
	[ "$(cat "$dir/enable")" != 1 ] || break
	sleep 0.1
done
ends 1 1 "$PROG" report -d 1 && says "another ioblame (pid $pid) is running"
result "session: a second one says who is first" $?
kill -TERM "$pid"
wait "$pid" && [ "$(cat "$dir/enable")" = 0 ] && grep -q '^vdb' "$TMP_DIR/term.out"
result "signals: SIGTERM ends watching, with a report, all put back" $?

"$PROG" report -d 30 >"$TMP_DIR/term.out" 2>&1 &
pid=$!
for _ in $(seq 100); do
	[ "$(cat "$dir/enable")" != 1 ] || break
	sleep 0.1
done
kill -KILL "$pid"
{ wait "$pid"; } 2>/dev/null
[ "$(cat "$dir/enable")" = 1 ] && ends 0 1 "$PROG" report -d 0.1 &&
	says "cleaned up after a killed run (pid $pid)" && [ "$(cat "$dir/enable")" = 0 ]
result "session: a killed one is cleaned up after" $?

(
	set -o pipefail
	"$PROG" report -d 0.1 2>"$TMP_DIR/err" | :
	exit "${PIPESTATUS[0]}"
) && [ ! -s "$TMP_DIR/err" ] && [ "$(cat "$dir/enable")" = 0 ]
result "output: a closed pipe is quiet" $?
ends 1 1 "$PROG" report -d 0.1 -o /dev/full && says "No space left" && [ "$(cat "$dir/enable")" = 0 ]
result "output: a full disk" $?
"$PROG" report -d 0.1 >/dev/full 2>"$TMP_DIR/err"
[ $? -eq 1 ] && says "No space left"
result "output: a full disk behind stdout" $?
ends 1 1 "$PROG" report -d 0.1 -o /nonexistent/x && says "cannot open /nonexistent/x"
result "output: a file that cannot be made" $?

mkdir "$TMP_DIR/whole"
echo old >"$TMP_DIR/whole/file"
chmod 640 "$TMP_DIR/whole/file"
ln -s file "$TMP_DIR/whole/link"
ends 0 0 "$PROG" report -d 0.1 -o "$TMP_DIR/whole/link" && grep -q '^vdb' "$TMP_DIR/whole/file" &&
	[ -L "$TMP_DIR/whole/link" ] && [ "$(stat -c %a "$TMP_DIR/whole/file")" = 640 ] &&
	[ "$(ls "$TMP_DIR/whole" | paste -sd,)" = file,link ]
result "output: a file is replaced, its mode and a link to it stay" $?
echo old >"$TMP_DIR/whole/file"
said=$(
	trap '' XFSZ
	ulimit -f 0
	"$PROG" report -i "$data/report.json" -o "$TMP_DIR/whole/file" 2>&1
	echo "status $?"
)
[ "$said" = "ioblame: cannot write $TMP_DIR/whole/file: File too large
status 1" ] && [ "$(cat "$TMP_DIR/whole/file")" = old ] && [ "$(ls "$TMP_DIR/whole" | paste -sd,)" = file,link ]
result "output: what cannot be written whole leaves the old file" $?
ends 0 0 "$PROG" top --batch -n 2 -d 0.1 && [ "$(cat "$dir/enable")" = 0 ] &&
	[ "$(grep -c '^all processes: 0, by bytes' "$TMP_DIR/out")" -eq 2 ] &&
	grep -q '^lost nothing\|^LOST ' "$TMP_DIR/out" && [ "$(grep -c '^$' "$TMP_DIR/out")" -eq 2 ]
result "top: plain text, tracing disabled again" $?
ends 0 0 "$PROG" top -n 1 -d 0.1 --dev 254:16 --op write && [ -z "$(cat "$dir/filter/dev" "$dir/filter/op")" ] &&
	grep -q '^ioblame top ' "$TMP_DIR/out"
result "top: so it is where there is no terminal; filters are put back" $?
# What there was when it began is not shown, what comes then is.
awk -F'\t' -v OFS='\t' '$1 == 16 && $5 == "sync" { $7++; $8 += 1048576 } 1' "$dir/totals" >"$TMP_DIR/totals"
awk -F'\t' -v OFS='\t' '$3 == "write" { $4++; $5 += 1048576 } 1' "$dir/devices" >"$TMP_DIR/devices"
echo 1 >"$dir/enable"
: >"$TMP_DIR/out"
"$PROG" top -b -n 4 -d 0.5 >"$TMP_DIR/out" 2>"$TMP_DIR/err" &
pid=$!
for _ in $(seq 100); do
	[ ! -s "$TMP_DIR/out" ] || break
	sleep 0.05
done
mv "$TMP_DIR/totals" "$dir/totals" && mv "$TMP_DIR/devices" "$dir/devices"
wait "$pid" && [ "$(cat "$dir/enable")" = 1 ] && grep -q 'tracing was enabled before' "$TMP_DIR/out" &&
	grep -Eq '^ +[0-9.]+ MiB +0 B +[0-9.]+ MiB +[0-9.]+ 100.0% vdb +writer-a +100 /mnt/the disk/a.dat +sync ' "$TMP_DIR/out" &&
	! grep -q 'odd' "$TMP_DIR/out"
result "top: what is new is shown; tracing that was on stays on" $?
echo 0 >"$dir/enable"
"$PROG" top -b -d 0.1 2>"$TMP_DIR/err" | head -1 >"$TMP_DIR/out"
[ "${PIPESTATUS[0]}" -eq 0 ] && [ ! -s "$TMP_DIR/err" ] && [ "$(cat "$dir/enable")" = 0 ]
result "top: a closed pipe is quiet" $?
"$PROG" top -b -n 1 -d 0.1 >/dev/full 2>"$TMP_DIR/err"
[ $? -eq 1 ] && [ "$(wc -l <"$TMP_DIR/err")" -eq 1 ] && says "No space left" && [ "$(cat "$dir/enable")" = 0 ]
result "top: a full disk" $?
ends 2 1 "$PROG" top --sort nonsense
result "top: a wrong option" $?
fresh

ends 0 0 "$PROG" check
result "check: all that is required is there" $?
grep -q '^note mark_buffer_dirty .*metadata of file systems' "$TMP_DIR/out"
result "check: what a missing hook costs" $?
sed -i 's/attached/failed/' "$dir/hooks"
ends 1 1 "$PROG" check && grep -q '^BAD  block_rq_complete' "$TMP_DIR/out"
result "check: a required hook is missing" $?

fresh
echo 7 >"$dir/abi"
ends 1 1 "$PROG" report -d 1 && says "has ABI 7"
result "unhappy: a module of another ABI" $?
fresh
rm -rf "$dir"
ends 1 1 "$PROG" report -d 1 && says "no module" && ends 1 1 "$PROG" top -b && says "no module"
result "unhappy: no module" $?
fresh
rm -rf "$root/sys/kernel/debug"
ends 1 1 "$PROG" report -d 1 && says "debugfs is not mounted"
result "unhappy: no debugfs" $?
fresh
rm -rf "$root/sys/kernel/tracing"
ends 1 1 "$PROG" record -o "$TMP_DIR/x.data" -d 1 && says "tracefs"
result "unhappy: no tracefs" $?
fresh
head -c 3000 /dev/urandom >"$dir/totals"
ends 1 1 "$PROG" report -d 0.1 && [ "$(cat "$dir/enable")" = 0 ]
result "unhappy: garbage in debugfs" $?
fresh
: >"$dir/roles"
ends 1 1 "$PROG" report -d 0.1 && says "roles is empty"
result "unhappy: an empty table" $?

unset IOBLAME_ROOT
if [ "$(id -u)" -ne 0 ]; then
	ends 1 1 "$PROG" report -d 1 && says "needs root"
	result "unhappy: not root" $?
elif command -v setpriv >/dev/null && install -m 755 "$PROG" "$TMP_DIR/ioblame" && chmod 711 "$TMP_DIR"; then
	ends 1 1 setpriv --reuid 65534 --clear-groups "$TMP_DIR/ioblame" report -d 1 && says "needs root"
	result "unhappy: not root" $?
fi
ends 2 1 "$PROG" report --by nonsense
result "usage: exit status 2" $?
ends 2 1 "$PROG" stacks --metric nonsense && says "metrics are bytes, ios"
result "stacks: an unknown metric" $?
ends 1 1 "$PROG" stacks -i "$data/report.json" --metric unused && says "no unused here"
result "stacks: a metric the report does not have" $?
ends 1 1 "$PROG" stacks -i "$data/report.json" --metric device-time && says "take a recording"
result "stacks: times that totals do not have" $?
ends 2 1 "$PROG" repotr && says "did you mean 'report'"
result "usage: an unknown command" $?
ends 1 1 "$PROG" report -i /nonexistent
result "input: no such file" $?
ends 1 1 "$PROG" report -i "$data/table.txt" && says "no report"
result "input: not ours" $?
ends 1 1 "$PROG" script -i "$data/report.json" && says "no recording"
result "input: script needs a recording" $?
ln -sf "$PROG" "$TMP_DIR/ioblame-report"
"$TMP_DIR/ioblame-report" -i "$data/report.json" | cmp -s - "$data/table.txt"
result "ioblame-report is ioblame report" $?

echo "1..$nr"
exit $status
