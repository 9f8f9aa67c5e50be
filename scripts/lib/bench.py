# SPDX-License-Identifier: GPL-2.0
"""What guests have measured, as tables and as results.json. See Documentation/performance.rst.

usage: bench.py DIRECTORY KERNEL...: reads DIRECTORY/KERNEL.tsv as selftests/bench/run
prints it. Status 1 if something that was to be measured has no number.
"""

import collections
import json
import os
import statistics
import sys

NONE = "none"
# The whole of a load is the sum of its phases.
WHOLE = ""


class Kernel:
    """All that one guest has said."""

    def __init__(self, path, name):
        self.name = name
        self.order, self.tracers = [], []
        # workload, tracer -> phase -> round -> instructions
        self.samples = collections.defaultdict(lambda: collections.defaultdict(dict))
        self.moved = {}             # workload, phase -> pages, ios, bios
        self.lost, self.cannot, self.broken = {}, {}, []
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self.take(line.rstrip("\n").split("\t"))
        if not self.samples:
            self.broken.append("nothing was measured")

    def know(self, workload, tracer):
        for known, name in ((self.order, workload), (self.tracers, tracer)):
            if name not in known:
                known.append(name)

    def take(self, words):
        kind, rest = words[0], words[1:]
        if kind == "sample" and len(rest) == 8:
            workload, tracer, turn, phase = rest[:4]
            count, pages, ios, bios = map(int, rest[4:])
            self.know(workload, tracer)
            phases = self.samples[workload, tracer]
            phases[phase][turn] = count
            phases[WHOLE][turn] = phases[WHOLE].get(turn, 0) + count
            if tracer == NONE:
                self.moved[workload, phase] = (pages, ios, bios)
        elif kind == "lost" and len(rest) == 3:
            self.lost[rest[0], rest[1]] = int(rest[2] or 0)
        elif kind == "cannot" and len(rest) == 3:
            self.know(rest[0], rest[1])
            self.cannot[rest[0], rest[1]] = rest[2]
        elif kind:
            self.broken.append(" ".join(words))

    def median(self, workload, tracer, phase=WHOLE):
        turns = self.samples[workload, tracer][phase].values()
        return statistics.median(turns) if turns else None

    def extra(self, workload, tracer, phase=WHOLE):
        """Instructions beyond those of nobody watching, paired by round."""
        base = self.samples[workload, NONE][phase]
        mine = self.samples[workload, tracer][phase]
        pairs = [mine[turn] - base[turn] for turn in mine if turn in base]
        return statistics.median(pairs) if pairs else None

    def spread(self, workload):
        """How far apart the runs with nobody watching are, in percent."""
        turns = list(self.samples[workload, NONE][WHOLE].values())
        if not turns:
            return None
        return 100 * (max(turns) - min(turns)) / statistics.median(turns)

    def row(self, workload, tracer):
        base = self.median(workload, NONE)
        extra = self.extra(workload, tracer)
        row = {
            "kernel": self.name, "workload": workload, "tracer": tracer,
            "instructions": self.median(workload, tracer), "baseline": base,
            "overhead_pct": None, "lost": self.lost.get((workload, tracer)),
            "spread_pct": None,
        }
        if base and extra is not None:
            row["overhead_pct"] = round(100 * extra / base, 2)
            row["spread_pct"] = round(self.spread(workload), 2)
        if (workload, tracer) in self.cannot:
            row["reason"] = self.cannot[workload, tracer]
        row["phases"] = self.phases(workload, tracer)
        return row

    def phases(self, workload, tracer):
        """Of each phase: instructions a page, IO and bio, in all and beyond nobody watching."""
        out = {}
        for (known, phase), (pages, ios, bios) in self.moved.items():
            extra = self.extra(workload, tracer, phase)
            if known == workload and extra is not None:
                out[phase] = {"instructions": self.median(workload, tracer, phase),
                              "extra": extra, "pages": pages, "ios": ios, "bios": bios}
        return out

    def rows(self):
        return [self.row(w, t) for w in self.order for t in self.tracers
                if (w, t) in self.samples or (w, t) in self.cannot]


def text(value, form="%d"):
    return "-" if value is None else form % value


def columns(lines, head):
    """Prints rows of words, each column as wide as its widest."""
    rows = [head] + lines
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        print("  ".join(word.ljust(width) if i < 3 else word.rjust(width)
                        for i, (word, width) in enumerate(zip(row, widths))).rstrip())
    print()


def cost_table(rows):
    columns([[r["kernel"], r["workload"], r["tracer"], text(r["instructions"]),
              text(r["baseline"]), text(r["overhead_pct"], "%+.2f"), text(r["lost"]),
              text(r["spread_pct"], "%.2f"), r.get("reason", "")] for r in rows],
            ["kernel", "workload", "tracer", "instructions", "baseline", "overhead %", "lost",
             "spread %", ""])


def phase_table(rows):
    lines = []
    for r in rows:
        for name, p in r["phases"].items():
            per = [text(p[key] or None, "%d") for key in ("pages", "ios", "bios")]
            each = [text(p["extra"] / p[key] if p[key] else None, "%.0f")
                    for key in ("pages", "ios", "bios")]
            lines.append([r["kernel"], r["workload"], r["tracer"], name,
                          text(p["instructions"]), text(p["extra"], "%+d")] + per + each)
    columns(lines, ["kernel", "workload", "tracer", "phase", "instructions", "more",
                    "pages", "IOs", "bios", "a page", "an IO", "a bio"])


def main():
    directory, names = sys.argv[1], sys.argv[2:]
    kernels = [Kernel(os.path.join(directory, name + ".tsv"), name) for name in names]
    rows = [row for kernel in kernels for row in kernel.rows()]
    with open(os.path.join(directory, "results.json"), "w", encoding="utf-8") as out:
        json.dump(rows, out, indent=1)
        out.write("\n")
    cost_table(rows)
    phase_table(rows)
    bad = False
    for kernel in kernels:
        for line in kernel.broken:
            print("%s: %s" % (kernel.name, line))
            bad = True
    return 1 if bad or any(r["instructions"] is None for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
