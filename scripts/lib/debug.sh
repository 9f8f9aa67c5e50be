# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Kernels of the matrix that are built here, from a Debian source package and
# scripts/debug.config, inside their release's tree. Long work, so the entry's name
# depends on the source's version, the configuration and this file only.

debug_name() {
	printf 'debug-%s-%s\n' "$1" "$({
		archive_kernel "$1" package
		archive_kernel "$1" version
		cat "$here/debug.config" "$here/lib/debug.sh"
	} | sha256sum | cut -c1-12)"
}

# source_fill PACKAGE DIR: the source package's archive, nothing else of it
source_fill() {
	local package=$1 dir=$2
	(cd "$dir" && apt-get -c "$index/apt.conf" download "$package") || return 1
	dpkg-deb --fsys-tarfile "$dir"/*.deb | tar -x -C "$dir" ./usr/src || return 1
	mv "$dir"/usr/src/linux-source-*.tar.* "$dir/" && rm -rf "${dir:?}/usr" "$dir"/*.deb
}

# source_make KERNEL: prints the path of the source archive
source_make() {
	local package name
	package=$(archive_kernel "$1" package)
	name=source-$1-$(archive_kernel "$1" version | sha256sum | cut -c1-12)
	if ! entry_use "$name"; then
		step "fetching $package" "$cache/log/source-$1" entry_make "$name" source_fill "$package" || return 1
	fi
	printf '%s\n' "$cache/$name"/linux-source-*
}

# The build inside the tree; /build is the new entry. The type information wanted
# (BTF) is made of debug information, but not of where variables live from instruction
# to instruction, which is a fifth of the compiler's time.
# shellcheck disable=SC2016 # expanded in there
debug_compile='
	set -eu
	export KCFLAGS=-fno-var-tracking
	make -s -C source O=/build/out KCONFIG_ALLCONFIG=/build/config allnoconfig
	sed -n "s/^\(CONFIG_[A-Z0-9_]*=[^n].*\)/\1/p" config | while read -r line; do
		grep -qxF "$line" out/.config || echo "not granted: $line"
	done
	make -s -C source O=/build/out -j"$(nproc)" bzImage modules
	release=$(cat out/include/config/kernel.release)
	make -s -C source O=/build/out INSTALL_MOD_PATH=/build INSTALL_MOD_STRIP=1 modules_install
	mkdir boot
	cp out/arch/x86/boot/bzImage "boot/vmlinuz-$release"
	cp out/System.map out/.config .
	cd out && make -s -C /build/source O=/build/out run-command \
		KBUILD_RUN_COMMAND="/build/source/scripts/package/install-extmod-build /build/devel"
	objcopy --only-section=.BTF vmlinux ../devel/vmlinux
'

debug_fill() {
	local root=$1 source=$2 dir=$3
	mkdir "$dir/source"
	tar -x -f "$source" -C "$dir/source" --strip-components=1 \
		--exclude='*/drivers/gpu/*.[ch]' --exclude='*/sound/*.[ch]' \
		--exclude='*/Documentation/*.rst' --exclude='*/arch/[!x]*/*.[chS]' || return 1
	cp "$here/debug.config" "$dir/config"
	tree_run "$root" "$dir" sh -c "$debug_compile" || return 1
	rm -rf "$dir/source" "$dir/out"
}

# debug_make KERNEL: prints the directory that holds boot, lib/modules and devel
debug_make() {
	local kernel=$1 name root source
	name=$(debug_name "$kernel")
	if ! entry_use "$name"; then
		root=$(tree_make "$(matrix_field "$kernel" release)") || return 1
		source=$(source_make "$kernel") || return 1
		entry_space 5000 "building the $kernel kernel"
		step "building the $kernel kernel (a quarter of an hour on two processors)" \
			"$cache/log/debug-$kernel" entry_make "$name" debug_fill "$root" "$source" || return 1
	fi
	printf '%s\n' "$cache/$name"
}
