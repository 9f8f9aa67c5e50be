#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libFuzzer on each target in turn. Run by make, from tools/:
# fuzz/run.sh BUILD SECONDS|shrink ONLY TARGET:LENGTH...
#
# What a run finds is worth keeping as long as it reaches new code: it goes through
# BUILD/corpus into fuzz/corpus by "shrink". An input that fails is put into
# fuzz/corpus at once, so that check fails until it is dealt with.

set -eu
build=$1 seconds=$2 only=$3
shift 3
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
failed=0 ran=0

# Of what is found, the smallest inputs are kept: so many bytes and files a target.
most=16384 most_files=64

# smallest FOLDER: names of files there
smallest() {
	find "$1" -type f -printf '%s %p\n' | sort -n |
		awk -v most="$most" -v nr="$most_files" '(sum += $1) > most || NR > nr { exit } { print $2 }'
}

# shrink NAME LENGTH: fuzz/corpus/NAME is the fewest inputs that reach the same code
shrink() {
	local new=$build/corpus/$1.new
	rm -rf "$new"
	mkdir -p "$new"
	"$build/$1" -merge=1 -max_len="$2" -rss_limit_mb=2048 -timeout=20 \
		"$new" "fuzz/corpus/$1" "$build/corpus/$1" >"$build/$1.log" 2>&1
	# By hand, or once failed: they stay.
	find "fuzz/corpus/$1" -type f ! -name '*[-.]*' -delete
	smallest "$new" | xargs -r cp -t "fuzz/corpus/$1"
	echo "$1: $(find "fuzz/corpus/$1" -type f | wc -l) inputs, $(du -bs "fuzz/corpus/$1" | cut -f1) bytes"
}

# fuzz NAME LENGTH
fuzz() {
	echo "$1: $seconds s, log in tools/$build/$1.log"
	mkdir -p "$build/corpus/$1"
	"$build/$1" -max_total_time="$seconds" -max_len="$2" -rss_limit_mb=2048 \
		-malloc_limit_mb=512 -timeout=20 -print_final_stats=1 \
		-artifact_prefix="fuzz/corpus/$1/" \
		"$build/corpus/$1" "fuzz/corpus/$1" >"$build/$1.log" 2>&1 || {
		failed=1
		echo "$1: FAILED"
		grep -aE '^(==[0-9]+==ERROR|SUMMARY|.*(runtime error|not true)|Test unit written)' "$build/$1.log" | sed 's/^/    /'
		return 0
	}
	sed -nE 's/^stat::(number_of_executed_units|peak_rss_mb): */    \1 /p' "$build/$1.log"
}

for entry; do
	name=${entry%:*}
	[ -z "$only" ] || [ "$only" = "$name" ] || continue
	ran=1
	mkdir -p "fuzz/corpus/$name"
	ln -sf fuzz.bin "$build/$name"
	if [ "$seconds" = shrink ]; then
		shrink "$name" "${entry#*:}"
	else
		fuzz "$name" "${entry#*:}"
	fi
done
[ "$ran" = 1 ] || { echo "no target '$only'" >&2; exit 2; }
exit $failed
