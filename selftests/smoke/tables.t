#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# description: the files of debugfs: words of the ABI, histograms that add up, no kernel address
# area: smoke
# requires: cmd:jq disk:1 fs:ext4
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"

DISK=$(disk 1)

one_writer() {
	mount_fs ext4 "$DISK"
	begin "$DISK"
	OWED=
	write_as a writer-a /a 1000001
	finish
	pass
}

no_addresses() {
	local file
	while read -r file; do
		expect_eq "kernel addresses in $file" '' \
			"$(grep -m 3 -E '(^|[^0-9a-f])(0x)?ffff[0-9a-f]{12}' "$file")"
	done < <(find "$IOB" -type f -perm -400)
	expect_num "stacks seen" -ge 1 "$(($(wc -l <"$IOB/stacks") - 1))"
	expect_eq "frames that are not symbol+0xoff/0xsize [module]" '' \
		"$(awk -F '\t' 'NR > 1 { print $3 }' "$IOB/stacks" | tr ';' '\n' |
			grep -v -E '^([A-Za-z0-9_.$]+\+0x[0-9a-f]+/0x[0-9a-f]+( \[[a-z0-9_]+\])?|-)$' | sort -u | head -n 3)"
}

# known LIST FILE COLUMN: only words of the header in that column
known() {
	expect_eq "words in $2, column $3, that are not of the ABI" '' \
		"$(tail -n +2 "$SNAP/$2" | cut -f "$3" | tr ',' '\n' | sort -u | grep -vxF -- - |
			grep -vxF -f <("$WORKLOADS/words" | sed -n "s/^$1 //p") | xargs)"
}

words_of_the_abi() {
	known op totals 4
	known reason totals 5
	known basis totals 6
	known role_flag roles 5
	known file_flag files 5
	known op devices 3
	expect_eq "kinds not of the ABI" '' \
		"$(tail -n +2 "$SNAP/acts" | cut -f 5 | sort -u |
			grep -vxF -f <("$WORKLOADS/words" | sed -n 's/^\(kind\|act\) //p') | xargs)"
	expect_eq "reserved acts, in order" "$("$WORKLOADS/words" | sed -n 's/^act //p' | xargs)" \
		"$(awk -F '\t' 'NR > 1 && $2 == "-" { print $5 }' "$SNAP/acts" | xargs)"
}

# Histograms count: pages by age, ios by queue and device.
histograms() {
	local who='.path == "/a" and .kind == "data" and .op == "write"'
	expect_eq "pages in the ages of the writer's rows" $((1003520 / 4096)) \
		"$(awk -F '\t' -v acts="$(words "$who" act)" '
			BEGIN { n = split(acts, a, " "); for (i = 1; i <= n; i++) mine[a[i]] }
			NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i }
			$1 in mine && $col["bytes"] > 0 {
				n = split($col["age"], pair, ",")
				for (i = 1; i <= n; i++) { split(pair[i], kv, ":"); pages += kv[2] }
			}
			END { print pages + 0 }' "$SNAP/totals")"
	expect_num "ios of the writer" -ge 1 "$(sum "$who" ios)"
	expect_match "stack of the writer" 'ext4_buffered_write_iter|generic_perform_write' "$(words "$who" frames)"
}

t_case "one writer" one_writer
t_case "every word is one of the ABI" words_of_the_abi
t_case "histograms and stacks belong to the writer" histograms
t_case "no file shows a kernel address" no_addresses
t_done
