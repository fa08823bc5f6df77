#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""exact.py PLUGIN SCENARIOS ASSETS: the optimum by linear programming, which sees all returns; for comparison only."""
import ctypes
import sys

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye, hstack

sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/python")
from zoprox._lib import ffi  # noqa: E402

TAIL = 0.1


def market(plugin, *arguments):
    """The returns, out of the plugin's memory: behind its two sizes and its width."""
    problem, error = ffi.new("zo_problem *"), ffi.new("char[256]")
    words = [ffi.new("char[]", word.encode()) for word in arguments]
    argv = ffi.new("char *[]", words)
    address = lambda p: ctypes.c_void_p(int(ffi.cast("uintptr_t", p)))  # noqa: E731
    box = ctypes.CDLL(plugin)
    if box.zoprox_open(len(words), address(argv), address(problem), address(error), ctypes.c_size_t(256)):
        raise SystemExit(ffi.string(error).decode())
    n, assets = problem.n, problem.d - 1
    return np.frombuffer(ffi.buffer(problem.ctx + 24, 8 * n * assets)).reshape(n, assets).copy()


def optimum(returns):
    """min t + mean(s)/TAIL, s >= 0, s >= -r_i'w - t, w on the simplex."""
    n, assets = returns.shape
    cost = np.r_[np.zeros(assets), 1, np.full(n, 1 / TAIL / n)]
    above = hstack([-returns, -np.ones((n, 1)), -eye(n)])
    whole = np.r_[np.ones(assets), 0, np.zeros(n)][None]
    bounds = [(0, None)] * assets + [(None, None)] + [(0, None)] * n
    r = linprog(cost, above, np.zeros(n), whole, [1], bounds, method="highs")
    return r.fun, r.x[:assets]


def tail_mean(returns, w):
    """The mean of the worst tenth of the losses."""
    losses = np.sort(-returns @ w)[::-1]
    return losses[:max(int(TAIL * len(losses)), 1)].mean()


if __name__ == "__main__":
    returns = market(*sys.argv[1:])
    best, w = optimum(returns)
    print(f"{best:.8f}", *(f"{j}:{share:.3f}" for j, share in enumerate(w) if share > 1e-6))
