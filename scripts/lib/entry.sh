# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Entries of the cache: directories that are made once, whole or not at all, named by a
# hash of all they are made from. An entry is built in cache/tmp under its lock and then
# renamed, so that neither a second run nor an interrupted one ever sees half of it.

# entry_path NAME: where it is, when it is there
entry_path() {
	[ -d "$cache/$1" ] && printf '%s\n' "$cache/$1"
}

# entry_make NAME COMMAND...: make it unless it is there; COMMAND gets an empty
# directory as its last argument and fills it. The name ends in -HASH.
entry_make() {
	local name=$1 new
	shift
	entry_use "$name" && return 0
	mkdir -p "$cache/locks" "$cache/tmp"
	(
		flock -n 9 || { say "waiting for another run that makes $name"; flock 9; }
		entry_use "$name" && exit 0
		# Whoever left these held this lock and is gone.
		entry_remove "$cache/tmp/$name".*
		new=$cache/tmp/$name.$BASHPID
		mkdir "$new"
		trap 'entry_remove "$new"' EXIT
		trap 'exit 130' INT
		trap 'exit 143' TERM HUP
		"$@" "$new" 9>&- || exit 1
		touch "$new/used"
		mv "$new" "$cache/$name"
		entry_prune "${name%-*}" "$name"
	) 9>"$cache/locks/${name%-*}"
}

# entry_use NAME: there? Then note that it is wanted.
entry_use() {
	[ -d "$cache/$1" ] || return 1
	touch "$cache/$1/used" 2>/dev/null || true
}

# entry_prune KIND NAME: older entries of the kind go when nobody used them for two days.
entry_prune() {
	local old
	for old in "$cache/$1"-*; do
		[ "$old" != "$cache/$2" ] || continue
		[ -n "$(find "$old/used" -mmin -2880 2>/dev/null)" ] || entry_remove "$old"
	done
}

# Never across a file system: something may still be mounted in an old tree.
entry_remove() {
	local dir
	for dir; do
		[ ! -e "$dir" ] || rm -rf --one-file-system -- "$dir" || true
	done
}

# entry_space MIB WHAT: room for it? Better said before the download than after it.
entry_space() {
	local free
	mkdir -p "$cache" 2>/dev/null || die "cannot write to $cache: set IOBLAME_CACHE to a directory with room"
	free=$(df -Pm "$cache" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$1" ] ||
		die "$2 needs $1 MiB in $cache, $free MiB are free: make room, or set IOBLAME_CACHE to another disk"
}
