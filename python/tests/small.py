# SPDX-License-Identifier: MIT
"""A small sum of squares, and a run on it, for the tests."""
import numpy as np

import zoprox


def square(x, i):
    return float(((x - i % 3) ** 2).sum())


def squares(X, idx):
    return ((X[:, None, :] - (idx % 3)[:, None]) ** 2).sum(axis=2)


def run(fun=squares, d=3, n=30, **how):
    how = {"vectorized": fun is squares, "units": 20, "method": "fista", **how}
    return zoprox.minimize(fun, np.zeros(d), n, **how)
