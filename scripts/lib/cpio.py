# SPDX-License-Identifier: GPL-2.0
"""A cpio archive (newc) as the kernel unpacks one: initrds may simply be strung together."""

import os


def _entry(ino, name, mode, data):
    head = "070701" + "".join("%08x" % n for n in (
        ino, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0))
    out = head.encode() + name.encode() + b"\0"
    out += b"\0" * (-len(out) % 4)
    return out + data + b"\0" * (-len(data) % 4)


def archive(files):
    """files: list of (name, mode, bytes); bytes is None for a directory."""
    out = b""
    for ino, (name, mode, data) in enumerate(files, 1):
        kind = 0o040000 if data is None else 0o100000
        out += _entry(ino, name, kind | mode, data or b"")
    out += _entry(0, "TRAILER!!!", 0, b"")
    return out + b"\0" * (-len(out) % 512)


def concatenate(target, parts):
    """Write parts (file names or bytes) one after the other, each to a 512 byte boundary."""
    with open(target, "wb") as out:
        for part in parts:
            if isinstance(part, bytes):
                out.write(part)
            else:
                with open(part, "rb") as source:
                    while chunk := source.read(1 << 20):
                        out.write(chunk)
            out.write(b"\0" * (-out.tell() % 512))
        out.flush()
    return os.path.getsize(target)
