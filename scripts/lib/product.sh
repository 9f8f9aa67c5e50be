# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The product for one kernel: module, tools and compiled selftests, built from a copy of
# the checkout inside the kernel's tree, and packed so that a guest unpacks it at boot.
# The copy only changes where the checkout did, so make does no more than it must.

# What it is made from; the host's tests copy more.
product_parts="Kbuild Makefile dkms.conf module tools selftests"

# product_files: what of the checkout goes into the copy, one name a line
product_files() {
	(
		cd "$top" || exit
		if git rev-parse --git-dir >/dev/null 2>&1; then
			# shellcheck disable=SC2086 # a list of words
			git ls-files -co --exclude-standard -- $product_parts
		else
			# shellcheck disable=SC2086
			find $product_parts -type f ! -name '*.o' ! -name '*.ko' ! -name '*.mod*' \
				! -name '.*.cmd' 2>/dev/null
		fi | sort | while read -r name; do
			[ ! -e "$name" ] || printf '%s\n' "$name"
		done
	)
}

# product_copy DIR: bring DIR up to the checkout's state, leaving what was built there
product_copy() {
	local dir=$1 name
	mkdir -p "$dir"
	product_files >"$dir.new" || return 1
	if [ -f "$dir.files" ]; then
		comm -23 "$dir.files" "$dir.new" | while read -r name; do
			rm -f "$dir/$name"
		done
	fi
	# By content: git touches files it does not change.
	rsync -rlp --checksum --files-from="$dir.new" "$top/" "$dir/"
	mv "$dir.new" "$dir.files"
}

# product_state KERNEL TREE: one word for all the product is made from
product_state() {
	{
		echo "$2"
		cat "$here/lib/product.sh"
		(cd "$top" && product_files | tr '\n' '\0' | xargs -0 -r sha256sum)
	} | sha256sum | cut -c1-16
}

# product_module KERNEL ROOT DIR [MAKE ARGS...]
product_module() {
	local kernel=$1 root=$2 dir=$3 kdir
	shift 3
	[ -f "$dir/Kbuild" ] || return 0
	if matrix_is_built "$kernel"; then
		kdir=$(debug_make "$kernel") || return 1
		tree_run --also "$kdir" "$root" "$dir" \
			make -s -j"$(nproc)" -C /mnt/share/devel M=/build INSTALL_MOD_PATH=/mnt/share \
			"$@" modules
	else
		kdir=/lib/modules/$(tree_release "$root" "$kernel")/build
		tree_run "$root" "$dir" make -s -j"$(nproc)" -C "$kdir" M=/build "$@" modules
	fi
}

# The tools and the selftests' programs depend on the release only.
product_programs() {
	local root=$1 dir=$2
	if [ -f "$dir/tools/Makefile" ]; then
		tree_run "$root" "$dir" make -s -j"$(nproc)" -C tools || return 1
	fi
	if [ -f "$dir/selftests/Makefile" ]; then
		tree_run "$root" "$dir" make -s -j"$(nproc)" -C selftests || return 1
	fi
}

# product_gather MODULE-DIR PROGRAMS-DIR OUT: the files a guest gets
product_gather() {
	local modules=$1 programs=$2 out=$3 name
	rm -rf "$out"
	mkdir -p "$out/product/bin"
	for name in "$modules"/*.ko; do
		[ ! -f "$name" ] || cp "$name" "$out/product/"
	done
	if [ -x "$programs/tools/ioblame/ioblame" ]; then
		cp "$programs/tools/ioblame/ioblame" "$out/product/bin/ioblame"
		ln -s ioblame "$out/product/bin/ioblame-report"
	fi
	for name in "$programs"/tools/preload/*.so; do
		[ ! -f "$name" ] || { mkdir -p "$out/product/lib"; cp "$name" "$out/product/lib/"; }
	done
	if [ -d "$programs/selftests" ]; then
		cp -a "$programs/selftests" "$out/product/"
		find "$out/product/selftests" -name '*.o' -delete
	fi
	# As "make install" puts it for DKMS.
	make -s -C "$modules" install-source DESTDIR="$out/product/source" >&2 || return 1
	(cd "$out" && find product | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet)
}

product_build() {
	local kernel=$1 root=$2 dir=$3 programs=$4
	product_copy "$dir/src" &&
		product_module "$kernel" "$root" "$dir/src" W=1 KCFLAGS=-Werror || return 1
	(
		flock 8
		product_copy "$programs/src" && product_programs "$root" "$programs/src" || exit 1
		product_gather "$dir/src" "$programs/src" "$dir/gathered" >"$dir/product.cpio.new"
	) 8>"$programs/lock" || return 1
	mv "$dir/product.cpio.new" "$dir/product.cpio"
}

# product_make KERNEL: bring build/KERNEL/product.cpio up to date
product_make() {
	local kernel=$1 dir=$build/$1 release root state programs
	release=$(matrix_field "$kernel" release)
	root=$(tree_make "$release") || return 1
	programs=$build/programs-$release
	own_build_dir
	mkdir -p "$dir" "$programs"
	(
		flock 7
		state=$(product_state "$kernel" "$root")
		[ "$(cat "$dir/state" 2>/dev/null)" != "$state" ] || [ ! -f "$dir/product.cpio" ] || exit 0
		rm -f "$dir/state"
		step "building for $kernel" "$dir/log" product_build "$kernel" "$root" "$dir" "$programs" || exit 1
		echo "$state" >"$dir/state"
	) 7>"$dir/lock"
}
