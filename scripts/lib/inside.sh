# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Work inside a root tree. Apart from tree.sh, whose text is part of the trees' names.

# tree_run [--also DIR2] ROOT DIR COMMAND...: run it inside ROOT, DIR being its /build and
# its working directory, DIR2 its /mnt/share. All mounts live in a namespace of their own and go with the command.
tree_run() {
	local also="" root dir
	if [ "$1" = --also ]; then
		also=$2
		shift 2
	fi
	root=$1 dir=$2
	shift 2
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private sh -ec '
		root=$1 dir=$2 also=$3
		shift 3
		mount --bind "$dir" "$root/build"
		[ -z "$also" ] || mount --bind "$also" "$root/mnt/share"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/tmp"
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			sh -c "cd /build && exec \"\$@\"" sh "$@"' sh "$root" "$dir" "$also" "$@"
}

# tree_release ROOT KERNEL: what uname -r says there, e.g. 6.12.9+deb13-amd64. Of the
# kernels built here there is one to a root.
tree_release() {
	local found="" pattern=$2.
	! matrix_is_built "$2" || pattern=
	for found in "$1/lib/modules/$pattern"*; do :; done
	[ -d "$found" ] && printf '%s\n' "${found##*/}"
}
