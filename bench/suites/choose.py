# SPDX-License-Identifier: MIT
"""Chooses lambda for the l1 suite and prints the rows of suites/l1.c: for each Moré-Wild problem one at which half of the
coordinates (rounded down) vanish where long runs from the start end; what the peers need is added by hand. PYTHONPATH=python BUILD=build/release"""
import sys

import numpy as np
import zoprox
from box import Box, Enough, library
from scipy.optimize import minimize

LONG = 100000


def by_zoprox(box, weight, start, seed):
    r = zoprox.least_squares(box.parts, start, prox=f"l1:{weight / (2 * box.m):.17g}", points=100 * (box.d + 1), seed=seed)
    return r.x


def by_split(box, weight, start):
    """L-BFGS-B on x = p - q with central differences."""
    def both(z):
        x = z[: box.d] - z[box.d:]
        g = np.empty(box.d)
        for j in range(box.d):
            h = 6e-6 * max(abs(x[j]), 1e-3)
            up, down = x.copy(), x.copy()
            up[j] += h
            down[j] -= h
            g[j] = (box.sum(up) - box.sum(down)) / (up[j] - down[j])
        return box.sum(x) + weight * z.sum(), np.concatenate([g, -g]) + weight
    z = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)])
    r = minimize(both, z, jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * box.d),
                 options={"maxfun": 1000, "maxiter": 1000, "ftol": 1e-16, "gtol": 1e-12})
    return r.x[: box.d] - r.x[box.d:]


def solution(lib, k, weight):
    """The best end of a few long runs: F, x with what is 0 to rounding made 0."""
    best = (np.inf, None)
    runs = [lambda b, s: by_zoprox(b, weight, s, 1), lambda b, s: by_split(b, weight, s), lambda b, s: by_zoprox(b, weight, s, 2)]
    box = Box(lib, "morewild", k, LONG * 1000)
    start = box.x0
    for run in runs:
        try:
            with np.errstate(all="ignore"):
                x = run(box, start)
        except (Enough, zoprox.Error, ValueError):
            continue
        f = box.true(x) + weight * np.abs(x).sum()
        if f < best[0]:
            best = f, x
        start = box.x0 if run is runs[0] else best[1]  # the last polishes
    return best


def zeros_at(lib, k, exponent):
    """lambda = 10^exponent to three digits, the least F known there, how many coordinates vanish."""
    weight = float(f"{10 ** exponent:.3g}")
    f, x = solution(lib, k, weight)
    return weight, f, int((np.abs(x) <= 1e-9 * (1 + np.abs(x).max())).sum())


def choose(lib, k):
    """The count need not grow with lambda: a scan first, then bisection where it passes what is wanted."""
    want = Box(lib, "morewild", k, 1).d // 2
    exponents = np.arange(-4, 12.1, 0.5)
    tried = [zeros_at(lib, k, e) for e in exponents]
    exact = [t for t in tried if t[2] == want]
    if exact:
        return exact[len(exact) // 2]
    for e, here, there in zip(exponents, tried, tried[1:]):
        low, high = e, e + 0.5
        while here[2] < want < there[2] and high - low > 1e-3:
            middle = (low + high) / 2
            tried.append(zeros_at(lib, k, middle))
            if tried[-1][2] == want:
                return tried[-1]
            low, high = (middle, high) if tried[-1][2] < want else (low, middle)
    best = min(tried, key=lambda t: (abs(t[2] - want), -t[0]))  # of equals the largest lambda
    return best if best[2] else zeros_at(lib, k, np.log10(best[0] / 2))  # all vanish at once: half of where they do


def main(first, last):
    lib = library()
    for k in range(first - 1, last):
        weight, f, zeros = choose(lib, k)
        box = Box(lib, "morewild", k, 1)
        print(f"    {{{k}, {weight:.3g}, {f:.11g}}}, /* {zeros} of {box.d} vanish */", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1, int(sys.argv[2]) if len(sys.argv) > 2 else 53)
