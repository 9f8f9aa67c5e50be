# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests on this machine, without a guest. They run in a copy of the checkout, so that
# the checkout stays as clean as it was.

# shellcheck source=apart.sh
. "${BASH_SOURCE[0]%/*}/apart.sh"

results=$build/check

# host_make FOLDER TARGET: make in the copy; a Makefile that is missing fails
host_make() {
	local copy=$build/host/src
	product_parts="$product_parts Documentation" product_copy "$copy"
	PATH=$PATH:$(apart_path) make -s -C "$copy/$1" -j"$(nproc)" "$2"
}

# host_run NAME WHAT COMMAND...: its TAP into the results; a failure without TAP is one
host_run() {
	local name=$1 what=$2 start=$SECONDS rc=0 passed failed skipped
	shift 2
	say "$what ..."
	"$@" >"$results/$name.tap" 2>"$results/$name.err" </dev/null || rc=$?
	read -r passed failed skipped < <(tap_count "$results/$name.tap")
	if [ "$rc" -ne 0 ] && [ "$failed" -eq 0 ]; then
		printf '\nnot ok %d - %s: status %d\n' $((passed + skipped + 1)) "$what" "$rc"
		tail -n 40 "$results/$name.err" | sed 's/^/# /'
	elif [ $((passed + failed + skipped)) -eq 0 ]; then
		printf 'ok 1 - %s\n' "$what"
	fi >>"$results/$name.tap"
	read -r passed failed skipped < <(tap_count "$results/$name.tap")
	say "$what: $passed passed, $failed failed, $skipped skipped ($((SECONDS - start)) s)"
	tap_failures "$results/$name.tap" >&2
}

# host_checks [LINT OPTION...]: all of them, one after the other: they share the copy
host_checks() {
	host_run lint "checking the sources" "$here/lint" "$@"
	host_run tools "testing the tools" host_make tools check
	host_run package "building the Debian packages" "$here/package"
	host_run core "testing the module's core in user space" host_make module/tests check
}
