# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Requirements, in a test's header ("# requires:") and inside a case (need).
#
#	cmd:NAME	a program			path:FILE	it exists
#	mod:NAME	a kernel module or built in	fs:NAME		mkfs and kernel support
#	disk:N		N spare virtio disks		nvme		/dev/nvme0n1
#	mem:MIB		memory				param:NAME	a parameter of ioblame.ko
#	kernel:OPVER	>=6.12, <7.3			nokasan		not a debug kernel

# spare_disks: virtio disks nobody uses, in order: the root's is read-only
spare_disks() {
	local d ro
	for d in /sys/block/vd*; do
		read -r ro <"$d/ro"
		[ "$ro" = 1 ] || echo "/dev/${d##*/}"
	done
}

# disk N: the Nth spare disk, from 1
disk() {
	local disks
	mapfile -t disks < <(spare_disks)
	echo "${disks[$1 - 1]-}"
}

have_module() {
	[ -d "/sys/module/$1" ] || modprobe -q -n "$1" 2>/dev/null
}

have_io_uring() {
	grep -qw io_uring_setup /proc/kallsyms &&
		[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null)" != 2 ]
}

# unmet WORD: says what is missing; silent and false when the need is met
unmet() {
	local arg=${1#*:} have
	case $1 in
	cmd:*)
		command -v "$arg" >/dev/null && return 1
		echo "no program $arg" ;;
	path:*)
		[ -e "$arg" ] && return 1
		echo "no $arg" ;;
	mod:*)
		have_module "$arg" && return 1
		echo "no kernel module $arg" ;;
	fs:*)
		unmet "cmd:mkfs.$arg" && return
		grep -qw "$arg" /proc/filesystems && return 1
		unmet "mod:$arg" || return 1 ;;
	disk:*)
		have=$(spare_disks | grep -c .)
		[ "$have" -ge "$arg" ] && return 1
		echo "$arg spare disks needed, $have there" ;;
	nvme)
		[ -b /dev/nvme0n1 ] && return 1
		echo "no NVMe disk" ;;
	mem:*)
		have=$(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) / 1024))
		[ "$have" -ge "$arg" ] && return 1
		echo "$arg MiB of memory needed, $have there" ;;
	param:*)
		modinfo -F parm "${IOBLAME_KO:-none}" 2>/dev/null | grep -q "^$arg:" && return 1
		echo "ioblame.ko has no parameter $arg" ;;
	kernel:*)
		kernel_is "$arg" && return 1
		echo "kernel $(uname -r), needs $arg" ;;
	nokasan)
		grep -qw kasan_report /proc/kallsyms || return 1
		echo "a debug kernel, times say nothing" ;;
	*)
		echo "requirement '$1' is not known" ;;
	esac
}

kernel_is() { # >=6.12 or <7.3
	local want=${1##*[<>=]} lowest
	lowest=$(printf '%s\n%s\n' "$want" "$(uname -r | sed 's/[^0-9.].*//')" | sort -V | head -n 1)
	case $1 in
	'>='*) [ "$lowest" = "$want" ] ;;
	'<'*) [ "$lowest" != "$want" ] ;;
	*) return 1 ;;
	esac
}

# need WORD...: inside a case: skip it unless all are met
need() {
	local word why
	for word; do
		if why=$(unmet "$word"); then
			skip "$why"
		fi
	done
}
