# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Reads scripts/matrix (kernels) and scripts/packages (Debian packages).

# matrix_kernels: the names, in the order of the table
matrix_kernels() {
	awk '!/^#/ && NF { print $1 }' "$here/matrix"
}

# matrix_field KERNEL release|from|memory
matrix_field() {
	awk -v k="$1" -v f="$2" '
		BEGIN { col["release"] = 2; col["from"] = 3; col["memory"] = 4 }
		!/^#/ && $1 == k { print $col[f] }' "$here/matrix"
}

matrix_check() {
	[ -n "$(matrix_field "$1" release)" ] ||
		die "unknown kernel '$1': scripts/matrix has $(matrix_kernels | paste -sd' ')"
}

# matrix_stock RELEASE: the stock kernels that live in one release's tree
matrix_stock() {
	awk -v r="$1" '!/^#/ && NF && $2 == r && $3 !~ /^linux-source/ { print $1 }' "$here/matrix"
}

# matrix_releases: Debian's releases, each once, in the order of the table
matrix_releases() {
	awk '!/^#/ && NF && !seen[$2]++ { print $2 }' "$here/matrix"
}

# matrix_is_built KERNEL: not one of Debian's binaries?
matrix_is_built() {
	case $(matrix_field "$1" from) in
	linux-source*) return 0 ;;
	*) return 1 ;;
	esac
}

# packages_for host|check|apart|build|guest|fuzz ...
packages_for() {
	local kind
	for kind; do
		awk -v k="$kind" '$1 == k { print $2 }' "$here/packages"
	done
}
