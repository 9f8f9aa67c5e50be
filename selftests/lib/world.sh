# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The world a test acts in: module, knobs, cgroups, disks, file systems; and
# reset_world, which takes all of it away again whatever a test left behind.

IOB=/sys/kernel/debug/ioblame
TRACING=/sys/kernel/tracing
MNT=/mnt/ioblame-selftest
CGROOT=/sys/fs/cgroup
CG=ioblame-selftest		# under $CGROOT, and as the module prints it: /$CG
OURS=iobtest			# names of our dm, md and null_blk devices

# --- module

# load_module [PARAMETER=VALUE]...
# shellcheck disable=SC2120
load_module() { insmod "$IOBLAME_KO" "$@"; }

module_loaded() { [ -d /sys/module/ioblame ]; }

unload_module() {
	[ ! -e "$IOB/enable" ] || disable
	! module_loaded || rmmod ioblame
}

enable() { echo 1 >"$IOB/enable"; }

disable() { echo 0 >"$IOB/enable"; }

# Every call path that the module recognises is compared with what the kernel's
# unwinder tells, unless IOBLAME_VERIFY is 0.
need_module() {
	# shellcheck disable=SC2119
	module_loaded || load_module || die "insmod $IOBLAME_KO failed"
	[ "${IOBLAME_VERIFY-1}" = 0 ] || echo 1 >"$IOB/verify"
}

counter() { awk -v name="$1" '$1 == name { print $2 }' "$IOB/stats"; }

# try_write FILE TEXT: the errno's text when refused, nothing when taken
try_write() {
	local said
	said=$( (printf '%s\n' "$2" >"$1") 2>&1) || printf '%s\n' "${said##*: }"
}

# --- knobs: read, kept, written, and put back by reset_world

knob() { # FILE VALUE
	local keep=$1 old
	# The kernel does not take back the 0 it shows there; the ratio is its twin.
	case $1 in */dirty_*bytes) keep=${1%bytes}ratio ;; esac
	[ -w "$1" ] || return 1
	read -r old <"$keep"
	# One of several words, the current one in brackets.
	case $old in *\[*\]*) old=${old#*[} old=${old%%]*} ;; esac
	printf '%s %s\n' "$keep" "$old" >>"$T_DIR/knobs"
	printf '%s\n' "$2" >"$1"
}

vm() { knob "/proc/sys/vm/$1" "$2" || die "cannot set vm.$1"; }

restore_knobs() {
	local kept i
	[ -s "$T_DIR/knobs" ] || return 0
	mapfile -t kept <"$T_DIR/knobs"
	for ((i = ${#kept[@]} - 1; i >= 0; i--)); do
		[ ! -w "${kept[i]%% *}" ] || printf '%s\n' "${kept[i]#* }" >"${kept[i]%% *}"
	done 2>/dev/null
	: >"$T_DIR/knobs"
}

# Nothing is written back unless somebody asks for it. Not 0: the first page
# dirtied would then wake the flusher at once, and it finds a new disk's share of
# the dirty limits, none yet, exceeded. Any change here starts a flush as well,
# so this goes before begin.
no_background_writeback() {
	vm dirty_expire_centisecs 360000
	vm dirty_writeback_centisecs 360000
}

# f2fs moves nothing on its own account meanwhile, however long it takes.
no_collector() {
	[ "$(fs_type "$FS")" != f2fs ] || mount -o remount,background_gc=off "$MNT" ||
		die "cannot stop the garbage collector"
}

# --- cgroups

cgroup_make() { mkdir -p "$CGROOT/$CG/$1"; }

cgroup_id() { stat -c %i "$CGROOT/$CG/$1"; }

# in_cgroup NAME COMMAND...
in_cgroup() (
	dir=$CGROOT/$CG/$1
	shift
	[ -d "$dir" ] || mkdir -p "$dir" || exit
	echo $BASHPID >"$dir/cgroup.procs" && exec "$@"
)

reset_cgroups() {
	local dir
	[ -d "$CGROOT/$CG" ] || return 0
	[ ! -e "$CGROOT/$CG/cgroup.kill" ] || echo 1 >"$CGROOT/$CG/cgroup.kill"
	for _ in $(seq 50); do
		find "$CGROOT/$CG" -depth -type d | while read -r dir; do
			rmdir "$dir"
		done 2>/dev/null
		[ -d "$CGROOT/$CG" ] || return 0
		nap 0.2
	done
	return 1
}

# --- file systems: nothing is initialised later, blocks as the table says

# name    block  mkfs
fs_table() {
	local ext4='mkfs.ext4 -q -F -N 2048 -J size=8 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard'
	cat <<-END
	ext4      4096  $ext4 -b 4096
	ext4-1k   1024  $ext4 -b 1024
	ext4-journal 4096 $ext4 -b 4096
	ext4-fast 4096  $ext4 -b 4096 -O fast_commit
	ext4-encrypt 4096 $ext4 -b 4096 -O encrypt
	xfs       4096  mkfs.xfs -q -f -K
	btrfs     4096  mkfs.btrfs -q -f -K
	f2fs      4096  mkfs.f2fs -q -f -t 0
	f2fs-encrypt 4096 mkfs.f2fs -q -f -t 0 -O encrypt
	btrfs-compress 4096 mkfs.btrfs -q -f -K
	f2fs-compress 4096 mkfs.f2fs -q -f -t 0 -O extra_attr,compression
	END
}

fs_block() { fs_table | awk -v fs="$1" '$1 == fs { print $2 }'; }

fs_type() { echo "${1%%-*}"; }

fs_options() {
	case $1 in
	ext4-journal) echo noatime,data=journal ;;
	btrfs-compress) echo noatime,compress=zstd ;;
	f2fs-compress) echo 'noatime,compress_algorithm=lz4,compress_extension=*' ;;
	*) echo noatime ;;
	esac
}

# make_fs NAME DISK
make_fs() {
	local mkfs
	mkfs=$(fs_table | awk -v fs="$1" '$1 == fs { $1 = $2 = ""; print }')
	# shellcheck disable=SC2086
	$mkfs "$2" >/dev/null || die "$mkfs $2 failed"
}

# mount_fs NAME DISK [SUBDIR]: a new file system; its place is in $MNT[/SUBDIR]
mount_fs() {
	local dir=$MNT${3:+/$3}
	make_fs "$1" "$2"
	mkdir -p "$dir"
	mount -t "$(fs_type "$1")" -o "$(fs_options "$1")" "$2" "$dir" || die "mount $1 on $2 failed"
}

# each_fs DISK FUNCTION NAME...: FUNCTION for each file system, made and mounted;
# it sees FS and BLOCK. IOBLAME_FS narrows the choice.
each_fs() {
	local disk=$1 function=$2
	shift 2
	for FS; do
		[[ " ${IOBLAME_FS:-$FS} " == *" $FS "* ]] || continue
		# shellcheck disable=SC2034
		BLOCK=$(fs_block "$FS")
		t_case "$FS: make and mount" new_fs "$disk"
		mountpoint -q "$MNT" || continue
		"$function"
		[ ! -e "$IOB/enable" ] || disable
		restore_knobs
		unmount_all
	done
}

new_fs() {
	need "fs:$(fs_type "$FS")"
	mount_fs "$FS" "$1"
	pass
}

# detach_loops DIR: the loop devices over files in it
detach_loops() {
	local d file
	for d in /sys/block/loop*/loop; do
		file=$(<"$d/backing_file")
		d=${d%/loop}
		[[ $file != "$1"/* ]] || losetup -d "/dev/${d##*/}"
	done
}

unmount_all() {
	local mounts=() dir i
	while read -r _ dir _; do
		[[ $dir != "$MNT"* ]] || mounts+=("$dir")
	done </proc/mounts
	for ((i = ${#mounts[@]} - 1; i >= 0; i--)); do
		detach_loops "${mounts[i]}"
		umount "${mounts[i]}" 2>/dev/null && continue
		fuser -s -k -m "${mounts[i]}"
		poll 20 umount "${mounts[i]}" || echo "${mounts[i]} cannot be unmounted"
	done
}

# --- block devices

# null_blk NAME KEY=VALUE...: sets $NULL_BLK to the new disk
null_blk() {
	local dir=/sys/kernel/config/nullb/$1 kv before
	shift
	[ -d /sys/module/null_blk ] || modprobe null_blk nr_devices=0 || die "no null_blk"
	mount_configfs
	before=$(echo /sys/block/*)
	mkdir "$dir" || die "null_blk: mkdir $dir failed"
	for kv in size=1024 queue_mode=2 memory_backed=1 "$@"; do
		echo "${kv#*=}" >"$dir/${kv%%=*}" || die "null_blk refuses $kv"
	done
	echo 1 >"$dir/power" || die "null_blk: power on failed"
	for kv in /sys/block/*; do
		[[ " $before " == *" $kv "* ]] || NULL_BLK=/dev/${kv##*/}
	done
	wait_for_node "$NULL_BLK"
}

# dm_device NAME: the node of a device-mapper device; nobody links /dev/mapper here
dm_device() {
	local name
	for name in /sys/block/dm-*/dm/name; do
		[ "$(<"$name")" != "$1" ] || { name=${name%/dm/name}; echo "/dev/${name##*/}"; }
	done
}

# dm_create NAME TABLE: sets $DM
dm_create() {
	modprobe -q dm_mod
	dmsetup create --noudevsync --noudevrules "$1" --table "$2" || die "dmsetup create '$2' failed"
	DM=$(dm_device "$1")
	wait_for_node "$DM"
}

# le32 NUMBER: its bytes, the low one first, as printf escapes
le32() { printf '\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)); }

# partition_disk DISK MIB...: up to four partitions, 1 MiB from the start and one
# behind the other, written by hand
partition_disk() {
	local disk=$1 start=2048 mib
	shift
	{
		head -c 446 /dev/zero
		for mib; do
			printf '\0\377\377\377\203\377\377\377%b%b' "$(le32 $start)" "$(le32 $((mib * 2048)))"
			start=$((start + mib * 2048))
		done
		head -c $(((4 - $#) * 16)) /dev/zero
		printf '\125\252'
	} | dd of="$disk" bs=512 count=1 iflag=fullblock conv=fsync status=none
	blockdev --rereadpt "$disk" || die "no partitions on $disk"
	wait_for_node "$disk$#"
}

mount_configfs() {
	[ -d /sys/kernel/config/nullb ] || mount -t configfs none /sys/kernel/config
}

wait_for_node() { poll 30 test -b "$1" || die "no device node $1"; }

# It is busy for a while after what used it has gone, and there after it was stopped.
stop_array() { # NAME
	mdadm -q --stop "/dev/$1"
	[ ! -e "/sys/block/$1" ]
}

no_bcache() {
	local left=(/sys/block/bcache* /sys/fs/bcache/*-*)
	[ ${#left[@]} -eq 0 ]
}

# A disk that still looks like one of bcache's is taken by the next who registers it.
reset_bcache() {
	local d
	[ -d /sys/module/bcache ] || return 0
	for d in /sys/block/bcache*/bcache/stop /sys/fs/bcache/*-*/stop; do
		echo 1 >"$d"
	done
	poll 60 no_bcache || echo "bcache cannot be stopped"
	while read -r d; do
		dd if=/dev/zero of="$d" bs=4096 seek=1 count=1 conv=fsync status=none
	done < <(spare_disks)
	rmmod bcache
}

reset_devices() {
	local d
	reset_bcache
	for d in /sys/block/dm-*/dm/name; do
		[[ $(<"$d") != "$OURS"* ]] || dmsetup remove --noudevsync --noudevrules --retry "$(<"$d")"
	done
	for d in /sys/block/md*; do
		poll 30 stop_array "${d##*/}"
	done
	for d in /sys/block/vd*/vd*; do
		d=/dev/$(basename "${d%/*}")
		dd if=/dev/zero of="$d" bs=512 count=1 conv=fsync status=none
		blockdev --rereadpt "$d"
	done
	for d in /sys/kernel/config/nullb/*/power; do
		echo 0 >"$d"
		rmdir "${d%/power}"
	done
	for d in /sys/block/md*; do
		echo "${d##*/} is still there"
	done
	while read -r d _; do
		[[ $d != /dev/zram* ]] || swapoff "$d"
	done </proc/swaps
	for d in /sys/block/zram*/reset; do
		echo 1 >"$d"
	done
	for d in null_blk brd scsi_debug zram; do
		[ ! -d "/sys/module/$d" ] || rmmod "$d"
	done
}

reset_tracing() {
	[ -d "$TRACING/events/ioblame" ] && echo 0 >"$TRACING/events/ioblame/enable"
	for _ in "$TRACING"/instances/ioblame*; do
		rmdir "$TRACING"/instances/ioblame* 2>/dev/null
		break
	done
}

reset_world() {
	reset_cgroups || echo "cgroup $CG cannot be removed"
	reset_tracing
	unload_module || echo "ioblame cannot be unloaded"
	restore_knobs
	unmount_all
	reset_devices
	rm -rf "${T_DIR:?}"
	mkdir -p "$T_DIR/bin"
} 2>&1
