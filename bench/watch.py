#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of a run of 10^5 evaluations in Chromium: first picture, updates, and what it costs the run.

    ./run bench watch        (bench/watch.py build/release/bin/zoprox)

A history of 10^5 evaluations of one function is there when the page is opened, and 1000 more come every second. Printed are the
milliseconds from navigation to the first picture, those of each update (answer of the server, its reading and drawing), and
the processor time of an evaluation with and without a page, from which follows how long one must take for the page to cost 1 %."""
import base64
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

EVALUATIONS, MORE, SECONDS = 100000, 1000, 8
FIRST, UPDATE = 1000, 100  # milliseconds at most
SOURCE = Path(__file__).resolve().parent.parent
ZOPROX = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build/release/bin/zoprox")
BOX = """#include <zoprox.h>
static int value(void *c, size_t i, const double *x, double *f)
{
    double s = 0;
    (void)c, (void)i;
    for (int k = 0; k < 5; k++) s += 100 * (x[k + 1] - x[k] * x[k]) * (x[k + 1] - x[k] * x[k]) + (1 - x[k]) * (1 - x[k]);
    return *f = s, 0;
}
int zoprox_open(int argc, char **argv, zo_problem *p, char *e, size_t n)
{
    (void)argc, (void)argv, (void)e, (void)n;
    return *p = (zo_problem){.n = 1, .d = 6, .value = value}, 0;
}
"""


class Browser:
    """Chromium by its debugging protocol, over a web socket of our own."""

    def __init__(self, program, folder, width, height):
        self.process = subprocess.Popen([program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
                                         "--disable-background-networking", "--disable-component-update", f"--user-data-dir={folder}/profile",
                                         f"--window-size={width},{height}", "--remote-debugging-port=0", "about:blank"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"ws://127\.0\.0\.1:(\d+)/", line)
            if found:
                break
        else:
            sys.exit("the browser does not start")
        port = int(found[1])
        pages = [p for p in json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json")) if p["type"] == "page"]
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.count = 0
        path = pages[0]["webSocketDebuggerUrl"].split(str(port), 1)[1]
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while b"\r\n\r\n" not in (getattr(self, "head", b"")):
            self.head = getattr(self, "head", b"") + self.socket.recv(1)

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            data += self.socket.recv(size - len(data))
        return data

    def _hear(self):
        text = b""
        while True:
            first, second = self._exactly(2)
            size = second & 127
            size = int.from_bytes(self._exactly(2 if size == 126 else 8), "big") if size > 125 else size
            text += self._exactly(size)
            if first & 128:
                return json.loads(text)

    def call(self, method, **params):
        self.count += 1
        body = json.dumps({"id": self.count, "method": method, "params": params}).encode()
        size = len(body)
        head = bytes([129, 128 | size]) if size < 126 else bytes([129, 128 | 126]) + size.to_bytes(2, "big")
        self.socket.sendall(head + bytes(4) + body)
        while True:
            heard = self._hear()
            if heard.get("id") == self.count:
                return heard.get("result", {})

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True).get("result", {}).get("value")

    def picture(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()


def solve(folder, *more):
    """Seconds of processor time of a run, with what it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([ZOPROX, "solve", "--plugin", f"{folder}/box.so", "--method", "zosgd", "--queries", str(EVALUATIONS), "--quiet", *more],
                   check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def looked_at(browser, url, history, rows):
    """Milliseconds to the first picture, and of updates."""
    browser.call("Page.enable")
    browser.call("Page.addScriptToEvaluateOnNewDocument", source="""
        window.updates = [];
        addEventListener('DOMContentLoaded', () => { const fetches = fetch; window.fetch = async (...a) => { window.asked = performance.now(); return fetches(...a); };
        new MutationObserver(() => updates.push(performance.now() - window.asked)).observe(document.documentElement, {attributes: true, attributeFilter: ['data-took']}); });""")
    browser.call("Page.navigate", url=url)
    for _ in range(SECONDS):
        time.sleep(1)
        with open(history, "a") as out:
            out.writelines(rows)
    return (float(browser.value("document.documentElement.dataset.first") or "nan"), browser.value("window.updates"),
            float(browser.value("document.documentElement.dataset.took") or "nan"))


def main():
    program = shutil.which("chromium") or sys.exit("no Chromium here (Debian: chromium)")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "box.c").write_text(BOX)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{SOURCE}/include", "-o", f"{folder}/box.so", f"{folder}/box.c"], check=True)
        plain, paged = (min(solve(folder, *more) for _ in range(3)) for more in ((), ("--page", "0")))
        price = 1e6 * (paged - plain) / EVALUATIONS
        print(f"an evaluation: {price:.1f} us of processor time for the page: 1 % of one that takes {price / 10:.2f} ms")
        history = f"{folder}/run.csv"
        solve(folder, "--history", history)
        rows = Path(history).read_text().splitlines(True)[-MORE:]
        missed = False
        for width, height, scheme in ((1280, 900, "light"), (390, 844, "dark")):
            watch = subprocess.Popen([ZOPROX, "watch", history], stdout=subprocess.PIPE, text=True)
            url, browser = watch.stdout.readline().strip(), Browser(program, folder, width, height)
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
            first, updates, took = looked_at(browser, url, history, rows)
            later = sorted(updates[1:] or [float("nan")])
            missed |= not (first < FIRST and later[-1] < UPDATE)
            print(f"{width} x {height}, {scheme}: first picture {first:.0f} ms, {len(later)} updates of {later[len(later) // 2]:.0f} ms in the "
                  f"middle, {later[-1]:.0f} at most, drawing {took:.0f}")
            if "PICTURES" in os.environ:
                browser.picture(f"{os.environ['PICTURES']}/page-{width}-{scheme}.png")
            browser.close()
            watch.terminate()
            watch.wait()
        return int(missed)


if __name__ == "__main__":
    sys.exit(main())
