#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: the module's source, as it is installed, is built by DKMS for this kernel, loads, and goes
# area: install
# requires: cmd:dkms cmd:gcc cmd:make
# timeout: 7200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

KERNEL=$(uname -r)
PRODUCT=${IOBLAME_KO%/*}/source
NAME=ioblame
VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$PRODUCT"/usr/src/*/dkms.conf)
SOURCE=/usr/src/$NAME-$VERSION

# dkms_state: what dkms says of ours, the word behind the colon
dkms_state() { dkms status "$NAME/$VERSION" | sed -n "s/.*$KERNEL.*: *\([a-z]*\).*/\1/p"; }

# Where it is depends on how the build ended.
log() { cat "/var/lib/dkms/$NAME/$VERSION/build/make.log" "/var/lib/dkms/$NAME/$VERSION/$KERNEL"/*/log/make.log; }

# As the package does it. The guest's root is thrown away, but a second run must find it clean.
adds() {
	need "path:/lib/modules/$KERNEL/build"
	expect_match "the version" '^[0-9]+(\.[0-9]+)+$' "$VERSION"
	mkdir -p "$SOURCE" && cp -r "$PRODUCT$SOURCE/." "$SOURCE/" || die "cannot copy $PRODUCT$SOURCE"
	expect_ok "dkms add" dkms add "$NAME/$VERSION"
	expect_match "dkms status" "added" "$(dkms status "$NAME/$VERSION")"
}

builds() {
	need "path:/lib/modules/$KERNEL/build"
	dkms build "$NAME/$VERSION" -k "$KERNEL" || { log | tail -n 40; die "dkms build failed"; }
	expect_eq "state" built "$(dkms_state)"
	expect_match "the log" '\[M\].*ioblame\.ko' "$(log 2>/dev/null)"
	expect_eq "warnings of the compiler" '' "$(log 2>/dev/null | grep -i 'warning:')"
}

installs() {
	need "path:/lib/modules/$KERNEL/build"
	expect_ok "dkms install" dkms install "$NAME/$VERSION" -k "$KERNEL"
	expect_eq "state" installed "$(dkms_state)"
	expect_match "where modprobe finds it" "^/lib/modules/$KERNEL/updates/dkms/ioblame\.ko" \
		"$(modinfo -n ioblame)"
	expect_eq "version" "$VERSION" "$(modinfo -F version ioblame)"
}

# It sees what the one built beside the selftests sees: the same hooks, by the same BTF.
loads() {
	local hooks
	need "path:/lib/modules/$KERNEL/build"
	unload_module
	load_module || die "insmod $IOBLAME_KO failed"
	enable
	hooks=$(cut -f 1-4 "$IOB/hooks")
	unload_module
	expect_ok "modprobe" modprobe ioblame
	expect_eq "abi" "$("$WORKLOADS/words" | sed -n 's/^abi //p')" "$(cat "$IOB/abi")"
	expect_ok "enable" enable
	expect_eq "hooks" "$hooks" "$(cut -f 1-4 "$IOB/hooks")"
	expect_ok "disable" disable
	expect_ok "modprobe -r" modprobe -r ioblame
}

goes() {
	need "path:/lib/modules/$KERNEL/build"
	expect_ok "dkms remove" dkms remove "$NAME/$VERSION" --all
	expect_eq "dkms status" '' "$(dkms status "$NAME/$VERSION" 2>/dev/null)"
	expect_eq "modules left" '' "$(find "/lib/modules/$KERNEL" -name 'ioblame*')"
	rm -rf "$SOURCE"
}

t_case "dkms takes the source" adds
t_case "dkms builds it for $KERNEL, without a warning" builds
t_case "dkms installs it where modprobe looks" installs
t_case "it loads, attaches what the other build does, and goes" loads
t_case "dkms removes all of it" goes
t_done
