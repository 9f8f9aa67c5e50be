# SPDX-License-Identifier: GPL-2.0
"""Run one command in one guest: start QEMU, carry the streams, watch the console, judge.

Exit status: the command's own; 70 the kernel printed a splat; 71 the guest died, hung or
lost output; 124 out of time; 130/143 interrupted. Success needs the guest's own report,
both ends of its output and a clean console.
"""

import argparse
import ctypes
import errno
import os
import secrets
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
import tty

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cpio  # noqa: E402
import qemu  # noqa: E402
import splat  # noqa: E402

SPLAT, DEAD, TIMEOUT = 70, 71, 124
MOUNTS = [
    ("devpts", "/dev/pts", "devpts", "mode=620,ptmxmode=666"),
    ("shm", "/dev/shm", "tmpfs", "mode=1777"),
    ("tmp", "/tmp", "tmpfs", "mode=1777"),
    ("debugfs", "/sys/kernel/debug", "debugfs", "defaults"),
    ("tracefs", "/sys/kernel/tracing", "tracefs", "defaults"),
    ("configfs", "/sys/kernel/config", "configfs", "defaults"),
    ("cgroup2", "/sys/fs/cgroup", "cgroup2", "defaults"),
]
TAINT_DIE, TAINT_WARN = 1 << 7, 1 << 9


def say(text):
    sys.stderr.write("vm: %s\n" % text)
    sys.stderr.flush()


class Failure(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Stopped(Exception):
    def __init__(self, signum):
        super().__init__("signal %d" % signum)
        self.signum = signum


class Output:
    """One stream from the guest to one of our descriptors, up to the end mark."""

    def __init__(self, sock, fd, token):
        self.sock, self.fd, self.token = sock, fd, token
        self.held, self.ended = b"", False

    def fileno(self):
        return self.sock.fileno()

    def read(self):
        try:
            data = self.sock.recv(1 << 16)
        except (BlockingIOError, ConnectionResetError):
            return
        if self.ended or not data:
            return
        data = self.held + data
        at = data.find(self.token)
        if at >= 0:
            self.ended, self.held = True, b""
            self.write(data[:at])
            return
        # Hold back only what could be the beginning of the mark.
        keep = min(len(data), len(self.token) - 1)
        while keep and not self.token.startswith(data[-keep:]):
            keep -= 1
        self.held = data[len(data) - keep:]
        self.write(data[:len(data) - keep])

    def flush(self):
        self.write(self.held)
        self.held = b""

    def write(self, data):
        while data:
            data = data[os.write(self.fd, data):]


class Input:
    """Our standard input to the guest, as fast as the guest takes it."""

    def __init__(self, sock, half_close):
        self.sock, self.pending, self.half_close = sock, b"", half_close
        self.open = True

    def wants(self):
        return self.open and not self.pending

    def read(self):
        try:
            self.pending = os.read(0, 1 << 15)
        except OSError:
            self.pending = b""
        if not self.pending:
            self.open = False
            if self.half_close:
                self.sock.shutdown(socket.SHUT_WR)

    def write(self):
        try:
            self.pending = self.pending[self.sock.send(self.pending):]
        except BlockingIOError:
            pass
        except OSError:
            self.pending, self.open = b"", False


class Console:
    """The kernel's console log, read as it grows."""

    def __init__(self, path):
        self.path, self.offset, self.rest = path, 0, ""
        self.splat_at = self.fatal_at = None

    def poll(self):
        try:
            with open(self.path, "rb") as log:
                log.seek(self.offset)
                data = log.read()
        except FileNotFoundError:
            return
        self.offset += len(data)
        lines = (self.rest + data.decode("utf-8", "replace")).split("\n")
        self.rest = lines.pop()
        for line in lines:
            if self.splat_at is None and splat.is_splat(line):
                self.splat_at = time.monotonic()
            if self.fatal_at is None and splat.is_fatal(line):
                self.fatal_at = time.monotonic()

    def text(self):
        try:
            with open(self.path, "rb") as log:
                return log.read().decode("utf-8", "replace").replace("\r", "")
        except FileNotFoundError:
            return ""


class Guest:
    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        self.token = b"\0\x1e" + secrets.token_hex(16).encode()
        self.console = Console(options.log)
        self.started = time.monotonic()
        self.up = False
        self.report = None
        self.ctl_text = b""

    def start(self):
        names = ["ctl", "tty"] if self.options.tty else ["ctl", "in", "out", "err"]
        ours, theirs = {}, {}
        for name in names:
            ours[name], theirs[name] = socket.socketpair()
            ours[name].setblocking(False)
        self.write_initrd()
        fds = {name: sock.fileno() for name, sock in theirs.items()}
        if self.options.tty:
            # The first console of the bus must come before the ports.
            fds = {"tty": fds["tty"], "ctl": fds["ctl"]}
        self.qemu_log = open(os.path.join(self.directory, "qemu"), "w+b")
        self.qemu = subprocess.Popen(
            qemu.command(self.options, self.directory, fds), stdin=subprocess.DEVNULL,
            stdout=self.qemu_log, stderr=self.qemu_log, pass_fds=fds.values(),
            start_new_session=True, preexec_fn=die_with_parent)
        for sock in theirs.values():
            sock.close()
        self.ctl = ours["ctl"]
        if self.options.tty:
            self.outputs = [Output(ours["tty"], 1, self.token)]
            self.input = Input(ours["tty"], half_close=False)
        else:
            self.outputs = [Output(ours["out"], 1, self.token), Output(ours["err"], 2, self.token)]
            self.input = Input(ours["in"], half_close=True)

    def write_initrd(self):
        options = self.options
        words = [os.fsencode(word) for word in options.command]
        size = ""
        if options.tty:
            rows = os.get_terminal_size(0)
            size = "rows %d cols %d" % (rows.lines, rows.columns)
        config = "token='%s'\nshare='%s'\nnvme='%s'\ntty='%s'\nterm=%s\nkmemleak=%s\n" % (
            "\\000\\036" + self.token[2:].decode(), "1" if options.share else "",
            str(len(options.nvme) or ""), size,
            shlex.quote(os.environ.get("TERM", "linux")), "" if options.no_kmemleak else "1")
        quoted = b" ".join(b"'" + w.replace(b"'", b"'\\''") + b"'" for w in words)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest-init"), "rb") as f:
            init = f.read()
        fstab = "".join("%s %s %s %s 0 0\n" % row for row in MOUNTS)
        files = [("guest", 0o755, None), ("guest/init", 0o755, init),
                 ("guest/config", 0o644, config.encode()),
                 ("guest/fstab", 0o644, fstab.encode()),
                 ("guest/command", 0o644, b"exec " + quoted + b"\n")]
        cpio.concatenate(os.path.join(self.directory, "initrd"),
                         options.initrd + [cpio.archive(files)])

    def read_ctl(self):
        try:
            data = self.ctl.recv(4096)
        except (BlockingIOError, ConnectionResetError):
            return
        self.ctl_text += data
        while b"\n" in self.ctl_text:
            line, self.ctl_text = self.ctl_text.split(b"\n", 1)
            words = line.split()
            if words[:1] == [b"up"]:
                self.up = True
                if os.environ.get("IOBLAME_VM_VERBOSE"):
                    say("up after %.1f s" % (time.monotonic() - self.started))
            elif words[:1] == [b"exit"] and len(words) == 4:
                self.report = [int(word) for word in words[1:]]

    def finished(self):
        return self.report is not None and all(out.ended for out in self.outputs)

    def check_time(self):
        now = time.monotonic()
        options = self.options
        if options.timeout and now - self.started > options.timeout:
            raise Failure(TIMEOUT, "out of time after %d s" % options.timeout)
        if not self.up and now - self.started > options.boot_timeout:
            raise Failure(DEAD, "the guest did not start within %d s" % options.boot_timeout)
        if self.console.fatal_at and now - self.console.fatal_at > 10:
            raise Failure(SPLAT, "the kernel is broken, not waiting for the command")
        if self.report and not self.finished():
            self.reported_at = getattr(self, "reported_at", now)
            if now - self.reported_at > 30:
                raise Failure(DEAD, "the guest's output never came to its end")

    def run(self):
        polled = 0
        while not self.finished():
            readers = [self.ctl] + self.outputs
            writers = []
            if self.up and self.input.wants():
                readers = readers + [0]
            if self.input.pending:
                writers = [self.input.sock]
            try:
                ready, free, _ = select.select(readers, writers, [], 0.25)
            except OSError as error:
                if error.errno != errno.EBADF:
                    raise
                self.input.open = False
                continue
            for source in ready:
                if source == 0:
                    self.input.read()
                elif source is self.ctl:
                    self.read_ctl()
                else:
                    source.read()
            if free:
                self.input.write()
            if time.monotonic() - polled > 0.5:
                polled = time.monotonic()
                self.console.poll()
                self.check_time()
                if self.qemu.poll() is not None and not self.drained():
                    break

    def drained(self):
        """QEMU is gone; is there anything left to read?"""
        ready, _, _ = select.select([self.ctl] + self.outputs, [], [], 0)
        for source in ready:
            try:
                fd = source.fileno()
                if socket.socket(fileno=os.dup(fd)).recv(1, socket.MSG_PEEK):
                    return True
            except OSError:
                pass
        return False

    def stop(self):
        """Let the guest power off, so that the console has its last words."""
        if self.finished() and self.qemu.poll() is None:
            try:
                self.ctl.send(b"bye\n")
                self.qemu.wait(20)
            except subprocess.TimeoutExpired:
                raise Failure(DEAD, "the guest reported but did not power off") from None
            except OSError:
                pass

    def kill(self):
        if getattr(self, "qemu", None) and self.qemu.poll() is None:
            self.qemu.kill()
            self.qemu.wait()

    def judge(self):
        text = self.console.text()
        found = splat.first(text)
        if found:
            raise Failure(SPLAT, "the kernel printed:\n  " + "\n  ".join(found))
        if not self.finished():
            self.qemu_log.seek(0)
            said = self.qemu_log.read().decode("utf-8", "replace").strip()
            last = text.strip().splitlines()[-12:]
            raise Failure(DEAD, "the guest died without a report%s; its console ended with:\n  %s" % (
                " (QEMU: %s)" % said if said else "", "\n  ".join(last)))
        status, taint, locks = self.report
        if taint & (TAINT_DIE | TAINT_WARN) or not locks:
            raise Failure(SPLAT, "the kernel says it is broken (taint %d, lock checks %s) but the console does not show why"
                          % (taint, "on" if locks else "off"))
        return status


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def remove_stale(parent):
    """Directories of runs that were killed the hard way."""
    for name in os.listdir(parent):
        words = name.split(".")
        if words[0] == "ioblame-vm" and len(words) == 3 and words[1].isdigit():
            try:
                os.kill(int(words[1]), 0)
            except ProcessLookupError:
                shutil.rmtree(os.path.join(parent, name), ignore_errors=True)
            except PermissionError:
                pass


def parse():
    parser = argparse.ArgumentParser(prog="guest.py")
    for name in ("kernel", "root", "log", "accel", "cpu", "append", "share"):
        parser.add_argument("--" + name, default="")
    for name in ("cpus", "mem", "timeout", "boot-timeout"):
        parser.add_argument("--" + name, type=int, default=0)
    for name in ("disk", "nvme"):
        parser.add_argument("--" + name, type=int, action="append", default=[])
    parser.add_argument("--initrd", action="append", default=[])
    parser.add_argument("--icount", action="store_true")
    parser.add_argument("--no-kmemleak", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.command[:1] == ["--"]:
        del options.command[0]
    options.tty = os.isatty(0) and os.isatty(1)
    return options


def interrupted(signum, _frame):
    raise Stopped(signum)


def attempt(options, directory):
    guest = Guest(options, directory)
    saved = termios.tcgetattr(0) if options.tty else None
    try:
        guest.start()
        if saved:
            tty.setraw(0)
        guest.run()
        guest.stop()
        return guest.judge()
    except Failure as failure:
        # A splat explains a hang better than the clock does.
        found = splat.first(guest.console.text()) if failure.status != SPLAT else []
        guest.kill()
        if failure.status == SPLAT and "printed:" not in str(failure):
            found = splat.first(guest.console.text())
        if found:
            failure = Failure(SPLAT, "%s; the kernel printed:\n  %s" % (failure, "\n  ".join(found)))
        raise failure
    finally:
        guest.kill()
        if saved:
            termios.tcsetattr(0, termios.TCSADRAIN, saved)
        for out in getattr(guest, "outputs", []):
            try:
                out.flush()
            except OSError:
                pass


def main():
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, interrupted)
    options = parse()
    parent = os.environ.get("TMPDIR", "/var/tmp")
    remove_stale(parent)
    directory = tempfile.mkdtemp(prefix="ioblame-vm.%d." % os.getpid(), dir=parent)
    try:
        return attempt(options, directory)
    except Failure as failure:
        say(failure)
        say("the console is in %s" % options.log)
        return failure.status
    except Stopped as stopped:
        return 128 + stopped.signum
    except BrokenPipeError:
        # Nobody reads any more; end as a pipe's writer does.
        return 141
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    code = main()
    os._exit(code)
