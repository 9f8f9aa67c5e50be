# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian's archive, as this machine's own apt is set up to reach it: same mirror, proxy,
# credentials and keyring; only the suite's name is another. An apt index of our own, in
# the cache, says which kernels there are; it is refreshed once a day, and an old one
# serves when the network does not.

index=$cache/index

# The apt source that carries this machine's own release, as "options uri".
archive_find() {
	local codename line uri entry
	codename=$(os_field VERSION_CODENAME)
	# shellcheck disable=SC2016 # apt expands these
	line=$(apt-get indextargets --format '$(REPO_URI) $(SOURCESENTRY)' \
		'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
		"Codename: $codename" 'Component: main' 2>/dev/null | head -n 1) || true
	[ -n "$line" ] || return 1
	uri=${line%% *}
	entry=${line#* }
	printf '%s %s\n' "$(archive_options "${entry%:*}" "$uri")" "$uri"
}

# archive_options FILE URI: signed-by and trusted, as FILE says for URI
archive_options() {
	local file=$1 uri=${2%/} key trusted options=""
	case $file in
	*.sources)
		key=$(awk -v u="$uri" 'BEGIN { RS = ""; FS = "\n" } index($0, u) {
			for (i = 1; i <= NF; i++) if (tolower($i) ~ /^signed-by:/) {
				sub(/^[^:]*:[ \t]*/, "", $i); print $i; exit } }' "$file")
		trusted=$(awk -v u="$uri" 'BEGIN { RS = ""; FS = "\n" } index($0, u) {
			for (i = 1; i <= NF; i++) if (tolower($i) ~ /^trusted:[ \t]*yes/) {
				print "yes"; exit } }' "$file")
		;;
	*)
		key=$(grep -F "$uri" "$file" | sed -n 's/.*[[ ]signed-by=\([^] ]*\).*/\1/p' | head -n 1)
		trusted=$(grep -F "$uri" "$file" | sed -n 's/.*[[ ]trusted=\(yes\).*/\1/p' | head -n 1)
		;;
	esac
	# A key written into the file itself, or none: Debian's keyring package has them all.
	case $key in
	/*) ;;
	*) key=/usr/share/keyrings/debian-archive-keyring.gpg ;;
	esac
	options="signed-by=$key"
	[ -z "$trusted" ] || options="$options trusted=yes"
	printf '[%s]' "$options" | tr ' ' ,
}

# archive_sources SUITE...: lines for a sources.list
archive_sources() {
	local found options uri suite
	found=$(archive_find) ||
		die "apt here knows no Debian archive with main: run 'apt-get update', or add one to /etc/apt/sources.list.d"
	options=$(printf '%s' "${found% *}" | tr , ' ')
	uri=${found##* }
	for suite; do
		printf 'deb %s %s %s main\n' "$options" "$uri" "$suite"
	done
}

# archive_suites RELEASE|all: every suite the matrix draws on
archive_suites() {
	awk -v r="$1" '!/^#/ && NF && (r == "all" || $2 == r) {
		print $2; if ($3 !~ /^linux-source/) print $3 }' "$here/matrix" | sort -u
}

# Our index must not touch the machine's own, nor run its hooks.
archive_write_config() {
	mkdir -p "$index/lists/partial" "$index/archives/partial"
	# shellcheck disable=SC2046 # one word each
	archive_sources $(archive_suites all) >"$index/sources.list"
	cat >"$index/apt.conf" <<-EOF
		#clear APT::Update;
		#clear DPkg;
		Dir::Etc::sourcelist "$index/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State::lists "$index/lists";
		Dir::State::status "/dev/null";
		Dir::Cache::archives "$index/archives";
		Dir::Cache::pkgcache "$index/pkgcache.bin";
		Dir::Cache::srcpkgcache "$index/srcpkgcache.bin";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "3";
	EOF
}

# The newest package of kernel K, e.g. linux-image-6.12.9+deb13-amd64, and its version.
archive_newest() {
	local kernel=$1 pattern name
	pattern="^linux-image-${kernel//./\\.}\\.[^-]*(-[0-9]+)?-amd64\$"
	for name in $(apt-cache -c "$index/apt.conf" pkgnames "linux-image-$kernel." |
		grep -E "$pattern" | sort -rV); do
		archive_version "$name" && return 0
	done
	return 1
}

# archive_version PACKAGE: "PACKAGE VERSION", fails when the archive has none
archive_version() {
	local version
	version=$(apt-cache -c "$index/apt.conf" policy "$1" |
		awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }')
	[ -n "$version" ] && printf '%s %s\n' "$1" "$version"
}

# One line for each kernel of the matrix: KERNEL PACKAGE VERSION
archive_list_kernels() {
	local kernel found
	for kernel in $(matrix_kernels); do
		if matrix_is_built "$kernel"; then
			found=$(archive_version "$(matrix_field "$kernel" from)") || found=
		else
			found=$(archive_newest "$kernel") || found=
		fi
		[ -z "$found" ] || printf '%s %s\n' "$kernel" "$found"
	done
}

archive_update() {
	archive_write_config
	# Errors of single suites are errors for us: half an index hides kernels.
	apt-get -c "$index/apt.conf" -o APT::Update::Error-Mode=any update || return 1
	archive_list_kernels >"$index/kernels.new"
	mv "$index/kernels.new" "$index/kernels"
}

# Refresh the index when it is missing or older than a day.
archive_refresh() {
	entry_space 300 "the package index"
	mkdir -p "$cache/locks"
	[ -z "$(find "$index/kernels" -mmin -1440 2>/dev/null)" ] || return 0
	(
		flock 9
		[ -z "$(find "$index/kernels" -mmin -1440 2>/dev/null)" ] || exit 0
		if ! IOBLAME_QUIET=1 step "reading Debian's package index" "$cache/log/index" archive_update 2>/dev/null; then
			[ -s "$index/kernels" ] || exit 1
			warn "Debian's package index cannot be refreshed: going on with that of $(date -r "$index/kernels" +%F)"
			# Ask again in an hour, not at every command.
			touch -d '23 hours ago' "$index/kernels"
		fi
	) 9>"$cache/locks/index"
}

# archive_kernel KERNEL package|version
archive_kernel() {
	local column=2
	[ "$2" = package ] || column=3
	awk -v k="$1" -v c="$column" '$1 == k { print $c }' "$index/kernels" 2>/dev/null
}

# The machine's own apt options for mmdebstrap, which reads none of /etc/apt by itself.
archive_options_file() {
	cat <<-'EOF'
		Dir::Etc::netrc "/etc/apt/auth.conf";
		Dir::Etc::netrcparts "/etc/apt/auth.conf.d";
		APT::Sandbox::User "root";
		Acquire::Retries "3";
	EOF
	apt-config dump | grep -E '^Acquire::' | grep -vE '^Acquire::(IndexTargets|Changelogs|cdrom|CompressionTypes|Languages)|^Acquire ""' || true
	echo 'Acquire::Languages "none";'
}
