# SPDX-License-Identifier: MIT
"""Lines and branches that tests have run, per folder: coverage.py SUMMARY [FOLDER ...]

SUMMARY is what `gcovr --json-summary` wrote. A FOLDER's files are listed too, those with the most lines that never ran first.
"""
import collections
import json
import os
import sys


def part(covered, total):
    return f"{100 * covered / total:6.1f}" if total else "     -"


def row(name, c):
    lines, branches = part(c["line_covered"], c["line_total"]), part(c["branch_covered"], c["branch_total"])
    return f"{name:<40} {c['line_total']:6d} {lines} {c['branch_total']:7d} {branches}"


def main(summary, wanted):
    with open(summary, encoding="utf-8") as file:
        files = json.load(file)["files"]
    counts = ("line_total", "line_covered", "branch_total", "branch_covered")
    folders = collections.defaultdict(collections.Counter)
    for f in files:
        inside = os.path.dirname(f["filename"])
        above = {inside, "/".join(inside.split("/")[:2]), inside.split("/")[0]}
        for folder in above:
            folders[folder].update({name: f[name] for name in counts})
    print(f"{'':<40}  lines    run branches   run")
    for name in sorted(folders):
        print(row(name, folders[name]))
    for folder in wanted:
        print(f"\n{folder}")
        found = [f for f in files if f["filename"].startswith(folder)]
        for f in sorted(found, key=lambda f: f["line_covered"] - f["line_total"]):
            print(row(f["filename"], f))


main(sys.argv[1], sys.argv[2:])
