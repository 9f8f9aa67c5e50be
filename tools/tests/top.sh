#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ioblame top on a terminal: the real program in tmux, on a directory that stands for
# "/". Run by tests/run.sh, which sets PROG and TMP_DIR.

data=$PWD/tests/data
nr=0
status=0

# result NAME STATUS
result() {
	nr=$((nr + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $nr - top: $1"
	else
		echo "not ok $nr - top: $1"
		screen | sed 's/^/# |/'
		status=1
	fi
}

if ! command -v tmux >/dev/null; then
	echo "ok 1 - top: on a terminal # SKIP tmux is not installed"
	echo "1..1"
	exit 0
fi

# Nothing of who runs this: neither their server nor their settings.
unset TMUX TMUX_PANE NO_COLOR
export LC_ALL=C.UTF-8
t() {
	tmux -L "ioblame-$$" -f /dev/null "$@"
}
trap 't kill-server 2>/dev/null' EXIT

screen() {
	t capture-pane -p -t top 2>/dev/null
}

# sees TEXT: on the screen, within 10 s
sees() {
	local i
	for i in $(seq 100); do
		! screen | grep -qF -- "$1" || return 0
		sleep 0.1
	done
	echo "# '$1' is not on the screen"
	return 1
}

misses() {
	! screen | grep -qF -- "$1"
}

keys() {
	t send-keys -t top "$@"
}

# ended: the program left its status
ended() {
	local i
	for i in $(seq 100); do
		[ ! -s "$TMP_DIR/top.status" ] || break
		sleep 0.1
	done
	[ "$(cat "$TMP_DIR/top.status")" = "${1-0}" ] || {
		echo "# status: $(cat "$TMP_DIR/top.status")"
		return 1
	}
}

restored() {
	local i
	for i in $(seq 100); do
		[ ! -s "$TMP_DIR/stty.after" ] || break
		sleep 0.1
	done
	cmp -s "$TMP_DIR/stty.before" "$TMP_DIR/stty.after" && [ "$(cat "$dir/enable")" = 0 ]
}

enabled() {
	local i
	for i in $(seq 100); do
		[ "$(cat "$dir/enable")" != "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# begin ENVIRONMENT ARGS...: the program on a fresh root directory and terminal
begin() {
	local with=$1
	shift
	root=$TMP_DIR/top.root
	dir=$root/sys/kernel/debug/ioblame
	rm -rf "$root" "$TMP_DIR"/stty.* "$TMP_DIR/top.status"
	cp -r tests/root "$root"
	cat >"$TMP_DIR/top.run" <<-EOF
		stty -g >"$TMP_DIR/stty.before"
		env IOBLAME_ROOT="$root" ASAN_OPTIONS="$ASAN_OPTIONS" $with "$PROG" top $* 2>"$TMP_DIR/top.err"
		echo \$? >"$TMP_DIR/top.status"
		stty -g >"$TMP_DIR/stty.after"
		exec sleep 60
	EOF
	t kill-server 2>/dev/null
	# The old server may still be about to go.
	for _ in 1 2 3 4 5; do
		t new-session -d -s top -x "${columns:-80}" -y 24 "bash $TMP_DIR/top.run" 2>"$TMP_DIR/tmux.err" && return
		sleep 0.2
	done
	echo "# tmux: $(cat "$TMP_DIR/tmux.err")"
}

# write_more BYTES: writer-a's first row and its disk have written that much more. Both
# files change together, as far as two files can.
write_more() {
	awk -F'\t' -v OFS='\t' -v n="$1" '$1 == 16 && $5 == "sync" { $7++; $8 += n } 1' "$dir/totals" >"$dir/totals.new"
	awk -F'\t' -v OFS='\t' -v n="$1" '$3 == "write" { $4++; $5 += n } 1' "$dir/devices" >"$dir/devices.new"
	mv "$dir/totals.new" "$dir/totals"
	mv "$dir/devices.new" "$dir/devices"
}

# golden NAME: the screen as in tests/data; UPDATE=1 writes it anew. Times, and how
# long ago the bar of a history was, differ.
golden() {
	screen | sed 's/ [0-9:]*  every.*/ TIME/; s/█.*//; s/ *$//' >"$TMP_DIR/screen"
	[ -z "$UPDATE" ] || cp "$TMP_DIR/screen" "$data/$1"
	diff -u "$data/$1" "$TMP_DIR/screen" | sed 's/^/# /'
	cmp -s "$data/$1" "$TMP_DIR/screen"
}

begin "" -d 0.3
sees "all processes: 0" && sees "no IO completed" && [ "$(cat "$dir/enable")" = 1 ]
result "an idle machine" $?
# Where it does not even start, the rest would only wait.
[ "$status" -eq 0 ] || { echo "1..$nr"; exit 1; }
write_more 1048576
sees "writer-a" && sees "disk/a.dat" && sees "█"
result "who writes is shown, with a history" $?
keys c
sees "SINCE START" && sees "odd\\x09na\\x5cme"
result "sums since the start; odd names are escaped" $?
golden top_80.txt
result "the screen at 80 columns" $?
keys '>'
sees "-ios"
result "'>' sorts by the next column" $?
keys 1
sees "-bytes" && keys r && sees "+bytes" && keys r && sees "-bytes"
result "a digit sorts by that column, 'r' reverses" $?

keys /
sees "filter: _" && keys j b d && sees "filter: jbd_" && sees "only 'jbd'" && sees "jbd2/vdb-8" && misses "writer-a "
result "a filter, as it is typed" $?
keys BSpace BSpace BSpace x y z
sees "nothing matches" && keys Escape && sees "writer-a"
result "a filter that matches nothing, dropped" $?
keys / q Enter
sees "only 'q'" && keys Escape && sees "writer-a" && misses "only 'q'"
result "a key that is typed into the filter does nothing else" $?

keys Home Enter
sees "writer-a[100] > files: 1" && sees "the disk/a.dat"
result "Enter: the files of a process" $?
keys Enter
sees "a.dat > stacks: 1" && sees "ext4_da_write_end"
result "Enter: the stacks of a file" $?
keys BSpace
sees "writer-a[100] > files" && keys Left && sees "all processes" && keys Left && sees "all devices: 1" && sees "vdb"
result "and back, to the disks" $?
keys Enter Tab
sees "vdb > files"
result "Tab: the files of a disk" $?
golden top_files.txt
result "the screen of files" $?

keys p
sees PAUSED && keys p
for _ in $(seq 50); do misses PAUSED && break; sleep 0.1; done
misses PAUSED
result "pause" $?
keys h
sees "any key goes back" && keys x && sees "vdb > files"
result "help" $?

t resize-window -t top -x 50 -y 10
sees "vdb > files" && sees "unattributed" && [ "$(screen | wc -l)" -eq 10 ] && sees "q quit"
result "resized to 50x10" $?
t resize-window -t top -x 30 -y 5
sees "too small: 30x5"
result "too small a terminal says so" $?
t resize-window -t top -x 140 -y 24
sees "write" && sees "reason" && sees "vdb > files"
result "and goes on when it is enlarged" $?
keys q
ended && restored && [ ! -s "$TMP_DIR/top.err" ] && misses "vdb > files"
result "q: the terminal and all knobs are put back" $?

begin "NO_COLOR=1 LC_ALL=C" -d 0.3
sees "all processes" && write_more 4096 && sees "writer-a" && sees "@" && keys c && sees "SINCE START"
! t capture-pane -p -e -t top | grep -qP '\x1b\[[0-9;]*3[0-7]m|[^\x00-\x7f]'
result "NO_COLOR, and no UTF-8: neither is used" $?
keys C-c
ended && restored
result "Ctrl-C: all is put back" $?

begin "TERM=vt100" -d 0.3 --op write -n 3
sees "all processes" && [ "$(cat "$dir/filter/op")" = write ] && ended && restored && [ -z "$(cat "$dir/filter/op")" ]
result "a vt100, for three intervals; the filter is put back" $?

begin "" -d 0.3
sees "all processes"
kill -TERM "$(pgrep -P "$(t list-panes -t top -F '#{pane_pid}')")"
ended && restored
result "SIGTERM: all is put back" $?

begin "" -d 0.3
sees "all processes" && enabled 1
t kill-server
enabled 0
result "a terminal that is closed: all is put back" $?

for term in dumb nonsense; do
	begin "TERM=$term" -d 0.3
	ended 1 && restored && [ "$(wc -l <"$TMP_DIR/top.err")" -eq 1 ] && grep -qF -- --batch "$TMP_DIR/top.err"
	result "TERM=$term is refused in a line" $?
done
begin "" -d 0.3 "</dev/null"
ended 1 && restored && grep -q 'standard input is no terminal' "$TMP_DIR/top.err"
result "without keys it is refused in a line" $?
begin "" -d 0.3
sees "all processes"
rm -rf "$dir"
ended 1 && [ "$(wc -l <"$TMP_DIR/top.err")" -eq 1 ] && cmp -s "$TMP_DIR/stty.before" "$TMP_DIR/stty.after"
result "the module is unloaded meanwhile: one line, the terminal as it was" $?

echo "1..$nr"
exit $status
