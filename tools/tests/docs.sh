#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Help, man pages and completion agree, and the pages are well-formed. TAP.
# usage: tests/docs.sh PROGRAM DIRECTORY

prog=$1 dir=$2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source-path=SCRIPTDIR source=cases.sh
. tests/cases.sh

tests/man.sh "$prog" "$tmp"
diff -ru "$dir" "$tmp" | sed 's/^/# /' | head -40
diff -rq "$dir" "$tmp" >/dev/null
result "docs: pages in git are those the program makes (make -C tools man)" $?

commands=$("$prog" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
"$prog" __complete >"$tmp/complete"
bash -n "$tmp/complete"
result "docs: the completion is a valid script" $?
for c in $commands; do
	"$prog" "$c" --help | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort >"$tmp/help"
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$tmp/ioblame-$c.1" | sed 's/\\-/-/g' |
		grep -A1 '^\.TP' | grep -oE '^\.B .*--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort >"$tmp/man"
	grep -E "^	$c\)" "$tmp/complete" | grep -oE -- '--[a-z-]+' | sort >"$tmp/comp"
	cmp -s "$tmp/help" "$tmp/man" && cmp -s "$tmp/help" "$tmp/comp" && [ -s "$tmp/help" ]
	result "docs: options of $c agree in help, page and completion" $?
	grep -q "ioblame\\\\-$c" "$tmp/ioblame.1"
	result "docs: $c is in ioblame(1)" $?
done
if command -v man >/dev/null; then
	warnings=$(for p in "$tmp"/*.1; do
		LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$p" 2>&1 >/dev/null
	done)
	[ -z "$warnings" ]
	result "docs: man finds nothing to warn of" $?
	[ -z "$warnings" ] || printf '%s\n' "$warnings" | sed 's/^/# /'
fi
echo "1..$nr"
exit $status
