#!/usr/bin/env python3
"""A black box in Python: zoprox solve --command 'python3 worker.py' --n 200 --dim 20. SPDX-License-Identifier: MIT"""
import math
import sys

N, D = 200, 20


def f(i, x):
    m = sum(math.cos((i + 1) * (j + 1)) * x[j] for j in range(D))
    return math.log1p(math.exp(-m))


def point():
    return [float(v) for v in sys.stdin.readline().split()]


for line in sys.stdin:
    kind, ident, points, comps = line.split()[0], *map(int, line.split()[1:])
    words = sys.stdin.readline().split()
    comp = list(range(N)) if words == ["all"] else [int(w) for w in words]
    if kind == "eval":
        rows = [[f(i, x) for i in comp] for x in (point() for _ in range(points))]
    else:  # each: the points of the first component, then those of the second, ...
        rows = list(zip(*[[f(i, point()) for _ in range(points)] for i in comp]))
    print(ident, *(" ".join(f"{v:.17g}" for v in row) for row in rows), sep="\n", flush=True)
