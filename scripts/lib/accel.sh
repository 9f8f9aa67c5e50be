# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Hardware virtualisation, only where it has been seen to run a stock kernel: /dev/kvm may
# exist and hang. Asked once for a host kernel, processor and QEMU.

accel_key() {
	{
		uname -r
		grep -m1 'model name' /proc/cpuinfo || true
		qemu-system-x86_64 --version | head -n 1
	} | sha256sum | cut -c1-12
}

# accel_choose BOOT IMAGE: prints kvm or tcg
accel_choose() {
	local answer rc=0
	answer=$cache/kvm-$(accel_key)
	if [ ! -r /dev/kvm ] || [ ! -w /dev/kvm ]; then
		echo tcg
		return
	fi
	if [ ! -s "$answer" ]; then
		say "trying whether /dev/kvm runs a kernel (at most 15 s) ..."
		/usr/bin/python3 "$here/lib/guest.py" --kernel "$1/vmlinuz" --initrd "$1/initrd" --root "$2" \
			--log "$cache/log/kvm" --accel kvm --cpus 1 --mem 1024 --timeout 15 \
			--boot-timeout 15 -- true >/dev/null 2>&1 </dev/null || rc=$?
		if [ "$rc" -eq 0 ]; then
			echo kvm >"$answer.$$"
		else
			echo tcg >"$answer.$$"
		fi
		mv "$answer.$$" "$answer"
		say "guests run by $(sed 's/kvm/hardware virtualisation/; s/tcg/emulation: kvm does not work here/' "$answer")"
	fi
	cat "$answer"
}
