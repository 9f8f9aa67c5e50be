#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What trace-cmd would have written of a recording: its own program makes the file, of
the pages of a ring buffer and a directory that stands for tracefs.

usage: trace_dat.py RECORDING DIR: makes DIR/trace.dat; the recording is not packed
"""
import os
import struct
import subprocess
import sys

ROOM = 4096 - 16
HEADER_EVENT = """# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""

FUNCTION = """name: function
ID: 1
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;

print fmt: "%lx", REC->ip
"""


def put(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(content)


def chunks(data):
    at = 16
    while at + 12 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        yield kind, data[at + 12:at + 12 + size]
        at += 12 + size


def events(chunk):
    at = 0
    while at + 16 <= len(chunk):
        when, cpu, size = struct.unpack_from("<QII", chunk, at)
        yield when, cpu, chunk[at + 16:at + 16 + size]
        at += 16 + (size + 7 & ~7)


def ring(records):
    """Pages of one CPU: time of the first, bytes used, then entries with their distance."""
    page, first, last, out = b"", 0, 0, b""
    for when, data in records:
        data += b"\0" * (-len(data) & 3)
        entry = struct.pack("<II", 0, 4 + len(data)) + data
        # 27 bits of nanoseconds; what is longer begins a page.
        if page and (len(page) + len(entry) > ROOM or when - last >= 1 << 27):
            out += struct.pack("<QQ", first, len(page)) + page.ljust(ROOM, b"\0")
            page = b""
        if not page:
            first = last = when
        page += struct.pack("<I", (when - last) << 5) + entry[4:]
        last = when
    return out + struct.pack("<QQ", first, len(page)) + page.ljust(ROOM, b"\0")


def main(recording, directory):
    tracefs, cpus = os.path.join(directory, "tracefs"), {}
    with open(recording, "rb") as file:
        data = file.read()
    for kind, chunk in chunks(data):
        if kind == b"HEAD":
            put(tracefs + "/events/header_page", chunk)
        elif kind == b"FORM":
            name = chunk.split(b"\n", 1)[0].split()[1].decode()
            put("%s/events/ioblame/%s/format" % (tracefs, name), chunk)
        elif kind == b"EVTS":
            for when, cpu, event in events(chunk):
                cpus.setdefault(cpu, []).append((when, event))
    put(tracefs + "/events/header_event", HEADER_EVENT.encode())
    # trace-cmd does not survive its lack.
    put(tracefs + "/events/ftrace/function/format", FUNCTION.encode())
    for name in ("printk_formats", "saved_cmdlines", "trace_clock", "kallsyms"):
        put(tracefs + "/" + name, b"")
    files = []
    for cpu in range(max(cpus) + 1):
        files.append("%s/cpu%d" % (directory, cpu))
        put(files[-1], ring(sorted(cpus.get(cpu, []))))
    part, whole = directory + "/part.dat", directory + "/trace.dat"
    for words in (["-c", "-t", tracefs, "-k", tracefs + "/kallsyms", "-o", part],
                  ["-i", part, "-o", whole] + files):
        subprocess.run(["trace-cmd", "restore"] + words, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*sys.argv[1:])
