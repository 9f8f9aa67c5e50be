# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What tests of the program share: a TAP line for each case, and how to look at a run.

data=$PWD/tests/data
nr=0
status=0

# result NAME STATUS
result() {
	nr=$((nr + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $nr - $1"
	else
		echo "not ok $nr - $1"
		status=1
	fi
}

# fresh: a new root directory
fresh() {
	root=$TMP_DIR/root
	rm -rf "$root"
	cp -r tests/root "$root"
	export IOBLAME_ROOT=$root
	dir=$root/sys/kernel/debug/ioblame
}

# ends STATUS ERRORS COMMAND...: exit status, and lines on stderr
ends() {
	local want=$1 lines=$2
	shift 2
	"$@" >"$TMP_DIR/out" 2>"$TMP_DIR/err"
	local got=$?
	if [ "$got" -ne "$want" ] || [ "$(wc -l <"$TMP_DIR/err")" -ne "$lines" ]; then
		echo "# status $got, not $want; stderr:"
		sed 's/^/#   /' "$TMP_DIR/err"
		return 1
	fi
}

# says WORDS: on stderr of the last run
says() {
	grep -qF -- "$1" "$TMP_DIR/err" || {
		echo "# '$1' not in: $(cat "$TMP_DIR/err")"
		return 1
	}
}

# golden NAME ARGS...: output as in tests/data/NAME; UPDATE=1 writes it anew
golden() {
	local name=$1
	shift
	if [ -n "$UPDATE" ]; then
		"$PROG" "$@" >"$data/$name"
	fi
	"$PROG" "$@" >"$TMP_DIR/out" 2>"$TMP_DIR/err"
	diff -u "$data/$name" "$TMP_DIR/out" | sed 's/^/# /'
	cmp -s "$data/$name" "$TMP_DIR/out"
	result "golden: $name" $?
}
