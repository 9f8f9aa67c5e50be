# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the benchmark runs, each in a place that is made once and then used again and
# again: a file system or a disk on null_blk, which completes at once and in the
# caller, so that the machine never waits for the host.
#
# name: as in the results
# place: a file system of world.sh, or disk
# load, count: of work/load
# half: the event a tracer needs for it: dirty (who dirtied), io (who made an IO); acts:
#       for the module alone, each under a start of its own
# acts: as many are known then, of so many that there is room for
workload_table() {
	cat <<-END
	ext4-4k		ext4	write4k		2048	dirty
	ext4-1m		ext4	write1m		12	dirty
	xfs-4k		xfs	write4k		2048	dirty
	xfs-1m		xfs	write1m		12	dirty
	ext4-mmap	ext4	mmap		2048	dirty
	ext4-fsync	ext4	files		64	dirty
	ext4-read	ext4	read		2048	io
	read-psync	disk	pread		4096	io
	write-psync	disk	pwrite		4096	io
	read-uring	disk	uring-read	4096	io
	write-uring	disk	uring-write	4096	io
	read-merged	disk	uring-merge	8192	io
	acts-1		ext4	acts		2048	acts	1/131072
	acts-10		ext4	acts		2048	acts	10/131072
	acts-1000	ext4	acts		2048	acts	1000/131072
	acts-100000	ext4	acts		2048	acts	100000/131072
	full-1		ext4	acts		2048	acts	164/16384
	full-25		ext4	acts		2048	acts	4096/16384
	full-50		ext4	acts		2048	acts	8192/16384
	full-75		ext4	acts		2048	acts	12288/16384
	full-95		ext4	acts		2048	acts	15565/16384
	END
}

# workload NAME place|load|count|half|acts
workload() {
	workload_table | awk -v w="$1" -v f="$2" '
		BEGIN { col["place"] = 2; col["load"] = 3; col["count"] = 4; col["half"] = 5; col["acts"] = 6 }
		$1 == w { print $col[f] }'
}

# workloads [HALF]: the names that are wanted, in order
workloads() {
	workload_table | awk -v h="${1-}" -v want="$WORKLOADS_WANTED" '
		h != "" && h != $5 { next }
		want == "" || index(" " want " ", " " $1 " ") { print $1 }'
}

declare -A PLACE_OF=() DISK_OF=()

# make_place ext4|xfs|disk: sets PLACE_OF and DISK_OF. A disk that keeps what is written
# takes memory for a block when it is first written; that must not be part of what is
# counted, so all of it is written once.
make_place() {
	local size
	[ -z "${PLACE_OF[$1]-}" ] || return 0
	case $1 in
	disk)
		null_blk "$OURS-disk" size=1024 blocksize=4096 memory_backed=0 irqmode=0
		PLACE_OF[disk]=$NULL_BLK
		;;
	*)
		[ "$1" = xfs ] && size=320 || size=160
		null_blk "$OURS-$1" size=$size blocksize=4096 irqmode=0
		dd if=/dev/zero of="$NULL_BLK" bs=1M count=$size oflag=direct status=none || die "dd to $NULL_BLK failed"
		mount_fs "$1" "$NULL_BLK" "$1"
		PLACE_OF[$1]=$MNT/$1/load
		;;
	esac
	DISK_OF[$1]=$NULL_BLK
}

# ext4 looks for room behind what it has given last, which is another place each time,
# and now and then one with less room at once. A mount begins at the front.
mount_anew() { # PLACE
	umount "$MNT/$1" || die "unmounting ${DISK_OF[$1]} failed"
	mount -t "$1" -o "$(fs_options "$1")" "${DISK_OF[$1]}" "$MNT/$1" || die "mounting ${DISK_OF[$1]} anew failed"
}

# run_load WORKLOAD: the lines of work/load into $OUT/load
run_load() {
	local name=$1 place path acts times=1
	place=$(workload "$name" place)
	path=${PLACE_OF[$place]}
	case $name in
	ext4-4k | ext4-1m) mount_anew "$place" ;;
	# It finds two places in turn: always take the same one.
	xfs-*) times=2 ;;
	esac
	[ "$place" = disk ] || path+=-${name%%-[0-9]*}
	acts=$(workload "$name" acts)
	while [ $times -gt 0 ]; do
		# shellcheck disable=SC2086 # no word where it has none
		"$WORKLOADS/load" "$(workload "$name" load)" "$path" "$(workload "$name" count)" ${acts%/*} >"$OUT/load" || return
		times=$((times - 1))
	done
}
