#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What stands for a Pyroscope server: takes profiles as its /ingest does, and adds them up.

usage: pyroscope.py PORT_FILE SUMS_FILE [MODE]

Each profile becomes a line of SUMS_FILE: its number, bytes, ios, name, and its sums as a
JSON object. It is written before the answer is given. SIGTERM ends it between two profiles.
MODE: "cut" takes the head of a request and hangs up, "busy" answers 503, "refuse" 422.
"""
import http.server
import json
import os
import re
import signal
import sys
import tempfile
import urllib.parse

import readers

MODE = sys.argv[3] if len(sys.argv) > 3 else ""


def labels_of(name):
    """As the server splits them: no quotes, so no comma or brace in a value."""
    app, inner = re.fullmatch(r"([a-zA-Z0-9_.-]+)\{([^{}]*)\}", name).groups()
    pairs = [part.split("=") for part in inner.split(",")]
    assert all(len(pair) == 2 and re.fullmatch(r"[a-zA-Z_]\w*", pair[0]) for pair in pairs), name
    assert len({key for key, _ in pairs}) == len(pairs)
    return app, dict(pairs)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        if MODE == "cut":
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if MODE == "busy":
            self.answer(503)
            return
        if MODE == "refuse":
            self.answer(422)
            return
        url = urllib.parse.urlparse(self.path)
        query = {key: value[0] for key, value in
                 urllib.parse.parse_qs(url.query, strict_parsing=True).items()}
        assert url.path == "/ingest" and query["format"] == "pprof"
        assert 1 << 30 < int(query["from"]) <= int(query["until"]) < 1 << 33
        app, labels = labels_of(query["name"])
        assert app == "ioblame" and {"host", "kernel", "device", "comm"} <= set(labels)
        sums = {metric: readers.read_pprof(body, "bytes", metric) for metric in ("bytes", "ios", "device_time")}
        with open(sys.argv[2], "a", encoding="utf-8") as out:
            out.write(json.dumps({"id": self.headers["X-Ioblame-Profile"], **sums, **labels}) + "\n")
            out.flush()
            os.fsync(out.fileno())
        self.answer(200)

    def log_message(self, *args):
        pass


class Server(http.server.HTTPServer):
    """One at a time, so that an end is never within one."""

    over = False

    def handle_error(self, request, client_address):
        super().handle_error(request, client_address)
        self.over = True


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    server.timeout = 0.2

    def end(*_):
        server.over = True
    signal.signal(signal.SIGTERM, end)
    Handler.timeout = 0.5
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(sys.argv[1]), delete=False) as file:
        file.write(str(server.server_address[1]))
    os.rename(file.name, sys.argv[1])
    while not server.over:
        server.handle_request()
