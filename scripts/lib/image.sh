# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# From a root tree to what QEMU boots: one ext4 image per release, and per kernel its
# binary, an initrd that finds the image, and the release's name.

# The modules an initrd needs: disk, root file system, channels to the host.
image_modules="virtio_pci virtio_blk virtio_console crc32c_generic ext4 overlay"

image_name() {
	printf 'image-%s-%s\n' "$1" \
		"$({ tree_name "$1"; cat "$here/lib/image.sh"; } | sha256sum | cut -c1-12)"
}

image_fill() {
	local root=$1 dir=$2 size
	# Read only, so no journal and no room to spare beyond what ext4 itself needs.
	size=$(($(du -sm --apparent-size "$root" | cut -f1) * 5 / 4 + 200))
	truncate -s "${size}M" "$dir/root.ext4"
	mke2fs -q -F -t ext4 -O '^has_journal,^metadata_csum,^resize_inode' -m 0 -L ioblame-root \
		-E root_owner=0:0,nodiscard -d "$root" "$dir/root.ext4"
}

# image_make RELEASE: prints the path of the root image
image_make() {
	local name root
	name=$(image_name "$1")
	if ! entry_use "$name"; then
		root=$(tree_make "$1") || return 1
		entry_space 3000 "the $1 image"
		step "making the $1 guest's disk image" "$cache/log/image-$1" \
			entry_make "$name" image_fill "$root" || return 1
	fi
	printf '%s\n' "$cache/$name/root.ext4"
}

boot_name() {
	local source
	if matrix_is_built "$1"; then
		source=$(debug_name "$1")
	else
		source=$(tree_name "$(matrix_field "$1" release)")
	fi
	printf 'boot-%s-%s\n' "$1" "$({ echo "$source"; cat "$here/lib/image.sh" "$here/lib/initrd-init"; } |
		sha256sum | cut -c1-12)"
}

# boot_fill KERNEL ROOT MODULES DIR: MODULES is the tree that holds lib/modules
boot_fill() {
	local kernel=$1 root=$2 modules=$3 dir=$4 release ram=$4/initrd.d
	release=$(tree_release "$modules" "$kernel") || { echo "no modules of $kernel in $modules"; return 1; }
	printf '%s\n' "$release" >"$dir/release"
	cp "$modules/boot/vmlinuz-$release" "$dir/vmlinuz" || return 1
	mkdir -p "$ram/bin" "$ram/dev" "$ram/proc" "$ram/sys" "$ram/root" "$ram/modules"
	cp "$root/usr/bin/busybox" "$ram/bin/busybox" || return 1
	install -m 755 "$here/lib/initrd-init" "$ram/init" || return 1
	boot_modules "$modules" "$release" "$ram/modules" || return 1
	# A kernel that is not in the root image brings its modules along.
	if [ "$root" != "$modules" ]; then
		mkdir -p "$ram/lib/modules"
		cp -a "$modules/lib/modules/$release" "$ram/lib/modules/" || return 1
		rm -f "$ram/lib/modules/$release/build" "$ram/lib/modules/$release/source"
	fi
	(cd "$ram" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$dir/initrd" || return 1
	rm -rf "$ram"
}

# Copy modules with what they depend on, named so that sorting gives the loading order,
# and unpacked: emulated processors unpack slowly.
boot_modules() {
	local modules=$1 release=$2 out=$3 name path file nr=100
	# shellcheck disable=SC2086 # a list of words
	for name in $image_modules; do
		modprobe -d "$modules" -S "$release" --show-depends "$name" 2>/dev/null || true
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
		file=$out/$nr-${path##*/}
		nr=$((nr + 1))
		case $path in
		*.xz) xz -dc "$path" >"${file%.xz}" ;;
		*) cp "$path" "$file" ;;
		esac
	done
}

# boot_make KERNEL: prints the directory with vmlinuz, initrd and release
boot_make() {
	local kernel=$1 name root modules
	name=$(boot_name "$kernel")
	if ! entry_use "$name"; then
		root=$(tree_make "$(matrix_field "$kernel" release)") || return 1
		modules=$root
		if matrix_is_built "$kernel"; then
			modules=$(debug_make "$kernel") || return 1
		fi
		step "packing the $kernel kernel for booting" "$cache/log/boot-$kernel" \
			entry_make "$name" boot_fill "$kernel" "$root" "$modules" || return 1
	fi
	printf '%s\n' "$cache/$name"
}
