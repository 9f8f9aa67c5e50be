#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ioblame record, without root: tests/fake_tracefs.pl stands for the kernel. Run by
# tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh

# The instance is named by the recorder's pid, so the kernel comes first.
cat >"$TMP_DIR/record.sh" <<'EOF'
tracefs=$IOBLAME_ROOT/sys/kernel/tracing
perl tests/fake_tracefs.pl tests/data/record.data "$tracefs" "ioblame-$$" \
	"$IOBLAME_ROOT/sys/kernel/debug/ioblame" </dev/null >/dev/null 2>&1 &
echo $! >"$TMP_DIR/kernel"
for _ in $(seq 100); do
	[ ! -e "$tracefs/ready" ] || break
	sleep 0.1
done
exec "$PROG" record "$@"
EOF

# record ARGS...: in a fresh root
record() {
	fresh
	${furnish:-:}
	bash "$TMP_DIR/record.sh" "$@"
	local status=$?
	# Still there if nothing was ever enabled.
	kill "$(cat "$TMP_DIR/kernel")" 2>/dev/null
	return $status
}

# said: how many events the recorder told of
said() {
	sed -n 's/^ioblame: \([0-9]*\) events in .*/\1/p' "$TMP_DIR/err"
}

# format FILE: the number in its head
format() {
	od -An -tu4 -j12 -N4 "$1" | tr -d ' '
}

# events FILE...: how many are in recordings that are not packed
events() {
	perl -0777 -ne 'for (my $at = 16; $at + 12 <= length; ) {
		my ($type, $len) = unpack("a4L<", substr($_, $at, 8));
		for (my $p = $at + 12; $type eq "EVTS" && $p < $at + 12 + $len; $n++) {
			$p += 16 + ((unpack("x12L<", substr($_, $p, 16)) + 7) & ~7);
		}
		$at += 12 + $len;
	} END { print "$n\n" }' "$@"
}

# is_whole FILE...: complete, and read by itself
is_whole() {
	local f
	for f; do
		ends 0 0 "$PROG" report -i "$f" && ! grep 'good for' "$TMP_DIR/out" &&
			ends 0 0 "$PROG" script -i "$f" && [ -s "$TMP_DIR/out" ] || {
			echo "# $f"
			return 1
		}
	done
}

f=$TMP_DIR/x.data
ends 0 1 record -o "$f" -d 1.3 && says "events in $f" && is_whole "$f"
result "record: a recording that is read" $?
grep -q 'dd\[178\] /usr/bin/dd 61440 direct/none' "$TMP_DIR/out"
result "record: ids are resolved" $?
[ "$(format "$f")" = 2 ] && grep -q PACK "$f"
result "record: packed, it is of format 2" $?
ends 0 1 record -o "$f" -d 1.3 --compress none && nr_said=$(said) && is_whole "$f" &&
	[ "$(format "$f")" = 1 ] && ! grep -q PACK "$f"
result "record: not packed, it is of format 1" $?
[ "$nr_said" -gt 100 ] && [ "$nr_said" = "$(events "$f")" ]
result "record: it has as many events as it says" $?
head -c $(($(stat -c %s "$f") - 10)) "$f" >"$f.cut"
ends 0 1 "$PROG" script -i "$f.cut" && says "what came after is missing"
result "record: cut off, it is good up to there" $?

# What the disk is called is of the machine that recorded.
furnish() {
	mkdir -p "$root/sys/devices/vdb/dm" "$root/sys/block" "$root/sys/dev/block"
	echo 254:16 >"$root/sys/devices/vdb/dev"
	printf 'vg-\033data\n' >"$root/sys/devices/vdb/dm/name"
	ln -s ../devices/vdb "$root/sys/block/vdb"
	ln -s ../../devices/vdb "$root/sys/dev/block/254:16"
}
furnish=furnish
record -o "$f" -d 1.3 2>/dev/null
furnish=""
ends 0 0 "$PROG" report -i "$f" && grep -q '^vdb (254:16, vg-\\x1bdata): ' "$TMP_DIR/out"
result "record: what device mapper calls a disk" $?

# Killed: what was there a second ago is in the file, each file's beginning, too.
rm -f "$f"*
record -o "$f" -d 60 --max-age 3 2>/dev/null &
for _ in $(seq 100); do
	[ ! -e "$f.1" ] || break
	sleep 0.1
done
sleep 1.8
kill -KILL "$(sed -n 's/^pid //p' "$root/run/ioblame.lock")"
{ wait $!; } 2>/dev/null
is_whole "$f.1"
result "killed: the file before is whole" $?
ends 0 1 "$PROG" script -i "$f" && says "what came after is missing" && grep -q 'dd\[178\] /usr/bin/dd' "$TMP_DIR/out"
result "killed: the last one is read as far as it was written" $?

# All that was recorded is in one of the files, once.
rm -f "$f"*
ends 0 1 record -o "$f" -d 3 --compress none --max-size 64k --keep 100 && nr_said=$(said) &&
	says "files, the last of them $f"
result "rotation: by size" $?
is_whole "$f" "$f".*
result "rotation: each file is whole and read by itself" $?
files=$(find "$TMP_DIR" -name 'x.data*' | wc -l)
[ "$files" -ge 3 ] && [ -e "$f.$((files - 1))" ] && [ ! -e "$f.$files" ] && [ ! -e "$f.new" ]
result "rotation: older files have the numbers from 1" $?
[ "$nr_said" -gt 100 ] && [ "$nr_said" = "$(events "$f" "$f".*)" ]
result "rotation: no event is lost" $?
{
	for i in $(seq $((files - 1)) -1 1); do
		"$PROG" script -i "$f.$i"
	done
	"$PROG" script -i "$f"
} | cut -d' ' -f1 >"$TMP_DIR/times"
[ -s "$TMP_DIR/times" ] && LC_ALL=C sort -V -c -u "$TMP_DIR/times"
result "rotation: no event is there twice, the newest are in FILE" $?
rm -f "$f"*
echo precious >"$f"
ends 0 1 record -o "$f" -d 2.6 --max-age 0.6 --keep 3 && is_whole "$f" "$f.1" "$f.2" && [ ! -e "$f.3" ]
result "rotation: by age, three are kept" $?
rm -f "$f"*
echo precious >"$f"
ends 0 1 record -o "$f" -d 0.5 --max-size 1G && is_whole "$f" && grep -q precious "$f.1"
result "rotation: what an earlier run left becomes older, too" $?
ln -sf x.data "$TMP_DIR/link"
ends 1 1 record -o "$TMP_DIR/link" -d 1 --max-size 1M && says "no regular file" && is_whole "$f"
result "rotation: a link is not renamed" $?
ends 1 1 record -o /dev/null -d 1 --max-size 1M && says "no regular file"
result "rotation: nor is a device" $?

ends 1 1 record -o /nonexistent/x -d 1 && says "cannot create /nonexistent/x"
result "output: a recording that cannot be made" $?
ends 1 1 record -o "/nonexistent/$(printf 'a\033[31m')" -d 1 && says '/a\x1b[31m' &&
	! LC_ALL=C grep -q '[[:cntrl:]]' "$TMP_DIR/err"
result "output: a name that would colour the terminal" $?
ends 1 1 record -o /dev/full -d 1 && says "no space left"
result "output: no room for a recording at all" $?
small=$TMP_DIR/small
mkdir "$small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1m tmpfs "$small" 2>/dev/null; then
	trap 'umount "$small"' EXIT
	ends 1 1 record -o "$small/x" -d 20 --compress none && says "what was recorded so far is kept"
	result "output: a disk that becomes full" $?
	size=$(stat -c %s "$small/x")
	ends 0 1 "$PROG" script -i "$small/x" && [ -s "$TMP_DIR/out" ] && says "good for $size of $size bytes"
	result "output: what there was room for is read" $?
	rm "$small/x"
	ends 1 1 record -o "$small/x" -d 20 --compress none --max-size 100k && says "no space left" && is_whole "$small/x.1" &&
		[ ! -e "$small/x.new" ]
	result "output: a disk that becomes full of older files" $?
fi

rm -f "$f"*
if command -v script >/dev/null; then
	fresh
	script -qec "stty cols 70; bash $TMP_DIR/record.sh -o $f -d 3.3" /dev/null </dev/null >"$TMP_DIR/out"
	tr '\r' '\n' <"$TMP_DIR/out" | sed 's/\x1b\[K//' >"$TMP_DIR/lines"
	grep -Eq '^0:00:0[12] [0-9]+ IOs, [0-9]+ events, [0-9.]+ KiB written' "$TMP_DIR/lines" &&
		[ "$(grep -c written "$TMP_DIR/lines")" -le 4 ] &&
		! grep written "$TMP_DIR/lines" | grep -qE '.{70}'
	result "progress: on a terminal, once a second, in its width" $?
	grep -q "$(printf '\r\033\\[Kioblame: ')[0-9]* events in" "$TMP_DIR/out"
	result "progress: cleared in the end" $?
	fresh
	script -qec "bash $TMP_DIR/record.sh -o $f -d 1.5 --no-progress" /dev/null </dev/null >"$TMP_DIR/out"
	! grep -q written "$TMP_DIR/out"
	result "progress: not if it is not wanted" $?
fi

echo "1..$nr"
exit $status
