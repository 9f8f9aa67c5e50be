#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Read what export wrote as its users' programs do, and print a sum.

usage: readers.py FORMAT FILE [METRIC]; status 77 if the reader is not installed
"""
import collections
import csv
import gzip
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml


def clean(text):
    """No control characters, and none that hide or reorder others."""
    return not re.search(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]", text)


def column(metric):
    return "cancelled_bytes" if metric == "cancelled" else metric


def read_folded(data, metric):
    total = 0
    seen = set()
    for line in data.decode().split("\n")[:-1]:
        # flamegraph.pl's own expression
        stack, value = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line).groups()
        assert not re.search(r"\s\d+(\.\d*)?$", stack), line
        assert clean(stack) and stack not in seen and all(stack.split(";")), line
        seen.add(stack)
        total += int(value)
    return total


def read_svg(data, metric):
    root = xml.fromstring(data)
    name = "{http://www.w3.org/2000/svg}"
    assert root.tag == name + "svg" and root.get("data-metric") == metric
    for element in root.iter():
        for key in element.keys():
            assert not key.endswith("href") and key != "src" and not key.startswith("on"), key
    assert data.count(b"://") == 1 and b"url(" not in data
    frames = [[int(g.get("data-" + key)) for key in ("at", "value", "depth")]
              for g in root.iter(name + "g")]
    parents, left = [], collections.Counter()
    for at, value, depth in frames:
        del parents[depth:]
        assert len(parents) == depth and value > 0
        if parents:
            outer = parents[-1]
            assert outer[0] <= at and at + value <= outer[0] + outer[1]
            left[tuple(outer)] += value
        parents.append([at, value, depth])
    assert all(used <= frame[1] for frame, used in left.items())
    for g in root.iter(name + "g"):
        assert clean(g.find(name + "title").text.split("\n")[0])
    return frames[0][1] if frames else 0


def read_pprof(data, metric, summed=None):
    tool = shutil.which("protoc")
    if not tool:
        raise ModuleNotFoundError("protoc is not installed")
    out = subprocess.run([tool, "--decode=perftools.profiles.Profile", "-Ilib", "lib/profile.proto"],
                         input=gzip.decompress(data), stdout=subprocess.PIPE, check=True).stdout.decode()
    # A field that we do not know would be named by its number.
    assert not re.search(r"^\s*\d+[:{ ]", out, re.M)
    texts = [line[len('string_table: "'):-1] for line in out.split("\n")
             if line.startswith("string_table: ")]
    assert texts[0] == "" and len(set(texts)) == len(texts)
    def fields(block, name):
        return [int(n) for n in re.findall(r"^  %s: (\d+)$" % name, block, re.M)]
    def blocks(name):
        return re.findall(r"^%s \{\n(.*?)^\}$" % name, out, re.M | re.S)
    types = [[texts[(fields(b, f) or [0])[0]] for f in ("type", "unit")] for b in blocks("sample_type")]
    kinds = [kind for kind, unit in types]
    if summed and summed not in kinds:
        return 0
    at = kinds.index(summed or metric)
    assert texts[int(re.search(r"^default_sample_type: (\d+)$", out, re.M).group(1))] == metric
    assert types[0] == ["bytes", "bytes"] and types[1] == ["ios", "count"]
    ids = [fields(b, "id") for b in blocks("location")]
    assert ids == [fields(b, "id") for b in blocks("function")] == [[i + 1] for i in range(len(ids))]
    total = 0
    for sample in blocks("sample"):
        values = fields(sample, "value")
        assert len(values) == len(types) and "label {" in sample
        assert all(0 < i <= len(ids) for i in fields(sample, "location_id"))
        assert all(int(i) < len(texts) for i in re.findall(r"^    (?:key|str): (\d+)$", sample, re.M))
        total += values[at]
    return total


def read_speedscope(data, metric):
    file = json.loads(data)
    frames = file["shared"]["frames"]
    names = [frame["name"] for frame in frames]
    assert len(set(names)) == len(names) and all(clean(name) for name in names)
    assert file["profiles"][file["activeProfileIndex"]]["name"] == metric
    for profile in file["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] in ("bytes", "none", "nanoseconds")
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"] and profile["startValue"] == 0
        assert all(0 <= i < len(frames) for sample in profile["samples"] for i in sample)
    return file["profiles"][0]["endValue"]


def read_csv(data, metric):
    rows = list(csv.reader(data.decode().split("\n")[:-1], strict=True))
    assert len({len(row) for row in rows}) == 1
    at = rows[0].index(column(metric))
    return sum(int(row[at]) for row in rows[1:])


def read_jsonl(data, metric):
    rows = [json.loads(line) for line in data.decode().split("\n")[:-1]]
    assert all("frames" in row and "file" in row for row in rows)
    return sum(row[column(metric)] for row in rows)


def read_openmetrics(data, metric):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    assert data.endswith(b"\n# EOF\n")
    families = list(text_string_to_metric_families(data.decode()))
    assert [family.name for family in families] == [
        "ioblame_bytes", "ioblame_ios", "ioblame_cancelled_bytes", "ioblame_lost"]
    assert all(family.type == "counter" and family.documentation for family in families)
    total = 0
    for family in families:
        keys = [tuple(sorted(sample.labels.items())) for sample in family.samples]
        assert len(set(keys)) == len(keys)
        if family.name == "ioblame_" + column(metric):
            total = sum(int(sample.value) for sample in family.samples)
    return total


if __name__ == "__main__":
    with open(sys.argv[2], "rb") as file:
        content = file.read()
    try:
        print(globals()["read_" + sys.argv[1]](content, (sys.argv[3:] + ["bytes"])[0]))
    except ModuleNotFoundError as missing:
        print(missing)
        sys.exit(77)
