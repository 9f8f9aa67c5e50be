# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What every script here starts with: where things are, and how to speak.
# Progress and errors go to stderr: stdout belongs to what was asked for.

set -euo pipefail

# Directories that others also use must not depend on where we were called from.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
top=$(dirname "$here")
build=$top/build
cache=${IOBLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ioblame}
# Debian's tools sort and speak by locale; ours read what they say.
export LC_ALL=C.UTF-8
# A user's own PATH may lack the system programs (su without -).
PATH=$PATH:/usr/sbin:/sbin
export PATH here top build cache

say() {
	[ -n "${IOBLAME_QUIET:-}" ] || printf '%s: %s\n' "${0##*/}" "$*" >&2
}

warn() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# One line that says what is wrong and what to do; 1 unless the caller knows better.
die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# os_field NAME: a field of /etc/os-release
os_field() {
	sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" /etc/os-release 2>/dev/null
}

# Run a long step: one line before, one a minute, one after; its log only when it fails.
# step WHAT LOGFILE COMMAND...
step() {
	local what=$1 log=$2 start=$SECONDS rc=0 clock
	shift 2
	say "$what ..."
	mkdir -p "$(dirname "$log")"
	step_clock "$what" "$start" </dev/null &
	clock=$!
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	kill "$clock" 2>/dev/null || true
	wait "$clock" 2>/dev/null || true
	if [ "$rc" -ne 0 ]; then
		tail -n 30 "$log" >&2
		warn "$what failed (status $rc): $(step_reason "$log"); the whole log is $log"
		return "$rc"
	fi
	say "$what: done in $((SECONDS - start)) s"
}

# Its sleep may outlive it for a while, so it must hold none of our files and locks open.
step_clock() {
	while sleep 60 >/dev/null 2>&1 7>&- 8>&- 9>&-; do
		say "$1: $((SECONDS - $2)) s so far"
	done
}

# step_reason LOGFILE: what usually lies behind such a log
step_reason() {
	if grep -qi 'no space left' "$1"; then
		echo "the disk is full, make room and run it again"
	elif grep -qE 'Could not resolve|Failed to fetch|Could not connect|Unable to connect|Temporary failure' "$1"; then
		echo "Debian's archive cannot be reached, check that 'apt-get update' works and run it again"
	else
		echo "its last words are above"
	fi
}

# hash_of FILE...: one word for the contents of files, whatever their names.
hash_of() {
	cat -- "$@" | sha256sum | cut -c1-12
}

# The build directory keeps itself out of git.
own_build_dir() {
	mkdir -p "$build"
	[ -e "$build/.gitignore" ] || echo '*' >"$build/.gitignore"
}
