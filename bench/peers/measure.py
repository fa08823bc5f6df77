#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every competitor on every black box and writes a line of JSON for each: measure.py OUT [WORD ...]

A run is made when every WORD is one of its words (family, d=10, l1, plain, exact, noisy, competitor). Runs that are in OUT already are
not made again. Needs python3-nlopt, python3-cmaes, python3-petsc4py; competitors without their package are left out."""
import itertools
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "python"), str(Path(__file__).resolve().parent)]

import numpy as np  # noqa: E402
from peers import ALL, Over, fits, petsc  # noqa: E402
from problems import FAMILIES, Box  # noqa: E402

GOALS = (1e-1, 1e-3, 1e-6)
UNITS = {10: 200, 50: 100, 300: int(os.environ.get("UNITS_300", 25))}  # budget in n d queries
SECONDS = int(os.environ.get("SECONDS", 12))  # of processor time for one run
now = time.process_time


class Judge:
    """Counts queries, keeps when F, without noise, passed each goal at the point a competitor would return, and ends the run
    when nothing is left to see. Of zoprox that is the point it stands for, of peers the one with the lowest value seen."""

    def __init__(self, box, best, budget):
        self.box, self.best, self.budget = box, best, budget
        self.queries, self.inside, self.gap, self.note, self.lowest = 0, 0.0, 1.0, "", np.inf
        self.reached = [None] * len(GOALS)
        self.begin = now()

    def see(self, x, queries):
        """zoprox stands at x after so many queries."""
        start = now()
        self.score(self.box.F(x), queries)
        self.inside += now() - start
        self.end()

    def score(self, F, queries):
        self.queries = queries
        self.gap = min(self.gap, (F - self.best) / (self.box.start - self.best))
        for k, goal in enumerate(GOALS):
            if self.reached[k] is None and self.gap <= goal:
                self.reached[k] = queries

    def end(self):
        if now() - self.begin > SECONDS:
            raise Over(f"{SECONDS} s of processor time")
        if self.gap <= GOALS[-1]:
            raise Over("goal")

    def ask(self, x, smooth=False):
        """One evaluation of the sum: F, or f alone."""
        if self.queries + self.box.n > self.budget:
            raise Over("budget")
        start = now()
        self.queries += self.box.n
        mean, rest = self.box.of.mean(x), self.box.l1 * abs(x).sum()
        value = self.box.noisy(mean)
        if value + rest < self.lowest:
            self.lowest = value + rest
            self.score(mean + rest, self.queries)
        self.inside += now() - start
        self.end()
        return value + (0 if smooth else rest)

    def time(self, fun):
        """fun, its time not charged to the competitor."""
        def timed(*arguments):
            start = now()
            answer = fun(*arguments)
            self.inside += now() - start
            return answer
        return timed


def run(job):
    family, d, l1, noisy, name, best = job
    box = Box(family, d, l1, noisy)
    judge = Judge(box, best, UNITS[d] * box.n * d)
    end = "stopped by itself"
    try:
        ALL[name](box, judge)
    except Over as over:
        end = str(over)
    except Exception as error:  # what a competitor runs into is part of its result
        end = f"{type(error).__name__}: {error}"[:100]
    spent = now() - judge.begin - judge.inside
    return {"family": family, "d": d, "l1": l1, "noisy": noisy, "name": name, "n": box.n, "best": best, "reached": judge.reached,
            "gap": judge.gap, "queries": judge.queries, "end": f"{end} {judge.note}".strip(),
            "overhead": spent / max(judge.queries, 1)}


def words(family, d, l1, noisy, name):
    return {family, f"d={d}", "l1" if l1 else "plain", "noisy" if noisy else "exact", name}


def installed():
    missing = set()
    for module, names in (("nlopt", ("BOBYQA", "SBPLX", "COBYLA", "CRS2")), ("cmaes", ("CMA-ES",))):
        try:
            __import__(module)
        except ImportError:
            missing |= set(names)
    if petsc() is None:
        missing.add("POUNDERS")
    for name in sorted(missing):
        print(f"{name}: left out, its package is not here", file=sys.stderr)
    return [name for name in ALL if name not in missing]


def main():
    out, wanted = Path(sys.argv[1]), set(sys.argv[2:])
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    done = {tuple(line[k] for k in ("family", "d", "l1", "noisy", "name")) for line in lines}
    known = {(line["family"], line["d"], line["l1"]): line["best"] for line in lines}
    jobs, names = [], installed()
    for family, d, l1 in itertools.product(FAMILIES, UNITS, (False, True)):
        best = known.get((family, d, l1))
        for noisy, name in itertools.product((False, True), names):
            case = (family, d, l1, noisy, name)
            if case in done or not wanted <= words(*case) or fits(name, Box(family, d, l1, noisy)):
                continue
            best = Box(family, d, l1, False).optimum() if best is None else best
            jobs.append((*case, best))
    with multiprocessing.Pool(int(os.environ.get("JOBS", "2"))) as pool, out.open("a") as file:
        for line in pool.imap_unordered(run, jobs, chunksize=1):
            file.write(json.dumps(line) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
