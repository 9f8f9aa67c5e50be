# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Packages whose programs are wanted, but not what installing them does to this machine,
# a service that starts for one: unpacked into the cache. After matrix.sh and entry.sh.

apart_name() {
	printf 'apart-%s\n' "$({ os_field VERSION_CODENAME; packages_for apart; } | sha256sum | cut -c1-12)"
}

# apart_path: where their programs are
apart_path() {
	printf '%s\n' "$cache/$(apart_name)/bin"
}

# Their programs need nothing but the C library.
apart_fill() {
	local dir=$1 package
	mkdir "$dir/bin"
	for package in $(packages_for apart); do
		(cd "$dir" && apt-get -o APT::Sandbox::User=root download "$package") || return 1
		dpkg-deb --fsys-tarfile "$dir/$package"_*.deb | tar -x -C "$dir/bin" --strip-components=3 ./usr/bin || return 1
		rm -f "$dir/$package"_*.deb
	done
}

apart_make() {
	entry_use "$(apart_name)" && return
	entry_space 500 "unpacking $(packages_for apart | paste -sd' ')"
	step "unpacking $(packages_for apart | paste -sd' ')" "$cache/log/apart" entry_make "$(apart_name)" apart_fill
}
