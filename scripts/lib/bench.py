# SPDX-License-Identifier: GPL-2.0
"""What guests have measured, as tables and as results.json; Documentation/performance.rst
says what the numbers mean.

usage: bench.py [--phases] DIRECTORY KERNEL...: reads DIRECTORY/KERNEL.tsv, lines as
selftests/bench/run prints them. Status 1 if something that was to be measured has no number.
"""

import collections
import json
import os
import statistics
import sys

NONE = "none"
WHOLE = ""                          # of a load: the sum of its phases
UNITS = ("pages", "ios", "bios")


class Kernel:
    """All that one guest has said."""

    def __init__(self, path, name):
        self.name = name
        self.workloads, self.tracers = [], []
        self.inner = set()          # tracers of which all rounds ran under one start
        # workload, tracer -> phase -> round -> instructions
        self.samples = {}
        self.moved = {}             # workload, phase -> pages, ios, bios
        self.lost, self.cannot, self.full, self.credited = {}, {}, {}, {}
        self.known, self.broken = [], []
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self.take(line.rstrip("\n").split("\t"))
        if not self.samples:
            self.broken.append("nothing was measured")

    def take(self, words):
        """One line; what is not understood is shown in the end."""
        takes = {("sample", 9): self.take_sample, ("tracer", 3): self.take_tracer,
                 ("lost", 4): self.take_lost,
                 ("cannot", 4): self.take_cannot,
                 ("full", 3): lambda w, n: self.full.update({w: int(n)}),
                 ("credited", 4): lambda t, n, of: self.credited.update({t: (int(n), int(of))}),
                 ("known", 4): lambda w, n, of: self.known.append((w, int(n), int(of)))}
        take = takes.get((words[0], len(words)))
        try:
            if take:
                take(*words[1:])
                return
        except ValueError:
            pass
        if words != [""]:
            self.broken.append(" ".join(words))

    def take_tracer(self, name, rounds):
        self.tracers.append(name)
        if rounds == "inner":
            self.inner.add(name)

    def take_lost(self, workload, tracer, nr):
        """Once for each start of the tracer."""
        self.lost[workload, tracer] = self.lost.get((workload, tracer), 0) + int(nr)

    def know(self, workload):
        if workload not in self.workloads:
            self.workloads.append(workload)

    def take_cannot(self, workload, tracer, why):
        self.know(workload)
        self.cannot[workload, tracer] = why

    def take_sample(self, workload, tracer, turn, phase, count, *moved):
        self.know(workload)
        phases = self.samples.setdefault((workload, tracer), collections.defaultdict(dict))
        phases[phase][turn] = int(count)
        phases[WHOLE][turn] = phases[WHOLE].get(turn, 0) + int(count)
        if tracer == NONE:
            self.moved[workload, phase] = dict(zip(UNITS, map(int, moved)))

    def turns(self, workload, tracer, phase=WHOLE):
        return self.samples.get((workload, tracer), {}).get(phase, {})

    def middle(self, tracer, values):
        """A reader that empties its buffer in one run of several has no median."""
        if not values:
            return None
        return statistics.mean(values) if tracer in self.inner else statistics.median(values)

    def count(self, workload, tracer, phase=WHOLE):
        return self.middle(tracer, list(self.turns(workload, tracer, phase).values()))

    def extra(self, workload, tracer, phase=WHOLE):
        """Instructions beyond those of nobody watching, each round with its own."""
        base, mine = (self.turns(workload, t, phase) for t in (NONE, tracer))
        return self.middle(tracer, [mine[turn] - base[turn] for turn in mine if turn in base])

    def percent(self, workload, tracer):
        base, extra = self.count(workload, NONE), self.extra(workload, tracer)
        return 100 * extra / base if base and extra is not None else None

    def spread(self, workload):
        """How far apart the runs with nobody watching are, in percent."""
        turns = list(self.turns(workload, NONE).values())
        return 100 * (max(turns) - min(turns)) / statistics.median(turns) if turns else None

    def credit(self, tracer):
        """Of what the disk wrote, how much went to the account of who wrote it, in percent."""
        mine, of = self.credited.get(tracer, (0, 0))
        return 100 * mine / of if of else None

    def each(self, workload, phase, tracer, unit):
        """Instructions beyond those of nobody watching, for one page, IO or bio."""
        extra = self.extra(workload, tracer, phase)
        units = self.moved.get((workload, phase), {}).get(unit)
        return extra / units if extra is not None and units else None

    def bio_and_io(self, tracer):
        """
        Reads by io_uring, once each an IO of its own and once several merged into one, are
        two equations: so much a bio and so much an IO.
        """
        terms = []
        for workload in ("read-uring", "read-merged"):
            moved = self.moved.get((workload, "io"))
            extra = self.extra(workload, tracer, "io")
            if not moved or extra is None:
                return None, None
            terms.append((moved["bios"], moved["ios"], extra))
        (b1, i1, e1), (b2, i2, e2) = terms
        det = b1 * i2 - b2 * i1
        return ((e1 * i2 - e2 * i1) / det, (b1 * e2 - b2 * e1) / det) if det else (None, None)

    def row(self, workload, tracer):
        """One element of results.json."""
        row = {"kernel": self.name, "workload": workload, "tracer": tracer,
               "instructions": self.count(workload, tracer),
               "baseline": self.count(workload, NONE),
               "overhead_pct": rounded(self.percent(workload, tracer)),
               "lost": self.lost.get((workload, tracer)),
               "spread_pct": rounded(self.spread(workload)),
               "credited_pct": rounded(self.credit(tracer)),
               "phases": {}}
        if (workload, tracer) in self.cannot:
            row["reason"] = self.cannot[workload, tracer]
        for (known, phase), moved in self.moved.items():
            if known == workload and self.turns(workload, tracer, phase):
                row["phases"][phase] = {"instructions": self.count(workload, tracer, phase),
                                        "extra": self.extra(workload, tracer, phase), **moved}
        return row

    def rows(self):
        return [self.row(w, t) for w in self.workloads for t in self.tracers
                if (w, t) in self.samples or (w, t) in self.cannot]


def rounded(value):
    return None if value is None else round(value, 2)


def text(value, form="{:,.0f}"):
    return "-" if value is None else form.format(value)


def columns(title, head, lines, words=2):
    """Prints rows, the first columns as words, the others as numbers."""
    if not lines:
        return
    rows = [head] + lines
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    print(title + "\n")
    for row in rows:
        print("  ".join(word.ljust(width) if i < words else word.rjust(width)
                        for i, (word, width) in enumerate(zip(row, widths))).rstrip())
    print()


def is_scale(kernel, workload):
    return (workload, "new") in kernel.moved


def all_tracers(kernels):
    return list(dict.fromkeys(t for k in kernels for t in k.tracers if t != NONE))


def cost_table(kernels):
    tracers = all_tracers(kernels)
    lines = []
    for k in kernels:
        for w in k.workloads:
            if not is_scale(k, w):
                lines.append([k.name, w, text(k.count(w, NONE)), text(k.spread(w), "{:.2f}")] +
                             [text(k.percent(w, t), "{:+.2f}") for t in tracers])
        if k.credited:
            lines.append([k.name, "credited %", "", ""] +
                         [text(k.credit(t), "{:.1f}") for t in tracers])
    columns("Instructions with nobody watching, how far apart those runs are in percent, and how "
            "many percent\nmore with somebody watching. Credited: of what the disk wrote, the part "
            "put down to who wrote it.", ["kernel", "load", "instructions", "spread"] + tracers, lines)


def each_table(kernels):
    lines = []
    for k in kernels:
        for t in all_tracers([k]):
            bio, io = k.bio_and_io(t)
            lines.append([k.name, t] + [text(v) for v in (
                k.each("ext4-4k", "write", t, "pages"), k.each("ext4-4k", "sync", t, "pages"),
                k.each("ext4-1m", "write", t, "pages"), k.each("ext4-mmap", "write", t, "pages"),
                k.each("ext4-fsync", "fsync", t, "pages"), bio, io,
                k.each("read-psync", "io", t, "ios"))])
    columns("More instructions for each", ["kernel", "tracer", "page dirtied", "page written back",
            "page of 1 MiB", "page mapped", "small file", "bio", "IO", "direct read"],
            [line for line in lines if set(line[2:]) != {"-"}])


def scale_table(kernels):
    lines = []
    for k in kernels:
        for w in k.workloads:
            if is_scale(k, w) and k.turns(w, "totals"):
                lines.append([k.name, w, text(k.moved[w, "new"]["pages"]), text(k.full.get(w)),
                              text(k.each(w, "again", "totals", "pages")),
                              text(k.each(w, "new", "totals", "pages")),
                              text(k.lost.get((w, "totals")))])
    columns("More instructions for each page dirtied, as the module knows more acts (totals): acts of the load,\n"
            "acts known in the end, a page of an act that is known, one of a new act until it is written.",
            ["kernel", "load", "acts", "known", "known act", "new act", "lost"], lines)


def phase_table(kernels):
    lines = []
    for row in (row for k in kernels for row in k.rows()):
        for phase, p in row["phases"].items():
            lines.append([row["kernel"], row["workload"], row["tracer"], phase,
                          text(p["instructions"]), text(p["extra"])] +
                         [text(p[unit] or None) for unit in UNITS] +
                         [text(p["extra"] / p[unit] if p[unit] else None) for unit in UNITS])
    columns("Phase by phase", ["kernel", "load", "tracer", "phase", "instructions", "more", "pages", "IOs",
            "bios", "a page", "an IO", "a bio"], lines, 4)


def notes(kernels):
    """What a reader of the tables must know; true if something is missing."""
    bad = False
    for k in kernels:
        for name, count, of in k.known:
            print("%s: %s: %s instructions counted%s" % (
                k.name, name, text(count), ", %s executed" % text(of) if of else ""))
        for (workload, tracer), nr in k.lost.items():
            if nr:
                print("%s: %s: %s lost %s events" % (k.name, workload, tracer, text(nr)))
        for (workload, tracer), why in k.cannot.items():
            print("%s: %s: %s cannot: %s" % (k.name, workload, tracer, why))
        for line in k.broken:
            print("%s: not understood: %s" % (k.name, line))
        bad = bad or bool(k.broken or k.cannot)
    return bad


def main():
    arguments = sys.argv[1:]
    with_phases = arguments[0] == "--phases"
    directory, *names = arguments[with_phases:]
    kernels = [Kernel(os.path.join(directory, name + ".tsv"), name) for name in names]
    rows = [row for k in kernels for row in k.rows()]
    with open(os.path.join(directory, "results.json"), "w", encoding="utf-8") as out:
        json.dump(rows, out, indent=1)
        out.write("\n")
    cost_table(kernels)
    each_table(kernels)
    scale_table(kernels)
    if with_phases:
        phase_table(kernels)
    bad = notes(kernels)
    return 1 if bad or any(row["instructions"] is None for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
