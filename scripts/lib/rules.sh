# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The checks of scripts/lint. Each says what is wrong, a line each, and fails; or is
# silent. Status 77 with a word why: cannot be judged here.

# rule_files PATTERN...: files of the checkout, known to git or not yet
rule_files() {
	git ls-files -co --exclude-standard -- "$@" | while read -r name; do
		[ ! -f "$name" ] || printf '%s\n' "$name"
	done
}

# Prints what it reads, and fails when that was anything.
none() {
	! grep -v '^$'
}

# search PATTERN: where it is in the files named on standard input
search() {
	tr '\n' '\0' | xargs -0 -r grep -nIE "$1" /dev/null || true
}

# room_of FILE: the longest row of scripts/rooms that begins its path
room_of() {
	awk -v f="$1" '!/^#/ && NF && index(f, $1 "/") == 1 && length($1) > length(best) { best = $1 }
		END { print best }' "$here/rooms"
}

# room_allows ROOM: the rooms and headers it may include
room_allows() {
	awk -v r="$1" '$1 == r { for (i = 2; i <= NF; i++) print $i }' "$here/rooms"
}

rule_rooms() {
	local file room target allowed
	rule_files '*.c' '*.h' | search '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*"' |
		sed -n 's/^\([^:]*\):\([0-9]*\):[^"]*"\([^"]*\)".*/\1 \2 \3/p' |
		while read -r file line name; do
			room=$(room_of "$file")
			[ -n "$room" ] || { echo "$file: its folder is not in scripts/rooms"; continue; }
			target=$(rule_resolve "$file" "$name")
			# A header that is nowhere here is the kernel's or a library's.
			[ -n "$target" ] || continue
			[ "$(room_of "$target")" != "$room" ] || continue
			for allowed in $(room_allows "$room"); do
				case $target in "$allowed" | "$allowed"/*) continue 2 ;; esac
			done
			echo "$file:$line: $room may not include $target"
		done | none
}

# rule_resolve FILE NAME: the checkout's file that FILE means by "NAME"
rule_resolve() {
	local base
	for base in "$(dirname "$1")" tools/lib tools module module/out; do
		if [ -f "$base/$2" ]; then
			realpath --relative-to=. "$base/$2"
			return
		fi
	done
}

# Core also builds as a user program, and decides by what it is told.
rule_core() {
	rule_files 'module/core/*.[ch]' |
		search '<(trace|linux/(fs|sched|blkdev|bio|ftrace|tracepoint)[./])|(^|[^_a-zA-Z.>/"*-])current->' | none
}

rule_versions() {
	rule_files 'module/*' Kbuild | grep -v '^module/compat/' |
		search 'LINUX_VERSION_CODE|KERNEL_VERSION *\(|linux/version\.h' | none
}

# Data has no room for a comment, and some files are read by people alone.
rule_licence() {
	rule_files | grep -vE '\.(json|jsonl|golden|expected|out|dat|txt|csv|folded|png|svg)$|/data/|/golden/|^tools/fuzz/corpus/|^tools/tests/root/|^debian/(changelog|copyright|source/format)$|(^|/)(README.*|COPYING|LICENSE.*|\.gitignore|\.gitattributes)$' |
		while read -r name; do
			head -n 5 "$name" | grep -q 'SPDX-License-Identifier:' || echo "$name: no SPDX line"
		done | none
}

# The names are this machine's own: as a list they would break the rule themselves.
rule_hosts() {
	local hosts
	# shellcheck disable=SC2016 # apt expands it
	hosts=$(apt-get indextargets --format '$(SITE)' 2>/dev/null |
		sed -n 's|^[a-z+]*://\([^/:@]*@\)\{0,1\}\([^/:]*\).*|\2|p' | grep -F . | sort -u)
	[ -n "$hosts" ] || { echo "apt knows no host"; return 77; }
	rule_files | search "$(paste -sd'|' <<<"${hosts//./\\.}")" | none
}

rule_scripts() {
	rule_files scripts selftests tools module .ci | while read -r name; do
		case $name in
		*.sh | *.t) echo "$name" ;;
		*) ! head -n 1 "$name" | grep -qE '^#! ?/(usr/bin/env |usr/bin/|bin/)(ba|da)?sh' || echo "$name" ;;
		esac
	done
}

# Parts that others source are checked with those, and set what those use.
rule_shellcheck() {
	rule_scripts | grep -v '^scripts/lib/.*\.sh$' | tr '\n' '\0' |
		xargs -0 -r -n 8 shellcheck -x -S warning -e SC2034 -f gcc
}

rule_blanks() {
	rule_files scripts selftests tools module Documentation .ci Makefile Kbuild |
		grep -E '\.([chst]|sh|rst|py)$|^scripts/|Makefile|Kbuild' |
		search '[[:blank:]]+$' | none
}

# checkpatch and kernel-doc are in the kernel's source only; fetched once.
rule_tools_fill() {
	local archive=$1 dir=$2
	tar -x -f "$archive" -C "$dir" --strip-components=1 --occurrence=1 --wildcards \
		'*/scripts/checkpatch.pl' '*/scripts/const_structs.checkpatch' \
		'*/scripts/spelling.txt' '*/scripts/kernel-doc'
}

# rule_tools: prints the directory that holds scripts/checkpatch.pl
rule_tools() {
	local name version archive
	archive_refresh || { echo "the kernel's source cannot be fetched"; return 77; }
	version=$(archive_kernel debug version)
	name=checkpatch-$(printf '%s' "$version" | sha256sum | cut -c1-12)
	if ! entry_use "$name"; then
		archive=$(source_make debug 2>/dev/null) || { echo "the kernel's source cannot be fetched"; return 77; }
		entry_make "$name" rule_tools_fill "$archive" >/dev/null 2>&1 ||
			{ echo "checkpatch cannot be unpacked from $archive"; return 1; }
	fi
	printf '%s\n' "$cache/$name"
}

# Not asked: to keep a list of maintainers, and to do without tables made by macros.
# It takes functions called *_for_each_* for loops, and pointers to arrays for products.
rule_checkpatch() {
	local dir
	dir=$(rule_tools) || { rc=$?; echo "$dir"; return $rc; }
	# It ends with 1 for what is left out here, too.
	rule_files 'module/*.[ch]' | grep -v '^module/tests/user/' | tr '\n' '\0' |
		{ xargs -0 -r perl "$dir/scripts/checkpatch.pl" --no-tree --terse --no-summary --quiet --file \
			--max-line-length=100 \
			--ignore OPEN_BRACE,FILE_PATH_CHANGES,COMPLEX_MACRO,MACRO_ARG_UNUSED,LINUX_VERSION_CODE,EMBEDDED_FILENAME,UNNECESSARY_ELSE || true; } |
		{ grep -v "need consistent spacing around '\*' (ctx:WxV)" || true; } | none
}

# A member that its name explains need not be described.
rule_kernel_doc() {
	local dir
	dir=$(rule_tools) || { rc=$?; echo "$dir"; return $rc; }
	rule_files 'module/*.[ch]' | tr '\n' '\0' |
		xargs -0 -r perl "$dir/scripts/kernel-doc" -none 2>&1 |
		{ grep -vE 'not described in|^[0-9]+ warnings' || true; } | none
}

rule_docs() {
	grep -q '^check-docs:' tools/Makefile 2>/dev/null || { echo "tools/Makefile has no check-docs"; return 77; }
	host_make tools check-docs
}

# The product itself is built with W=1, where a warning is an error; modpost only says.
rule_warnings() {
	product_make "$1" || return 1
	! grep -iE 'warning|error' "$build/$1/log"
}

# Headers of the kernel itself are not ours to mend.
rule_sparse() {
	local kernel=$1 dir=$build/lint/$1 root out
	root=$(tree_make "$(matrix_field "$kernel" release)" 2>/dev/null) || { echo "no root tree for $kernel"; return 77; }
	rm -rf "$dir"
	mkdir -p "$dir"
	out=$(product_copy "$dir/src" && product_module "$kernel" "$root" "$dir/src" C=2 2>&1) || { echo "$out"; return 1; }
	! grep -E '^(/build/|\./)?module/.*(warning|error)' <<<"$out"
}
