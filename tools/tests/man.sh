#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Write the man pages. usage: tests/man.sh PROGRAM DIRECTORY

prog=$1 dir=$2
for page in ioblame $("$prog" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
	name=ioblame
	[ "$page" = ioblame ] || name=ioblame-$page
	"$prog" __man "$page" >"$dir/$name.1" || exit 1
done
