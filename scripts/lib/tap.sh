# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Test Anything Protocol: counting what was printed, and printing verdicts of our own.

tap_nr=0

# tap_case NAME COMMAND...: ok when the command succeeds; what it says is the diagnosis.
# Status 77 means: cannot be judged here, and the last line says why.
tap_case() {
	local name=$1 out rc=0
	shift
	tap_nr=$((tap_nr + 1))
	out=$("$@" 2>&1 </dev/null) || rc=$?
	case $rc in
	0) printf 'ok %d - %s\n' "$tap_nr" "$name" ;;
	77) printf 'ok %d - %s # SKIP %s\n' "$tap_nr" "$name" "$(tail -n 1 <<<"$out")" ;;
	*)
		printf 'not ok %d - %s\n' "$tap_nr" "$name"
		head -n 60 <<<"$out" | sed 's/^/# /'
		;;
	esac
}

# tap_count FILE...: "passed failed skipped" of all verdicts
tap_count() {
	awk '/^ok / { if (toupper($0) ~ /# SKIP/) s++; else p++ }
		/^not ok / { if (toupper($0) ~ /# (SKIP|TODO)/) s++; else f++ }
		END { print p + 0, f + 0, s + 0 }' "$@"
}

# tap_failures FILE: each failed case and what was said about it
tap_failures() {
	awk '/^not ok / { show = 1; lines = 0; print "  " $0; next }
		/^ok / { show = 0 }
		show && /^ *#/ && lines++ < 40 { print "    " $0 }' "$1"
}
