# A small HTTP server for the tests of 'zoprox data fetch': one folder, parts of files, and answers that break off.
# SPDX-License-Identifier: MIT
#
#     range_server.py FOLDER LOG PORT_FILE
#
# Every request is a line in LOG: path, Range (or -), status. A file FOLDER/PATH.rule says how to answer:
# "cut N" closes the connection after N bytes of the first request for it; "stall N" sends N bytes and then nothing;
# "whole" ignores Range; "drip N" sends N bytes a second; "endless" sends the file again and again.
import http.server
import os
import sys
import threading

folder, log_path, port_path = sys.argv[1:4]
seen = set()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def note(self, status):
        with open(log_path, "a") as log:
            log.write(f"{self.path} {self.headers.get('Range', '-')} {status}\n")

    def rule(self, path):
        try:
            with open(path + ".rule") as f:
                return f.read().split() + ["", ""]
        except OSError:
            return ["", ""]

    def pour(self, kind, body, rate):
        self.close_connection = True
        try:
            at = 0
            while kind == "endless" or at < len(body):
                self.wfile.write(body if kind == "endless" else body[at : at + rate])
                self.wfile.flush()
                at += rate
                if kind == "drip":
                    threading.Event().wait(1)
        except OSError:
            pass

    def do_GET(self):
        path = folder + self.path
        if not os.path.isfile(path):
            self.note(404)
            self.send_error(404)
            return
        with open(path, "rb") as f:
            body = f.read()
        kind, count = self.rule(path)[:2]
        asked = self.headers.get("Range")
        first = int(asked.split("=")[1].split("-")[0]) if asked and kind != "whole" else 0
        if asked and kind != "whole" and first >= len(body):
            self.note(416)
            self.send_error(416)
            return
        status = 206 if first else 200
        self.note(status)
        self.send_response(status)
        if kind != "endless":
            self.send_header("Content-Length", str(len(body) - first))
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        if kind in ("drip", "endless"):
            self.pour(kind, body, int(count or 0))
            return
        if kind in ("cut", "stall") and path not in seen:
            seen.add(path)
            self.wfile.write(body[first : first + int(count)])
            self.wfile.flush()
            if kind == "stall":
                threading.Event().wait()
            self.close_connection = True
            return
        self.wfile.write(body[first:])


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_path + ".new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(port_path + ".new", port_path)
server.serve_forever()
