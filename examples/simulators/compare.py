# SPDX-License-Identifier: MIT
"""What SciPy's least_squares needs on the same simulator: compare.py NAME OUT [WEIGHT]

For each way of it a file OUT/WAY.runs: the least F = (1/n) sum r^2/2 + WEIGHT |x|_1 after each run of the simulator. An l1 term on
x >= 0 is sum x, and goes in as residuals sqrt(2 n WEIGHT x). `told`: differences of 1e-4, as one would choose who knows how many
digits of the simulator are good. Its steps are relative, so that it gets 1 + x as unknowns, which are not near 0."""
import importlib
import os
import sys

import numpy as np
from scipy.optimize import least_squares

WAYS = {"defaults": {}, "told": {"diff_step": 1e-4}}


def main(name, out, weight=None):
    here = os.path.dirname(os.path.abspath(__file__))
    simulator, out = importlib.import_module(name), os.path.abspath(out)
    weight = simulator.WEIGHT if weight is None else float(weight)
    targets = np.loadtxt(os.path.join(here, f"{name}.txt"))
    low, high = np.array(simulator.BOUNDS or (-np.inf, np.inf)) + 1
    work = os.path.join(out, "scipy")
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    for way, options in WAYS.items():
        with open(os.path.join(out, f"{way}.runs"), "w") as file:
            least, runs = np.inf, 0

            def residuals(y):
                nonlocal least, runs
                x = y - 1
                r = np.array(simulator.values(x)) - targets
                least, runs = min(least, r @ r / 2 / r.size + weight * np.abs(x).sum()), runs + 1
                print(runs, repr(least), file=file, flush=True)
                if weight:
                    r = np.concatenate([r, np.sqrt(2 * r.size * weight * np.maximum(x, 0))])
                return r
            try:
                end = least_squares(residuals, np.array(simulator.START) + 1.01, bounds=(low, high), max_nfev=60, **options)
                print(f"SciPy, {way}: {runs} runs, F {least:.6g}; {end.message}", flush=True)
            except ValueError as error:
                print(f"SciPy, {way}: {runs} runs, F {least:.6g}; {error}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
