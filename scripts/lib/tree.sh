# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Root trees, one for each Debian release of the matrix: kernels, headers, compiler and
# the guest's tools. What is built for a kernel is built inside its tree, because the
# headers carry programs that need that release's C library.

# tree_name RELEASE: what the tree's entry is called now
tree_name() {
	local kernel
	{
		packages_for build guest
		archive_suites "$1"
		cat "$here/lib/tree.sh"
		for kernel in $(matrix_stock "$1"); do
			grep "^$kernel " "$index/kernels" || true
		done
	} | sha256sum | cut -c1-12 | sed "s/^/tree-$1-/"
}

# tree_packages RELEASE: what goes into it, for mmdebstrap's --include
tree_packages() {
	local kernel package from
	packages_for build guest
	for kernel in $(matrix_stock "$1"); do
		package=$(archive_kernel "$kernel" package)
		[ -n "$package" ] ||
			die "Debian's $1 has no kernel $kernel any more: take it out of scripts/matrix or name its successor"
		# A backport's dependencies are only met from there when the suite is named.
		from=$(matrix_field "$kernel" from)
		[ "$from" = "$1" ] && from="" || from=/$from
		printf '%s%s\n' "$package" "$from" "${package/-image-/-headers-}" "$from"
	done
}

# Called by entry_make with the new directory last.
tree_fill() {
	local release=$1 dir=$2 packages
	packages=$(tree_packages "$release" | paste -sd,)
	archive_options_file >"$dir/apt.conf"
	# shellcheck disable=SC2046 # one word each
	archive_sources $(archive_suites "$release") >"$dir/sources.list"
	# INITRD=No: nobody boots by the package's own initrd.
	# Documentation and translations only cost time here.
	unshare --mount --propagation private env INITRD=No DEBIAN_FRONTEND=noninteractive \
		mmdebstrap --mode=root --format=directory --variant=essential \
		--include="$packages" \
		--aptopt="$dir/apt.conf" \
		--dpkgopt=force-unsafe-io \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/info/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		"$release" "$dir/root" "$dir/sources.list" || return 1
	# The compiler's inputs, and what a guest finds mounted.
	mkdir -p "$dir/root/build" "$dir/root/mnt/share" "$dir/root/opt/ioblame"
	# Nothing of how this machine reaches the archive stays in the tree.
	rm -f "$dir/apt.conf" "$dir/sources.list" "$dir/root/etc/apt/apt.conf.d/99mmdebstrap"
	: >"$dir/root/etc/fstab"
	ln -sf /proc/self/mounts "$dir/root/etc/mtab"
}

# tree_make RELEASE: prints the root tree's path
tree_make() {
	local name
	name=$(tree_name "$1")
	if ! entry_use "$name"; then
		entry_space 6000 "the $1 tree"
		step "making the Debian $1 tree with kernels, compiler and tools (1 to 2 minutes)" \
			"$cache/log/tree-$1" entry_make "$name" tree_fill "$1" || return 1
	fi
	printf '%s\n' "$cache/$name/root"
}
