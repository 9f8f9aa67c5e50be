#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Places of members of private kernel structures, from the kernel's BTF.

offsets.py LIST RELEASE BUILD-DIRECTORY MODULES: prints a header. What a kernel does
not have, or what has no BTF, is not defined; a comment says why. Never fails
for the lack of BTF: the module is built without what it would tell.
"""
import lzma
import os
import struct
import subprocess
import sys
import zlib

MAGIC = 0xEB9F
KIND_STRUCT, KIND_UNION = 4, 5
# Bytes that follow the 12 of a type, by kind: fixed, for each of vlen.
EXTRA = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8),
         14: (4, 0), 15: (0, 12), 17: (4, 0), 19: (0, 12)}
NR_KINDS = 20


class Bad(Exception):
    """This is not BTF that can be understood."""


class Btf:
    """One BTF section; that of a module goes on where its base ends."""

    def __init__(self, data, base=None):
        magic, version, _, hdr_len, type_off, type_len, str_off, str_len = \
            struct.unpack_from("<HBBIIIII", data)
        if magic != MAGIC or version != 1:
            raise Bad("no BTF magic")
        if hdr_len + max(type_off + type_len, str_off + str_len) > len(data):
            raise Bad("BTF is cut short")
        self.base = base
        self.first_id = base.end_id if base else 1
        self.first_str = base.end_str if base else 0
        self.end_str = self.first_str + str_len
        self.strings = data[hdr_len + str_off:hdr_len + str_off + str_len]
        self.types = data[hdr_len + type_off:hdr_len + type_off + type_len]
        self.places, self.named = [], {}
        at = 0
        while at < type_len:
            name, info, _ = struct.unpack_from("<III", self.types, at)
            kind, vlen = info >> 24 & 31, info & 0xffff
            if not 0 < kind < NR_KINDS:
                raise Bad("BTF of a kind that is not known")
            if kind == KIND_STRUCT and name:
                self.named.setdefault(name, self.first_id + len(self.places))
            self.places.append(at)
            fixed, each = EXTRA.get(kind, (0, 0))
            at += 12 + fixed + each * vlen
        if at != type_len:
            raise Bad("BTF types do not end where they should")
        self.end_id = self.first_id + len(self.places)
        self.by_name = {self.string(n): i for n, i in self.named.items()}

    def string(self, offset):
        if offset < self.first_str:
            return self.base.string(offset)
        offset -= self.first_str
        return self.strings[offset:self.strings.index(b"\0", offset)].decode()

    def at(self, type_id):
        if type_id < self.first_id:
            return self.base.at(type_id)
        place = self.places[type_id - self.first_id]
        return (self, place) + struct.unpack_from("<III", self.types, place)

    def find(self, name):
        return self.by_name.get(name) or (self.base and self.base.find(name))

    def members(self, type_id):
        """Name and bit of each member, those of nameless inner ones too."""
        owner, place, _, info, size = self.at(type_id)
        for i in range(info & 0xffff):
            name, inner, bit = struct.unpack_from("<III", owner.types,
                                                  place + 12 + 12 * i)
            if info >> 31:
                bit &= 0xffffff
            if bit > size * 8:
                raise Bad("a member lies outside its structure")
            if name:
                yield owner.string(name), bit
            elif self.at(inner)[3] >> 24 & 31 in (KIND_STRUCT, KIND_UNION):
                for inner_name, inner_bit in self.members(inner):
                    yield inner_name, bit + inner_bit


def section(elf, wanted):
    """A section of a 64-bit little-endian ELF file, or None."""
    if elf[:6] != b"\x7fELF\x02\x01":
        return None
    offset, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, offset + i * size)
               for i in range(count)]
    for name, kind, _, _, at, length in headers:
        start = headers[names][4] + name
        if kind == 1 and elf[start:elf.index(b"\0", start)] == wanted:
            return elf[at:at + length]
    return None


def zstd(data):
    """By the program: Python has it from 3.14 on. It ends with an error, for
    what follows the payload of a kernel image is not for it."""
    done = subprocess.run(["zstd", "-dcq"], input=data, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout


PACKERS = (
    (b"\xfd7zXZ\0", lambda data: lzma.LZMADecompressor().decompress(data)),
    (b"\x28\xb5\x2f\xfd", zstd),
    (b"\x1f\x8b\x08", lambda data: zlib.decompressobj(31).decompress(data)),
)


def unpack(data, anywhere):
    """What may be packed, at the start or (a kernel image) somewhere inside."""
    if data[:4] == b"\x7fELF":
        return data
    for magic, function in PACKERS:
        at = data.find(magic)
        while at >= 0 and (at == 0 or anywhere):
            try:
                out = function(data[at:])
                if out[:4] == b"\x7fELF":
                    return out
            except (OSError, lzma.LZMAError, zlib.error):
                pass
            at = data.find(magic, at + 1)
    return b""


def read_btf(path, base=None):
    """BTF of a file, None if the file is not there or has none."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except OSError:
        return None
    if data[:2] != struct.pack("<H", MAGIC):
        data = section(unpack(data, base is None), b".BTF")
    return Btf(data, base) if data else None


def first(paths, base=None):
    for path in paths:
        try:
            btf = read_btf(path, base)
        except (Bad, struct.error, ValueError, IndexError) as error:
            print(f"/* {path}: {error} */")
            continue
        if btf:
            print(f"/* {path} */")
            return btf
    return None


def module_paths(modules, module):
    for folder, _, names in os.walk(f"{modules}/kernel"):
        for name in sorted(names):
            # dm-mod.ko is dm_mod once it is loaded
            if ".ko" in name and name.split(".ko")[0].replace("-", "_") == module:
                yield os.path.join(folder, name)


def lookup(btf, name, member):
    type_id = btf.find(name)
    if not type_id:
        return None
    if member == "sizeof":
        return btf.at(type_id)[4]
    for found, bit in btf.members(type_id):
        if found == member and bit % 8 == 0:
            return bit // 8
    return None


def main(path, release, build, modlib):
    running = release == os.uname().release
    print("/* SPDX-License-Identifier: GPL-2.0 */")
    print(f"/* Made by offsets.py for {release}. */")
    kernel = [f"{build}/vmlinux", f"/lib/modules/{release}/build/vmlinux",
              f"/usr/lib/debug/boot/vmlinux-{release}",
              f"/lib/modules/{release}/vmlinuz", f"/boot/vmlinuz-{release}"]
    if running:
        kernel.insert(0, "/sys/kernel/btf/vmlinux")
    base = first(kernel)
    if not base:
        print("/* no BTF of the kernel: nothing is defined */")
        return
    modules = {}
    with open(path, encoding="ascii") as f:
        rows = [line.split() for line in f if line[0] not in "#\n"]
    for module, name, member in rows:
        if module not in modules:
            found = [f"/sys/kernel/btf/{module}"] if running else []
            found += module_paths(modlib, module)
            # built in: the kernel's own tells
            modules[module] = first(found, base) or base
        try:
            value = lookup(modules[module], name, member)
        except (Bad, struct.error, ValueError, IndexError):
            value = None
        if value is None:
            print(f"/* {module}: no {name}.{member} */")
        else:
            print(f"#define IOB_OFF_{name}_{member} {value}")


if __name__ == "__main__":
    main(*sys.argv[1:])
