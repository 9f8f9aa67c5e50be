#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes wrong around the program, for every command: one clear line, the right exit
# status, nothing left behind. Tables; without root and module. Run by tests/run.sh.

# shellcheck source=tools/tests/cases.sh
. tests/cases.sh

live="report record script stacks export top"
out=$TMP_DIR/unhappy
mkdir "$out"

# args COMMAND: its arguments, watching for a moment
args() {
	case $1 in
	record) echo "record -o $out/file -d 0.1" ;;
	export) echo "export -f folded -d 0.1" ;;
	top) echo "top -b -n 1 -d 0.1" ;;
	check | version) echo "$1" ;;
	*) echo "$1 -d 0.1" ;;
	esac
}

# no_controls FILE...: nothing in them but text, lines and TABs
no_controls() {
	! LC_ALL=C grep -aq '[^[:print:][:blank:]]' "$@" || {
		echo "# controls: $(cat -v "$@" | head -5)"
		return 1
	}
}

# nothing_left: no lock is held, nothing to be put back, no half file, tracing off
nothing_left() {
	local left
	left=$(find "$out" -mindepth 1 ! -name expected; find "$root/run" -type f -size +0 2>/dev/null)
	[ -z "$left" ] || {
		echo "# left: $left"
		rm -rf "${out:?}"/*
		return 1
	}
	! grep -qs 1 "$root/sys/kernel/debug/ioblame/enable"
}

# fails STATUS WORDS COMMAND...: as it should; no output is a half one
fails() {
	local want=$1 words=$2
	shift 2
	ends "$want" "$([ "$want" -eq 0 ] && echo 0 || echo 1)" "$@" && says "$words" && no_controls "$TMP_DIR/err"
}

# The world is broken in one way. break_NAME does it in a fresh root.
break_abi() { echo 7 >"$dir/abi"; }
break_abi_text() { printf '\033[31mred\n' >"$dir/abi"; }
break_abi_gone() { rm "$dir/abi"; }
break_module() { rm -rf "$dir"; }
break_debugfs() { rm -rf "$root/sys/kernel/debug"; }
break_tracefs() { rm -rf "$root/sys/kernel/tracing"; }
break_run() { rm -rf "$root/run"; }
break_lock() { mkdir "$root/run/ioblame.lock"; }
break_enable() { rm "$dir/enable"; }
break_table() { printf 'dev\tname\n' >"$dir/devices"; }

# works ARGS...: and says no more than what was lost
works() {
	ends 0 "$(case $1 in export) echo 1 ;; *) echo 0 ;; esac)" "$PROG" "$@"
}

# how, what commands that watch say, which do not mind, which are not asked: those that
# need a kernel (record.sh has one)
while IFS='|' read -r how words fine without; do
	for cmd in $live; do
		case " $without " in *" $cmd "*) continue ;; esac
		fresh
		"break_$how"
		# shellcheck disable=SC2046 # arguments
		case " $fine " in
		*" $cmd "*) works $(args "$cmd") ;;
		*) fails 1 "$words" "$PROG" $(args "$cmd") ;;
		esac && nothing_left
		result "unhappy: $cmd, $how" $?
	done
	fresh
	"break_$how"
	# check says it among what it found; its one line says that there is something.
	case " $fine " in
	*" check "*) ends 0 0 "$PROG" check ;;
	*) ends 1 1 "$PROG" check && says "see the line" && grep -q '^BAD ' "$TMP_DIR/out" ;;
	esac && no_controls "$TMP_DIR/out" && nothing_left && ends 0 0 "$PROG" version
	result "unhappy: check and version, $how" $?
done <<-EOT
	abi|has ABI 7
	abi_text|has ABI \\x1b[31mred
	abi_gone|cannot open
	module|no module
	debugfs|debugfs is not mounted
	tracefs|tracefs is not there|report stacks export top check
	run|cannot open the lock file
	lock|cannot open the lock file
	enable|cannot open
	table|devices has no column||record script
EOT

# Without root there is nothing to open.
fresh
if [ "$(id -u)" -ne 0 ]; then
	as_user=("$PROG")
elif command -v setpriv >/dev/null && install -m 755 "$PROG" "$TMP_DIR/ioblame" && chmod 711 "$TMP_DIR"; then
	as_user=(setpriv --reuid 65534 --clear-groups "$TMP_DIR/ioblame")
fi
for cmd in ${as_user:+$live}; do
	# shellcheck disable=SC2046 # arguments
	fails 1 "needs root" env -u IOBLAME_ROOT "${as_user[@]}" $(args "$cmd") && nothing_left
	result "unhappy: $cmd, not root" $?
done
if [ "${as_user:+x}" ]; then
	ends 1 1 env -u IOBLAME_ROOT "${as_user[@]}" check && grep -q '^BAD *root ' "$TMP_DIR/out" &&
		ends 0 0 env -u IOBLAME_ROOT "${as_user[@]}" version
	result "unhappy: check and version, not root" $?
fi
mkdir -p "$root/sys/kernel/security"
echo 'none [integrity] confidentiality' >"$root/sys/kernel/security/lockdown"
ends 0 0 "$PROG" check && grep -q '^note *lockdown *integrity' "$TMP_DIR/out"
result "unhappy: check, lockdown" $?

# What reads a file, and what each writes. The recording is small, the pipe is not.
export real=$data/record.data
files="report -i $real
report -i $real --json
report -i $real --csv
report -i $real --raw
script -i $real
script -i $real --json
stacks -i $real
export -f folded -i $real
export -f svg -i $real
export -f pprof -i $real
export -f speedscope -i $real
export -f perfetto -i $real
export -f jsonl -i $real
export -f openmetrics -i $real
version
--help
report --help
check
report -d 0.1
top -b -n 1 -d 0.1"
closed='pipe(my $r, my $w); close $r; open(STDOUT, ">&", $w); close $w; exec @ARGV'
while read -r line; do
	fresh
	# shellcheck disable=SC2086 # arguments
	"$PROG" $line >/dev/full 2>"$TMP_DIR/err"
	[ $? -eq 1 ] && says "No space left" && [ "$(wc -l <"$TMP_DIR/err")" -eq 1 ] && nothing_left
	result "full disk: ${line//$real/FILE}" $?
	# shellcheck disable=SC2086
	ends 0 0 perl -e "$closed" "$PROG" $line && nothing_left
	result "closed pipe: ${line//$real/FILE}" $?
	# shellcheck disable=SC2086
	fails 1 "Bad file descriptor" sh -c '"$@" >&-' sh "$PROG" $line && nothing_left
	result "no output at all: ${line//$real/FILE}" $?
	# shellcheck disable=SC2086
	"$PROG" $line 2>&- <&- >"$TMP_DIR/out" && [ -s "$TMP_DIR/out" ] && nothing_left
	result "neither input nor errors: ${line//$real/FILE}" $?
done <<<"$files"
fresh
break_tracefs
echo precious >"$out/file"
fails 1 "tracefs is not there" "$PROG" record -o "$out/file" -d 0.1 && grep -qx precious "$out/file"
result "record: what cannot begin leaves the file before it" $?
rm "$out/file"

# An environment that says nothing, or nonsense, changes nothing of what is piped.
for cmd in "report -i $real" "stacks -i $real" "script -i $real"; do
	# shellcheck disable=SC2086 # arguments
	"$PROG" $cmd >"$out/expected"
	while read -r how; do
		# shellcheck disable=SC2086
		eval "ends 0 0 env $how $PROG $cmd" && cmp -s "$out/expected" "$TMP_DIR/out"
		result "environment: ${cmd%% *}, env $how" $?
	done <<-'EOT'
		-i
		-u HOME -u TERM -u LANG -u LC_ALL
		HOME= TERM= LANG= LC_ALL= COLUMNS= TZ= TMPDIR=
		HOME=/nonexistent TERM=nonsense LC_ALL=xx_YY.nonsense TZ=nonsense
		TERM=$'\e[31m' LC_ALL=$'\e[31m' IOBLAME_ROOT=$'/\e[31m' IOBLAME_KO=$'\e'
		LC_ALL=C COLUMNS=0
		COLUMNS=-5 LC_NUMERIC=de_DE.UTF-8
		COLUMNS=99999999999999999999 LIBSMARTCOLS_DEBUG= NO_COLOR=
		COLUMNS=$'\e[31m'
	EOT
done
rm -f "$out/expected"

# On a terminal: whatever the width, a table, and no more than text.
if command -v script >/dev/null; then
	for columns in 0 -5 1 7 4294967297 99999999999999999999 nonsense ''; do
		NO_COLOR=1 COLUMNS=$columns script -qec "$PROG report -i $real" /dev/null </dev/null |
			tr -d '\r' >"$TMP_DIR/out"
		[ "${PIPESTATUS[0]}" -eq 0 ] && grep -q '^ *bytes' "$TMP_DIR/out" && no_controls "$TMP_DIR/out"
		result "terminal: COLUMNS='$columns'" $?
	done
	NO_COLOR=1 script -qec "stty cols 1 rows 1; $PROG report -i $real" /dev/null </dev/null | tr -d '\r' >"$TMP_DIR/out"
	[ "${PIPESTATUS[0]}" -eq 0 ] && grep -q '^ *bytes' "$TMP_DIR/out" && no_controls "$TMP_DIR/out"
	result "terminal: one column" $?
fi

# The directory that stands for "/" may be nothing of the kind.
while IFS='|' read -r where words; do
	for cmd in report record top; do
		# shellcheck disable=SC2046 # arguments
		eval "fails 1 '$words' env IOBLAME_ROOT=$where $PROG $(args $cmd)" && nothing_left
		result "environment: $cmd, IOBLAME_ROOT=${where:0:30}" $?
	done
done <<-'EOT'
	/nonexistent|cannot open the lock file
	/dev/null|cannot open the lock file
	$'/\e[31m\n'|/\x1b[31m\x0a
	/$(printf %05000d 0)|too long
EOT

# Whoever chooses a name does not choose what the terminal does.
esc=$(printf 'a\033[31m\a\r\302\233\377')
fresh
while IFS='|' read -r status words line; do
	eval "set -- $line"
	fails "$status" "$words" "$PROG" "$@" && nothing_left
	result "names: ${line//\$esc/NAME}" $?
done <<-'EOT'
	2|\x1b[31m|"$esc"
	2|\x1b[31m|help "$esc" --x
	2|\x1b[31m|report "--$esc"
	2|\x1b[31m|report "$esc"
	2|\x1b[31m|report --by "$esc"
	2|\x1b[31m|report --sort "$esc"
	2|\x1b[31m|report --op "$esc"
	2|\x1b[31m|report -d "$esc"
	2|\x1b[31m|report --pid "$esc"
	2|\x1b[31m|report --top "$esc"
	2|\x1b[31m|export -f "$esc"
	2|\x1b[31m|export -f svg -m "$esc"
	2|\x1b[31m|top --sort "$esc"
	2|\x1b[31m|record --max-size "$esc"
	2|\x1b[31m|record --max-age "$esc"
	2|\x1b[31m|record --compress "$esc"
	1|\x1b[31m|report -i "/$esc"
	1|\x1b[31m|script -i "/$esc"
	1|\x1b[31m|report -i "$real" -o "/$esc/x"
	1|\x1b[31m|report --dev "$esc" -d 0.1
	1|\x1b[31m|report --cgroup "$esc" -d 0.1
	1|\x1b[31m|report --no-sync -- "/$esc"
EOT
printf '{"schema":"%s"}' "$(printf '\\u001b[31m')" >"$TMP_DIR/file.json"
fails 1 '\x1b[31m' "$PROG" report -i "$TMP_DIR/file.json"
result "names: the schema of a file" $?
fails 1 "no report and no recording" "$PROG" report -i /dev/zero && fails 1 "no recording" "$PROG" script -i /dev/zero
result "input: one that never ends is not read to its end" $?

echo "1..$nr"
exit $status
