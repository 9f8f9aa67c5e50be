#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run programs that need more than a file name on what export wrote.

usage: consumers.py prometheus DIR OPENMETRICS...
       consumers.py browser DIR SVG FOLDED PATTERN

One TAP line a case, without a number and a plan. DIR is for their files.
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

# Generous: it only ends what hangs.
PATIENCE = 60


def ok(good, what, *diagnosis):
    print("%s - %s" % ("ok" if good else "not ok", what))
    for line in [] if good else diagnosis:
        print("# %s" % (line,))


def until(probe, why):
    """What probe() gives, as soon as that is anything."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = probe()
        if value:
            return value
        time.sleep(0.05)
    raise TimeoutError(why)


# --- Prometheus: serve the files, let it scrape them, ask it what it knows

class Pages(http.server.BaseHTTPRequestHandler):
    files = []

    def do_GET(self):
        with open(self.files[int(self.path.strip("/"))], "rb") as file:
            content = file.read()
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def wanted(file):
    """Of a file, {labels: value} by another reader."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    with open(file, encoding="utf-8", newline="\n") as text:
        return {(sample.name, tuple(sorted(item for item in sample.labels.items() if item[1]))): sample.value
                for family in text_string_to_metric_families(text.read()) for sample in family.samples}


def prometheus(directory, *files):
    Pages.files = files
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config, log = os.path.join(directory, "prometheus.yml"), os.path.join(directory, "prometheus.log")
    with open(config, "w") as out:
        print("global: { scrape_interval: 1s, scrape_timeout: 1s }\nscrape_configs:", file=out)
        for i in range(len(files)):
            print("- { job_name: 'j%d', metrics_path: /%d, honor_labels: true, static_configs: [ { targets: ['127.0.0.1:%d'] } ] }"
                  % (i, i, server.server_port), file=out)
    with open(log, "w") as out:
        process = subprocess.Popen(
            ["prometheus", "--config.file=" + config, "--web.listen-address=127.0.0.1:0",
             "--storage.tsdb.path=" + os.path.join(directory, "tsdb")], stdout=out, stderr=out)
    try:
        def listening():
            if process.poll() is not None:
                raise ChildProcessError("prometheus ended")
            with open(log) as text:
                return re.search(r'msg="Listening on"[^\n]*?address=\S*?:(\d+)', text.read())
        port = until(listening, "prometheus does not listen").group(1)

        # Whatever proxy this machine uses, not for this.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        def ask(path, **words):
            with direct.open("http://127.0.0.1:%s/api/v1/%s?%s"
                             % (port, path, urllib.parse.urlencode(words)), timeout=PATIENCE) as answer:
                return json.load(answer)["data"]

        def scraped():
            try:
                targets = ask("targets")["activeTargets"]
            except urllib.error.HTTPError:
                return None     # not ready yet
            return len(targets) == len(files) and all(t["health"] != "unknown" for t in targets) and targets
        targets = until(scraped, "prometheus does not scrape")
        for i, file in enumerate(files):
            name = os.path.basename(file)
            error = [t["lastError"] for t in targets if t["labels"]["job"] == "j%d" % i]
            ok(error == [""], "prometheus scrapes %s" % name, *error)
            got = {}
            for row in ask("query", query='{job="j%d",__name__=~"ioblame_.*"}' % i)["result"]:
                labels = {k: v for k, v in row["metric"].items() if k not in ("job", "instance")}
                metric = labels.pop("__name__")
                got[metric, tuple(sorted(labels.items()))] = float(row["value"][1])
            want = wanted(file)
            ok(got == want and got, "prometheus has each value of %s under its labels" % name,
               *sorted(set(got.items()) ^ set(want.items())))
    finally:
        process.terminate()
        process.wait()


# --- a browser, driven over a pair of pipes: JSON, each message ended by a zero byte

class Browser:
    def __init__(self, program, directory):
        to_read, self.to = os.pipe()
        self.answers, to_write = os.pipe()
        # It wants them under these numbers.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec 8<&%d 9>&%d; exec 3<&8 4>&9 8<&- 9>&-; exec "$@"' % (to_read, to_write), "sh", program,
             "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--window-size=1300,900", "--remote-debugging-pipe", "--user-data-dir=" + directory, "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.pending, self.number, self.session, self.events, self.dialog = b"", 0, None, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def send(self, method, **words):
        self.number += 1
        message = {"id": self.number, "method": method, "params": words}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        return self.number

    def receive(self):
        while b"\0" not in self.pending:
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise ChildProcessError("the browser ended")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **words):
        number = self.send(method, **words)
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.events.append(message)
            # What asks waits for an answer, and so does what made it ask.
            if message.get("method") == "Page.javascriptDialogOpening":
                self.send("Page.handleJavaScriptDialog", accept=True, promptText=self.dialog)

    def js(self, code):
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError("%s: %s" % (code, result["exceptionDetails"]))
        return result["result"].get("value")

    def open(self, file):
        self.call("Page.navigate", url="file://" + urllib.parse.quote(os.path.abspath(file)))
        until(lambda: self.js("document.readyState === 'complete' && !!document.querySelector('svg')"), "not loaded")

    def click(self, expression):
        """The mouse, in the middle of what expression names."""
        box = self.js("(b => ({ x: b.x + b.width / 2, y: b.y + b.height / 2 }))((%s).getBoundingClientRect())" % expression)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **box)

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def complaints(self):
        return [e for e in self.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]

    def close(self):
        os.close(self.to)
        os.close(self.answers)
        self.process.terminate()
        self.process.wait()


# All frames as they are shown, in the order of the file.
FRAMES = """Array.from(document.querySelectorAll("g.f"), g => ({
    name: g.querySelector("title").textContent.split("\\n")[0],
    at: Number(g.dataset.at), value: Number(g.dataset.value), depth: Number(g.dataset.depth),
    shown: getComputedStyle(g).display !== "none",
    width: g.querySelector("rect").getBoundingClientRect().width,
    hit: g.classList.contains("hit"), above: g.classList.contains("above") }))"""


def share(folded, pattern):
    """The part of a folded file that matches, in bytes; and all of it."""
    total = hits = 0
    with open(folded, encoding="utf-8") as text:
        for line in text:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            total += int(value)
            hits += int(value) if any(re.search(pattern, frame) for frame in stack.split(";")) else 0
    return hits, total


def browser(directory, svg, folded, pattern):
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    page = Browser(program, os.path.join(directory, "profile"))
    name = os.path.basename(svg)
    try:
        page.open(svg)
        whole = page.js(FRAMES)
        root = whole[0]
        ok(all(f["shown"] and abs(f["width"] - f["value"] / root["value"] * 1200) < 0.5 for f in whole),
           "chromium shows %s: each frame as wide as its share" % name, whole)

        # The narrowest that has room inside, so that zooming has something to do.
        best = min((f for f in whole[1:] if any(g["depth"] > f["depth"] and
                    f["at"] <= g["at"] < f["at"] + f["value"] for g in whole)), key=lambda f: f["value"])
        frame = "document.querySelectorAll('g.f')[%d]" % whole.index(best)
        page.click(frame + ".querySelector('rect')")
        zoomed = page.js(FRAMES)
        wrong = []
        for old, new in zip(whole, zoomed):
            inside = best["at"] <= old["at"] and old["at"] + old["value"] <= best["at"] + best["value"]
            outside = old["at"] <= best["at"] and best["at"] + best["value"] <= old["at"] + old["value"]
            want = old["value"] / best["value"] * 1200 if inside and old["depth"] >= best["depth"] else \
                1200 if outside and old["depth"] < best["depth"] else 0
            if new["shown"] != (want > 0) or want and abs(new["width"] - want) > 0.5:
                wrong.append((want, new))
        ok(not wrong and best["value"] < root["value"] and abs(zoomed[whole.index(best)]["width"] - 1199.7) < 0.5,
           "chromium, %s: a click makes a frame as wide as the graph, and hides what is beside it" % name, *wrong)
        ok(page.js("getComputedStyle(document.getElementById('reset')).display") != "none",
           "chromium, %s: zoomed, it can be reset" % name)
        page.click("document.getElementById('reset')")
        ok(page.js(FRAMES) == whole, "chromium, %s: reset shows all again" % name)
        page.click(frame + ".querySelector('rect')")
        page.press("Escape")
        ok(page.js(FRAMES) == whole, "chromium, %s: so does Escape" % name)

        hits, total = share(folded, pattern)
        page.dialog = pattern
        page.click("document.getElementById('search')")
        want = "matched %.1f %%" % (100 * hits / total)
        got = page.js("document.getElementById('matched').textContent")
        ok(got == want and 0 < hits < total, "chromium, %s: search says how much matches" % name, got, want)
        found = page.js(FRAMES)
        ok([f["hit"] for f in found] == [i > 0 and bool(re.search(pattern, f["name"])) for i, f in enumerate(whole)],
           "chromium, %s: and marks those frames" % name, found)
        page.click("document.getElementById('search')")
        ok(page.js("document.getElementById('matched').textContent") == "" and page.js(FRAMES) == whole,
           "chromium, %s: a second click clears it" % name)
        page.dialog = "("
        page.press("/")
        got = page.js("document.getElementById('matched').textContent")
        hits = share(folded, r"\(")[0]
        ok(got == "matched %.1f %%" % (100 * hits / total), "chromium, %s: no expression is taken as it is written" % name, got)
        ok(not page.complaints(), "chromium, %s: nothing was complained of" % name, *page.complaints())
    finally:
        page.close()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
