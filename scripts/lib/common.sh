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

# Run a long step: one line before, the log of it only when it fails.
# step WHAT LOGFILE COMMAND...
step() {
	local what=$1 log=$2 start=$SECONDS rc=0
	shift 2
	say "$what ..."
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	if [ "$rc" -ne 0 ]; then
		tail -n 30 "$log" >&2
		warn "$what failed (status $rc); the whole log is $log"
		return "$rc"
	fi
	say "$what: done in $((SECONDS - start)) s"
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
