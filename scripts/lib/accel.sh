# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Hardware virtualisation, only where it has been seen to run a stock kernel: /dev/kvm may
# exist and hang. Asked once for a host kernel, processor and QEMU.

accel_key() {
	{
		cat "$here/lib/accel.sh"
		ls -l /dev/kvm 2>/dev/null || true
		uname -r
		grep -m1 'model name' /proc/cpuinfo || true
		qemu-system-x86_64 --version | head -n 1
	} | sha256sum | cut -c1-12
}

# QEMU before 8.1 may run instructions of one processor that another has just replaced,
# unless they take turns: rare oopses (int3) in the kernel's patching of itself.
accel_emulation() {
	local version
	version=$(qemu-system-x86_64 --version | sed -n '1s/.*version \([0-9]*\.[0-9]*\).*/\1/p')
	if [ "$(printf '%s\n8.1\n' "$version" | sort -V | head -n 1)" = 8.1 ]; then
		echo tcg,thread=multi
	else
		echo tcg,thread=single
	fi
}

# accel_choose BOOT IMAGE: prints QEMU's accelerator; $IOBLAME_ACCEL overrules
accel_choose() {
	local answer works=no
	if [ -n "${IOBLAME_ACCEL:-}" ]; then
		echo "$IOBLAME_ACCEL"
		return
	fi
	answer=$cache/accel-$(accel_key)
	if [ ! -s "$answer" ]; then
		if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
			say "trying whether /dev/kvm runs a kernel (at most 15 s) ..."
			! accel_try "$1" "$2" || works=yes
		fi
		if [ "$works" = yes ]; then
			echo kvm
		else
			accel_emulation
		fi >"$answer.$$"
		mv "$answer.$$" "$answer"
		say "guests run with $(cat "$answer")"
	fi
	cat "$answer"
}

accel_try() {
	/usr/bin/python3 "$here/lib/guest.py" --kernel "$1/vmlinuz" --initrd "$1/initrd" --root "$2" \
		--log "$cache/log/kvm" --accel kvm --cpus 1 --mem 1024 --timeout 15 \
		--boot-timeout 15 -- true >/dev/null 2>&1 </dev/null
}
