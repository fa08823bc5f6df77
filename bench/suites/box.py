# SPDX-License-Identifier: MIT
"""The problems of bench/suites for Python: every call counted, the least true F kept."""
import ctypes
import os

import numpy as np

MOST, PARTS = 200, 256  # SUITE_MOST, SUITE_MOST_PARTS


class Problem(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 40), ("d", ctypes.c_size_t), ("m", ctypes.c_size_t), ("squares", ctypes.c_int), ("wild", ctypes.c_int),
                ("weight", ctypes.c_double), ("best", ctypes.c_double), ("noise", ctypes.c_double),
                ("most", ctypes.c_size_t), ("start", ctypes.c_double * MOST), ("of", ctypes.c_void_p), ("parts", ctypes.c_void_p)]


class Enough(Exception):
    """The budget is spent."""


def library():
    path = os.path.join(os.environ.get("BUILD", "build/release"), "bench", "suites.so")
    lib = ctypes.CDLL(os.path.abspath(path))
    lib.suite_size.restype = ctypes.c_size_t
    lib.suite_open.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
    lib.suite_parts.argtypes = [ctypes.c_void_p] * 3
    return lib


class Box:
    """Problem k of a suite. least[i] is the least true F after i + 1 evaluations; at most `most` of them."""

    def __init__(self, lib, suite, k, most):
        self.lib, self.problem = lib, Problem()
        if lib.suite_open(suite.encode(), k, ctypes.byref(self.problem)):
            raise LookupError(f"{suite}: no data for problem {k + 1}")
        p = self.problem
        self.name, self.d, self.m, self.best = p.name.decode(), p.d, p.m, p.best
        self.squares, self.weight, self.noise = bool(p.squares), p.weight, p.noise
        self.x0, self.most, self.least = np.array(p.start[: p.d]), most, []

    def parts(self, x):
        """v(x), counted."""
        if len(self.least) >= self.most:
            raise Enough
        x, v = np.ascontiguousarray(x, float), np.empty(self.m)
        self.lib.suite_parts(ctypes.byref(self.problem), x.ctypes.data, v.ctypes.data)
        f = self.smooth(v) + self.weight * np.abs(x).sum()
        self.least.append(min(f if np.isfinite(f) else np.inf, self.least[-1] if self.least else np.inf))
        return v

    def smooth(self, v):
        with np.errstate(all="ignore"):
            return float(v @ v if self.squares else v.sum())

    def sum(self, x):
        """The smooth part of F, counted."""
        return self.smooth(self.parts(x))

    def value(self, x):
        """F, counted."""
        return self.sum(x) + self.weight * np.abs(np.asarray(x)).sum()

    def aside(self, of, x):
        """of(x), not counted."""
        kept, self.least, most, self.most = self.least, [], self.most, 1
        try:
            return of(x)
        finally:
            self.least, self.most = kept, most

    def true(self, x):
        """F, not counted."""
        return self.aside(self.value, x)

    def true_parts(self, x):
        return self.aside(self.parts, x)


def problems(lib, suite, most_of, only=None):
    """The boxes of a suite with their numbers; most_of(d): the budget."""
    for k in range(lib.suite_size(suite.encode())):
        if only is not None and k not in only:
            continue
        try:
            box = Box(lib, suite, k, 0)
        except LookupError:
            continue
        box.most = box.problem.most or most_of(box.d)
        yield k, box
