# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every *.t sources: verdicts, assertions, requirements. A test that says
# nothing fails; an assertion always names what it expected and what it got.
#
#	t_case "what must be true" FUNCTION ARG...	one TAP line
#	t_done						the plan, once, last
#
# A case runs in a subshell. Its assertions go on after a failure, so that one
# run shows all that is wrong; die and skip leave the case at once.

set -u
shopt -s nullglob

SELFTESTS=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
WORKLOADS=$SELFTESTS/work
# In memory: what the tests note down must not be IO on any disk.
T_DIR=${IOBLAME_SELFTEST_DIR:-/dev/shm/ioblame-selftest}
T_NR=0

mkdir -p "$T_DIR/bin"

# Starting a program takes a tenth of a second in an emulated guest, so what runs
# often keeps to the shell: nap instead of sleep, read instead of cat and sed.
exec {T_NAP}<> <(:)
nap() { read -rt "$1" -u "$T_NAP" || :; }

# shellcheck source-path=SCRIPTDIR source=lib/need.sh
. "$SELFTESTS/lib/need.sh"
# shellcheck source-path=SCRIPTDIR source=lib/world.sh
. "$SELFTESTS/lib/world.sh"
# shellcheck source-path=SCRIPTDIR source=lib/measure.sh
. "$SELFTESTS/lib/measure.sh"
# shellcheck source-path=SCRIPTDIR source=lib/ledger.sh
. "$SELFTESTS/lib/ledger.sh"

# --- verdicts

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# fail WHY: the case is not ok, and goes on
fail() {
	printf '%s\n' "$*" >>"$T_DIR/failures"
	echo "failed: $*"
}

die() {
	fail "$*"
	exit 1
}

skip() {
	printf '%s\n' "$*" >"$T_DIR/skipped"
	exit 0
}

# pass: an assertion that held; a case without one is not ok
pass() { echo >>"$T_DIR/checks"; }

t_begin() { # DESCRIPTION
	T_CASE=$1
	T_NR=$((T_NR + 1))
	klog_mark "$T_CASE"
	: >"$T_DIR/failures"
	: >"$T_DIR/checks"
	: >"$T_DIR/skipped"
}

t_verdict() { # STATUS
	local why
	T_BAD=
	if [ -s "$T_DIR/failures" ]; then
		read -r why <"$T_DIR/failures"
	elif [ "$1" -ne 0 ]; then
		why="left with status $1"
	elif [ -s "$T_DIR/skipped" ]; then
		echo "ok $T_NR - $T_CASE # SKIP $(<"$T_DIR/skipped")"
		return
	elif ! [ -s "$T_DIR/checks" ]; then
		why="it checked nothing"
	else
		echo "ok $T_NR - $T_CASE"
		return
	fi
	T_BAD=y
	echo "not ok $T_NR - $T_CASE: $why"
	sed 's/^/# /' "$T_DIR/out"
	t_explain
}

# What a reader of a failure wants to know about the module.
t_explain() {
	[ -e "$IOB/stats" ] || return 0
	awk -F '\t' 'NR > 1 && $2 != 0 { print "# stats: " $1 " " $2 }' "$IOB/stats"
	[ "$(<"$IOB/enable")" = 0 ] ||
		awk -F '\t' 'NR > 1 && $4 !~ /attached|waiting/ { print "# hook: " $1 " " $4 }' "$IOB/hooks"
}

t_case() {
	t_begin "$1"
	shift
	(
		trap 'kill $(jobs -p) 2>/dev/null' EXIT
		"$@"
	) >"$T_DIR/out" 2>&1 </dev/null
	t_verdict $?
}

# t_judged PREFIX COMMAND...: COMMAND prints "scenario <TAB> what <TAB> expected
# <TAB> actual"; one verdict for each scenario
t_judged() {
	local prefix=$1 scenario what expected actual last=
	shift
	if ! "$@" >"$T_DIR/judged" 2>"$T_DIR/out"; then
		t_begin "$prefix$1"
		fail "cannot be judged" >>"$T_DIR/out"
		t_verdict 0
		return
	fi
	while IFS=$'\t' read -r scenario what expected actual; do
		if [ "$scenario" != "$last" ]; then
			[ -z "$last" ] || t_verdict 0
			t_begin "$prefix$scenario"
			: >"$T_DIR/out"
			last=$scenario
		fi
		expect_eq "$what" "$expected" "$actual" >>"$T_DIR/out"
	done <"$T_DIR/judged"
	[ "$last" ] || t_begin "$prefix$1"
	t_verdict 0
}

t_done() { echo "1..$T_NR"; }

# --- assertions

expect_eq() { # WHAT EXPECTED ACTUAL
	if [ "$2" = "$3" ]; then
		pass
	else
		fail "$1: expected $2, got $3"
	fi
}

expect_num() { # WHAT OP EXPECTED ACTUAL, OP as of test(1): -le, -ge, ...
	if [ -n "$4" ] && test "$4" "$2" "$3"; then
		pass
	else
		fail "$1: expected $2 $3, got ${4:-nothing}"
	fi
}

expect_match() { # WHAT EXTENDED-REGEX ACTUAL
	if printf '%s\n' "$3" | grep -Eq -- "$2"; then
		pass
	else
		fail "$1: expected a match of /$2/, got $(printf '%s' "$3" | head -c 300)"
	fi
}

expect_ok() { # WHAT COMMAND...
	local what=$1 rc
	shift
	"$@"
	rc=$?
	if [ $rc -eq 0 ]; then
		pass
	else
		fail "$what: expected success of '$*', got status $rc"
	fi
}

expect_fail() { # WHAT COMMAND...
	local what=$1
	shift
	if "$@"; then
		fail "$what: expected failure of '$*', got success"
	else
		pass
	fi
}

# expect_lines: each line of stdin as for t_judged
expect_lines() {
	local what expected actual seen=
	while IFS=$'\t' read -r _ what expected actual; do
		expect_eq "$what" "$expected" "$actual"
		seen=y
	done
	[ "$seen" ] || fail "nothing to compare"
}

# poll SECONDS COMMAND...: until it succeeds; the limit is generous, never tuned
poll() {
	local limit=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $limit ] || return 1
		nap 0.2
	done
}

# --- kernel log

klog_mark() { echo "ioblame selftest: $*" >/dev/kmsg; }

# klog_splats MARK: what the kernel complained of since the line with MARK
klog_splats() {
	dmesg | awk -v mark="$1" '
		index($0, mark) { n = 0 }
		{ line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }' |
		grep -E -A 25 "$KLOG_SPLAT"
}

KLOG_SPLAT='BUG: |kernel BUG at|Oops|WARNING: |general protection fault'
KLOG_SPLAT+='|Unable to handle|KASAN|UBSAN|INFO: task .* blocked|INFO: trying to'
KLOG_SPLAT+='|rcu.*(stall|detected)|soft lockup|hard LOCKUP|possible recursive'
KLOG_SPLAT+='|possible circular|suspicious RCU|sleeping function called'
KLOG_SPLAT+='|inconsistent lock state|held lock|bad unlock balance|list_(add|del) corruption'
KLOG_SPLAT+='|refcount_t: |scheduling while atomic|Kernel panic|ODEBUG|unregister_netdevice'
