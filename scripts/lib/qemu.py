# SPDX-License-Identifier: GPL-2.0
"""QEMU's command line for a guest, and the files that go with it."""

import os

KERNEL = ("console=ttyS0 ignore_loglevel printk.time=1 panic=-1 nokaslr mitigations=off "
          "random.trust_cpu=on audit=0 apparmor=0 no_timer_check cryptomgr.notests "
          "8250.nr_uarts=1 rdinit=/init kunit.enable=1")


# A clock that counts instructions jumps to the next timer while the guest waits for the
# host to read its disk: who waits then has not hung.
KERNEL_ICOUNT = " sysctl.kernel.hung_task_timeout_secs=0"


def accelerator(options):
    if options.icount:
        return ["-accel", "tcg", "-icount", "shift=0,sleep=off"]
    if options.accel.startswith("tcg"):
        return ["-accel", options.accel + ",tb-size=512"]
    return ["-accel", options.accel]


def drive(name, path, extra=""):
    # Nothing here outlives the guest, so the host need not write any of it to its disk.
    return ["-drive", "if=none,id=%s,file=%s,format=raw,cache=unsafe,discard=unmap%s"
            % (name, path.replace(",", ",,"), extra)]


def disks(options, directory):
    """Empty disks in the order asked for; virtio ones after the root, which is vda."""
    args = drive("root", options.root, ",readonly=on")
    args += ["-device", "virtio-blk-pci,drive=root,serial=root"]
    for kind in ("disk", "nvme"):
        for nr, mib in enumerate(getattr(options, kind)):
            name = "%s%d" % (kind, nr)
            path = os.path.join(directory, name)
            with open(path, "wb") as image:
                image.truncate(mib << 20)
            args += drive(name, path)
            model = "virtio-blk-pci" if kind == "disk" else "nvme"
            args += ["-device", "%s,drive=%s,serial=%s" % (model, name, name)]
    return args


def channels(fds, tty):
    args = ["-device", "virtio-serial-pci,id=serial,max_ports=8"]
    for name, fd in fds.items():
        args += ["-chardev", "socket,id=%s,fd=%d" % (name, fd)]
        if name == "tty":
            args += ["-device", "virtconsole,bus=serial.0,chardev=tty,name=tty"]
        else:
            args += ["-device", "virtserialport,bus=serial.0,chardev=%s,name=%s" % (name, name)]
    return args


def command(options, directory, fds):
    args = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot",
            "-display", "none", "-machine", "q35", "-cpu",
            "host" if options.accel == "kvm" and not options.icount else options.cpu,
            "-smp", str(1 if options.icount else options.cpus), "-m", str(options.mem),
            "-kernel", options.kernel, "-initrd", os.path.join(directory, "initrd"),
            "-append", (KERNEL + (KERNEL_ICOUNT if options.icount else "") +
                        " " + options.append).strip(),
            "-serial", "file:" + options.log.replace(",", ",,")]
    args += accelerator(options)
    args += disks(options, directory)
    args += channels(fds, options.tty)
    if options.share:
        args += ["-fsdev", "local,id=share,security_model=passthrough,multidevs=remap,path="
                 + os.path.abspath(options.share).replace(",", ",,"),
                 "-device", "virtio-9p-pci,fsdev=share,mount_tag=share"]
    return args
