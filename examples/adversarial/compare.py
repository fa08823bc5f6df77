#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compare.py ATTACK VICTIM IMAGES QUERIES OUT: queries until so many images are fooled, auto beside zosgd and zpsvrg tuned.

Each setting of the grid runs with seeds of two kinds. For every goal the setting with the least median over TUNE is taken, and its median
over REPORT is shown, as is auto's; "-": more than half of the seeds did not arrive. The goals are shares at and below that of the least F
that auto found, and F within 1 % of it. Traces go to OUT/NAME-SEED, auto's points to OUT/auto-SEED.x, the table to OUT/table."""
import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

attack, victim, images, queries, out = sys.argv[1:6]
words = lambda name, usual: os.environ.get(name, usual).split()  # noqa: E731
tune, report = words("TUNE", "1 2 3"), words("REPORT", "4 5 6 7 8")
grid = list(itertools.product(words("STEPS", "0.03 0.1 0.3"), words("DIRECTIONS", "20 50 200"), words("BATCHES", "2 5")))


def run(name, seed, *settings):
    """The trace: rows of queries, F, share fooled."""
    save = ["--save", f"{out}/auto-{seed}.x"] if name == "auto" else []
    with open(f"{out}/{name}-{seed}", "w") as file:
        subprocess.run([attack, victim, images, queries, *save, f"seed={seed}", *settings], stdout=file, check=True)
    return np.loadtxt(f"{out}/{name}-{seed}", ndmin=2)


def first(trace, goal):
    """Queries until the goal, ('share', s) or ('F', f), is reached."""
    kind, to = goal
    there = trace[:, 2] >= to - 1e-9 if kind == "share" else trace[:, 1] <= to
    return trace[there.argmax(), 0] if there.any() else np.inf


def median(traces, goal):
    return np.median([first(t, goal) for t in traces])


def show(name, cells):
    line = f"{name:12}" + "".join(f"{c:>14}" for c in cells)
    print(line, flush=True)
    print(line, file=table)


os.makedirs(out, exist_ok=True)
table = open(f"{out}/table", "w")
pool = ThreadPoolExecutor(2)
auto = list(pool.map(lambda s: run("auto", s), report))
least = min((row[1], row[2]) for t in auto for row in t)
goals = [("share", least[1] - less) for less in (0.2, 0.1, 0.05, 0.02, 0.01, 0)] + [("F", 1.01 * least[0])]
number = lambda q: f"{q:.0f}" if np.isfinite(q) else "-"  # noqa: E731
show("queries to", [f"{100 * s:.0f} %" for _, s in goals[:-1]] + [f"F {goals[-1][1]:.4f}"])
best = [median(auto, g) for g in goals]
show("auto", map(number, best))
for method in ("zosgd", "zpsvrg"):
    jobs = [(setting, seed) for setting in grid for seed in tune + report]
    traces = dict(zip(jobs, pool.map(lambda j: run(
        f"{method}-{'-'.join(j[0])}", j[1], f"method={method}", f"step={j[0][0]}", f"directions={j[0][1]}", f"batch={j[0][2]}", "radius=0.01"), jobs)))
    of = lambda setting, seeds: [traces[setting, s] for s in seeds]  # noqa: E731
    taken = [min(grid, key=lambda setting: median(of(setting, tune), g)) for g in goals]
    tuned = [median(of(t, tune), g) for t, g in zip(taken, goals)]
    told = [median(of(t, report), g) for t, g in zip(taken, goals)]
    show(method, map(number, told))
    show("  tuned on", map(number, tuned))
    show("  setting", ["/".join(t) if np.isfinite(q) else "" for t, q in zip(taken, tuned)])
    show("  auto's part", [f"{a / q:.2f}" if np.isfinite(a) and q > 0 else "" for a, q in zip(best, told)])
