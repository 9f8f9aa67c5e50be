# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Reports that tests of export read, besides those in tests/data. After tests/cases.sh.

# Names that mean something to one format or the other, in the report's own escapes.
# shellcheck disable=SC2154 # of cases.sh
hostile=$TMP_DIR/hostile.json
jq '.origins[0].comm = "a;b 7\"<&>\u0027{}=, 12" |
	.origins[1].comm = "\\x0a\\xff\\x00\\x1b]]>--></title>" |
	.origins[2].comm = "\uffff\ufffe\u202e\u2028%s" |
	.origins[2].file.path = "/mnt/\\x0d\\x0a\"\\x5c\",\u0085 # EOF" |
	.origins[3].cgroup = "/\\x5c\"}" | .origins[3].comm = "" |
	.stacks["1"][1] = "evil<&\">\u0027 12+0x1 [m] 3" | .stacks["1"][2] = "" |
	.stacks["2"][0] = "\\xff\u0001\n 5" |
	.devices[0].name = "v\"db\\x0a"' "$data/report.json" >"$hostile"
nothing=$TMP_DIR/nothing.json
jq '.origins = [] | .stacks = {}' "$data/report.json" >"$nothing"

# total FILE METRIC: what the report has of it
total() {
	"$PROG" report -i "$1" --json |
		jq "[.origins[].$([ "$2" != cancelled ] || echo cancelled_bytes)$([ "$2" = cancelled ] || echo "$2")] | add // 0"
}
